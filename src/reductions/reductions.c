/* SPDX-License-Identifier: Apache-2.0 */
/* Applies reductions. */
#include "reductions/reduction.h"

size_t gr_reduction_outputs(const gr_reduction *reduction, size_t levels)
{
    switch (reduction->outputs) {
    case GR_OUTPUT_PER_GRADE:
        return levels;
    case GR_OUTPUT_PER_BOUNDARY:
        return levels - 1;
    case GR_ONE_OUTPUT:
        break;
    }
    return 1;
}

void gr_reduction_pose(const gr_reduction *reduction, size_t k, size_t levels,
                       const double *level_labels, const gr_cost_choice *cost, double *targets,
                       double *weights)
{
    for (size_t l = 0; l < levels; l++) {
        targets[l] = reduction->target(k, l, level_labels);
        weights[l] = reduction->weight ? reduction->weight(k, l, level_labels, cost) : 1.0;
    }
}
