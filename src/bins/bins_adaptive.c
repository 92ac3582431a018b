/* SPDX-License-Identifier: Apache-2.0 */
/* Bins of equal width, opened only where there are data (Li, Burges and Wu, McRank, 2007, appendix
 * I). The width is the smallest, to six digits, that gives no more than the allowed number of
 * bins. */
#include "bins/bins_column.h"

#include "base/bisect.h"

#include <float.h>

static const double first_length = 1e-10;

/* The first distinct value, starting at `from`, that is not below `bound`. Uses galloping search
 * because bins are usually short. */
static size_t find_from(const gr_distinct *distinct, size_t count, size_t from, double bound)
{
    size_t step = 1, low = from, high;

    while (low + step < count && (double)gr_sort_key_float(distinct[low + step].key) < bound) {
        low += step;
        step *= 2;
    }
    high = low + step < count ? low + step : count;
    return GR_BISECT(low, high, i, (double)gr_sort_key_float(distinct[i].key) < bound);
}

/* Opens bins from left to right, up to `most`. Returns the number of bins, or most + 1 if more
 * would be needed. ends may be NULL. */
static size_t open_bins(const gr_distinct *distinct, size_t count, double length, size_t most,
                        uint32_t *ends)
{
    size_t used = 0;

    for (size_t i = 0; i < count;) {
        const double start = (double)gr_sort_key_float(distinct[i].key);

        if (used == most) {
            if (ends)
                ends[used - 1] = (uint32_t)count;
            return most + 1;
        }
        i = find_from(distinct, count, i + 1, start + length);
        if (ends)
            ends[used] = (uint32_t)i;
        used++;
    }
    return used;
}

size_t gr_cut_lengths(const gr_distinct *distinct, size_t count, size_t bins, uint32_t *ends)
{
    double low = first_length, high = first_length;
    size_t used;

    while (open_bins(distinct, count, high, bins, NULL) > bins && high < 4.0 * (double)FLT_MAX) {
        low = high;
        high *= 16.0;
    }
    for (int i = 0; i < 24 && low < high; i++) {
        const double middle = low + (high - low) / 2;

        if (open_bins(distinct, count, middle, bins, NULL) > bins)
            low = middle;
        else
            high = middle;
    }
    /* with infinite values there may be too many bins at any width */
    used = open_bins(distinct, count, high, bins, ends);
    return used > bins ? bins : used;
}
