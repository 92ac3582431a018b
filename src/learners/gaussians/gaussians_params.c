/* SPDX-License-Identifier: Apache-2.0 */
/* The options of boosted Gaussians, and the boosting options that they use. */
#include "learners/gaussians/gaussians.h"

const gr_param gr_gaussian_params[] = {
    GR_PARAM_TEXT(
        gr_gaussian_options, bandwidth, "widths", "LIST", "auto",
        "gaussians: bandwidths to choose from, in units of the features; auto: 0.25, 0.5, "
        "1 and 2 standard deviations of each feature"),
    GR_PARAM_COUNT(gr_gaussian_options, centres, "centres", "N", 256, 2, 65534,
                   "gaussians: maximum centres per feature; the search is exact with one per "
                   "distinct value"),
    GR_PARAM_END,
};

const gr_param gr_gaussian_boost_params[] = {
    GR_PARAM_REAL(gr_boost_options, learning_rate, "learning-rate", "X", 0.1, 1e-6, 10, ""),
    GR_PARAM_REAL(gr_boost_options, row_share, "row-fraction", "X", 1, 1e-6, 1, ""),
    GR_PARAM_REAL(gr_boost_options, query_share, "query-fraction", "X", 1, 1e-6, 1, ""),
    GR_PARAM_REAL(gr_boost_options, tree.l2, "l2", "L", 1, 0, 1e30, ""),
    GR_PARAM_CHOICE(gr_boost_options, bin.scheme, "binning", "SCHEME", "quantile", NULL, ""),
    GR_PARAM_GROUP(gr_boost_options, objective, gr_objective_options, gr_objective_params),
    GR_PARAM_END,
};
