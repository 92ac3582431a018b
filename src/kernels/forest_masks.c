/* SPDX-License-Identifier: Apache-2.0 */
/* The portable kernels of forest_masks.h. */
#include "kernels/forest_masks.h"

#include <math.h>
#include <string.h>

/* 16-byte vectors, which all common processors support. */
enum { PART = 16 };
typedef uint8_t part_bytes __attribute__((vector_size(PART), may_alias));
typedef uint32_t part_words __attribute__((vector_size(PART), may_alias));

/* The number of thresholds that are not above the value. */
static inline uint8_t code_of(const gr_code_column *column, const float *blocks, float value)
{
    size_t low = 0, count = column->count;

    if (isnan(value))
        return column->missing;
    while (count > 0) {
        const size_t half = (count + 1) / 2;

        low += blocks[low + half - 1] <= value ? half : 0;
        count -= half;
    }
    return (uint8_t)low;
}

static void encode(const gr_code_column *columns, size_t count, const float *tables,
                   const float *values, size_t rows, size_t stride, uint8_t *codes, size_t distance)
{
    for (size_t c = 0; c < count; c++)
        for (size_t r = 0; r < rows; r++)
            codes[c * distance + r] =
                code_of(&columns[c], tables + columns[c].table + GR_CODE_BLOCK,
                        values[r * stride + columns[c].feature]);
}

/* Finds the leaves of PART rows of a tile. Masks are bytes, one per row. */
static void find_leaves(const gr_mask_tree *tree, const uint8_t *codes, size_t copies,
                        uint8_t *slots, uint8_t *places)
{
    part_bytes place = { 0 };

    *(part_bytes *)slots = ~place;
    for (uint32_t i = 0; i < tree->count; i++) {
        const gr_mask_node *node = &tree->nodes[i];
        const part_bytes limit = (part_bytes)((part_words){ 0 } + node->code);
        const part_bytes passed = (part_bytes)((part_words){ 0 } + node->passed);
        const size_t at = node->column + (node->children & GR_MASK_COPIED ? copies : 0);
        const part_bytes below = (part_bytes)(*(const part_bytes *)(codes + at) <= limit);
        const part_bytes reach = *(const part_bytes *)(slots + i * GR_MASK_SLOT);
        const part_bytes right = reach & ~below;

        *(part_bytes *)(slots + gr_mask_left(node->children)) = reach & below;
        *(part_bytes *)(slots + gr_mask_right(node->children)) = right;
        place += right & passed;
    }
    *(part_bytes *)places = place;
}

static void add_one(const gr_mask_tree *tree, const gr_tiles *tiles, size_t tile, double *sums,
                    void *slots)
{
    const uint8_t *codes = tiles->codes + tile * tiles->distance;
    uint8_t places[GR_TILE] __attribute__((aligned(PART)));

    for (size_t r = 0; r < GR_TILE; r += PART)
        find_leaves(tree, codes + r, tiles->copies, slots, places + r);
    for (size_t r = 0; r < GR_TILE; r++)
        sums[tile * GR_TILE + r] += (double)tree->leaves[places[r]];
}

static void add_tile(const gr_mask_tree *tree, const gr_tiles *tiles, double *sums, void *slots)
{
    add_one(tree, tiles, 0, sums, slots);
}

static void add_tiles(const gr_mask_tree *tree, const gr_tiles *tiles, double *sums, void *slots)
{
    for (size_t b = 0; b < GR_MASK_TILES; b++)
        add_one(tree, tiles, b, sums, slots);
}

const gr_forest_kernels gr_forest_masks_plain = {
    .encode = encode,
    .add_tile = add_tile,
    .add_tiles = add_tiles,
};
