/* SPDX-License-Identifier: Apache-2.0 */
/* One label per grade, -1 or +1 (AdaBoost.MH; Schapire and Singer 1999). */
#include "reductions/reduction.h"

static size_t one_each(size_t levels)
{
    return levels;
}

static void pose_label(size_t k, size_t levels, const double *level_labels,
                       const gr_cost_choice *cost, double *targets, double *weights)
{
    (void)level_labels;
    (void)cost;
    for (size_t l = 0; l < levels; l++) {
        targets[l] = l == k ? 1.0 : -1.0;
        weights[l] = 1.0;
    }
}

const gr_reduction gr_reduction_votes = {
    .about = { "votes", "one output from -1 to 1 per grade: the weighted vote for the grade", "" },
    .meaning = GR_MEANS_VOTES,
    .outputs = one_each,
    .pose = pose_label,
};
