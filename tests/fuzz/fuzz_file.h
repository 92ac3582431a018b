/* SPDX-License-Identifier: Apache-2.0 */
/* Presents an input as a file, for functions that read files by name. */
#ifndef GR_TESTS_FUZZ_FILE_H
#define GR_TESTS_FUZZ_FILE_H

#include "fuzz_target.h"

#include <sys/mman.h>
#include <unistd.h>

/* A file in memory, which disappears when it is closed. */
typedef struct fuzz_file {
    int descriptor;
    char path[32];
} fuzz_file;

static inline fuzz_file fuzz_file_new(const void *bytes, size_t size)
{
    fuzz_file file = { .descriptor = memfd_create("input", MFD_CLOEXEC) };
    size_t done = 0;

    while (file.descriptor >= 0 && done < size) {
        const ssize_t count = write(file.descriptor, (const char *)bytes + done, size - done);

        if (count <= 0)
            break;
        done += (size_t)count;
    }
    must(file.descriptor >= 0 && done == size, "an input fits into memory");
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

static inline void fuzz_file_close(fuzz_file *file)
{
    close(file->descriptor);
}

/* The input up to its first NUL; the caller frees it. */
static inline char *fuzz_text(const uint8_t *bytes, size_t size)
{
    char *text = strndup((const char *)bytes, size);

    must(text != NULL, "an input fits into memory");
    return text;
}

#endif
