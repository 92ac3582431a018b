/* SPDX-License-Identifier: Apache-2.0 */
#include "learners/svor/svor.h"
#include "pipeline/learners/svor.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_svor_sl = {
    .about = { "svor-sl",
               "support vectors: a margin at the two thresholds beside the grade, which may cross",
               "The sum of margins of Shashua and Levin (2003): a row is to be above the "
               "threshold under its grade and below the one over it, by a margin of 1; minimises "
               "|w|^2 / 2 + C * the sum of what is missing. Thresholds may cross, which is "
               "noted; the predicted grade is then how many the score reaches. Fitted by "
               "--learner kernel (the default) or linear; --penalty is C. Weights of rows multiply "
               "it." },
    .reduction = &gr_reduction_thresholds,
    .implies = "transform=auto",
    .rule = GR_SCORE_OUTPUT,
    .own_learners = gr_svor_learners,
    .only_own = true,
    .variant = GR_SVOR_SL,
    .needs_grades = true,
    .least_levels = 2,
    .params = gr_svor_params,
};
