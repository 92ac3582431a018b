/* SPDX-License-Identifier: Apache-2.0 */
/* ORBoost (Lin and Li, 2006): boosting against thresholds. */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_orboost = {
    .about = { "orboost", "one function and thresholds, by an exponential loss",
               "Rows are to be above the thresholds under their grade and below those over it, by "
               "a margin that an exponential loss asks for: of the thresholds next to the grade "
               "(--form left-right) or of all (--form all). Thresholds are fitted after every "
               "round and may meet. The score is the function; --grades of gradus score counts "
               "thresholds. 'gradus show' prints the costs of pairs that the thresholds stand "
               "for." },
    .reduction = &gr_reduction_thresholds,
    .objective = &gr_objective_orboost,
    .rule = GR_SCORE_OUTPUT,
    .needs_grades = true,
    .least_levels = 2,
    .params = gr_orboost_params,
};
