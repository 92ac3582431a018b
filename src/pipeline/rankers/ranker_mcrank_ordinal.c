/* SPDX-License-Identifier: Apache-2.0 */
/* McRank's ordinal form (Li, Burges and Wu, 2007): boosted cumulative classification. */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_mcrank_ordinal = {
    .about = { "mcrank-ordinal", "boosted classification of 'at most grade k' for each k",
               "Each round grows one tree for each grade but the highest on the residuals of P(y "
               "<= k); differences of neighbours are the grade probabilities. The score is the "
               "expected grade or, with --scoring expected-gain, the expected gain." },
    .reduction = &gr_reduction_cumulative,
    .objective = &gr_objective_logistic,
    .rule = GR_SCORE_EXPECTED_GRADE,
    .needs_grades = true,
    .least_levels = 2,
};
