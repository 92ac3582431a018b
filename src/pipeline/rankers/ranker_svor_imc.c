/* SPDX-License-Identifier: Apache-2.0 */
/* Support vector ordinal regression with implicit constraints (Chu and Keerthi, 2007). */
#include "learners/svor/svor.h"
#include "pipeline/learners/learner_svor.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_svor_imc = {
    .about = { "svor-imc",
               "support vectors: a margin at every threshold, which keeps them in order",
               "Support vector ordinal regression with implicit constraints (Chu and Keerthi, "
               "2007): a row should score above every threshold below its grade and below every "
               "one above it, by a margin of 1; minimises |w|^2 / 2 + C * the sum of margin "
               "violations. The thresholds are always in order. Fitted by --learner kernel (the "
               "default) or linear; --penalty is C, multiplied by row weights." },
    .reduction = &gr_reduction_thresholds,
    .implies = "transform=auto",
    .rule = GR_SCORE_OUTPUT,
    .own_learners = gr_svor_learners,
    .only_own = true,
    .variant = GR_SVOR_IMC,
    .needs_grades = true,
    .least_levels = 2,
    .params = gr_svor_params,
};
