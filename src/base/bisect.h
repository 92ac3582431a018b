/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search, inline for any condition. */
#ifndef GR_BASE_BISECT_H
#define GR_BASE_BISECT_H

#include <stddef.h>
#include <stdint.h>

/* The first index in [first, end) for which `before` is false; `end` if it is true for all. `before` is
 * an expression of the index i, true up to some index and false from there on: the lower bound of x
 * is GR_BISECT(0, count, i, items[i] < x), its upper bound GR_BISECT(0, count, i, items[i] <= x). */
#define GR_BISECT(first, end, i, before)                                                           \
    __extension__({                                                                                \
        size_t gr_low = (first), gr_high = (end);                                                  \
                                                                                                   \
        while (gr_low < gr_high) {                                                                 \
            const size_t i = gr_low + (gr_high - gr_low) / 2;                                      \
                                                                                                   \
            if (before)                                                                            \
                gr_low = i + 1;                                                                    \
            else                                                                                   \
                gr_high = i;                                                                       \
        }                                                                                          \
        gr_low;                                                                                    \
    })

/* The query, or other interval, that contains a position: the last of `count` whose start is not
 * above it. */
static inline size_t gr_interval_of(const uint64_t *starts, size_t count, uint64_t position)
{
    return GR_BISECT(1, count, i, starts[i] <= position) - 1;
}

#endif
