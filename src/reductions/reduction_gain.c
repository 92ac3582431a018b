/* SPDX-License-Identifier: Apache-2.0 */
/* Direct regression on the gain 2^y - 1, as in McRank's comparison (Li, Burges and Wu 2007) and in
 * Cossock and Zhang (2006). */
#include "reductions/reduction.h"

#include <math.h>

static double target_gain(size_t k, size_t level, const double *level_labels)
{
    (void)k;
    return exp2(level_labels[level]) - 1.0;
}

const gr_reduction gr_reduction_gain = {
    .about = { "gain", "one output, fitted to the gain 2^grade - 1", "" },
    .meaning = GR_MEANS_SCORE,
    .outputs = GR_ONE_OUTPUT,
    .target = target_gain,
};
