/* SPDX-License-Identifier: Apache-2.0 */
/* The bins of a few features, a byte a row: to sort the rows of a node by one feature out of the
 * words of blocks would read a cache line a row for one byte of it. Kept from tree to tree, those
 * used last. */
#ifndef GR_LEARNERS_TREE_COLUMNS_H
#define GR_LEARNERS_TREE_COLUMNS_H

#include "base/pool.h"
#include "data/bins.h"

enum { GR_MOST_COLUMNS = 24 };

typedef struct gr_columns {
    gr_array bytes;
    uint32_t features[GR_MOST_COLUMNS];
    uint64_t used[GR_MOST_COLUMNS]; /* when; 0: not filled */
    uint64_t uses;
} gr_columns;

/* Room for them, which takes memory as it is filled; false: there is none. None are kept if bins
 * have 16 bits, or rows 32. */
bool gr_columns_start(gr_columns *columns, const gr_bins *bins);
/* The bins of a feature, readable as gr_sort_rows needs it, if they are kept; else NULL. */
const uint8_t *gr_column_kept(const gr_columns *columns, const gr_bins *bins, uint32_t feature);
/* The same, or they are made. NULL if they are not kept, and `count`,
 * the rows that are to be read, would not be worth it. */
const uint8_t *gr_column_of(gr_columns *columns, const gr_bins *bins, uint32_t feature,
                            size_t count, gr_pool *pool);
void gr_columns_free(gr_columns *columns);

#endif
