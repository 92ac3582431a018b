/* SPDX-License-Identifier: Apache-2.0 */
/* Proportional odds (McCullagh, 1980) with a fitted function instead of a linear one. */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_propodds = {
    .about = { "propodds", "one function and thresholds: the odds of a higher grade",
               "log P(y > k) / P(y <= k) = f - theta_k: one function f, and a threshold between "
               "any two neighbouring grades, fitted together by maximum likelihood. Gives the "
               "probability of each grade. The score is f; --scoring expected-grade and all other "
               "rules of probabilities work too." },
    .reduction = &gr_reduction_odds,
    .objective = &gr_objective_propodds,
    .rule = GR_SCORE_OUTPUT,
    .needs_grades = true,
    .least_levels = 2,
};
