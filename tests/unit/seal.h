/* SPDX-License-Identifier: Apache-2.0 */
/* Corrects the checksums of a binary data file, whatever its bytes are. Written from
 * docs/formats/data.md alone, so that it also checks the library. */
#ifndef GR_TESTS_SEAL_H
#define GR_TESTS_SEAL_H

#include "base/crc32c.h"

#include <stdint.h>
#include <string.h>

static inline uint64_t seal_get(const char *bytes, size_t at, size_t size)
{
    uint64_t number = 0;

    memcpy(&number, bytes + at, size);
    return number;
}

static inline void seal_put(char *bytes, size_t at, uint64_t number, size_t size)
{
    memcpy(bytes + at, &number, size);
}

/* size: at least 512. Sections that extend past the file are left alone. */
static inline void seal_file(char *bytes, size_t size)
{
    for (size_t n = 0; n < seal_get(bytes, 60, 4) && n < 15; n++) {
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

#endif
