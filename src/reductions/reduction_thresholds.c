/* SPDX-License-Identifier: Apache-2.0 */
/* One output with thresholds between adjacent grades, fitted along with it (McCullagh 1980; Lin and
 * Li 2006; Chu and Keerthi 2007). */
#include "reductions/reduction.h"

static size_t one_output(size_t levels)
{
    (void)levels;
    return 1;
}

static void pose_level(size_t k, size_t levels, const double *level_labels,
                       const gr_cost_choice *cost, double *targets, double *weights)
{
    (void)k;
    (void)cost;
    for (size_t l = 0; l < levels; l++) {
        targets[l] = level_labels[l];
        weights[l] = 1.0;
    }
}

const gr_reduction gr_reduction_odds = {
    .about = { "odds", "one output, with thresholds where the odds of a higher grade are even",
               "" },
    .meaning = GR_MEANS_ODDS,
    .outputs = one_output,
    .pose = pose_level,
};

const gr_reduction gr_reduction_thresholds = {
    .about = { "thresholds", "one output, cut into grades by thresholds", "" },
    .meaning = GR_MEANS_THRESHOLDS,
    .outputs = one_output,
    .pose = pose_level,
};
