/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of dataset rows to blocks of dense rows. */
#include "data/row_blocks.h"

#include "base/ranges.h"
#include "data/binned.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 512, FLOATS = 1 << 18 };

size_t gr_block_rows(size_t features)
{
    const size_t rows = FLOATS / (features ? features : 1);

    return rows > MAX_ROWS ? MAX_ROWS : rows < 64 ? rows + !rows : rows / 64 * 64;
}

void gr_block_fill(const gradus_arrays *arrays, size_t from, size_t to, size_t features,
                   float *room)
{
    const size_t shared = arrays->features < features ? arrays->features : features;

    for (size_t r = from; r < to; r++, room += features) {
        if (!arrays->row_starts) {
            memcpy(room, arrays->values + r * arrays->stride, shared * sizeof *room);
            continue;
        }
        for (uint64_t e = arrays->row_starts[r];
             e < arrays->row_starts[r + 1] && arrays->columns[e] < shared; e++)
            room[arrays->columns[e]] = arrays->entries[e];
    }
}

void gr_block_clear(const gradus_arrays *arrays, size_t from, size_t to, size_t features,
                    float *room)
{
    const size_t shared = arrays->features < features ? arrays->features : features;

    if (!arrays->row_starts) {
        memset(room, 0, (to - from) * features * sizeof *room);
        return;
    }
    for (size_t r = from; r < to; r++, room += features)
        for (uint64_t e = arrays->row_starts[r];
             e < arrays->row_starts[r + 1] && arrays->columns[e] < shared; e++)
            room[arrays->columns[e]] = 0.0f;
}

typedef struct block_work {
    const gr_row_loop *loop;
    gr_row_block_task task;
    void *argument;
    float *values;    /* [threads x rows x features], all 0 between tasks; NULL: no copy needed */
    uint8_t *scratch; /* [threads x stride] */
    size_t stride;
} block_work;

static void run_block(void *argument, gr_range range)
{
    const block_work *work = argument;
    const gr_row_loop *loop = work->loop;
    const gradus_arrays *a = loop->arrays;
    gr_row_block block = { .arrays = a,
                           .first = range.first,
                           .rows = range.end - range.first,
                           .scratch = work->scratch + range.worker * work->stride };

    if (!work->values) {
        block.values = a->values ? a->values + range.first * a->stride : NULL;
        block.stride = a->stride;
        work->task(work->argument, &block);
        return;
    }
    float *values = work->values + range.worker * loop->rows * loop->features;

    if (loop->binned)
        loop->binned->decode(loop->binned->state, loop->first_row + range.first,
                             loop->first_row + range.end, values);
    else
        gr_block_fill(a, range.first, range.end, loop->features, values);
    block.values = values;
    block.stride = loop->features;
    work->task(work->argument, &block);
    if (!loop->binned)
        gr_block_clear(a, range.first, range.end, loop->features, values);
}

gr_row_loop gr_row_loop_of(const gradus_dataset *data, size_t features)
{
    const gradus_dataset *whole = data->whole ? data->whole : data;

    return (gr_row_loop){ .arrays = &data->arrays,
                          .features = features,
                          .rows = gr_block_rows(features),
                          .binned = gr_dataset_lacks_values(whole) ? whole->binned : NULL,
                          .first_row = gr_share_first_row(data->share) };
}

/* Allocates the buffers of all threads; false if out of memory. */
static bool make_buffers(block_work *work, size_t threads)
{
    const gr_row_loop *loop = work->loop;
    const bool copies =
        loop->features > 0 && (loop->binned || !gr_block_in_place(loop->arrays, loop->features));
    size_t cells, bytes;

    work->stride = (loop->scratch + 63) / 64 * 64;
    if (!gr_size_times(loop->rows * threads, loop->features, &cells) ||
        !gr_size_times(work->stride, threads, &bytes))
        return false;
    work->scratch = aligned_alloc(64, bytes ? bytes : 64);
    work->values = copies ? gr_new_array(cells, sizeof *work->values) : NULL;
    if (work->scratch)
        memset(work->scratch, 0, bytes);
    return work->scratch && (work->values || !copies);
}

gradus_status gr_for_row_blocks(gr_pool *pool, const gr_row_loop *loop, gr_row_block_task task,
                                void *argument, gradus_error *err)
{
    block_work work = { .loop = loop, .task = task, .argument = argument };
    gradus_status status = GRADUS_OK;

    if (make_buffers(&work, gr_pool_threads(pool)))
        gr_for_ranges(pool, loop->arrays->rows, loop->rows, run_block, &work);
    else
        status = gr_fail_memory(err, "rows to score");
    free(work.scratch);
    free(work.values);
    return status;
}

void gr_row_block_add(const gr_row_block *block, const double *out, size_t outputs, double *sums)
{
    for (size_t k = 0; k < outputs; k++)
        for (size_t r = 0; r < block->rows; r++)
            sums[k * block->arrays->rows + block->first + r] += out[k * block->rows + r];
}
