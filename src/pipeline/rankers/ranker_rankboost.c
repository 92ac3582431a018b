/* SPDX-License-Identifier: Apache-2.0 */
/* RankBoost (Freund, Iyer, Schapire and Singer, 2003). */
#include "pipeline/learners/learner_weak.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_rankboost = {
    .about = { "rankboost", "boosted feature thresholds, on pairs",
               "Pairs of rows of a query with different grades are weighted by e^(score of the "
               "worse - score of the better). Each round adds the feature threshold with the "
               "largest |r|, where r is the weight of the pairs that it orders correctly less "
               "that of the pairs it orders wrongly, times 1/2 ln((1 + r) / (1 - r)). The "
               "weights of all pairs of a query are summed in linear time. Freund, Iyer, "
               "Schapire and Singer (2003)." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .own_learners = gr_rankboost_learners,
    .only_own = true,
    .rule = GR_SCORE_OUTPUT,
    .needs_queries = gr_always_needs_queries,
};
