/* SPDX-License-Identifier: Apache-2.0 */
/* Cumulative classes (McRank's ordinal classification; Li, Burges and Wu 2007): output k estimates
 * whether the grade is at most level k. */
#include "reductions/reduction.h"

static double target_below(size_t k, size_t level, const double *level_labels)
{
    (void)level_labels;
    return level <= k ? 1.0 : 0.0;
}

const gr_reduction gr_reduction_cumulative = {
    .about = { "cumulative", "one output per grade except the highest: is the grade at most this",
               "" },
    .meaning = GR_MEANS_BELOW,
    .outputs = GR_OUTPUT_PER_BOUNDARY,
    .target = target_below,
};
