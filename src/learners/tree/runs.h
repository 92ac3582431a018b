/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a tree's leaves as runs: lists of ascending row numbers, one or more per leaf. */
#ifndef GR_LEARNERS_TREE_RUNS_H
#define GR_LEARNERS_TREE_RUNS_H

#include "base/pool.h"

typedef struct gr_runs {
    const uint32_t *rows;
    const uint32_t *starts; /* count + 1 offsets into rows */
    const uint32_t *leaves; /* the leaf of each run, ascending */
    size_t count;
} gr_runs;

/* Calls visit for parts of runs until each row was visited once, in any order and on any thread.
 * all_rows: above all row numbers. */
typedef void (*gr_visit)(void *argument, size_t leaf, const uint32_t *rows, size_t count);
void gr_for_runs(const gr_runs *runs, size_t all_rows, gr_pool *pool, gr_visit visit,
                 void *argument);

#endif
