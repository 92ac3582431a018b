/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as numbered tasks of a thread pool. */
#include "base/ranges.h"

typedef struct range_loop {
    gr_range_task task;
    void *argument;
    size_t count, size;
} range_loop;

static void run_range(void *argument, size_t index, size_t worker)
{
    const range_loop *loop = argument;
    const size_t first = index * loop->size, left = loop->count - first;

    loop->task(
        loop->argument,
        (gr_range){ first, left < loop->size ? loop->count : first + loop->size, index, worker });
}

void gr_for_ranges(gr_pool *pool, size_t count, size_t size, gr_range_task task, void *argument)
{
    range_loop loop = { task, argument, count, size };

    gr_pool_run(pool, gr_range_count(count, size), run_range, &loop);
}

gradus_status gr_try_ranges(gr_pool *pool, size_t count, size_t size, gr_range_task task,
                            void *argument, gradus_error *err)
{
    range_loop loop = { task, argument, count, size };

    return gr_pool_try(pool, gr_range_count(count, size), run_range, &loop, err);
}
