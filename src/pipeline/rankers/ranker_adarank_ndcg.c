/* SPDX-License-Identifier: Apache-2.0 */
/* AdaRank (Xu and Li, 2007) optimising NDCG. */
#include "pipeline/learners/learner_weak.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_adarank_ndcg = {
    .about = { "adarank-ndcg", "boosted single features, optimising NDCG",
               "Like adarank-map, with NDCG@5 instead of average precision; --train-metric takes "
               "any metric from 0 to 1." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .implies = "train-metric=ndcg@5 transform=auto",
    .own_learners = gr_adarank_learners,
    .only_own = true,
    .rule = GR_SCORE_OUTPUT,
    .needs_queries = gr_always_needs_queries,
};
