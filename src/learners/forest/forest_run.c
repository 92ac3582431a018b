/* SPDX-License-Identifier: Apache-2.0 */
/* Runs rows through compiled trees: four tiles at a time, then single tiles, then the rest as a
 * partial tile or row by row. Every path adds the trees to a sum in the same order. */
#include "learners/forest/compile.h"

#include <string.h>

enum {
    TOGETHER = 8, /* trees that one row walks at once, to overlap their latencies */
    FEW = 8,      /* up to this many rows, walking is faster than a partial tile */
};

/* Bytes of a tile's codes, with space for their copy if some column sends missing values both
 * ways. */
static size_t tile_bytes(const gr_compiled *compiled)
{
    return compiled->columns * GR_TILE * (compiled->mixed ? 2 : 1);
}

/* The scratch memory holds the kernels' slots, the sums of a partial tile, and the codes. */
static size_t sum_bytes(const gr_compiled *compiled)
{
    return compiled->forest->outputs * GR_TILE * sizeof(double);
}

size_t gr_compiled_scratch(const gr_compiled *compiled, size_t rows)
{
    const size_t tiles = rows < (size_t)GR_TILE * GR_MASK_TILES ? 1 : GR_MASK_TILES;

    if (rows == 1)
        return sum_bytes(compiled) + (compiled->columns + GR_TILE) / GR_TILE * GR_TILE;
    return GR_MASK_SLOTS + sum_bytes(compiled) + tiles * tile_bytes(compiled);
}

static bool any_missing(const uint8_t *codes)
{
    uint8_t found = 0;

    for (size_t r = 0; r < GR_TILE; r++)
        found |= codes[r] == GR_MISSING_CODE;
    return found;
}

/* Encodes a tile; true if its codes need a copy because a mixed column has missing values. */
static bool encode(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                   uint8_t *codes)
{
    bool missing = false;

    compiled->kernels->encode(compiled->column, compiled->columns, compiled->tables, values, rows,
                              stride, codes, GR_TILE);
    for (size_t c = 0; c < compiled->columns && !missing; c++)
        missing = compiled->column[c].mixed && any_missing(codes + c * GR_TILE);
    return missing;
}

static void make_copies(const gr_compiled *compiled, uint8_t *codes)
{
    const size_t apart = compiled->columns * GR_TILE;

    for (size_t i = 0; i < apart; i++)
        codes[apart + i] = codes[i] == GR_MISSING_CODE ? 0 : codes[i];
}

/* Encodes `count` tiles, the last of which has `rows` rows. */
static gr_tiles make_tiles(const gr_compiled *compiled, const float *values, size_t count,
                           size_t rows, size_t stride, uint8_t *codes)
{
    gr_tiles tiles = { .codes = codes, .distance = tile_bytes(compiled) };

    for (size_t b = 0; b < count; b++)
        if (encode(compiled, values + b * GR_TILE * stride, b + 1 < count ? GR_TILE : rows, stride,
                   codes + b * tiles.distance))
            tiles.copies = compiled->columns * GR_TILE;
    for (size_t b = 0; b < count && tiles.copies; b++)
        make_copies(compiled, codes + b * tiles.distance);
    return tiles;
}

/* Adds all trees to one tile, possibly partial, or to GR_MASK_TILES tiles. */
static void add_tiles(const gr_compiled *compiled, const gr_tiles *tiles, size_t count,
                      const float *values, size_t rows, size_t stride, double *sums,
                      size_t sum_stride, void *slots)
{
    const gr_forest_kernels *kernels = compiled->kernels;
    const size_t outputs = compiled->forest->outputs;

    for (size_t t = compiled->first, k = 0; t < compiled->end; t++) {
        const gr_mask_tree *tree = &compiled->trees[t - compiled->first];
        double *sum = sums + k * sum_stride;

        if (!tree->leaves)
            gr_walk_rows(compiled->forest, t, values, rows, stride, sum);
        else if (count == 1)
            kernels->add_tile(tree, tiles, sum, slots);
        else
            kernels->add_tiles(tree, tiles, sum, slots);
        k = k + 1 < outputs ? k + 1 : 0;
    }
}

/* Partial tile: padding rows are computed and ignored. */
static void add_part(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *sums, size_t sum_stride, uint8_t *scratch)
{
    const size_t outputs = compiled->forest->outputs;
    double *own = (double *)(void *)(scratch + GR_MASK_SLOTS);
    uint8_t *codes = scratch + GR_MASK_SLOTS + sum_bytes(compiled);
    gr_tiles tiles;

    memset(codes, 0, tile_bytes(compiled));
    memset(own, 0, sum_bytes(compiled));
    tiles = make_tiles(compiled, values, 1, rows, stride, codes);
    for (size_t k = 0; k < outputs; k++)
        memcpy(own + k * GR_TILE, sums + k * sum_stride, rows * sizeof *sums);
    add_tiles(compiled, &tiles, 1, values, rows, stride, own, GR_TILE, scratch);
    for (size_t k = 0; k < outputs; k++)
        memcpy(sums + k * sum_stride, own + k * GR_TILE, rows * sizeof *sums);
}

/* Walks several trees with one row, interleaved so that their memory latencies overlap. */
static void walk_together(const gr_mask_tree *trees, size_t count, const uint8_t *codes,
                          uint32_t *leaves)
{
    uint32_t at[TOGETHER], alive = 0;

    for (size_t i = 0; i < count; i++) {
        leaves[i] = 0;
        at[i] = trees[i].count ? 0 : GR_MASK_NO_NODE;
        alive |= at[i] ^ GR_MASK_NO_NODE;
    }
    while (alive) {
        alive = 0;
        for (size_t i = 0; i < count; i++) {
            if (at[i] == GR_MASK_NO_NODE)
                continue;
            const gr_mask_node *node = &trees[i].nodes[at[i] / GR_MASK_SLOT];
            const uint32_t code = codes[node->column / GR_TILE];
            const uint32_t to_left = code == GR_MISSING_CODE && node->children & GR_MASK_COPIED;
            const uint32_t right = (code > (node->code & 255u)) & !to_left;

            leaves[i] += (node->passed & 255u) & (0u - right);
            at[i] = node->children >> (16 * right) & 0x7fffu;
            alive |= at[i] ^ GR_MASK_NO_NODE;
        }
    }
}

static void walk_row(const gr_compiled *compiled, const float *values, const uint8_t *codes,
                     double *sums)
{
    const size_t outputs = compiled->forest->outputs, trees = compiled->end - compiled->first;
    uint32_t leaves[TOGETHER];

    for (size_t from = 0, k = 0; from < trees; from += TOGETHER) {
        const size_t count = trees - from < TOGETHER ? trees - from : TOGETHER;

        walk_together(compiled->trees + from, count, codes, leaves);
        for (size_t i = 0; i < count; i++, k = k + 1 < outputs ? k + 1 : 0) {
            const gr_mask_tree *tree = &compiled->trees[from + i];

            if (tree->leaves)
                sums[k] += (double)tree->leaves[leaves[i]];
            else
                gr_walk_rows(compiled->forest, compiled->first + from + i, values, 1, 0, &sums[k]);
        }
    }
}

static void add_row(const gr_compiled *compiled, const float *values, double *sums,
                    size_t sum_stride, uint8_t *scratch)
{
    const size_t outputs = compiled->forest->outputs;
    double *own = (double *)(void *)scratch;
    uint8_t *codes = scratch + sum_bytes(compiled);

    compiled->kernels->encode(compiled->row_column ? compiled->row_column : compiled->column,
                              compiled->columns, compiled->tables, values, 1, 0, codes, 1);
    for (size_t k = 0; k < outputs; k++)
        own[k] = sums[k * sum_stride];
    if (compiled->row_column)
        compiled->kernels->add_row(&compiled->rows, compiled->columns, codes, own, outputs);
    else
        walk_row(compiled, values, codes, own);
    for (size_t k = 0; k < outputs; k++)
        sums[k * sum_stride] = own[k];
}

void gr_compiled_add(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *sums, size_t sum_stride, void *scratch)
{
    const size_t most = (size_t)GR_TILE * GR_MASK_TILES;
    const size_t few = compiled->row_column ? compiled->kernels->few : FEW;
    uint8_t *slots = scratch, *codes = slots + GR_MASK_SLOTS + sum_bytes(compiled);
    size_t r = 0;

    while (rows - r >= GR_TILE) {
        const size_t count = rows - r >= most ? GR_MASK_TILES : 1;
        const float *from = values + r * stride;
        const gr_tiles tiles = make_tiles(compiled, from, count, GR_TILE, stride, codes);

        add_tiles(compiled, &tiles, count, from, count * GR_TILE, stride, sums + r, sum_stride,
                  slots);
        r += count * GR_TILE;
    }
    if (rows - r > few)
        add_part(compiled, values + r * stride, rows - r, stride, sums + r, sum_stride, scratch);
    else
        for (; r < rows; r++)
            add_row(compiled, values + r * stride, sums + r, sum_stride, scratch);
}

void gr_compiled_run(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *raw, size_t raw_stride, void *scratch)
{
    for (size_t k = 0; k < compiled->forest->outputs; k++)
        for (size_t r = 0; r < rows; r++)
            raw[k * raw_stride + r] = compiled->forest->bases[k];
    gr_compiled_add(compiled, values, rows, stride, raw, raw_stride, scratch);
}
