/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates trees: a thread has one row and walks the trees of an output in order, some at a time to
 * overlap their latencies. The values of a block's rows are in shared memory, feature by feature, so
 * that each thread reads from a bank of its own whatever the features are. */
#ifndef GR_PLUGINS_CUDA_SCORE_BODY_H
#define GR_PLUGINS_CUDA_SCORE_BODY_H

#include "backend/score_device.h"
#include "portable.h"

enum { GR_SCORE_TOGETHER = 4 /* trees that a thread walks at once */ };

/* A batch of rows; all addresses are those of the device. */
typedef struct gr_score_pass {
    gr_score_trees trees;
    const float *values; /* rows x features */
    uint64_t rows;
    double *outputs; /* outputs x rows */
} gr_score_pass;

/* Where a value goes from a node. */
GR_DEVICE int32_t gr_score_child(const gr_score_node *node, float value)
{
    /* a comparison with a missing value is false; | and &, because branches cost more */
    const unsigned missing_left = (value != value) & (node->feature & 1u);
    const unsigned left = (unsigned)(value < node->threshold) | missing_left;

    return left ? node->left : node->right;
}

/* Takes a step in each tree that is not at a leaf yet (at: a split, or ~leaf); whether one is still not.
 * All loads are started before the first is used; those of finished trees are of node 0, and unused. The
 * value of feature f is values[f * step]. */
GR_DEVICE bool gr_score_step(const gr_score_node *nodes, const uint64_t *start, int32_t *at,
                             const float *values, size_t step)
{
    gr_score_node node[GR_SCORE_TOGETHER];
    float value[GR_SCORE_TOGETHER];
    bool inner = false;

    for (int i = 0; i < GR_SCORE_TOGETHER; i++)
        node[i] = nodes[at[i] >= 0 ? start[i] + (uint64_t)at[i] : 0];
    for (int i = 0; i < GR_SCORE_TOGETHER; i++)
        value[i] = values[(node[i].feature >> 1) * step];
    for (int i = 0; i < GR_SCORE_TOGETHER; i++) {
        at[i] = at[i] >= 0 ? gr_score_child(&node[i], value[i]) : at[i];
        inner |= at[i] >= 0;
    }
    return inner;
}

/* Adds the leaves of up to GR_SCORE_TOGETHER trees, every `outputs`-th from tree t on. */
GR_DEVICE double gr_score_some(const gr_score_trees *trees, uint64_t t, const float *values,
                               size_t step, double sum)
{
    int32_t at[GR_SCORE_TOGETHER];
    uint64_t start[GR_SCORE_TOGETHER];
    bool inner = false;

    for (int i = 0; i < GR_SCORE_TOGETHER; i++) {
        const uint64_t tree = t + (uint64_t)i * trees->outputs;
        const bool exists = tree < trees->trees;

        start[i] = exists ? trees->starts[tree] : 0;
        at[i] = exists && start[i] < trees->starts[tree + 1] ? 0 : ~0;
        inner |= at[i] >= 0;
    }
    while (inner)
        inner = gr_score_step(trees->nodes, start, at, values, step);
    for (int i = 0; i < GR_SCORE_TOGETHER; i++) {
        const uint64_t tree = t + (uint64_t)i * trees->outputs;

        if (tree < trees->trees)
            sum += (double)trees->leaves[start[i] + tree + (uint64_t)~at[i]];
    }
    return sum;
}

/* tile: threads x features floats that the block shares, if it is tiled: a constant, so that the
 * compiler knows which memory is read. */
GR_DEVICE void gr_score_block(const gr_score_pass *pass, uint64_t block, uint32_t threads,
                              bool tiled, float *tile)
{
    const gr_score_trees *trees = &pass->trees;

    GR_THREADS(t, threads)
    {
        const uint64_t row = block * threads + t;

        if (row >= pass->rows)
            continue;
        const float *values = pass->values + row * trees->features;

        for (uint64_t f = 0; tiled && f < trees->features; f++)
            tile[f * threads + t] = values[f];
        for (uint64_t k = 0; k < trees->outputs; k++) {
            double sum = trees->bases[k];

            for (uint64_t tree = k; tree < trees->trees; tree += GR_SCORE_TOGETHER * trees->outputs)
                sum =
                    gr_score_some(trees, tree, tiled ? tile + t : values, tiled ? threads : 1, sum);
            pass->outputs[k * pass->rows + row] = sum;
        }
    }
}

#endif
