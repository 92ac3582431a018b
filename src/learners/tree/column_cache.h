/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of bin columns: the bins of a few features as one byte per row. Partitioning a node by a
 * feature from the interleaved blocks would read a whole cache line per row for one byte. Columns
 * are kept from tree to tree; the least recently used one is replaced. */
#ifndef GR_LEARNERS_TREE_COLUMN_CACHE_H
#define GR_LEARNERS_TREE_COLUMN_CACHE_H

#include "base/pool.h"
#include "bins/bins.h"

enum { GR_MAX_COLUMNS = 24 };

typedef struct gr_columns {
    gr_array bytes;
    uint32_t features[GR_MAX_COLUMNS];
    uint64_t used[GR_MAX_COLUMNS]; /* time of last use, in uses; 0: empty */
    uint64_t uses;
} gr_columns;

/* Reserves the memory, which is only touched as columns are filled; false if out of memory. Caches
 * nothing if bins have 16 bits or there are 2^31 rows or more. */
bool gr_columns_start(gr_columns *columns, const gr_bins *bins);
/* The column of a feature, padded as gr_sort_rows requires, if it is in the cache; else NULL. */
const uint8_t *gr_column_kept(const gr_columns *columns, const gr_bins *bins, uint32_t feature);
/* The same, but fills the column if it is missing. NULL if it is missing and `count`, the number of
 * rows to be read, is too small to pay for filling it. */
const uint8_t *gr_column_of(gr_columns *columns, const gr_bins *bins, uint32_t feature,
                            size_t count, gr_pool *pool);
void gr_columns_free(gr_columns *columns);

#endif
