/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the tree engine. */
#include "learners/tree/tree.h"

static const char *const ways[] = { "best", "level", NULL };

const gr_param gr_tree_params[] = {
    GR_CHOSEN_COUNT(
        gr_tree_options, leaves, "leaves", "J", 31, 0, 65536, "4..64:log",
        "sqrt(rows) / 10, from 8 to 255, where lambdamart and pairrank count 64 rows per "
        "query, at least half of all; 0 if --depth is given",
        "maximum leaves per tree; 0: as many as the depth allows", "num-leaves max-leaves"),
    GR_PARAM_COUNT(gr_tree_options, depth, "depth", "D", 0, 0, 64,
                   "maximum splits between the root and a leaf; 0: no limit", "max-depth"),
    GR_PARAM_CHOICE(gr_tree_options, grow, "grow", "ORDER", "best", ways,
                    "which leaf to split next: the one with the largest gain, or level by level"),
    GR_CHOSEN_COUNT(gr_tree_options, min_rows, "min-rows", "N", 20, 0, 4294967295.0, "5..100:log",
                    "sqrt(rows) / 2, from 20 to 50",
                    "minimum rows in a leaf, regardless of their weights",
                    "min-data-in-leaf min-child-samples"),
    GR_PARAM_REAL(gr_tree_options, min_weight, "min-weight", "W", 0, 0, 1e30,
                  "minimum sum of hessians in a leaf; with a squared loss the hessian of a row is "
                  "its weight",
                  "min-sum-hessian-in-leaf min-child-weight"),
    GR_PARAM_REAL(
        gr_tree_options, min_hessian, "min-hessian", "F", 1, 0, 1e30,
        "lambdamart, propodds, orboost, pairrank: minimum sum of hessians in a leaf, as a "
        "multiple of --min-rows times the mean hessian per row of its parent; 0: no minimum"),
    GR_PARAM_REAL(gr_tree_options, l2, "l2", "L", 1, 0, 1e30,
                  "L2 regularisation: added to each leaf's sum of hessians, shrinks its value",
                  "lambda-l2 reg-lambda"),
    GR_PARAM_REAL(gr_tree_options, min_gain, "min-gain", "G", 0, 0, 1e30,
                  "a split must lower the objective by more than this",
                  "min-gain-to-split min-split-gain"),
    GR_TUNED_REAL(gr_tree_options, feature_share, "feature-fraction", "P", 1, 0, 1, "0.4..1",
                  "fraction of the features sampled for each tree", "colsample-bytree"),
    GR_PARAM_TEXT(gr_tree_options, monotone, "monotone", "LIST", "",
                  "features with which the output may only rise (+) or fall (-): 3:+,7:-"),
    GR_PARAM_END
};
