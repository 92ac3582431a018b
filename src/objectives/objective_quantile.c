/* SPDX-License-Identifier: Apache-2.0 */
/* Quantile regression by the pinball loss (Koenker and Bassett 1978): a target above the score costs
 * q per unit, one below it 1 - q, so that the best score is the q-quantile of the targets. A leaf's
 * value is that quantile of its residuals. */
#include "objectives/objective_rows.h"
#include "objectives/residual_quantile.h"
#include "objectives/slopes.h"

#include <stdlib.h>

static gradus_status quantile_begin(const gr_problem *problem, const gr_objective_options *options,
                                    gr_pool *pool, void **state, gradus_error *err)
{
    (void)problem;
    (void)pool;
    return gr_begin_number(options->loss.quantile, state, err);
}

GR_DEFINE_SLOPES(quantile_gradients, gr_slope_quantile)
GR_DEFINE_DESCRIBE_NUMBER(quantile_describe, GR_DEVICE_QUANTILE)

static void quantile_bases(const void *state, const gr_problem *problem, double *bases)
{
    for (size_t k = 0; k < problem->outputs; k++)
        bases[k] =
            gr_residual_quantile(problem, k, NULL, NULL, problem->rows, *(const double *)state);
}

static double quantile_leaf(const void *state, const gr_problem *problem, const gr_leaf *leaf)
{
    return gr_residual_quantile(problem, leaf->output, leaf->scores, leaf->rows, leaf->count,
                                *(const double *)state);
}

static double pinball(double weight, double score, double target, double quantile)
{
    return weight * (score - target) * gr_slope_quantile(score - target, quantile);
}

GR_DEFINE_LOSS(quantile_loss, pinball)

const gr_objective gr_objective_quantile = {
    .about = { .name = "quantile",
               .summary = "pinball loss: the score is the --quantile of the target",
               .details =
                   "A target above the score costs q per unit, one below it 1 - q. Starts at "
                   "the weighted q-quantile of the targets. Splits fit the slopes q and "
                   "q - 1; a leaf's value is the weighted q-quantile of its residuals, "
                   "regardless of l2. Source: Koenker and Bassett 1978." },
    .searches_by_weight = true,
    .reads = "quantile",
    .unit = true,
    .begin = quantile_begin,
    .end = free,
    .bases = quantile_bases,
    .gradients = quantile_gradients,
    .leaf = quantile_leaf,
    .leaf_reads_rows = true,
    .describe = quantile_describe,
    .loss = quantile_loss,
};
