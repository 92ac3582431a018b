/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by numeric keys: total order, stable, linear time for long lists. */
#ifndef GR_BASE_SORT_H
#define GR_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of scratch memory that gr_sort_descending and gr_sort_ascending need. */
#define GR_SORT_SCRATCH(count) ((count)*2 * sizeof(gr_keyed))

typedef struct gr_keyed {
    uint64_t key;
    uint64_t item;
} gr_keyed;

/* order[i] = index of the i-th largest (smallest) key; equal keys keep their order, and -0 equals
 * 0. Keys must not be NAN. scratch: GR_SORT_SCRATCH(count) bytes. */
void gr_sort_descending(const double *keys, size_t count, size_t *order, gr_keyed *scratch);
void gr_sort_ascending(const double *keys, size_t count, size_t *order, gr_keyed *scratch);

/* Sorts items in place by ascending key, stably; spare: scratch for `count` items. */
void gr_sort_keyed(gr_keyed *items, size_t count, gr_keyed *spare);

/* The same for entries by their upper 32 bits, and for numbers; count is below 2^32. */
void gr_sort_entries(uint64_t *entries, size_t count, uint64_t *spare);
void gr_sort_numbers(uint32_t *numbers, size_t count, uint32_t *spare);

/* Maps doubles to unsigned integers in the same order, -0 to the integer of 0. */
static inline uint64_t gr_double_key(double number)
{
    uint64_t bits;

    number += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static inline double gr_key_double(uint64_t key)
{
    const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

#endif
