/* SPDX-License-Identifier: Apache-2.0 */
/* Least absolute deviation: weighted |score - target|. Trees are fitted to the signs of the
 * residuals, and a leaf's value is the weighted median of its residuals (Friedman 2001). */
#include "objectives/objective_rows.h"
#include "objectives/residual_quantile.h"
#include "objectives/slopes.h"

GR_DEFINE_SLOPES(absolute_gradients, gr_slope_absolute)
GR_DEFINE_DESCRIBE(absolute_describe, GR_DEVICE_ABSOLUTE)

static void absolute_bases(const void *state, const gr_problem *problem, double *bases)
{
    (void)state;
    for (size_t k = 0; k < problem->outputs; k++)
        bases[k] = gr_residual_quantile(problem, k, NULL, NULL, problem->rows, 0.5);
}

static double absolute_leaf(const void *state, const gr_problem *problem, const gr_leaf *leaf)
{
    (void)state;
    return gr_residual_quantile(problem, leaf->output, leaf->scores, leaf->rows, leaf->count, 0.5);
}

static double absolute_error(double weight, double score, double target, double none)
{
    (void)none;
    return weight * (score < target ? target - score : score - target);
}

GR_DEFINE_LOSS(absolute_loss, absolute_error)

const gr_objective gr_objective_absolute = {
    .about = { .name = "absolute",
               .summary = "least absolute deviation: |score - target|",
               .details =
                   "Starts at the weighted median of the targets. Splits fit the signs of "
                   "the residuals; a leaf's value is the weighted median of its residuals, "
                   "or the midpoint of the two medians if the weight splits into equal halves, "
                   "regardless of l2. Source: Friedman 2001." },
    .searches_by_weight = true,
    .unit = true,
    .begin = gr_begin_nothing,
    .bases = absolute_bases,
    .gradients = absolute_gradients,
    .leaf = absolute_leaf,
    .leaf_reads_rows = true,
    .loss = absolute_loss,
    .describe = absolute_describe,
};
