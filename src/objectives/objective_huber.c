/* SPDX-License-Identifier: Apache-2.0 */
/* Huber's loss: squared up to a distance of delta, linear beyond it. A leaf's value is the median of
 * its residuals plus the mean of their deviations from it, clipped to +-delta (Friedman 2001). Unlike
 * there, delta is fixed, as in XGBoost and LightGBM. */
#include "objectives/objective_rows.h"
#include "objectives/residual_quantile.h"
#include "objectives/slopes.h"

#include <stdlib.h>

static gradus_status huber_begin(const gr_problem *problem, const gr_objective_options *options,
                                 gr_pool *pool, void **state, gradus_error *err)
{
    (void)problem;
    (void)pool;
    return gr_begin_number(options->loss.delta, state, err);
}

GR_DEFINE_SLOPES(huber_gradients, gr_slope_huber)
GR_DEFINE_DESCRIBE_NUMBER(huber_describe, GR_DEVICE_HUBER)

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

        sum += weight * gr_slope_huber(residual - median, *(const double *)state);
        total += weight;
    }
    return total > 0.0 ? median + sum / total : 0.0;
}

static double huber_of_row(double weight, double score, double target, double delta)
{
    const double off = score - target, near = gr_slope_huber(off, delta);

    return weight * near * (off - near / 2);
}

GR_DEFINE_LOSS(huber_loss, huber_of_row)

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
    .leaf_reads_rows = true,
    .loss = huber_loss,
    .describe = huber_describe,
};
