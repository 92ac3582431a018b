/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of numbers: total, stable, and linear in their count. */
#ifndef GR_BASE_SORT_H
#define GR_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Scratch of gr_sort_descending and gr_sort_ascending for `count` keys. */
#define GR_SORT_SCRATCH(count) ((count)*2 * sizeof(gr_keyed))

typedef struct gr_keyed {
    uint64_t key;
    uint64_t item;
} gr_keyed;

/* order[i] = position of the i-th key, largest (smallest) first; equal keys keep their order, and
 * -0 equals 0. Keys may not be NAN. scratch: GR_SORT_SCRATCH(count) bytes. */
void gr_sort_descending(const double *keys, size_t count, size_t *order, gr_keyed *scratch);
void gr_sort_ascending(const double *keys, size_t count, size_t *order, gr_keyed *scratch);

/* Sorts items by key, stably; spare has room for as many. The result is in items. */
void gr_sort_keyed(gr_keyed *items, size_t count, gr_keyed *spare);

#endif
