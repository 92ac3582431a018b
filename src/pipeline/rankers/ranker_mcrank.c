/* SPDX-License-Identifier: Apache-2.0 */
/* McRank (Li, Burges and Wu, 2007): ranking by boosted classification. */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_mcrank = {
    .about = { "mcrank", "boosted classification of grades, ranked by the expected grade",
               "Each round grows one tree per grade on the residuals [y = k] - P(k), where P is "
               "the softmax of the outputs, computed once per round. The score is the expected "
               "grade or, with --scoring expected-gain, the expected gain." },
    .reduction = &gr_reduction_classes,
    .objective = &gr_objective_softmax,
    .rule = GR_SCORE_EXPECTED_GRADE,
    .needs_grades = true,
    .least_levels = 2,
};
