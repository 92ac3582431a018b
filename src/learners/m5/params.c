/* SPDX-License-Identifier: Apache-2.0 */
#include "learners/m5/m5.h"

static const char *const searches[] = { "auto", "exact", "binned", NULL };
static const char *const bags[] = { "rows", "queries", NULL };

const gr_param gr_m5_params[] = {
    GR_TUNED_COUNT(gr_m5_options, min_leaf, "min-leaf", "M", 4, 1, 4294967295, "4..512:log",
                   "m5p: nodes with fewer rows (or weight) than this are not split"),
    GR_PARAM_FLAG(gr_m5_options, unpruned, "unpruned", "m5p: keep the trees as they were grown"),
    GR_PARAM_FLAG(gr_m5_options, unsmoothed, "unsmoothed",
                  "m5p: do not blend the models above a leaf into its own"),
    GR_PARAM_FLAG(gr_m5_options, constant, "regression-tree",
                  "m5p: leaves have means instead of linear models"),
    GR_PARAM_CHOICE(gr_m5_options, search, "split-search", "HOW", "auto", searches,
                    "m5p: cuts between all values, or, of large nodes, between bins; auto: bins "
                    "above 100000 rows"),
    GR_PARAM_CHOICE(gr_m5_options, bag, "bag", "WHAT", "rows", bags,
                    "bagged-m5p: what a round draws with replacement"),
    GR_PARAM_REAL(gr_m5_options, bag_share, "bag-fraction", "X", 0.1, 0.000001, 1,
                  "bagged-m5p: how many are drawn, as a share of all"),
    GR_PARAM_END,
};
