/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel loops over ranges of consecutive items, such as the rows of a dataset. The ranges depend
 * on the numbers of items only, never on the threads, so partial results that are combined in range
 * order are the same for any number of threads. */
#ifndef GR_BASE_RANGES_H
#define GR_BASE_RANGES_H

#include "base/pool.h"

typedef struct gr_range {
    size_t first, end;
    size_t index;  /* of the range, from 0 */
    size_t worker; /* below gr_pool_threads */
} gr_range;

typedef void (*gr_range_task)(void *argument, gr_range range);

/* The number of ranges of `size` items that cover `count` items. */
static inline size_t gr_range_count(size_t count, size_t size)
{
    return count / size + (count % size != 0);
}

/* Runs task on ranges of `size` items, of which the last may be shorter, as gr_pool_run does. */
void gr_for_ranges(gr_pool *pool, size_t count, size_t size, gr_range_task task, void *argument);
/* As gr_for_ranges, but stops early if the work is cancelled, as gr_pool_try does. */
gradus_status gr_try_ranges(gr_pool *pool, size_t count, size_t size, gr_range_task task,
                            void *argument, gradus_error *err);

#endif
