/* Rows of a node to the sides of a split, each side in the order the rows had. */
#ifndef GR_LEARNERS_TREE_PARTITION_H
#define GR_LEARNERS_TREE_PARTITION_H

#include "base/pool.h"
#include "data/bins.h"

enum { GR_PARTITION_CHUNK = 4096 }; /* rows that a task takes */

/* Which rows go left: bins up to `bin`, and the bin of missing values if that is `missing`. */
typedef struct gr_route {
    const uint64_t *words; /* of a dense feature's block; NULL: a sparse feature */
    size_t stride;         /* words from a row to the next */
    unsigned shift;
    uint32_t mask;
    const gr_slice *slice;
    uint32_t slot, usual, bins; /* of a sparse feature: its slots, and the bin without entry */
    uint32_t bin, missing;      /* missing: UINT32_MAX if those go right */
} gr_route;

gr_route gr_route_for(const gr_bins *bins, uint32_t feature, uint32_t bin, bool missing_left);

size_t gr_count_left(const gr_route *route, const uint32_t *rows, size_t count, gr_pool *pool);

/* Returns the rows that go left, which come first. spare: room for count rows. counts: room for a
 * number a chunk. */
size_t gr_partition(const gr_route *route, uint32_t *rows, size_t count, uint32_t *spare,
                    uint32_t *counts, gr_pool *pool);

#endif
