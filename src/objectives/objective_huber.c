/* SPDX-License-Identifier: Apache-2.0 */
/* Huber's loss: squared up to a distance of delta, linear beyond it. A leaf's value is the median of
 * its residuals plus the mean of their deviations from it, clipped to +-delta (Friedman 2001). Unlike
 * there, delta is fixed, as in XGBoost and LightGBM. */
#include "objectives/objective_rows.h"
#include "objectives/residual_quantile.h"

#include <stdlib.h>

static double clip(double number, double delta)
{
    return number > delta ? delta : number < -delta ? -delta : number;
}

static gradus_status huber_begin(const gr_problem *problem, const gr_objective_options *options,
                                 gr_pool *pool, void **state, gradus_error *err)
{
    (void)problem;
    (void)pool;
    return gr_begin_number(options->loss.delta, state, err);
}

static void huber_rows(const gr_gradient_job *job, size_t first, size_t count)
{
    const gr_problem *problem = job->problem;
    const double delta = *(const double *)job->state;
    double targets[GR_CHUNK], weights[GR_CHUNK];

    for (size_t k = 0; k < problem->outputs; k++) {
        const size_t at = k * problem->rows + first;

        gr_problem_targets(problem, k, first, count, targets);
        gr_problem_weights(problem, k, first, count, weights);
        for (size_t r = 0; r < count; r++) {
            job->gradients[at + r] =
                (float)(weights[r] * clip(job->scores[at + r] - targets[r], delta));
            job->hessians[at + r] = (float)weights[r];
        }
    }
}

GR_DEFINE_GRADIENTS(huber_gradients, huber_rows)

static void huber_bases(const void *state, const gr_problem *problem, double *bases)
{
    (void)state;
    for (size_t k = 0; k < problem->outputs; k++)
        bases[k] = gr_residual_quantile(problem, k, NULL, NULL, problem->rows, 0.5);
}

static double huber_leaf(const void *state, const gr_problem *problem, const gr_leaf *leaf)
{
    const double median =
        gr_residual_quantile(problem, leaf->output, leaf->scores, leaf->rows, leaf->count, 0.5);
    double sum = 0.0, total = 0.0;

    for (size_t i = 0; i < leaf->count; i++) {
        const size_t r = leaf->rows[i];
        const double weight = gr_problem_weight(problem, leaf->output, r);
        const double residual = gr_problem_target(problem, leaf->output, r) - leaf->scores[r];

        sum += weight * clip(residual - median, *(const double *)state);
        total += weight;
    }
    return total > 0.0 ? median + sum / total : 0.0;
}

static double huber_loss(const void *state, const gr_problem *problem, const double *scores)
{
    const double delta = *(const double *)state;
    double sum = 0.0;

    for (size_t k = 0; k < problem->outputs; k++)
        for (size_t r = 0; r < problem->rows; r++) {
            const double off = scores[k * problem->rows + r] - gr_problem_target(problem, k, r);
            const double near = clip(off, delta);

            sum += gr_problem_weight(problem, k, r) * near * (off - near / 2);
        }
    return problem->rows ? sum / (double)problem->rows : 0.0;
}

const gr_objective gr_objective_huber = {
    .about = { .name = "huber",
               .summary = "Huber's loss: squared for residuals up to --delta, linear beyond",
               .details = "Starts at the weighted median of the targets. Splits fit the residuals "
                          "clipped to +-delta; a leaf's value is the weighted median of its "
                          "residuals plus the weighted mean of their deviations from it, clipped "
                          "to +-delta, regardless of l2. Source: Friedman 2001." },
    .searches_by_weight = true,
    .reads = "delta",
    .unit = true,
    .begin = huber_begin,
    .end = free,
    .bases = huber_bases,
    .gradients = huber_gradients,
    .leaf = huber_leaf,
    .loss = huber_loss,
};
