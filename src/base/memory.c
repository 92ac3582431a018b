/* SPDX-License-Identifier: Apache-2.0 */
/* Overflow-checked sizes and growing arrays. Large arrays are anonymous memory mappings. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAPPED_FROM = 1 << 20 }; /* bytes; smaller arrays use malloc */

bool gr_size_times(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

bool gr_size_plus(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

void *gr_new_array(size_t count, size_t size)
{
    size_t bytes;

    if (!gr_size_times(count, size, &bytes))
        return NULL;
    return calloc(1, bytes ? bytes : 1);
}

/* Precedes each array of an arena, which keeps calloc's alignment. */
struct gr_arena_link {
    _Alignas(max_align_t) struct gr_arena_link *before;
};

void *gr_arena_array(gr_arena *arena, size_t count, size_t size)
{
    struct gr_arena_link *link = NULL;
    size_t bytes;

    if (gr_size_times(count, size, &bytes) && gr_size_plus(bytes, sizeof *link, &bytes))
        link = calloc(1, bytes);
    if (!link) {
        arena->failed = true;
        return NULL;
    }
    link->before = arena->last;
    arena->last = link;
    return link + 1;
}

void gr_arena_free(gr_arena *arena)
{
    while (arena->last) {
        struct gr_arena_link *before = arena->last->before;

        free(arena->last);
        arena->last = before;
    }
    arena->failed = false;
}

static void *map_new(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* The thread sanitizer does not know that mremap releases the old addresses, and reports a race
 * when another thread gets them next. Under it, and without mremap, pages are copied. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define COPIES_PAGES
#endif
#endif
#if defined(__SANITIZE_THREAD__) || !defined(__linux__)
#define COPIES_PAGES
#endif

static void *map_grow(void *old, size_t old_bytes, size_t bytes)
{
#ifndef COPIES_PAGES
    void *at = mremap(old, old_bytes, bytes, MREMAP_MAYMOVE);

    return at == MAP_FAILED ? NULL : at;
#else
    void *at = map_new(bytes);

    if (at) {
        memcpy(at, old, old_bytes);
        munmap(old, old_bytes);
    }
    return at;
#endif
}

/* The new capacity: at least `bytes`, at least 1.5 times the current one, and in whole pages when
 * large. */
static bool next_capacity(size_t now, size_t bytes, size_t *capacity)
{
    const size_t page = 1 << 16;
    size_t wanted;

    if (!gr_size_plus(now, now / 2, &wanted))
        return false;
    if (wanted < bytes)
        wanted = bytes;
    if (wanted >= MAPPED_FROM && !gr_size_plus(wanted, page - 1, &wanted))
        return false;
    *capacity = wanted >= MAPPED_FROM ? wanted / page * page : wanted;
    return true;
}

/* Mappings are overcommitted (MAP_NORESERVE), so the kernel accepts any size and would kill the
 * process while the array is filled. A size beyond physical memory is refused here instead. */
static bool can_fit(size_t bytes)
{
    if (bytes < MAPPED_FROM)
        return true; /* without the system call */
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    return pages <= 0 || page <= 0 || bytes / (size_t)page < (size_t)pages;
}

bool gr_array_reserve(gr_array *array, size_t bytes)
{
    size_t capacity;
    void *at;

    if (bytes <= array->capacity && array->at)
        return true;
    if (!can_fit(bytes))
        return false;
    if (!next_capacity(array->capacity, bytes, &capacity))
        return false;
    if (array->mapped) {
        at = map_grow(array->at, array->capacity, capacity);
    } else if (capacity < MAPPED_FROM) {
        at = realloc(array->at, capacity ? capacity : 1);
    } else {
        at = map_new(capacity);
        if (at && array->at)
            memcpy(at, array->at, array->capacity);
        if (at)
            free(array->at);
    }
    if (!at)
        return false;
    array->at = at;
    array->mapped = capacity >= MAPPED_FROM;
    array->capacity = capacity;
    return true;
}

void gr_array_free(gr_array *array)
{
    if (array->mapped)
        munmap(array->at, array->capacity);
    else
        free(array->at);
    *array = (gr_array){ NULL, 0, false };
}

void gr_array_use_huge_pages(const gr_array *array)
{
#ifdef MADV_HUGEPAGE
    if (array->mapped)
        madvise(array->at, array->capacity, MADV_HUGEPAGE);
#else
    (void)array;
#endif
}
