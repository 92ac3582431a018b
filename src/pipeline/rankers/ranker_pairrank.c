/* SPDX-License-Identifier: Apache-2.0 */
/* PAIRRANK (Uematsu and Lee, 2015): the pairwise exponential risk in linear time. */
#include "pipeline/train.h"

static bool needs_queries(const gr_train_options *options)
{
    return options->boost.objective.pairrank.within == GR_PAIRS_WITHIN_QUERY;
}

const gr_ranker gr_ranker_pairrank = {
    .about = { "pairrank", "pairs of different grades, weighted by cost, in linear time",
               "Minimises the exponential loss of pairs of rows with different grades, each "
               "multiplied by the cost of ranking the higher grade below the lower (--cost, "
               "default linear), plus the terms needed to obtain the best order under the costs "
               "(--plain omits them). Pairs are within a query, or over all rows (--within). No "
               "pairs are enumerated, except with --pair-loss logistic within queries." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_pairrank,
    .rule = GR_SCORE_OUTPUT,
    .needs_grades = true,
    .least_levels = 2,
    .pair_costs = true,
    .params = gr_pairrank_params,
    .needs_queries = needs_queries,
};
