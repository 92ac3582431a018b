/* SPDX-License-Identifier: Apache-2.0 */
/* Direct regression on the grade: the baseline of COCR. */
#include "reductions/reduction.h"

static size_t one_output(size_t levels)
{
    (void)levels;
    return 1;
}

static void pose_grade(size_t k, size_t levels, const double *level_labels,
                       const gr_cost_choice *cost, double *targets, double *weights)
{
    (void)k;
    (void)cost;
    for (size_t l = 0; l < levels; l++) {
        targets[l] = level_labels[l];
        weights[l] = 1.0;
    }
}

const gr_reduction gr_reduction_grade = {
    .about = { "grade", "one output, fitted to the grade", "" },
    .meaning = GR_MEANS_SCORE,
    .outputs = one_output,
    .pose = pose_grade,
};
