/* SPDX-License-Identifier: Apache-2.0 */
/* One output a grade: its class (McRank; Li, Burges and Wu, 2007), or the grade against all others.
 */
#include "reductions/reduction.h"

static size_t one_each(size_t levels)
{
    return levels;
}

static void pose_class(size_t k, size_t levels, const double *level_labels,
                       const gr_cost_choice *cost, double *targets, double *weights)
{
    (void)level_labels;
    (void)cost;
    for (size_t l = 0; l < levels; l++) {
        targets[l] = l == k ? 1.0 : 0.0;
        weights[l] = 1.0;
    }
}

const gr_reduction gr_reduction_classes = {
    .about = { "classes", "an output for each grade: its class", "" },
    .meaning = GR_MEANS_CLASSES,
    .outputs = one_each,
    .pose = pose_class,
};

const gr_reduction gr_reduction_probabilities = {
    .about = { "probabilities", "an output for each grade: its probability", "" },
    .meaning = GR_MEANS_PROBABILITIES,
    .outputs = one_each,
    .pose = pose_class,
};

const gr_reduction gr_reduction_each = {
    .about = { "each", "an output for each label: whether a row has it", "" },
    .meaning = GR_MEANS_EACH,
    .outputs = one_each,
    .pose = pose_class,
};

const gr_reduction gr_reduction_each_odds = {
    .about = { "each_odds", "an output for each label: the logarithm of the odds of having it",
               "" },
    .meaning = GR_MEANS_EACH_ODDS,
    .outputs = one_each,
    .pose = pose_class,
};
