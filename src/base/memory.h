/* SPDX-License-Identifier: Apache-2.0 */
/* Overflow-checked sizes, arrays that are freed together, and byte arrays that grow without copying
 * when large. */
#ifndef GR_BASE_MEMORY_H
#define GR_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* False if the product or sum overflows. */
bool gr_size_times(size_t a, size_t b, size_t *product);
bool gr_size_plus(size_t a, size_t b, size_t *sum);

/* Allocates count items of `size` bytes each, zeroed; NULL if memory is exhausted or the size
 * overflows. Never NULL for count 0. Release with free(). */
void *gr_new_array(size_t count, size_t size);

/* Arrays that are freed together. `failed` is set if one of them could not be allocated, so that a
 * caller that needs several checks once. Start with all zeros. */
typedef struct gr_arena {
    struct gr_arena_link *last;
    bool failed;
} gr_arena;

void *gr_arena_array(gr_arena *arena, size_t count, size_t size); /* as gr_new_array */
void gr_arena_free(gr_arena *arena);

/* A growing byte array. Large ones are memory mappings that grow by remapping pages, so that
 * growing neither copies nor needs the old and the new array at the same time. */
typedef struct gr_array {
    void *at;
    size_t capacity; /* bytes */
    bool mapped;
} gr_array;

/* Grows the array to at least `bytes` in total and keeps the content. Added bytes of a mapped array
 * are zero. False if memory is exhausted. */
bool gr_array_reserve(gr_array *array, size_t bytes);
/* Advises huge pages for a randomly accessed array, which reduces TLB misses. Call it after
 * reserving and before filling. It does not pay for arrays that are read once: making huge pages
 * takes time. */
void gr_array_use_huge_pages(const gr_array *array);
void gr_array_free(gr_array *array);

#endif
