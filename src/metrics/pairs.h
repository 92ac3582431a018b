/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of document pairs in O(n log n), shared by auc, u-*, risk and kendall. A pair with equal
 * scores counts as misordered under --ties pessimistic, as correctly ordered under optimistic, and
 * otherwise as one half, even under conventions that break ties: the tools count pairs that way. */
#ifndef GR_METRICS_PAIRS_H
#define GR_METRICS_PAIRS_H

#include "metrics/metric.h"

/* Buffers for the levels of lists of up to `capacity` documents. */
typedef struct gr_level_space {
    double *labels, *sizes, *below, *cuts;
    size_t *level_of, *places;
} gr_level_space;

bool gr_level_space_reserve(gr_level_space *space, size_t capacity); /* false: out of memory */
void gr_level_space_free(gr_level_space *space);

/* Fills levels (and space->level_of) from labels. scratch: GR_SORT_SCRATCH(count) bytes. */
void gr_find_levels(const double *labels, size_t count, gr_level_space *space, gr_keyed *scratch,
                    gr_levels *levels);

/* The end of the run of equal scores that begins at start. */
size_t gr_score_run(const gr_ranked *ranked, size_t start);

/* The sum of high[level] * low[level] over pairs of a document of a higher level with one of a
 * lower level that is ranked ahead of it; pairs with equal scores are multiplied by `tied`. NULL
 * weights are all 1. Uses the first levels + 1 numbers of the list's work memory. */
double gr_misordered(const gr_ranked *ranked, double tied, const double *low, const double *high);

#endif
