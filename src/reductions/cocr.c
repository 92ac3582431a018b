/* SPDX-License-Identifier: Apache-2.0 */
/* Cost-sensitive ordinal classification via regression (Ruan, Lin and Tsai, 2014): output k asks
 * whether the grade is at least the (k+1)th, and a row weighs as much as the answer changes its
 * cost. The weights of a row add up to its cost again where costs rise away from the grade. */
#include "reductions/reduction.h"

#include <math.h>

static size_t one_less(size_t levels)
{
    return levels - 1;
}

static void pose_cocr(size_t k, size_t levels, const double *level_labels,
                      const gr_cost_choice *cost, double *targets, double *weights)
{
    for (size_t l = 0; l < levels; l++) {
        const double truth = level_labels[l];

        targets[l] = l > k ? 1.0 : 0.0;
        weights[l] = fabs(gr_cost_of(cost, truth, level_labels[k + 1]) -
                          gr_cost_of(cost, truth, level_labels[k]));
    }
}

const gr_reduction gr_reduction_cocr = {
    .about = { "cocr", "an output for each grade but the lowest: is it reached, at what cost", "" },
    .meaning = GR_MEANS_ABOVE,
    .takes_cost = true,
    .outputs = one_less,
    .pose = pose_cocr,
};
