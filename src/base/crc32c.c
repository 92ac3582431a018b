/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C by the SSE 4.2 instruction, with a table-driven version for other processors. */
#include "base/crc32c.h"

#include <string.h>

/* The table of 16 entries processes four bits at a time. */
uint32_t gr_crc32c_reference(uint32_t crc, const void *bytes, size_t size)
{
    static const uint32_t table[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
        0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
        0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    const unsigned char *at = bytes;

    crc = ~crc;
    for (; size; size--, at++) {
        crc ^= *at;
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const void *bytes,
                                                               size_t size)
{
    const unsigned char *at = bytes;
    uint64_t state = ~crc;

    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;

        memcpy(&word, at, 8);
        state = _mm_crc32_u64(state, word);
    }
    for (; size; size--, at++)
        state = _mm_crc32_u8((uint32_t)state, *at);
    return ~(uint32_t)state;
}

uint32_t gr_crc32c(uint32_t crc, const void *bytes, size_t size)
{
    return __builtin_cpu_supports("sse4.2") ? crc32c_sse42(crc, bytes, size)
                                            : gr_crc32c_reference(crc, bytes, size);
}
#else
uint32_t gr_crc32c(uint32_t crc, const void *bytes, size_t size)
{
    return gr_crc32c_reference(crc, bytes, size);
}
#endif
