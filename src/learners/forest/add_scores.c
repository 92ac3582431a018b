/* SPDX-License-Identifier: Apache-2.0 */
/* Adds trees to the scores of all rows of a dataset, in parallel over blocks of rows. */
#include "learners/forest/forest_block.h"
#include "learners/forest/compile.h"

#include <stdlib.h>
#include <string.h>

/* Fewer trees are walked, because encoding the rows would cost more than it saves. */
enum { MANY_TREES = 16 };

typedef struct adding {
    const gr_forest *forest;
    size_t first, end;           /* trees */
    const gr_compiled *compiled; /* NULL: walk the trees */
    const gradus_arrays *arrays;
    size_t block;     /* rows per task */
    float *rooms;     /* (threads, block, features of the forest), all 0; NULL: rows need no copy */
    uint8_t *scratch; /* (threads, scratch_bytes) */
    size_t scratch_bytes;
    double *scores; /* (outputs, rows) */
} adding;

static void add_rows(const adding *work, const float *values, size_t rows, size_t stride,
                     double *scores, size_t worker)
{
    const size_t all = work->arrays->rows, outputs = work->forest->outputs;

    if (work->compiled) {
        gr_compiled_add(work->compiled, values, rows, stride, scores, all,
                        work->scratch + worker * work->scratch_bytes);
        return;
    }
    for (size_t t = work->first; t < work->end; t++)
        gr_walk_rows(work->forest, t, values, rows, stride, scores + t % outputs * all);
}

static void add_block(void *argument, size_t index, size_t worker)
{
    const adding *work = argument;
    const gradus_arrays *a = work->arrays;
    const size_t features = work->forest->features, from = index * work->block;
    const size_t rows = a->rows - from < work->block ? a->rows - from : work->block;

    if (!work->rooms) {
        add_rows(work, a->values + from * a->stride, rows, a->stride, work->scores + from, worker);
        return;
    }
    float *room = work->rooms + worker * work->block * features;

    gr_block_fill(a, from, from + rows, features, room);
    add_rows(work, room, rows, features, work->scores + from, worker);
    gr_block_clear(a, from, from + rows, features, room);
}

/* Allocates the buffers of all threads; false if out of memory. */
static bool make_rooms(adding *work, bool in_place, size_t threads)
{
    size_t cells, bytes = 0;

    if (!gr_size_times(work->block * threads, work->forest->features, &cells))
        return false;
    if (work->compiled)
        work->scratch_bytes = (gr_compiled_scratch(work->compiled, work->block) + 63) / 64 * 64;
    if (!gr_size_times(work->scratch_bytes, threads, &bytes))
        return false;
    work->scratch = aligned_alloc(64, bytes ? bytes : 64);
    work->rooms = in_place ? NULL : gr_new_array(cells, sizeof *work->rooms);
    return work->scratch && (in_place || work->rooms);
}

gradus_status gr_forest_add_scores(const gr_forest *forest, size_t first, size_t end,
                                   const gradus_dataset *data, double *scores, gr_pool *pool,
                                   gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    gradus_status status = GRADUS_OK;
    gr_compiled *compiled = NULL;
    adding work = { .forest = forest,
                    .first = first * forest->outputs,
                    .end = end * forest->outputs,
                    .arrays = a,
                    .block = gr_block_rows(forest->features),
                    .scores = scores };

    if (work.end - work.first >= MANY_TREES) {
        compiled = gr_compile_for(forest, first, end, gr_forest_kernels_best(), err);
        if (!compiled)
            return GRADUS_NO_MEMORY;
        work.compiled = compiled;
    }
    if (make_rooms(&work, gr_block_in_place(a, forest->features), gr_pool_threads(pool)))
        gr_pool_run(pool, (a->rows + work.block - 1) / work.block, add_block, &work);
    else
        status = gr_fail_memory(err, "rows to score");
    free(work.rooms);
    free(work.scratch);
    gr_compiled_free(compiled);
    return status;
}
