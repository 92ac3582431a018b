/* SPDX-License-Identifier: Apache-2.0 */
/* ORBoost (Lin and Li, 2006): boosting with thresholds. */
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_orboost = {
    .about = { "orboost", "one function and thresholds, trained on an exponential loss",
               "Rows should score above the thresholds below their grade and below those above it, "
               "by a margin under an exponential loss: for the thresholds next to the grade "
               "(--form left-right) or for all (--form all). Thresholds are refitted after every "
               "round and may coincide. The score is the function; --grades of gradus score counts "
               "thresholds. 'gradus show' prints the pair costs that the thresholds imply." },
    .reduction = &gr_reduction_thresholds,
    .objective = &gr_objective_orboost,
    .rule = GR_SCORE_OUTPUT,
    .needs_grades = true,
    .least_levels = 2,
    .params = gr_orboost_params,
};
