/* SPDX-License-Identifier: Apache-2.0 */
/* PAIRRANK (Uematsu and Lee, 2015): the pairwise exponential risk, in linear time. */
#include "pipeline/train.h"

static bool needs_queries(const gr_train_options *options)
{
    return options->boost.objective.pairrank.within == GR_PAIRS_WITHIN_QUERY;
}

const gr_ranker gr_ranker_pairrank = {
    .about = { "pairrank", "pairs of different grades, each at its cost, in linear time",
               "Lowers the exponential loss of pairs of rows with different grades, each times the "
               "cost of ranking the higher grade under the lower (--cost, linear unless told "
               "otherwise), plus the terms without which the best order under the costs is missed "
               "(--plain leaves them out). Pairs are those of a query, or of all rows (--within). "
               "No pair is enumerated, unless --pair-loss logistic is asked for within queries." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_pairrank,
    .rule = GR_SCORE_OUTPUT,
    .needs_grades = true,
    .least_levels = 2,
    .pair_costs = true,
    .params = gr_pairrank_params,
    .needs_queries = needs_queries,
};
