/* SPDX-License-Identifier: Apache-2.0 */
/* The options of gradient boosting, including those of trees. */
#include "learners/boost/boost.h"

const gr_param gr_boost_params[] = {
    GR_TUNED_REAL(gr_boost_options, learning_rate, "learning-rate", "X", 0.1, 1e-6, 10,
                  "0.02..0.3:log", "learning rate (shrinkage) of each tree",
                  "eta shrinkage shrinkage-rate"),
    GR_PARAM_GROUP(gr_boost_options, tree, gr_tree_options, gr_tree_params),
    GR_PARAM_REAL(gr_boost_options, row_share, "row-fraction", "X", 1, 1e-6, 1,
                  "fraction of the rows sampled for each round", "subsample bagging-fraction"),
    GR_PARAM_REAL(gr_boost_options, query_share, "query-fraction", "X", 1, 1e-6, 1,
                  "fraction of the queries sampled for each round"),
    GR_PARAM_FLAG(
        gr_boost_options, from_average, "boost-from-average",
        "mcrank, mcrank-ordinal: start at the frequencies of the grades, as LightGBM does, "
        "instead of equal probabilities"),
    GR_PARAM_FLAG(gr_boost_options, class_updates, "class-updates",
                  "with one output per grade, compute the gradients again before the tree of each "
                  "output, instead of once per round"),
    GR_PARAM_END,
};

GR_OPTION_BLOCK(boost);
