/* SPDX-License-Identifier: Apache-2.0 */
/* Adds trees to the scores of all rows of a dataset, in parallel over blocks of rows. */
#include "learners/forest/compile.h"

#include "data/row_blocks.h"

/* Fewer trees are walked, because encoding the rows would cost more than it saves. */
enum { MANY_TREES = 16 };

typedef struct adding {
    const gr_forest *forest;
    size_t first, end;           /* trees */
    const gr_compiled *compiled; /* NULL: walk the trees */
    double *scores;              /* (outputs, rows) */
} adding;

static void add_block(void *argument, const gr_row_block *block)
{
    const adding *work = argument;
    const size_t all = block->arrays->rows, outputs = work->forest->outputs;
    double *scores = work->scores + block->first;

    if (work->compiled) {
        gr_compiled_add(work->compiled, block->values, block->rows, block->stride, scores, all,
                        block->scratch);
        return;
    }
    for (size_t t = work->first; t < work->end; t++)
        gr_walk_rows(work->forest, t, block->values, block->rows, block->stride,
                     scores + t % outputs * all);
}

gradus_status gr_forest_add_scores(const gr_forest *forest, size_t first, size_t end,
                                   const gradus_dataset *data, double *scores, gr_pool *pool,
                                   gradus_error *err)
{
    gr_row_loop loop = gr_row_loop_of(data, forest->features);
    adding work = { forest, first * forest->outputs, end * forest->outputs, NULL, scores };
    gr_compiled *compiled = NULL;
    gradus_status status;

    if (work.end - work.first >= MANY_TREES) {
        compiled = gr_compile_for(forest, first, end, gr_forest_masks_here(), err);
        if (!compiled)
            return GRADUS_NO_MEMORY;
        work.compiled = compiled;
        loop.scratch = gr_compiled_scratch(compiled, loop.rows);
    }
    status = gr_for_row_blocks(pool, &loop, add_block, &work, err);
    gr_compiled_free(compiled);
    return status;
}
