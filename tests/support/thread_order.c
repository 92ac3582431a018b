/* SPDX-License-Identifier: Apache-2.0 */
/* The order of threads in emulated kernels. */
#include "thread_order.h"

thread_order emulated_order = THREADS_ASCENDING;

void emulated_order_use(thread_order order)
{
    emulated_order = order;
}
