/* SPDX-License-Identifier: Apache-2.0 */
/* Replacements of the allocation functions, and the loop over failing allocations. */
#include "failing_alloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

static atomic_long allocations, failing; /* the allocation that fails, from 1; 0: none */

static bool runs_out(void)
{
    const long number = atomic_fetch_add(&allocations, 1) + 1;

    if (number != atomic_load(&failing))
        return false;
    errno = ENOMEM;
    return true;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__real_mremap(void *old, size_t old_size, size_t size, int flags, ...);
void *__wrap_mremap(void *old, size_t old_size, size_t size, int flags, ...);
char *__real_strndup(const char *text, size_t most);
char *__wrap_strndup(const char *text, size_t most);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    return runs_out() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return runs_out() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return runs_out() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return runs_out() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t most)
{
    return runs_out() ? NULL : __real_strndup(text, most);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return runs_out() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return runs_out() ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}

void *__wrap_mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
    return runs_out() ? MAP_FAILED : __real_mremap(old, old_size, size, flags);
}

long exhaust(const char *name, scenario run)
{
    for (long number = 1;; number++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_status status;

        atomic_store(&allocations, 0);
        atomic_store(&failing, number);
        status = run(&err);
        atomic_store(&failing, 0);
        if (atomic_load(&allocations) < number && status == GRADUS_OK)
            return number - 1;
        if (status != GRADUS_NO_MEMORY || err.status != GRADUS_NO_MEMORY || !err.message[0] ||
            number > 10000) {
            print_error("%s, allocation %ld: status %d, '%s'\n", name, number, (int)status,
                        err.message);
            fail();
        }
    }
}
