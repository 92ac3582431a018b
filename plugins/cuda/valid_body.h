/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the trees of a round to the sums of the rows of a validation set, one thread per row. Values are
 * stored by feature: near the root most rows of a warp are at the same node and read adjacent values. */
#ifndef GR_PLUGINS_CUDA_VALID_BODY_H
#define GR_PLUGINS_CUDA_VALID_BODY_H

#include "score_body.h"

enum {
    GR_VALID_TILE = 32,                /* rows and features of a tile that is transposed */
    GR_VALID_PITCH = GR_VALID_TILE + 1 /* a column of a tile is in different banks */
};

/* Addresses on the device. */
typedef struct gr_valid_pass {
    gr_score_trees trees; /* bases NULL: not added */
    const float *values;  /* features x rows */
    uint64_t rows;
    double *sums; /* outputs x rows */
} gr_valid_pass;

/* The leaf value of a row in tree t; the value of feature f is values[f * step]. */
GR_DEVICE float gr_valid_leaf(const gr_score_trees *trees, uint64_t t, const float *values,
                              uint64_t step)
{
    const uint64_t start = trees->starts[t];
    int32_t at = start < trees->starts[t + 1] ? 0 : ~0;

    while (at >= 0) {
        const gr_score_node node = trees->nodes[start + (uint64_t)at];

        at = gr_score_child(&node, values[(node.feature >> 1) * step]);
    }
    return trees->leaves[start + t + (uint64_t)~at];
}

GR_DEVICE void gr_valid_block(const gr_valid_pass *pass, uint64_t block, uint32_t threads)
{
    const gr_score_trees *trees = &pass->trees;

    GR_THREADS(t, threads)
    {
        const uint64_t row = block * threads + t;

        if (row >= pass->rows)
            continue;
        for (uint64_t k = 0; k < trees->outputs; k++) {
            double sum = pass->sums[k * pass->rows + row];

            if (trees->bases)
                sum += trees->bases[k];
            for (uint64_t tree = k; tree < trees->trees; tree += trees->outputs)
                sum += (double)gr_valid_leaf(trees, tree, pass->values + row, pass->rows);
            pass->sums[k * pass->rows + row] = sum;
        }
    }
}

/* A batch of rows that is stored by feature. */
typedef struct gr_valid_batch {
    const float *from; /* count x features */
    float *to;         /* features x rows */
    uint64_t features, rows, first, count;
    uint64_t tiles; /* that cover `count` */
} gr_valid_batch;

/* The tiles that cover these rows or features. Host code. */
static inline uint64_t gr_valid_tiles(uint64_t count)
{
    return (count + GR_VALID_TILE - 1) / GR_VALID_TILE;
}

/* Transposes a tile; tiles of the same features follow each other. */
GR_DEVICE void gr_valid_transpose_block(const gr_valid_batch *batch, uint64_t block,
                                        uint32_t threads, float *tile)
{
    const uint64_t row = block % batch->tiles * GR_VALID_TILE;
    const uint64_t feature = block / batch->tiles * GR_VALID_TILE;

    GR_THREADS(t, threads)
    {
        for (uint32_t i = t; i < GR_VALID_TILE * GR_VALID_TILE; i += threads) {
            const uint64_t r = row + i / GR_VALID_TILE, f = feature + i % GR_VALID_TILE;

            if (r < batch->count && f < batch->features)
                tile[i / GR_VALID_TILE * GR_VALID_PITCH + i % GR_VALID_TILE] =
                    batch->from[r * batch->features + f];
        }
    }
    GR_BARRIER();
    GR_THREADS(t, threads)
    {
        for (uint32_t i = t; i < GR_VALID_TILE * GR_VALID_TILE; i += threads) {
            const uint64_t r = row + i % GR_VALID_TILE, f = feature + i / GR_VALID_TILE;

            if (r < batch->count && f < batch->features)
                batch->to[f * batch->rows + batch->first + r] =
                    tile[i % GR_VALID_TILE * GR_VALID_PITCH + i / GR_VALID_TILE];
        }
    }
}

#endif
