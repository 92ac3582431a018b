/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by numeric keys: total order, stable, linear time for long lists. */
#ifndef GR_BASE_SORT_H
#define GR_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

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

#endif
