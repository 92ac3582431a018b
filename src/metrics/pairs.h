/* SPDX-License-Identifier: Apache-2.0 */
/* Counting pairs of documents in O(n log n): what auc, u-*, risk and kendall share. Scores decide;
 * a pair with equal scores counts as misordered by --ties pessimistic, as well ordered by
 * optimistic, else as one half, also under conventions that break ties: the tools count pairs so.
 */
#ifndef GR_METRICS_PAIRS_H
#define GR_METRICS_PAIRS_H

#include "metrics/metric.h"

/* Memory for the levels of lists of up to `capacity` documents. */
typedef struct gr_level_space {
    double *labels, *sizes, *below, *cuts;
    size_t *level_of, *places;
} gr_level_space;

bool gr_level_space_reserve(gr_level_space *space, size_t capacity); /* false: no memory */
void gr_level_space_free(gr_level_space *space);

/* Fills levels (and space->level_of) from labels. scratch: GR_SORT_SCRATCH(count) bytes. */
void gr_find_levels(const double *labels, size_t count, gr_level_space *space, gr_keyed *scratch,
                    gr_levels *levels);

/* Where the run of equal scores that begins at start ends. */
size_t gr_score_run(const gr_ranked *ranked, size_t start);

/* The sum over pairs of a document of a higher level with one of a lower level that is ranked
 * ahead of it (`tied` times it for equal scores) of high[level] * low[level]; NULL weights are all
 * 1. Uses the first levels + 1 numbers of the list's work memory. */
double gr_misordered(const gr_ranked *ranked, double tied, const double *low, const double *high);

#endif
