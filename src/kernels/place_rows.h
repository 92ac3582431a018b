/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of bins to the leaves of a small tree, by kernels/node_maps.h. The bins of a row are in up
 * to GR_PLACE_GROUPS places, at most GR_PLACE_BYTES of them in each: bin 32 g + i is the i-th of
 * place g. */
#ifndef GR_KERNELS_PLACE_ROWS_H
#define GR_KERNELS_PLACE_ROWS_H

#include "kernels/node_maps.h"

enum { GR_PLACE_GROUPS = 8, GR_PLACE_BYTES = 32 };

typedef struct gr_place_group {
    const uint8_t *bins; /* of row 0 */
    size_t stride;       /* to those of the next: 8, 16, 24 or 32, all of which may be read */
} gr_place_group;

typedef struct gr_place_tree {
    uint8_t bin[GR_MAP_NODES];                       /* that a node looks at: it sends rows ... */
    uint8_t most[GR_MAP_NODES], equal[GR_MAP_NODES]; /* ... left up to most, and if equal */
    uint8_t left[GR_MAP_NODES], right[GR_MAP_NODES];
    uint32_t leaf[GR_MAP_NAMES]; /* what a row gets that ends up in a leaf of this name */
    size_t depth;
    size_t groups;
    gr_place_group group[GR_PLACE_GROUPS];
} gr_place_tree;

/* leaves[i]: what row rows[i] gets. */
void gr_place_rows(const gr_place_tree *tree, const uint32_t *rows, size_t count, uint32_t *leaves);
void gr_place_rows_plain(const gr_place_tree *tree, const uint32_t *rows, size_t count,
                         uint32_t *leaves);
/* Whether the first is any faster than the second on this processor. */
bool gr_places_rows_fast(void);

#endif
