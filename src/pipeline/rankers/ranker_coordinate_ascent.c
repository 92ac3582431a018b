/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinate ascent (Metzler and Croft, 2007). */
#include "pipeline/learners/learner_weak.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_coordinate_ascent = {
    .about = { "coordinate-ascent",
               "a linear ranker, one weight optimised at a time for any metric",
               "Maximises --metric (or --train-metric) on the training data directly, without a "
               "surrogate loss: each weight in turn is moved to where the metric is highest. "
               "Several searches (--restarts) start from different weights. Metzler and Croft "
               "(2007)." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .implies = "transform=auto train-eval-every=1",
    .own_learners = gr_ascent_learners,
    .only_own = true,
    .rule = GR_SCORE_OUTPUT,
    .needs_queries = gr_always_needs_queries,
};
