/* SPDX-License-Identifier: Apache-2.0 */
/* Visits the rows of all leaves. What is read or written per row (scores, gradients) is in the order
 * of row numbers, and a leaf has rows all over it. So a task visits the rows of a block of row
 * numbers, leaf after leaf: the block stays in its cache, and no other thread writes to it. If
 * leaves are so small that few rows of a block share one, it visits consecutive rows of the leaves
 * instead. */
#include "learners/tree/runs.h"

#include "base/bisect.h"
#include "base/ranges.h"

enum {
    BLOCK = 1 << 14,
    FEW_ROWS = 8 /* rows per block and run below which blocks do not pay */
};

typedef struct job {
    const gr_runs *runs;
    gr_visit visit;
    void *argument;
} job;

/* The position of the first row of a run that is not below `row`. */
static size_t first_from(const gr_runs *runs, size_t run, size_t row)
{
    return GR_BISECT(runs->starts[run], runs->starts[run + 1], i, runs->rows[i] < row);
}

static void visit_block(void *argument, gr_range range)
{
    const job *j = argument;

    for (size_t run = 0; run < j->runs->count; run++) {
        const size_t first = first_from(j->runs, run, range.first);
        const size_t end = first_from(j->runs, run, range.end);

        if (first < end)
            j->visit(j->argument, j->runs->leaves[run], j->runs->rows + first, end - first);
    }
}

static void visit_positions(void *argument, gr_range range)
{
    const job *j = argument;
    const uint32_t *starts = j->runs->starts;
    size_t run = GR_BISECT(1, j->runs->count, i, starts[i] <= range.first) - 1;

    for (size_t at = range.first; at < range.end; run++) {
        const size_t end = starts[run + 1] < range.end ? starts[run + 1] : range.end;

        j->visit(j->argument, j->runs->leaves[run], j->runs->rows + at, end - at);
        at = end;
    }
}

void gr_for_runs(const gr_runs *runs, size_t all_rows, gr_pool *pool, gr_visit visit,
                 void *argument)
{
    job j = { runs, visit, argument };
    const size_t rows = runs->starts[runs->count], blocks = gr_range_count(all_rows, BLOCK);

    if (rows / FEW_ROWS / runs->count >= blocks)
        gr_for_ranges(pool, all_rows, BLOCK, visit_block, &j);
    else
        gr_for_ranges(pool, rows, BLOCK, visit_positions, &j);
}
