/* SPDX-License-Identifier: Apache-2.0 */
/* COCR, cost-sensitive ordinal classification via regression (Ruan, Lin and Tsai 2014): output k
 * estimates whether the grade is at least level k + 1, and a row's weight is the change of its cost
 * between levels k and k + 1. Where costs increase away from the row's grade, these weights add up
 * to the cost (Lin and Li). */
#include "reductions/reduction.h"

#include <math.h>

static double target_above(size_t k, size_t level, const double *level_labels)
{
    (void)level_labels;
    return level > k ? 1.0 : 0.0;
}

static double weight_of_step(size_t k, size_t level, const double *level_labels,
                             const gr_cost_choice *cost)
{
    const double truth = level_labels[level];

    return fabs(gr_cost_of(cost, truth, level_labels[k + 1]) -
                gr_cost_of(cost, truth, level_labels[k]));
}

const gr_reduction gr_reduction_cocr = {
    .about = { "cocr", "one output per grade except the lowest: is it reached, weighted by cost",
               "" },
    .meaning = GR_MEANS_ABOVE,
    .takes_cost = true,
    .outputs = GR_OUTPUT_PER_BOUNDARY,
    .target = target_above,
    .weight = weight_of_step,
};
