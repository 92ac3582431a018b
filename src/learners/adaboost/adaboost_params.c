/* SPDX-License-Identifier: Apache-2.0 */
/* The options of AdaBoost.MH. */
#include "learners/adaboost/adaboost.h"

static const char *const bases[] = { "tree", "product", "stump", NULL };
static const char *const weights[] = { "grade", "uniform", NULL };

const gr_param gr_adaboost_params[] = {
    GR_PARAM_CHOICE(gr_adaboost_options, base, "base", "WHAT", "tree", bases,
                    "adaboost-mh: base classifier, a tree (--leaves), a product (--terms) or a "
                    "stump"),
    GR_PARAM_COUNT(gr_adaboost_options, terms, "terms", "M", 4, 1, 64,
                   "adaboost-mh: maximum cuts per product"),
    GR_PARAM_FLAG(gr_adaboost_options, real, "real-leaves",
                  "adaboost-mh: leaves of trees have real-valued votes instead of -1 or +1"),
    GR_PARAM_FLAG(gr_adaboost_options, abstain, "abstain",
                  "adaboost-mh: base classifiers do not vote on labels, in leaves of trees or "
                  "altogether, where that lowers the loss"),
    GR_PARAM_REAL(gr_adaboost_options, offset, "edge-offset", "T", 0, 0, 0.999,
                  "adaboost-mh: maximise margins above T: rounds have less weight, and training "
                  "stops when no edge exceeds T"),
    GR_PARAM_CHOICE(
        gr_adaboost_options, label_weights, "label-weights", "HOW", "grade", weights,
        "adaboost-mh: initial label weights: grade: 2^grade on the right label and the same "
        "divided among the wrong ones, uniform: all equal"),
    GR_PARAM_END,
};

GR_OPTION_BLOCK(adaboost);
