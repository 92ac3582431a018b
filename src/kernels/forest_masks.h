/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates trees on rows whose values are encoded as bytes. (Related to QuickScorer, Lucchese et
 * al., 2015, in that masks replace branches; but here a mask is a set of rows, not of leaves.)
 *
 * Codes. A column belongs to a feature and has at most 254 thresholds. The code of a value is the
 * number of thresholds that are not above it, so that "value < threshold c" becomes "code <= c". A
 * missing value has code 255 and therefore goes right, or code 0 if all splits of the column send
 * missing values left. If the splits of a column disagree (it is "mixed"), those that send missing
 * values left read a copy of the codes in which 255 is replaced by 0; the copy is made only if a
 * value is missing.
 *
 * Masks. 64 rows make a tile, in which the 64 codes of each column are contiguous. A tree is run on
 * all rows of a tile without branches: each node has the mask of the rows that reach it, and one
 * comparison splits the mask into those of its children. Leaves are numbered from left to right. A
 * row that goes right at a node skips the leaves of its left subtree, so the sum of the leaves
 * skipped on its path is the number of its leaf. */
#ifndef GR_KERNELS_FOREST_MASKS_H
#define GR_KERNELS_FOREST_MASKS_H

#include "kernels/node_maps.h"
#include "kernels/versions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_TILE = 64, /* rows */
    GR_MISSING_CODE = 255,
    GR_MASK_CODES = 254,   /* maximum thresholds per column */
    GR_MASK_LEAVES = 256,  /* maximum leaves per tree */
    GR_ROW_LEAVES = 64,    /* maximum leaves of a gr_row_tree */
    GR_ROW_COLUMNS = 256,  /* maximum columns of gr_row_trees */
    GR_ROW_BEGUN = 4,      /* trees in flight for a single row */
    GR_CODE_BLOCK = 16,    /* thresholds compared at once */
    GR_MASK_TILES = 4,     /* tiles per call of add_tiles */
    GR_MASK_SLOTS = 16384, /* bytes of scratch for adding a tree, aligned to 64 */
};

typedef struct gr_code_column {
    uint32_t feature;
    uint32_t count;  /* thresholds */
    uint32_t table;  /* offset in tables: the last threshold of each block of 16, then the blocks,
                        ascending, padded with NAN */
    uint8_t missing; /* the code of a missing value: 0 or GR_MISSING_CODE */
    bool mixed;      /* some splits send missing values left, some right */
} gr_code_column;

/* A node of a tree; nodes are stored level by level, the root first. */
typedef struct gr_mask_node {
    uint32_t column;   /* times GR_TILE: offset of its codes in a tile */
    uint32_t code;     /* repeated in all four bytes: rows with a larger code go right */
    uint32_t passed;   /* repeated in all four bytes: number of leaves below its left child */
    uint32_t children; /* left child and, in the upper half, right child, times GR_MASK_SLOT;
                          GR_MASK_NO_NODE: a leaf. GR_MASK_COPIED: the node reads the copy */
} gr_mask_node;

#define GR_MASK_SLOT 32u                      /* bytes between the masks of two nodes */
#define GR_MASK_NO_NODE (255u * GR_MASK_SLOT) /* not a node: a tree has at most 255 */
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
    const float *leaves; /* from left to right; padded to 32, or to a multiple of 64 */
    uint32_t count;      /* nodes; there is one leaf more */
} gr_mask_tree;

/* Codes of tiles: column c of tile b starts at codes + b * distance + c * GR_TILE; its copy, if
 * copies is not 0, starts `copies` bytes later. */
typedef struct gr_tiles {
    const uint8_t *codes;
    size_t distance, copies;
} gr_tiles;

/* The same tree for single rows, which are compared with all nodes at once (kernels/node_maps.h).
 * Columns are renumbered by the number of splits that use them, so that most trees need only the
 * first 128. */
typedef struct gr_row_tree {
    uint8_t column[63], wide; /* wide: some column is above 127 */
    uint8_t code[64];
    uint8_t left[64], right[64];
} gr_row_tree;

typedef struct gr_row_trees {
    gr_row_tree *trees; /* count + GR_ROW_BEGUN, the last ones empty */
    uint64_t *copied;   /* per tree: mask of the nodes that read the copy */
    double *leaves;     /* GR_MAP_NAMES per tree; doubles, because converting costs as much as
                           adding */
    size_t count;
    size_t depth; /* of the deepest tree */
} gr_row_trees;

typedef struct gr_forest_kernels {
    /* Encodes at most GR_TILE rows; the code of row r in column c is codes[c * distance + r]. */
    void (*encode)(const gr_code_column *columns, size_t count, const float *tables,
                   const float *values, size_t rows, size_t stride, uint8_t *codes,
                   size_t distance);
    /* Adds the leaf value of each row of one tile, or of GR_MASK_TILES tiles, to its sum. */
    void (*add_tile)(const gr_mask_tree *tree, const gr_tiles *tiles, double *sums, void *slots);
    void (*add_tiles)(const gr_mask_tree *tree, const gr_tiles *tiles, double *sums, void *slots);
    /* Adds all trees to the sums of one row, tree t to sums[t % outputs]; codes: one per column.
     * NULL if there is no such kernel; gr_row_trees are not needed then. */
    void (*add_row)(const gr_row_trees *trees, size_t columns, const uint8_t *codes, double *sums,
                    size_t outputs);
    size_t few; /* up to this many rows, add_row is faster than a partial tile */
} gr_forest_kernels;

GR_KERNEL_VERSIONS(forest_masks, gr_forest_kernels)

/* The size in floats of the table of a column with `count` thresholds. */
static inline size_t gr_code_table_size(size_t count)
{
    return GR_CODE_BLOCK + (count / GR_CODE_BLOCK + 1) * GR_CODE_BLOCK;
}

#endif
