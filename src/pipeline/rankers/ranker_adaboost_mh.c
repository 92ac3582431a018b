/* SPDX-License-Identifier: Apache-2.0 */
/* AdaBoost.MH (Schapire and Singer, 1999) with trees, products or stumps. */
#include "learners/adaboost/adaboost.h"
#include "pipeline/learners/learner_adaboost.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_adaboost_mh = {
    .about = { "adaboost-mh", "weighted votes of trees or products of stumps on each grade",
               "AdaBoost.MH (Schapire and Singer, 1999) with the base classifiers of Kegl and "
               "Busa-Fekete (2009), as in Busa-Fekete, Kegl, Elteto and Szarvas (2012). Each round "
               "finds one classifier that votes yes or no on every grade, with a large edge over "
               "chance on the weighted rows, and increases the weights of its errors. The output f "
               "of a grade is the weighted mean of the votes on it; its probability is (1 + f) "
               "/ 2, normalised over the grades; 'gradus calibrate' improves these. The score "
               "is the expected gain. Row weights multiply the initial weights." },
    .reduction = &gr_reduction_votes,
    .rule = GR_SCORE_EXPECTED_GAIN,
    .own_learners = gr_adaboost_learners,
    .only_own = true,
    .needs_grades = true,
    .least_levels = 2,
    .params = gr_adaboost_params,
};
