/* Trees run on rows cut into codes.
 *
 * A column belongs to a feature and has at most 255 thresholds; the code of a value is the number
 * of thresholds that are not above it, so that "value < threshold c" is "code <= c". A missing
 * value has code 0 in columns where it goes left, and the code after all thresholds where it goes
 * right.
 *
 * 64 rows make a tile, in which each column has its 64 codes together. A tree is run on all of them
 * without a branch: a mask says which rows reach a node, and a comparison splits it into the masks
 * of its children. Leaves are numbered from left to right; a row that goes right passes over the
 * leaves on the left, and adding up what it passed over gives its leaf. */
#ifndef GR_KERNELS_FOREST_MASKS_H
#define GR_KERNELS_FOREST_MASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_TILE = 64,          /* rows */
    GR_MASK_CODES = 255,   /* thresholds of a column, at most */
    GR_MASK_LEAVES = 256,  /* of a tree, at most */
    GR_ROW_LEAVES = 64,    /* of a tree with a gr_row_tree, at most */
    GR_ROW_COLUMNS = 256,  /* of a forest with gr_row_trees, at most */
    GR_CODE_BLOCK = 16,    /* thresholds that are counted at once */
    GR_MASK_TILES = 4,     /* tiles that add_tiles does */
    GR_MASK_SLOTS = 16384, /* bytes of scratch that adding a tree needs, aligned to 64 */
};

typedef struct gr_code_column {
    uint32_t feature;
    uint32_t count; /* thresholds */
    uint32_t table; /* where they are: the last threshold of each block of 16, then the blocks,
                       ascending; NAN fills up blocks */
    bool missing_right;
} gr_code_column;

/* A node of a tree; nodes stand level by level, the root first. */
typedef struct gr_mask_node {
    uint32_t column;   /* times GR_TILE: where its codes begin in a tile */
    uint32_t code;     /* in each of the four bytes: left if the row's code is not above */
    uint32_t passed;   /* in each of the four bytes: leaves on its left */
    uint32_t children; /* left and, in the upper half, right; times 8; GR_MASK_NO_NODE: a leaf */
} gr_mask_node;

#define GR_MASK_NO_NODE (255u * 8u) /* is no node: a tree has at most 255 */

typedef struct gr_mask_tree {
    const gr_mask_node *nodes;
    const float *leaves; /* from left to right; readable up to 32, or a multiple of 64 */
    uint32_t count;      /* nodes; one leaf more */
} gr_mask_tree;

/* The same tree for one row: its 64 nodes at once. Children are nodes, or 64 + leaf. */
typedef struct gr_row_tree {
    uint8_t column[64];
    uint8_t code[64];
    uint8_t left[64], right[64];
} gr_row_tree;

typedef struct gr_forest_kernels {
    const char *name;
    bool (*works)(void); /* on this processor */
    /* Codes of rows (at most GR_TILE): that of row r in column c is codes[c * distance + r]. */
    void (*encode)(const gr_code_column *columns, size_t count, const float *tables,
                   const float *values, size_t rows, size_t stride, uint8_t *codes,
                   size_t distance);
    /* Adds the leaf of each row of a tile to its sum. */
    void (*add_tile)(const gr_mask_tree *tree, const uint8_t *codes, double *sums, void *slots);
    /* The same for GR_MASK_TILES tiles, `distance` bytes apart. */
    void (*add_tiles)(const gr_mask_tree *tree, const uint8_t *codes, size_t distance, double *sums,
                      void *slots);
    /* Adds trees to the sums of one row, tree t to sums[t % outputs]. NULL: there is no such
     * kernel, and gr_row_trees are not needed. */
    void (*add_row)(const gr_row_tree *rows, const gr_mask_tree *trees, size_t count,
                    size_t columns, const uint8_t *codes, double *sums, size_t outputs);
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

/* Adds one tree to one row, by walking; codes one a column. For kernels without add_row. */
static inline uint32_t gr_mask_walk(const gr_mask_tree *tree, const uint8_t *codes)
{
    uint32_t leaf = 0;

    for (uint32_t at = tree->count ? 0 : GR_MASK_NO_NODE; at != GR_MASK_NO_NODE;) {
        const gr_mask_node *node = &tree->nodes[at / 8];
        const bool right = codes[node->column / GR_TILE] > (node->code & 255u);

        leaf += right ? node->passed & 255u : 0u;
        at = right ? node->children >> 16 : node->children & 0xffffu;
    }
    return leaf;
}

#endif
