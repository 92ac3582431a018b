/* One label against all others, for each label. */
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
        targets[l] = l == k ? 1.0 : 0.0;
        weights[l] = 1.0;
    }
}

const gr_reduction gr_reduction_each = {
    .about = { "each", "an output for each label: whether a row has it", "" },
    .meaning = GR_MEANS_EACH,
    .outputs = one_each,
    .pose = pose_label,
};

const gr_reduction gr_reduction_each_odds = {
    .about = { "each_odds", "an output for each label: the logarithm of the odds of having it",
               "" },
    .meaning = GR_MEANS_EACH_ODDS,
    .outputs = one_each,
    .pose = pose_label,
};
