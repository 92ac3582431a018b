/* SPDX-License-Identifier: Apache-2.0 */
/* Corrects the checksums of data and model files, whatever their bytes are. Written from
 * docs/formats/ alone, so that it also checks the library. */
#ifndef GR_TESTS_SEAL_H
#define GR_TESTS_SEAL_H

#include "base/crc32c.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t seal_get(const char *bytes, size_t at, size_t size);

void seal_put(char *bytes, size_t at, uint64_t number, size_t size);

/* size: at least 512. Sections that extend past the file are left alone. */
void seal_file(char *bytes, size_t size);

enum { SEAL_FRONT = 32 };

size_t seal_align(size_t at);

/* size: at least 32. */
void seal_model(char *bytes, size_t size);

/* The file with the first occurrence of a text in its header replaced, and sealed; NULL if it is
 * absent. */
char *seal_edited(const char *bytes, size_t size, const char *from, const char *to,
                  size_t *new_size);

/* The offset of a section in a file, found by its name as the library writes it. */
size_t seal_section(const char *bytes, const char *name);

#endif
