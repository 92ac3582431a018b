/* SPDX-License-Identifier: Apache-2.0 */
/* AdaRank (Xu and Li, 2007) optimising MAP. */
#include "pipeline/learners/learner_weak.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_adarank_map = {
    .about = { "adarank-map", "boosted single features, optimising MAP",
               "Each round adds the feature that ranks queries best, weighted by e^-(E of the "
               "current ranker), with the coefficient 1/2 ln(sum P (1 + E) / sum P (1 - E)), where "
               "P are the query weights and E is average precision. Xu and Li (2007)." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .implies = "train-metric=map transform=auto",
    .own_learners = gr_adarank_learners,
    .only_own = true,
    .rule = GR_SCORE_OUTPUT,
    .needs_queries = gr_always_needs_queries,
};
