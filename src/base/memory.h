/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that cannot wrap, and arrays that grow in place however large they become. */
#ifndef GR_BASE_MEMORY_H
#define GR_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* False if the product or sum does not fit in a size. */
bool gr_size_times(size_t a, size_t b, size_t *product);
bool gr_size_plus(size_t a, size_t b, size_t *sum);

/* count items of `size` bytes each, zeroed; NULL if there is no memory or the size wraps.
 * Never NULL for count 0. End with free(). */
void *gr_new_array(size_t count, size_t size);

/* An array of bytes that grows. Large ones are mapped and grow by remapping pages, so that
 * growing neither copies nor needs the old and the new array at once. */
typedef struct gr_array {
    void *at;
    size_t capacity; /* bytes */
    bool mapped;
} gr_array;

/* Makes room for `bytes` in all, keeping the content; new bytes of a mapped array are zero. */
bool gr_array_reserve(gr_array *array, size_t bytes);
/* For an array that is read in places all over it, once it has its room and before it is filled:
 * fewer misses of the page table. Not for what is read once: making such pages takes time. */
void gr_array_use_huge_pages(const gr_array *array);
void gr_array_free(gr_array *array);

#endif
