/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions the rows of a node into the two sides of a split, keeping their order (stable). */
#ifndef GR_LEARNERS_TREE_PARTITION_H
#define GR_LEARNERS_TREE_PARTITION_H

#include "base/pool.h"
#include "bins/bins.h"

enum { GR_PARTITION_CHUNK = 4096 }; /* rows per task */

/* The condition of a split and where its feature's bins are stored. Rows go left if their bin is at
 * most `bin` or equals `missing`. */
typedef struct gr_route {
    const uint8_t *column; /* the feature's bins, one byte per row; NULL: use words or bundle */
    const uint64_t *words; /* of a dense feature's block; NULL: a sparse feature */
    size_t stride;         /* words between consecutive rows */
    unsigned shift;
    uint32_t mask;
    bool bytes; /* gr_sort_rows can read the bins as bytes of the words */
    const gr_bundle *bundle;
    uint32_t code, default_bin, bins; /* sparse feature: first code, default bin, number of bins */
    uint32_t bin, missing;            /* missing: UINT32_MAX if missing values go right */
} gr_route;

gr_route gr_route_for(const gr_bins *bins, uint32_t feature, uint32_t bin, bool missing_left);

/* Counts rows per bin of the route's feature. counts: `room` numbers per thread of the pool, where
 * room is at least the number of bins; the first `room` are the result. */
void gr_count_bins(const gr_route *route, const uint32_t *rows, size_t count, gr_pool *pool,
                   uint32_t *counts, size_t room);

/* Writes the rows that go left to `left` and the others to `right`, keeping their order, and
 * returns how many go left. At most GR_PARTITION_CHUNK rows; both arrays have space for all. */
size_t gr_part_rows(const gr_route *route, const uint32_t *rows, size_t count, uint32_t *left,
                    uint32_t *right);

/* Sides of a node whose words are gathered. Smaller: left if they are equal. */
typedef enum gr_gathered {
    GR_GATHER_SMALLER,
    GR_GATHER_BOTH,
    GR_GATHER_LEFT,
    GR_GATHER_RIGHT
} gr_gathered;

/* One node: its rows, to be partitioned in place, and scratch memory of the same size. */
typedef struct gr_partition_work {
    gr_route route;
    uint32_t *rows, *spare;
    size_t count;
    const uint64_t *words; /* one word per row of the data; NULL: nothing to gather */
    uint64_t *ordered;     /* output: the words of rows[i] at i, for the sides gathered */
    const uint8_t *masks;  /* the same for row masks; NULL: nothing to gather */
    uint8_t *ordered_masks;
    gr_gathered gathered;
    size_t lefts;       /* output: the rows that go left, which are now at the front */
    size_t first_chunk; /* used by gr_partition_all */
} gr_partition_work;

/* Partitions several nodes at once. counts: scratch for one number per chunk of each node. */
void gr_partition_all(gr_partition_work *works, size_t count, uint32_t *counts, gr_pool *pool);

#endif
