/* SPDX-License-Identifier: Apache-2.0 */
/* Proportional odds (McCullagh, 1980) with a learned function instead of a linear one. */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_propodds = {
    .about = { "propodds", "one function and thresholds: proportional odds of a higher grade",
               "log P(y > k) / P(y <= k) = f - theta_k: one function f and a threshold between any "
               "two neighbouring grades, fitted jointly by maximum likelihood. Gives the "
               "probability of each grade. The score is f; --scoring expected-grade and all other "
               "rules on probabilities also apply." },
    .reduction = &gr_reduction_odds,
    .objective = &gr_objective_propodds,
    .rule = GR_SCORE_OUTPUT,
    .needs_grades = true,
    .least_levels = 2,
};
