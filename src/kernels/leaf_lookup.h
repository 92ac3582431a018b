/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the leaves of binned rows in a small tree (kernels/node_maps.h). The bins of a row come
 * from up to GR_PLACE_GROUPS groups of at most GR_PLACE_BYTES bytes: bin number 32 g + i is byte i
 * of group g. */
#ifndef GR_KERNELS_LEAF_LOOKUP_H
#define GR_KERNELS_LEAF_LOOKUP_H

#include "kernels/node_maps.h"

enum { GR_PLACE_GROUPS = 8, GR_PLACE_BYTES = 32 };

typedef struct gr_place_group {
    const uint8_t *bins; /* of row 0 */
    size_t stride;       /* bytes per row: 8, 16, 24 or 32, all readable */
} gr_place_group;

typedef struct gr_place_tree {
    uint8_t bin[GR_MAP_NODES];                       /* number of the bin that a node compares */
    uint8_t most[GR_MAP_NODES], equal[GR_MAP_NODES]; /* left if bin <= most or bin == equal */
    uint8_t left[GR_MAP_NODES], right[GR_MAP_NODES];
    uint32_t leaf[GR_MAP_NAMES]; /* the result for rows that reach the leaf of this name */
    size_t depth;
    size_t groups;
    gr_place_group group[GR_PLACE_GROUPS];
} gr_place_tree;

/* leaves[i]: tree->leaf of the leaf that row rows[i] reaches. */
void gr_leaf_lookup(const gr_place_tree *tree, const uint32_t *rows, size_t count,
                    uint32_t *leaves);
void gr_leaf_lookup_plain(const gr_place_tree *tree, const uint32_t *rows, size_t count,
                          uint32_t *leaves);
/* Whether this processor has a version of gr_leaf_lookup faster than the plain one. */
bool gr_places_rows_fast(void);

#endif
