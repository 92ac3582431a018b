/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a node to the sides of a split, each side in the order the rows had. */
#ifndef GR_LEARNERS_TREE_PARTITION_H
#define GR_LEARNERS_TREE_PARTITION_H

#include "base/pool.h"
#include "data/bins.h"

enum { GR_PARTITION_CHUNK = 4096 }; /* rows that a task takes */

/* Which rows go left: bins up to `bin`, and the bin of missing values if that is `missing`. */
typedef struct gr_route {
    const uint8_t *column; /* its bins, a byte a row; NULL: they are read from one of the others */
    const uint64_t *words; /* of a dense feature's block; NULL: a sparse feature */
    size_t stride;         /* words from a row to the next */
    unsigned shift;
    uint32_t mask;
    bool bytes; /* gr_sort_rows can read the words, byte by byte */
    const gr_slice *slice;
    uint32_t slot, usual, bins; /* of a sparse feature: its slots, and the bin without entry */
    uint32_t bin, missing;      /* missing: UINT32_MAX if those go right */
} gr_route;

gr_route gr_route_for(const gr_bins *bins, uint32_t feature, uint32_t bin, bool missing_left);

/* Counts rows by the bins of the route's feature. counts: `room` numbers per thread of the pool, at
 * least as many as bins; the first `room` are the result. */
void gr_count_bins(const gr_route *route, const uint32_t *rows, size_t count, gr_pool *pool,
                   uint32_t *counts, size_t room);

/* Puts rows, at most GR_PARTITION_CHUNK, that go left into left, the others into right, each with
 * room for all of them and in their order; returns how many went left. */
size_t gr_part_rows(const gr_route *route, const uint32_t *rows, size_t count, uint32_t *left,
                    uint32_t *right);

/* What is sorted, and room to do so. */
typedef struct gr_partition_work {
    uint32_t *rows;
    size_t count;
    uint32_t *spare;  /* room for count rows */
    uint32_t *counts; /* room for a number a chunk */
    const uint64_t
        *words;        /* NULL, or a word a row: those of the smaller side (the left, if both ... */
    uint64_t *ordered; /* ... have as many) are put here in the order of its rows */
} gr_partition_work;

/* Returns the rows that go left, which come first. */
size_t gr_partition(const gr_route *route, const gr_partition_work *work, gr_pool *pool);

#endif
