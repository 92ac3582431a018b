/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms with 32-bit bin_sums: the row count in the low 12 bits, the gradient sum above. Half
 * the size of narrow bin_sums, so that the bin_sums of a group of features fit the L1 cache. After
 * at most GR_SHORT_ROWS rows, before anything can overflow, they are added to the narrow
 * bin_sums. */
#include "kernels/versions.h"

#include <string.h>

#define SUM uint32_t
#define SUM_WORD(word) ((uint32_t)((word) >> 32) << COUNT_BITS | 1u)
enum { COUNT_BITS = 12 };
#include "kernels/histogram_body.h"

_Static_assert(GR_SHORT_ROWS < 1 << COUNT_BITS, "the row count must not overflow");
_Static_assert(GR_SHORT_ROWS *GR_SHORT_MAX < 1 << (31 - COUNT_BITS), "gradients must not overflow");

ADD_ROWS_ALL(picked, rows, 0)
ADD_ROWS_ALL(picked_far, rows, AHEAD)

/* Adds short bin_sums to bin_sums, and clears them. */
ALWAYS_INLINE void empty(uint32_t *restrict from, size_t count, uint64_t *restrict into)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t both = from[i], rows = both & ((1u << COUNT_BITS) - 1u);
        const int32_t gradient = (int32_t)both >> COUNT_BITS;

        into[i] += ((uint64_t)(int64_t)gradient << 32) + rows;
        from[i] = 0;
    }
}

static void empty_2(uint32_t *restrict from, size_t count, uint64_t *restrict into)
{
    empty(from, count, into);
}

const gr_histogram_short_kernels gr_histogram_short_2 = { empty_2 };

#if defined(__x86_64__)
GR_TARGET_4 static void empty_4(uint32_t *restrict from, size_t count, uint64_t *restrict into)
{
    empty(from, count, into);
}

const gr_histogram_short_kernels gr_histogram_short_4 = { empty_4 };

GR_TARGET_8 static void empty_8(uint32_t *restrict from, size_t count, uint64_t *restrict into)
{
    empty(from, count, into);
}

const gr_histogram_short_kernels gr_histogram_short_8 = { empty_8 };
#endif

static void add_some(uint32_t *bin_sums, const gr_scan *scan, size_t first, size_t end)
{
    const size_t sure = rows_with_next(scan);
    const size_t far = end < sure ? end : sure < first ? first : sure;
    const uint64_t *sums = scan->sums, *words = scan->words;

    picked_far[scan->blocks - 1][scan->last / 2 - 1](bin_sums, words, scan->stride,
                                                     scan->rows + first, sums + first, far - first);
    picked[scan->blocks - 1][scan->last / 2 - 1](bin_sums, words, scan->stride, scan->rows + far,
                                                 sums + far, end - far);
}

void gr_histogram_8_short(uint64_t *bin_sums, const gr_scan *scan)
{
    uint32_t some[4 * 8 * COLUMN];
    const size_t used = ((scan->blocks - 1) * 8 + scan->last) * COLUMN;

    memset(some, 0, used * sizeof *some);
    for (size_t first = 0; first < scan->count; first += GR_SHORT_ROWS) {
        const size_t left = scan->count - first;

        add_some(some, scan, first, first + (left < GR_SHORT_ROWS ? left : GR_SHORT_ROWS));
        gr_histogram_short_here()->empty(some, used, bin_sums);
    }
}
