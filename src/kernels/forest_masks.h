/* SPDX-License-Identifier: Apache-2.0 */
/* Trees run on rows cut into codes.
 *
 * A column belongs to a feature and has at most 254 thresholds; the code of a value is the number
 * of thresholds that are not above it, so that "value < threshold c" is "code <= c". A missing
 * value has code 255, and so goes right; but 0, and goes left, if that is where all splits of the
 * column send it. In columns whose splits disagree, those that send it left read a copy of the
 * codes, made only if a value is missing, in which 255 became 0.
 *
 * 64 rows make a tile, in which each column has its 64 codes together. A tree is run on all of them
 * without a branch: a mask says which rows reach a node, and a comparison splits it into the masks
 * of its children. Leaves are numbered from left to right; a row that goes right passes over the
 * leaves on the left, and adding up what it passed over gives its leaf. */
#ifndef GR_KERNELS_FOREST_MASKS_H
#define GR_KERNELS_FOREST_MASKS_H

#include "kernels/node_maps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_TILE = 64, /* rows */
    GR_MISSING_CODE = 255,
    GR_MASK_CODES = 254,   /* thresholds of a column, at most */
    GR_MASK_LEAVES = 256,  /* of a tree, at most */
    GR_ROW_LEAVES = 64,    /* of a tree with a gr_row_tree, at most */
    GR_ROW_COLUMNS = 256,  /* of a forest with gr_row_trees, at most */
    GR_ROW_BEGUN = 4,      /* trees that a row goes through at once */
    GR_CODE_BLOCK = 16,    /* thresholds that are counted at once */
    GR_MASK_TILES = 4,     /* tiles that add_tiles does */
    GR_MASK_SLOTS = 16384, /* bytes of scratch that adding a tree needs, aligned to 64 */
};

typedef struct gr_code_column {
    uint32_t feature;
    uint32_t count;  /* thresholds */
    uint32_t table;  /* where they are: the last threshold of each block of 16, then the blocks,
                        ascending; NAN fills up blocks */
    uint8_t missing; /* the code of a missing value: 0 or GR_MISSING_CODE */
    bool mixed;      /* some splits send it left, some right */
} gr_code_column;

/* A node of a tree; nodes stand level by level, the root first. */
typedef struct gr_mask_node {
    uint32_t column;   /* times GR_TILE: where its codes begin in a tile */
    uint32_t code;     /* in each of the four bytes: left if the row's code is not above */
    uint32_t passed;   /* in each of the four bytes: leaves on its left */
    uint32_t children; /* left and, in the upper half, right; times GR_MASK_SLOT; GR_MASK_NO_NODE: a
                          leaf. GR_MASK_COPIED: it reads the copy */
} gr_mask_node;

#define GR_MASK_SLOT 32u
#define GR_MASK_NO_NODE (255u * GR_MASK_SLOT) /* is no node: a tree has at most 255 */
#define GR_MASK_COPIED 0x8000u

static inline uint32_t gr_mask_left(uint32_t children)
{
    return children & 0x7fffu;
}
static inline uint32_t gr_mask_right(uint32_t children)
{
    return children >> 16;
}

typedef struct gr_mask_tree {
    const gr_mask_node *nodes;
    const float *leaves; /* from left to right; readable up to 32, or a multiple of 64 */
    uint32_t count;      /* nodes; one leaf more */
} gr_mask_tree;

/* Codes of tiles: column c of tile b begins at codes + b * distance + c * GR_TILE, its copy, if
 * copies is not 0, so many bytes later. */
typedef struct gr_tiles {
    const uint8_t *codes;
    size_t distance, copies;
} gr_tiles;

/* The same tree for one row, which is compared with all of its nodes at once: see
 * kernels/node_maps.h. Columns are numbered anew, those that most splits use first, so that 128 do
 * for most trees. */
typedef struct gr_row_tree {
    uint8_t column[63], wide; /* wide: one is above 127 */
    uint8_t code[64];
    uint8_t left[64], right[64];
} gr_row_tree;

typedef struct gr_row_trees {
    gr_row_tree *trees; /* GR_ROW_BEGUN more than there are */
    uint64_t *copied;   /* one a tree: nodes that read the copy */
    double *leaves;     /* GR_MAP_NAMES a tree: converting one would take as long as adding it */
    size_t count;
    size_t depth; /* of the deepest */
} gr_row_trees;

typedef struct gr_forest_kernels {
    const char *name;
    bool (*works)(void); /* on this processor */
    /* Codes of rows (at most GR_TILE): that of row r in column c is codes[c * distance + r]. */
    void (*encode)(const gr_code_column *columns, size_t count, const float *tables,
                   const float *values, size_t rows, size_t stride, uint8_t *codes,
                   size_t distance);
    /* Adds the leaf of each row of a tile, or of GR_MASK_TILES of them, to its sum. */
    void (*add_tile)(const gr_mask_tree *tree, const gr_tiles *tiles, double *sums, void *slots);
    void (*add_tiles)(const gr_mask_tree *tree, const gr_tiles *tiles, double *sums, void *slots);
    /* Adds trees to the sums of one row, tree t to sums[t % outputs]; codes: one a column. NULL:
     * there is no such kernel, and gr_row_trees are not needed. */
    void (*add_row)(const gr_row_trees *trees, size_t columns, const uint8_t *codes, double *sums,
                    size_t outputs);
    size_t few; /* rows that are better run one by one than as a tile, if add_row can */
} gr_forest_kernels;

extern const gr_forest_kernels gr_forest_kernels_plain;
#if defined(__x86_64__)
extern const gr_forest_kernels gr_forest_kernels_avx2;
extern const gr_forest_kernels gr_forest_kernels_avx512;      /* BW */
extern const gr_forest_kernels gr_forest_kernels_avx512_vbmi; /* and bytes permuted */
#endif

/* From the plain ones to the best; NULL past the last. Not all work on this processor. */
const gr_forest_kernels *gr_forest_kernels_at(size_t index);
const gr_forest_kernels *gr_forest_kernels_best(void);

/* Floats that the table of a column with `count` thresholds takes. */
static inline size_t gr_code_table_size(size_t count)
{
    return GR_CODE_BLOCK + (count / GR_CODE_BLOCK + 1) * GR_CODE_BLOCK;
}

#endif
