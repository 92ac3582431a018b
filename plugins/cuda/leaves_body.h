/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a tree: the sums of its leaves in fixed point, and the leaf of each row. */
#ifndef GR_PLUGINS_CUDA_LEAVES_BODY_H
#define GR_PLUGINS_CUDA_LEAVES_BODY_H

#include "tree_plan.h"

enum {
    GR_LEAVES_THREADS = 256,
    GR_LEAVES_EACH = 8,
    GR_LEAVES_ROWS = GR_LEAVES_THREADS * GR_LEAVES_EACH
};

typedef struct gr_placed_run {
    gr_device_run run;
    uint32_t first_block;
} gr_placed_run;

typedef struct gr_leaf_work {
    const gr_placed_run *runs;
    uint32_t run_count;
    const float *gradients, *hessians; /* by row; hessians NULL: not summed */
    double gradient_scale, hessian_scale;
    uint64_t *sums;    /* two per leaf, signed */
    uint32_t *leaf_of; /* NULL: not filled in */
} gr_leaf_work;

typedef struct gr_leaves_shared {
    int64_t gradients[GR_LEAVES_THREADS], hessians[GR_LEAVES_THREADS];
} gr_leaves_shared;

GR_DEVICE void gr_leaf_sums_body(const gr_tree_data *data, const gr_leaf_work *work, uint32_t block,
                                 gr_leaves_shared *shared)
{
    uint32_t low = 0, high = work->run_count;
    gr_device_run run;
    uint32_t first;

    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;

        if (work->runs[middle].first_block <= block)
            low = middle;
        else
            high = middle;
    }
    run = work->runs[low].run;
    first = (block - work->runs[low].first_block) * GR_LEAVES_ROWS;
    GR_THREADS(t, GR_LEAVES_THREADS)
    {
        int64_t gradients = 0, hessians = 0;
        const uint32_t start = run.start + first, end = run.start + run.count;
        uint32_t rows[GR_LEAVES_EACH];
        float values[GR_LEAVES_EACH];

        GR_LOAD_ROWS(&data->lists[run.list], rows, GR_LEAVES_EACH, start + t, GR_LEAVES_THREADS,
                     end, start);
        GR_UNROLL
        for (uint32_t k = 0; k < GR_LEAVES_EACH; k++)
            values[k] = work->gradients[rows[k]];
        GR_UNROLL
        for (uint32_t k = 0; k < GR_LEAVES_EACH; k++)
            if (start + k * GR_LEAVES_THREADS + t < end)
                gradients += (int64_t)((double)values[k] * work->gradient_scale);
        if (work->hessians) {
            GR_UNROLL
            for (uint32_t k = 0; k < GR_LEAVES_EACH; k++)
                values[k] = work->hessians[rows[k]];
            GR_UNROLL
            for (uint32_t k = 0; k < GR_LEAVES_EACH; k++)
                if (start + k * GR_LEAVES_THREADS + t < end)
                    hessians += (int64_t)((double)values[k] * work->hessian_scale);
        }
        GR_UNROLL
        for (uint32_t k = 0; k < GR_LEAVES_EACH; k++)
            if (work->leaf_of && start + k * GR_LEAVES_THREADS + t < end)
                work->leaf_of[rows[k]] = run.leaf;
        shared->gradients[t] = gradients;
        shared->hessians[t] = hessians;
    }
    for (uint32_t half = GR_LEAVES_THREADS / 2; half > 0; half /= 2) {
        GR_BARRIER();
        GR_THREADS(t, GR_LEAVES_THREADS)
        {
            if (t >= half)
                continue;
            shared->gradients[t] += shared->gradients[t + half];
            shared->hessians[t] += shared->hessians[t + half];
        }
    }
    GR_BARRIER();
    GR_THREADS(t, GR_LEAVES_THREADS)
    {
        if (t > 0)
            continue;
        gr_atomic_add_u64(work->sums + 2 * run.leaf, (uint64_t)shared->gradients[0]);
        if (work->hessians)
            gr_atomic_add_u64(work->sums + 2 * run.leaf + 1, (uint64_t)shared->hessians[0]);
    }
}

/* The leaf of every row, from the splits of the tree, of which there is at least one. */
GR_DEVICE void gr_walk_body(const gr_tree_data *data, const gr_device_fork *forks,
                            uint32_t *leaf_of, uint32_t block)
{
    GR_THREADS(t, GR_LEAVES_THREADS)
    {
        const uint32_t row = block * GR_LEAVES_THREADS + t;
        int32_t at = 0;

        if (row >= data->rows)
            continue;
        while (at >= 0) {
            const gr_device_fork *fork = &forks[at];
            const uint32_t bin = gr_bin_of(data, fork->column, row);

            at = bin <= fork->bin || bin == fork->missing ? fork->left : fork->right;
        }
        leaf_of[row] = (uint32_t)~at;
    }
}

#endif
