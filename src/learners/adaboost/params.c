/* SPDX-License-Identifier: Apache-2.0 */
#include "learners/adaboost/adaboost.h"

static const char *const bases[] = { "tree", "product", "stump", NULL };
static const char *const weights[] = { "grade", "uniform", NULL };

const gr_param gr_adaboost_params[] = {
    GR_PARAM_CHOICE(gr_adaboost_options, base, "base", "WHAT", "tree", bases,
                    "adaboost-mh: base classifiers, trees of --leaves, products of --terms, or "
                    "stumps"),
    GR_PARAM_COUNT(gr_adaboost_options, terms, "terms", "M", 4, 1, 64,
                   "adaboost-mh: cuts of a product at most"),
    GR_PARAM_FLAG(gr_adaboost_options, real, "real-leaves",
                  "adaboost-mh: leaves of trees vote with real values, not -1 or +1"),
    GR_PARAM_CHOICE(gr_adaboost_options, label_weights, "label-weights", "HOW", "grade", weights,
                    "adaboost-mh: first weights, 2^grade split over the wrong labels, or all "
                    "alike"),
    GR_PARAM_END,
};
