/* SPDX-License-Identifier: Apache-2.0 */
/* Stable sorting: insertion sort for short lists, merge sort for medium ones and an 11-bit radix
 * sort for long ones. Radix passes in which all keys have the same digit are skipped; this is
 * common for scores in a narrow range. */
#include "base/sort.h"

#include <string.h>

enum { SHORT = 48, DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS };

/* Maps doubles to unsigned integers in the same order. */
static uint64_t ascending_key(double number)
{
    uint64_t bits;

    number += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static void insertion(gr_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const gr_keyed item = items[i];
        size_t at = i;

        for (; at > 0 && items[at - 1].key > item.key; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

static void pass(const gr_keyed *from, gr_keyed *to, size_t count, int shift, size_t *starts)
{
    size_t sum = 0;

    for (size_t b = 0; b < BUCKETS; b++) {
        const size_t here = starts[b];
        starts[b] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[from[i].key >> shift & (BUCKETS - 1)]++] = from[i];
}

static void radix(gr_keyed *items, size_t count, gr_keyed *spare)
{
    gr_keyed *from = items, *to = spare;

    for (int digit = 0; digit < DIGITS; digit++) {
        const int shift = digit * DIGIT_BITS;
        size_t counts[BUCKETS] = { 0 };

        for (size_t i = 0; i < count; i++)
            counts[from[i].key >> shift & (BUCKETS - 1)]++;
        if (counts[from[0].key >> shift & (BUCKETS - 1)] == count)
            continue;
        pass(from, to, count, shift, counts);
        gr_keyed *kept = from;
        from = to;
        to = kept;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

/* Bottom-up merge sort from runs sorted by insertion, for lists too short for radix buckets. */
static void merge_runs(gr_keyed *items, size_t count, gr_keyed *spare)
{
    gr_keyed *from = items, *to = spare;

    for (size_t start = 0; start < count; start += SHORT)
        insertion(items + start, count - start < SHORT ? count - start : SHORT);
    for (size_t width = SHORT; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            const size_t middle = start + width < count ? start + width : count;
            const size_t end = start + 2 * width < count ? start + 2 * width : count;
            size_t a = start, b = middle;

            for (size_t i = start; i < end; i++)
                to[i] =
                    a < middle && (b >= end || from[a].key <= from[b].key) ? from[a++] : from[b++];
        }
        gr_keyed *kept = from;
        from = to;
        to = kept;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

void gr_sort_keyed(gr_keyed *items, size_t count, gr_keyed *spare)
{
    if (count <= SHORT)
        insertion(items, count);
    else if (count < BUCKETS)
        merge_runs(items, count, spare);
    else
        radix(items, count, spare);
}

static void sort_order(const double *keys, size_t count, size_t *order, gr_keyed *scratch,
                       uint64_t flip)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = (gr_keyed){ ascending_key(keys[i]) ^ flip, i };
    gr_sort_keyed(scratch, count, scratch + count);
    for (size_t i = 0; i < count; i++)
        order[i] = (size_t)scratch[i].item;
}

void gr_sort_descending(const double *keys, size_t count, size_t *order, gr_keyed *scratch)
{
    sort_order(keys, count, order, scratch, ~(uint64_t)0);
}

void gr_sort_ascending(const double *keys, size_t count, size_t *order, gr_keyed *scratch)
{
    sort_order(keys, count, order, scratch, 0);
}
