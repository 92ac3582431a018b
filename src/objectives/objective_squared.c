/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares: weighted (score - target)^2 / 2. The Newton step is the mean residual, so splits
 * and leaves are those of ordinary regression trees. */
#include "objectives/objective_rows.h"
#include "objectives/slopes.h"

GR_DEFINE_SLOPES(squared_gradients, gr_slope_squared)

static void squared_bases(const void *state, const gr_problem *problem, double *bases)
{
    (void)state;
    gr_mean_targets(problem, bases);
}

static double half_square(double weight, double score, double target, double none)
{
    const double off = score - target;

    (void)none;
    return weight * off * off / 2;
}

GR_DEFINE_LOSS(squared_loss, half_square)

GR_DEFINE_DESCRIBE(squared_describe, GR_DEVICE_SQUARED)

const gr_objective gr_objective_squared = {
    .about = { .name = "squared",
               .summary = "least squares: (score - target)^2 / 2",
               .details = "Starts at the weighted mean of the targets. A leaf's value is the "
                          "weighted mean of its residuals, shrunk by l2." },
    .unit = true,
    .residual = true,
    .begin = gr_begin_nothing,
    .bases = squared_bases,
    .gradients = squared_gradients,
    .loss = squared_loss,
    .describe = squared_describe,
};
