/* SPDX-License-Identifier: Apache-2.0 */
/* LambdaMART (Wu, Burges, Svore and Gao, 2010): boosted trees on the gradients of LambdaRank. */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_lambdamart = {
    .about = { "lambdamart", "boosted trees that optimise a ranking metric by weighted pairs",
               "Each pair of documents of a query with different grades pushes the better one up, "
               "in proportion to how much swapping the two would change the metric "
               "(--lambda-metric: NDCG, ERR or MAP) and to how wrongly the model still orders "
               "them. One document of each pair is among the first --truncation ranks. The score "
               "is the output; it orders the documents of a query and is not comparable across "
               "queries." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_lambdarank,
    .rule = GR_SCORE_OUTPUT,
    .gains = GR_GAINS_EXP,
    .least_levels = 1,
    .needs_queries = gr_always_needs_queries,
};
