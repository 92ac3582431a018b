/* SPDX-License-Identifier: Apache-2.0 */
/* The sum-of-margins loss of Shashua and Levin (2003). */
#include "learners/svor/svor.h"
#include "pipeline/learners/learner_svor.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_svor_sl = {
    .about = { "svor-sl",
               "support vectors: a margin at the two thresholds next to the grade, which may cross",
               "The sum of margins of Shashua and Levin (2003): a row should score above the "
               "threshold below its grade and below the one above it, by a margin of 1; minimises "
               "|w|^2 / 2 + C * the sum of margin violations. Thresholds may cross, which is "
               "noted; the predicted grade is then the number of thresholds that the score "
               "reaches. Fitted by --learner kernel (the default) or linear; --penalty is C, "
               "multiplied by row weights." },
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
