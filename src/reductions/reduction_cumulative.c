/* SPDX-License-Identifier: Apache-2.0 */
/* Cumulative classes (McRank's ordinal classification; Li, Burges and Wu 2007): output k estimates
 * whether the grade is at most level k. */
#include "reductions/reduction.h"

static size_t one_less(size_t levels)
{
    return levels - 1;
}

static void pose_below(size_t k, size_t levels, const double *level_labels,
                       const gr_cost_choice *cost, double *targets, double *weights)
{
    (void)level_labels;
    (void)cost;
    for (size_t l = 0; l < levels; l++) {
        targets[l] = l <= k ? 1.0 : 0.0;
        weights[l] = 1.0;
    }
}

const gr_reduction gr_reduction_cumulative = {
    .about = { "cumulative", "one output per grade except the highest: is the grade at most this",
               "" },
    .meaning = GR_MEANS_BELOW,
    .outputs = one_less,
    .pose = pose_below,
};
