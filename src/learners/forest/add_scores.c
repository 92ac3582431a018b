#include "learners/forest/forest.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512 }; /* rows of a task */

/* Trees to add to the scores of rows. */
typedef struct adding {
    const gr_forest *forest;
    size_t first, end; /* trees */
    const gradus_arrays *arrays;
    bool direct;    /* rows can be walked where they are */
    float *rooms;   /* (threads, features of the forest): a row each, all 0 between rows */
    double *scores; /* (outputs, rows) */
} adding;

static void add_row(const adding *work, size_t r, const float *row)
{
    const gr_forest *forest = work->forest;

    for (size_t t = work->first; t < work->end; t++)
        work->scores[t % forest->outputs * work->arrays->rows + r] +=
            (double)forest->leaves[forest->starts[t] + t + gr_forest_leaf(forest, t, row)];
}

static void add_dense_row(const adding *work, size_t r, float *room)
{
    const gradus_arrays *a = work->arrays;
    const float *row = a->values + r * a->stride;

    if (!work->direct) {
        memcpy(room, row, a->features * sizeof *row);
        row = room;
    }
    add_row(work, r, row);
}

static void add_sparse_row(const adding *work, size_t r, float *room)
{
    const gradus_arrays *a = work->arrays;
    const size_t features = work->forest->features;
    const uint64_t from = a->row_starts[r], to = a->row_starts[r + 1];

    for (uint64_t e = from; e < to && a->columns[e] < features; e++)
        room[a->columns[e]] = a->entries[e];
    add_row(work, r, room);
    for (uint64_t e = from; e < to && a->columns[e] < features; e++)
        room[a->columns[e]] = 0.0f;
}

static void add_block(void *argument, size_t index, size_t worker)
{
    const adding *work = argument;
    const gradus_arrays *a = work->arrays;
    const size_t from = index * BLOCK, to = a->rows - from < BLOCK ? a->rows : from + BLOCK;
    float *room = work->rooms + worker * work->forest->features;

    for (size_t r = from; r < to; r++) {
        if (a->row_starts)
            add_sparse_row(work, r, room);
        else
            add_dense_row(work, r, room);
    }
}

gradus_status gr_forest_add_scores(const gr_forest *forest, size_t first, size_t end,
                                   const gradus_dataset *data, double *scores, gr_pool *pool,
                                   gradus_error *err)
{
    const gradus_arrays *a = &data->arrays;
    const bool dense = gr_dataset_is_dense(data);
    adding work = { .forest = forest,
                    .first = first * forest->outputs,
                    .end = end * forest->outputs,
                    .arrays = a,
                    .direct = dense && a->features >= forest->features,
                    .scores = scores };
    size_t cells = 0;

    if (!work.direct && !gr_size_times(gr_pool_threads(pool), forest->features, &cells))
        return gr_fail_memory(err, "rows to score");
    work.rooms = gr_new_array(cells, sizeof *work.rooms);
    if (!work.rooms)
        return gr_fail_memory(err, "rows to score");
    gr_pool_run(pool, (a->rows + BLOCK - 1) / BLOCK, add_block, &work);
    free(work.rooms);
    return GRADUS_OK;
}
