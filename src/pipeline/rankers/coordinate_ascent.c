/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinate ascent (Metzler and Croft, 2007). */
#include "pipeline/learners/weak.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_coordinate_ascent = {
    .about = { "coordinate-ascent",
               "a linear ranker, one weight moved at a time to raise any metric",
               "Raises --metric (or --train-metric) on the training data itself, without "
               "a loss in its place: each weight in turn is moved to where the metric is "
               "highest. Several searches (--restarts) begin at different weights. "
               "Metzler and Croft (2007)." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .implies = "transform=auto train-eval-every=1",
    .own_learners = gr_ascent_learners,
    .only_own = true,
    .rule = GR_SCORE_OUTPUT,
    .needs_queries = gr_always_needs_queries,
};
