/* SPDX-License-Identifier: Apache-2.0 */
/* Direct regression on the grade: the baseline of COCR. */
#include "reductions/reduction.h"

double gr_target_grade(size_t k, size_t level, const double *level_labels)
{
    (void)k;
    return level_labels[level];
}

const gr_reduction gr_reduction_grade = {
    .about = { "grade", "one output, fitted to the grade", "" },
    .meaning = GR_MEANS_SCORE,
    .outputs = GR_ONE_OUTPUT,
    .target = gr_target_grade,
};
