/* SPDX-License-Identifier: Apache-2.0 */
/* One label per grade, -1 or +1 (AdaBoost.MH; Schapire and Singer 1999). */
#include "reductions/reduction.h"

static double target_label(size_t k, size_t level, const double *level_labels)
{
    (void)level_labels;
    return level == k ? 1.0 : -1.0;
}

const gr_reduction gr_reduction_votes = {
    .about = { "votes", "one output from -1 to 1 per grade: the weighted vote for the grade", "" },
    .meaning = GR_MEANS_VOTES,
    .outputs = GR_OUTPUT_PER_GRADE,
    .target = target_label,
};
