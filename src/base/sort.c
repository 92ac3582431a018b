/* SPDX-License-Identifier: Apache-2.0 */
/* Stable sorting: insertion sort for short lists, merge sort for medium ones with long keys, and
 * radix sort for long ones. */
#include "base/sort.h"

#include <string.h>

enum { DIGIT_BITS = 11, MAX_BUCKETS = 1 << DIGIT_BITS };

#define NAME(x) x##_keyed
#define ITEM gr_keyed
#define KEY(item) ((item).key)
#define KEY_BITS 64
#define MAX_DIGITS 6
#define COUNT size_t
#include "base/sort_body.h"

#define NAME(x) x##_entries
#define ITEM uint64_t
#define KEY(item) ((uint32_t)((item) >> 32))
#define KEY_BITS 32
#define MAX_DIGITS 3
#define COUNT uint32_t
#include "base/sort_body.h"

#define NAME(x) x##_numbers
#define ITEM uint32_t
#define KEY(item) (item)
#define KEY_BITS 32
#define MAX_DIGITS 4
#define COUNT uint32_t
#include "base/sort_body.h"

enum { SHORT = 48, SHORT_NUMBERS = 40 };

/* Bottom-up merge sort from runs sorted by insertion, for lists too short for radix buckets. */
static void merge_runs(gr_keyed *items, size_t count, gr_keyed *spare)
{
    gr_keyed *from = items, *to = spare;

    for (size_t start = 0; start < count; start += SHORT)
        insertion_keyed(items + start, count - start < SHORT ? count - start : SHORT);
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
        insertion_keyed(items, count);
    else if (count < MAX_BUCKETS)
        merge_runs(items, count, spare);
    else
        radix_keyed(items, count, spare, DIGIT_BITS);
}

void gr_sort_entries(uint64_t *entries, size_t count, uint64_t *spare)
{
    if (count < SHORT)
        insertion_entries(entries, count);
    else
        radix_entries(entries, count, spare, DIGIT_BITS);
}

void gr_sort_numbers(uint32_t *numbers, size_t count, uint32_t *spare)
{
    if (count <= SHORT_NUMBERS)
        insertion_numbers(numbers, count);
    else if (count < 2 * MAX_BUCKETS)
        radix_numbers(numbers, count, spare, 8);
    else
        radix_numbers(numbers, count, spare, DIGIT_BITS);
}

static void sort_order(const double *keys, size_t count, size_t *order, gr_keyed *scratch,
                       uint64_t flip)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = (gr_keyed){ gr_double_key(keys[i]) ^ flip, i };
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
