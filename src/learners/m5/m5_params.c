/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the learners m5p and bagged-m5p. */
#include "learners/m5/m5.h"

static const char *const searches[] = { "auto", "exact", "binned", NULL };
static const char *const bags[] = { "rows", "queries", NULL };

const gr_param gr_m5_params[] = {
    GR_TUNED_COUNT(gr_m5_options, min_leaf, "min-leaf", "M", 4, 1, 4294967295, "4..512:log",
                   "m5p: minimum rows (or weight) of a node that is split; leaves can be smaller"),
    GR_PARAM_FLAG(gr_m5_options, unpruned, "unpruned", "m5p: do not prune the trees"),
    GR_PARAM_FLAG(gr_m5_options, unsmoothed, "unsmoothed",
                  "m5p: do not smooth leaf models with those of their ancestors"),
    GR_PARAM_FLAG(gr_m5_options, constant, "regression-tree",
                  "m5p: predict means in the leaves instead of linear models"),
    GR_PARAM_CHOICE(
        gr_m5_options, search, "split-search", "HOW", "auto", searches,
        "m5p: split points to try: exact: between any two values, binned: in large nodes between "
        "256 bins; auto: binned above 100000 rows"),
    GR_PARAM_CHOICE(gr_m5_options, bag, "bag", "WHAT", "rows", bags,
                    "bagged-m5p: sampling unit of a round, drawn with replacement"),
    GR_PARAM_REAL(gr_m5_options, bag_share, "bag-fraction", "X", 0.1, 0.000001, 1,
                  "bagged-m5p: fraction of rows or queries drawn per round"),
    GR_PARAM_END,
};
