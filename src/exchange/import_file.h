/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file to import, and messages that name a position in it. */
#ifndef GR_EXCHANGE_IMPORT_FILE_H
#define GR_EXCHANGE_IMPORT_FILE_H

#include "base/error.h"

typedef struct gr_import_file {
    const char *name; /* for messages */
    const char *bytes;
    size_t size;
    bool binary; /* positions are byte offsets, not lines and columns */
    size_t tree; /* the tree that is being read, from 1; 0: none. Messages count from 0. */
} gr_import_file;

/* Fails with "name:line:column: ...", or "name: byte N: ..." in a binary file, for the byte `at`. */
gradus_status gr_import_fail(const gr_import_file *file, size_t at, gradus_error *err,
                             gradus_status status, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The analyzer cannot know that the result is never GRADUS_OK. */
#ifdef __clang_analyzer__
#define gr_import_fail(...) gr_not_ok(gr_import_fail(__VA_ARGS__))
#endif

#endif
