/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares: weighted (score - target)^2 / 2. The Newton step is the mean residual, so splits
 * and leaves are those of ordinary regression trees. */
#include "objectives/objective_rows.h"

static void squared_rows(const gr_gradient_job *job, size_t first, size_t count)
{
    const gr_problem *problem = job->problem;
    double targets[GR_CHUNK], weights[GR_CHUNK];

    for (size_t k = 0; k < problem->outputs; k++) {
        const size_t at = k * problem->rows + first;

        gr_problem_targets(problem, k, first, count, targets);
        gr_problem_weights(problem, k, first, count, weights);
        for (size_t r = 0; r < count; r++) {
            job->gradients[at + r] = (float)(weights[r] * (job->scores[at + r] - targets[r]));
            job->hessians[at + r] = (float)weights[r];
        }
    }
}

static gradus_status squared_gradients(void *state, const gr_problem *problem, const double *scores,
                                       float *gradients, float *hessians, gr_pool *pool,
                                       gradus_error *err)
{
    gr_gradient_job job = { problem, scores, gradients, hessians, squared_rows, GR_CHUNK, state };

    (void)err;
    gr_gradient_run(&job, pool);
    return GRADUS_OK;
}

static void squared_bases(const void *state, const gr_problem *problem, double *bases)
{
    (void)state;
    for (size_t k = 0; k < problem->outputs; k++) {
        double sum = 0.0, total = 0.0;

        for (size_t r = 0; r < problem->rows; r++) {
            const double weight = gr_problem_weight(problem, k, r);

            sum += weight * gr_problem_target(problem, k, r);
            total += weight;
        }
        bases[k] = total > 0.0 ? sum / total : 0.0;
    }
}

static double squared_loss(const void *state, const gr_problem *problem, const double *scores)
{
    double sum = 0.0;

    (void)state;
    for (size_t k = 0; k < problem->outputs; k++)
        for (size_t r = 0; r < problem->rows; r++) {
            const double off = scores[k * problem->rows + r] - gr_problem_target(problem, k, r);

            sum += gr_problem_weight(problem, k, r) * off * off / 2;
        }
    return problem->rows ? sum / (double)problem->rows : 0.0;
}

const gr_objective gr_objective_squared = {
    .about = { .name = "squared",
               .summary = "least squares: (score - target)^2 / 2",
               .details = "Starts at the weighted mean of the targets. A leaf's value is the "
                          "weighted mean of its residuals, shrunk by l2." },
    .unit = true,
    .begin = gr_begin_nothing,
    .bases = squared_bases,
    .gradients = squared_gradients,
    .loss = squared_loss,
};
