/* SPDX-License-Identifier: Apache-2.0 */
/* Support vector ordinal regression with explicit constraints (Chu and Keerthi, 2007). */
#include "learners/svor/svor.h"
#include "pipeline/learners/learner_svor.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_svor_exc = {
    .about = { "svor-exc",
               "support vectors: a margin at the two thresholds next to the grade, kept in order",
               "Support vector ordinal regression with explicit constraints (Chu and Keerthi, "
               "2007): a row should score above the threshold below its grade and below the one "
               "above it, by a margin of 1, with thresholds constrained to be in order; minimises "
               "|w|^2 / 2 + C * the sum of margin violations. Fitted by --learner kernel (the "
               "default) or linear; --penalty is C, multiplied by row weights." },
    .reduction = &gr_reduction_thresholds,
    .implies = "transform=auto",
    .rule = GR_SCORE_OUTPUT,
    .own_learners = gr_svor_learners,
    .only_own = true,
    .variant = GR_SVOR_EXC,
    .needs_grades = true,
    .least_levels = 2,
    .params = gr_svor_params,
};
