/* SPDX-License-Identifier: Apache-2.0 */
/* Regression on the grade or the gain: the baseline of COCR and McRank. */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_regression = {
    .about = { "regression", "boosted trees fitted to the grade, or to the gain",
               "Fits the grade itself (--target grade) or the gain 2^grade - 1 (--target gain) by "
               "squared error, or by absolute error (--loss absolute). Labels may be any numbers "
               "with --target grade." },
    .reduction = &gr_reduction_grade,
    .of_gain = &gr_reduction_gain,
    .objective = &gr_objective_squared,
    .of_absolute = &gr_objective_absolute,
    .losses = 1u << GR_LOSS_SQUARED | 1u << GR_LOSS_ABSOLUTE,
    .rule = GR_SCORE_OUTPUT,
};
