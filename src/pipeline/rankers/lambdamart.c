/* SPDX-License-Identifier: Apache-2.0 */
/* LambdaMART (Wu, Burges, Svore and Gao, 2010): boosted trees on the gradients of LambdaRank. */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_lambdamart = {
    .about = { "lambdamart", "boosted trees that lower a ranking metric's loss pair by pair",
               "Each pair of documents of a query with different grades pulls the better one up, "
               "by "
               "as much as swapping the two would change the metric (--lambda-metric: NDCG, ERR or "
               "MAP) and as the model still has them wrong. Pairs have one document among the "
               "first "
               "--truncation places. The score is the output; it orders documents of one query and "
               "means nothing across queries." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_lambdarank,
    .rule = GR_SCORE_OUTPUT,
    .gains = GR_GAINS_EXP,
    .least_levels = 1,
    .needs_queries = gr_always_needs_queries,
};
