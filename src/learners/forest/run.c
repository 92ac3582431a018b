/* Rows through compiled trees: four tiles at a time, then one, then what is left. Each sum gets its
 * trees in their order whichever way is taken. */
#include "learners/forest/compile.h"

#include <string.h>

enum { TOGETHER = 8 }; /* trees walked at once by one row */

static size_t tile_bytes(const gr_compiled *compiled)
{
    return compiled->columns * GR_TILE;
}

/* Scratch: the slots of kernels, sums of a tile that is not full, codes. */
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

static void encode(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                   uint8_t *codes)
{
    compiled->kernels->encode(compiled->column, compiled->columns, compiled->tables, values, rows,
                              stride, codes, GR_TILE);
}

/* Rows that fill one tile or four of them. */
static void add_full(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *sums, size_t sum_stride, uint8_t *slots, uint8_t *codes)
{
    const gr_forest_kernels *kernels = compiled->kernels;
    const size_t outputs = compiled->forest->outputs, apart = tile_bytes(compiled);

    for (size_t t = compiled->first, k = 0; t < compiled->end;
         t++, k = k + 1 < outputs ? k + 1 : 0) {
        const gr_mask_tree *tree = &compiled->trees[t - compiled->first];
        double *sum = sums + k * sum_stride;

        if (!tree->leaves)
            gr_walk_rows(compiled->forest, t, values, rows, stride, sum);
        else if (rows == GR_TILE)
            kernels->add_tile(tree, codes, sum, slots);
        else
            kernels->add_tiles(tree, codes, apart, sum, slots);
    }
}

/* Fewer rows than a tile has: the others are there, and come to nothing. */
static void add_part(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *sums, size_t sum_stride, uint8_t *scratch)
{
    const gr_forest_kernels *kernels = compiled->kernels;
    const size_t outputs = compiled->forest->outputs;
    double *own = (double *)(void *)(scratch + GR_MASK_SLOTS);
    uint8_t *codes = scratch + GR_MASK_SLOTS + sum_bytes(compiled);

    memset(codes, 0, tile_bytes(compiled));
    memset(own, 0, sum_bytes(compiled));
    encode(compiled, values, rows, stride, codes);
    for (size_t k = 0; k < outputs; k++)
        memcpy(own + k * GR_TILE, sums + k * sum_stride, rows * sizeof *sums);
    for (size_t t = compiled->first, k = 0; t < compiled->end;
         t++, k = k + 1 < outputs ? k + 1 : 0) {
        const gr_mask_tree *tree = &compiled->trees[t - compiled->first];

        if (!tree->leaves)
            gr_walk_rows(compiled->forest, t, values, rows, stride, own + k * GR_TILE);
        else
            kernels->add_tile(tree, codes, own + k * GR_TILE, scratch);
    }
    for (size_t k = 0; k < outputs; k++)
        memcpy(sums + k * sum_stride, own + k * GR_TILE, rows * sizeof *sums);
}

/* Several trees of one row at once, so that one need not wait for the other. */
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
            const gr_mask_node *node = &trees[i].nodes[at[i] / 8];
            const uint32_t right = codes[node->column / GR_TILE] > (node->code & 255u);

            leaves[i] += (node->passed & 255u) & (0u - right);
            at[i] = node->children >> (16 * right) & 0xffffu;
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

    compiled->kernels->encode(compiled->column, compiled->columns, compiled->tables, values, 1, 0,
                              codes, 1);
    for (size_t k = 0; k < outputs; k++)
        own[k] = sums[k * sum_stride];
    if (compiled->rows)
        compiled->kernels->add_row(compiled->rows, compiled->trees, compiled->end - compiled->first,
                                   compiled->columns, codes, own, outputs);
    else
        walk_row(compiled, values, codes, own);
    for (size_t k = 0; k < outputs; k++)
        sums[k * sum_stride] = own[k];
}

void gr_compiled_add(const gr_compiled *compiled, const float *values, size_t rows, size_t stride,
                     double *sums, size_t sum_stride, void *scratch)
{
    const size_t most = (size_t)GR_TILE * GR_MASK_TILES;
    const size_t few = compiled->rows ? compiled->kernels->few : 4;
    uint8_t *slots = scratch, *codes = slots + GR_MASK_SLOTS + sum_bytes(compiled);
    size_t r = 0;

    while (rows - r >= GR_TILE) {
        const size_t some = rows - r >= most ? most : GR_TILE;

        for (size_t from = 0; from < some; from += GR_TILE)
            encode(compiled, values + (r + from) * stride, GR_TILE, stride,
                   codes + from / GR_TILE * tile_bytes(compiled));
        add_full(compiled, values + r * stride, some, stride, sums + r, sum_stride, slots, codes);
        r += some;
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
