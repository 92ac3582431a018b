/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which emulated kernels run the threads of a block between two barriers: on a GPU it is not
 * known, so results must not depend on it. To be included before the bodies of kernels. */
#ifndef TESTS_THREAD_ORDER_H
#define TESTS_THREAD_ORDER_H

#include <stdint.h>

typedef enum thread_order {
    THREADS_ASCENDING,
    THREADS_DESCENDING,
    THREADS_BY_LANES, /* the last lane of each warp, then the one before it, and so on */
    THREAD_ORDERS
} thread_order;

/* For all kernels from now on; ascending at first. */
void emulated_order_use(thread_order order);
extern thread_order emulated_order;

static inline uint32_t emulated_thread_at(uint32_t turn, uint32_t threads)
{
    const uint32_t warps = threads / 32, turned = threads - 1 - turn;

    if (emulated_order == THREADS_ASCENDING)
        return turn;
    if (emulated_order == THREADS_DESCENDING || threads == 0 || threads % 32 != 0)
        return turned;
    return turn % warps * 32 + turned / warps;
}

#define GR_THREAD_AT emulated_thread_at

#endif
