/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of dataset rows as the dense rows that models need: one column per model feature, whether
 * the dataset has more or fewer features or is sparse. */
#ifndef GR_DATA_ROW_BLOCKS_H
#define GR_DATA_ROW_BLOCKS_H

#include "base/pool.h"
#include "data/dataset.h"

/* Rows per block, 1 to 512, chosen so that a block stays in the cache. */
size_t gr_block_rows(size_t features);

/* Whether the dataset's rows can be used without copying. */
static inline bool gr_block_in_place(const gradus_arrays *arrays, size_t features)
{
    return !arrays->row_starts && arrays->features >= features;
}

/* Writes rows [from, to) to `room`, `features` floats per row. `room` must be all 0. */
void gr_block_fill(const gradus_arrays *arrays, size_t from, size_t to, size_t features,
                   float *room);
/* Resets `room` to 0, touching only what gr_block_fill wrote. */
void gr_block_clear(const gradus_arrays *arrays, size_t from, size_t to, size_t features,
                    float *room);

typedef struct gr_row_block {
    const gradus_arrays *arrays;
    size_t first, rows;  /* of the dataset */
    const float *values; /* dense rows */
    size_t stride;
    void *scratch; /* of the thread */
} gr_row_block;

typedef void (*gr_row_block_task)(void *argument, const gr_row_block *block);

typedef struct gr_row_loop {
    const gradus_arrays *arrays;
    size_t features; /* of the dense rows; 0: the task reads the rows from the arrays */
    size_t rows;     /* per block */
    size_t scratch;  /* bytes per thread: zeros at first, aligned to 64 bytes */
    /* Bins that stand for values that the arrays lack, and their row that is row 0; NULL:
     * the arrays have values. They must have `features` features. */
    const struct gr_binned *binned;
    size_t first_row;
} gr_row_loop;

/* A loop over the rows of a dataset in blocks of a size that suits. */
gr_row_loop gr_row_loop_of(const gradus_dataset *data, size_t features);

/* Runs task on all rows, in parallel. */
gradus_status gr_for_row_blocks(gr_pool *pool, const gr_row_loop *loop, gr_row_block_task task,
                                void *argument, gradus_error *err);

/* Adds the outputs of a block's rows, [output][row of the block], to sums, [output][row]. */
void gr_row_block_add(const gr_row_block *block, const double *out, size_t outputs, double *sums);

#endif
