/* SPDX-License-Identifier: Apache-2.0 */
/* One output with thresholds between adjacent grades, fitted along with it (McCullagh 1980; Lin and
 * Li 2006; Chu and Keerthi 2007). */
#include "reductions/reduction.h"

const gr_reduction gr_reduction_odds = {
    .about = { "odds", "one output, with thresholds where the odds of a higher grade are even",
               "" },
    .meaning = GR_MEANS_ODDS,
    .outputs = GR_ONE_OUTPUT,
    .target = gr_target_grade,
};

const gr_reduction gr_reduction_thresholds = {
    .about = { "thresholds", "one output, cut into grades by thresholds", "" },
    .meaning = GR_MEANS_THRESHOLDS,
    .outputs = GR_ONE_OUTPUT,
    .target = gr_target_grade,
};
