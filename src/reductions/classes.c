/* One class a grade (McRank; Li, Burges and Wu, 2007). */
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
