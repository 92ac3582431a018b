/* SPDX-License-Identifier: Apache-2.0 */
/* Direct regression on the gain 2^y - 1, as in McRank's comparison (Li, Burges and Wu 2007) and in
 * Cossock and Zhang (2006). */
#include "reductions/reduction.h"

#include <math.h>

static size_t one_output(size_t levels)
{
    (void)levels;
    return 1;
}

static void pose_gain(size_t k, size_t levels, const double *level_labels,
                      const gr_cost_choice *cost, double *targets, double *weights)
{
    (void)k;
    (void)cost;
    for (size_t l = 0; l < levels; l++) {
        targets[l] = exp2(level_labels[l]) - 1.0;
        weights[l] = 1.0;
    }
}

const gr_reduction gr_reduction_gain = {
    .about = { "gain", "one output, fitted to the gain 2^grade - 1", "" },
    .meaning = GR_MEANS_SCORE,
    .outputs = one_output,
    .pose = pose_gain,
};
