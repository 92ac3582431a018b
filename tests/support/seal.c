/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of sections, headers and fronts, as docs/formats/data.md and models.md describe
 * them. */
#include "seal.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t seal_get(const char *bytes, size_t at, size_t size)
{
    uint64_t number = 0;

    memcpy(&number, bytes + at, size);
    return number;
}

void seal_put(char *bytes, size_t at, uint64_t number, size_t size)
{
    memcpy(bytes + at, &number, size);
}

void seal_file(char *bytes, size_t size)
{
    for (size_t n = 0; n < seal_get(bytes, 60, 4) && n < 18; n++) {
        const size_t row = 64 + 24 * n;
        const uint64_t offset = seal_get(bytes, row + 8, 8), length = seal_get(bytes, row + 16, 8);
        uint32_t crc = 0;

        if (offset < 512 || offset > size || length > size - offset)
            continue;
        for (uint64_t at = 0; at < length; at += 1 << 20) {
            const uint64_t left = length - at;
            const uint32_t block = gr_crc32c_reference(0, bytes + offset + at,
                                                       (size_t)(left < 1 << 20 ? left : 1 << 20));

            crc = gr_crc32c_reference(crc, &block, 4);
        }
        seal_put(bytes, row + 4, crc, 4);
    }
    seal_put(bytes, 16, 0, 4);
    seal_put(bytes, 16, gr_crc32c_reference(0, bytes, 512), 4);
}

size_t seal_align(size_t at)
{
    return (at + 63) / 64 * 64;
}

/* Parses digits at `*at` followed by the text `after`; false if they are absent. */
static bool seal_number(const char **at, const char *end, const char *after, uint64_t *number)
{
    const size_t length = strlen(after);

    for (*number = 0; *at < end && **at >= '0' && **at <= '9' && *number < UINT64_MAX / 20; ++*at)
        *number = *number * 10 + (uint64_t)(**at - '0');
    if ((size_t)(end - *at) < length || memcmp(*at, after, length) != 0)
        return false;
    *at += length;
    return true;
}

/* Entries of the section table as the library writes them: ..."offset":N,"size":N,"crc":"X"} */
static void seal_sections(char *bytes, size_t size, size_t header_size)
{
    static const char mark[] = "\"offset\":";
    const char *at = bytes + SEAL_FRONT, *end = at + header_size;
    const size_t begin = seal_align(SEAL_FRONT + header_size);

    while ((at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1))) {
        uint64_t offset, length;
        char crc[9];

        at += sizeof mark - 1;
        if (!seal_number(&at, end, ",\"size\":", &offset) ||
            !seal_number(&at, end, ",\"crc\":\"", &length) || end - at < 8 || begin > size ||
            offset > size - begin || length > size - begin - offset)
            continue;
        snprintf(crc, sizeof crc, "%08x",
                 (unsigned)gr_crc32c_reference(0, bytes + begin + offset, (size_t)length));
        memcpy(bytes + (at - bytes), crc, 8);
    }
}

void seal_model(char *bytes, size_t size)
{
    uint64_t header_size = seal_get(bytes, 16, 8);

    if (header_size > size - SEAL_FRONT) {
        header_size = size - SEAL_FRONT;
        seal_put(bytes, 16, header_size, 8);
    }
    seal_sections(bytes, size, (size_t)header_size);
    seal_put(bytes, 24, size, 8);
    seal_put(bytes, 12, 0, 4);
    seal_put(bytes, 12, gr_crc32c_reference(0, bytes, SEAL_FRONT + (size_t)header_size), 4);
}

char *seal_edited(const char *bytes, size_t size, const char *from, const char *to,
                  size_t *new_size)
{
    const size_t header = (size_t)seal_get(bytes, 16, 8), begin = seal_align(SEAL_FRONT + header);
    const char *found = memmem(bytes + SEAL_FRONT, header, from, strlen(from));
    const size_t new_header = header - strlen(from) + strlen(to);
    const size_t new_begin = seal_align(SEAL_FRONT + new_header);
    char *copy, *at;

    if (!found)
        return NULL;
    *new_size = new_begin + size - begin;
    copy = calloc(1, *new_size);
    at = copy + (found - bytes);
    memcpy(copy, bytes, (size_t)(found - bytes));
    memcpy(at, to, strlen(to));
    memcpy(at + strlen(to), found + strlen(from),
           header + SEAL_FRONT - (size_t)(found - bytes) - strlen(from));
    memcpy(copy + new_begin, bytes + begin, size - begin);
    seal_put(copy, 16, new_header, 8);
    seal_model(copy, *new_size);
    return copy;
}

size_t seal_section(const char *bytes, const char *name)
{
    const size_t header = (size_t)seal_get(bytes, 16, 8);
    char mark[80];
    const char *at;
    uint64_t offset = 0;

    snprintf(mark, sizeof mark, "\"name\":\"%s\",\"offset\":", name);
    at = memmem(bytes + SEAL_FRONT, header, mark, strlen(mark));
    if (!at)
        abort();
    at += strlen(mark);
    seal_number(&at, bytes + SEAL_FRONT + header, ",", &offset);
    return seal_align(SEAL_FRONT + header) + (size_t)offset;
}
