/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C by the SSE 4.2 instruction, with a table-driven version for other processors.
 *
 * A CRC is the remainder of a polynomial whose coefficients are bits, here in reversed order: bit 31 of a number
 * is that of x^0. Bytes that come after others multiply the remainder of these by a power of x. */
#include "base/crc32c.h"

#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* without x^32 */

/* A product of remainders. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
        if (a & bit)
            product ^= b;
        b = b & 1 ? b >> 1 ^ POLYNOMIAL : b >> 1;
    }
    return product;
}

/* The power of x by which `size` further bytes multiply. */
static uint32_t power_of_bytes(size_t size)
{
    uint32_t power = 1u << 31, square = 1u << 23; /* x^0, x^8 */

    for (; size; size >>= 1) {
        if (size & 1)
            power = multiply(power, square);
        square = multiply(square, square);
    }
    return power;
}

uint32_t gr_crc32c_combine(uint32_t first, uint32_t second, size_t size)
{
    return multiply(power_of_bytes(size), first) ^ second;
}

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

enum { LANE = 1 << 13, LANES = 3, MANY = 1 << 16 };

/* As many bytes as fill whole lanes: an instruction takes three cycles, but one begins in each. */
__attribute__((target("sse4.2"))) static uint64_t run_lanes(uint64_t state,
                                                            const unsigned char **at, size_t *size)
{
    const uint32_t one = power_of_bytes(LANE), two = multiply(one, one);

    for (; *size >= LANES * LANE; *size -= LANES * LANE, *at += LANES * LANE) {
        uint64_t sums[LANES] = { state, 0, 0 };

        for (size_t i = 0; i < LANE; i += 8)
            for (size_t lane = 0; lane < LANES; lane++) {
                uint64_t word;

                memcpy(&word, *at + lane * LANE + i, 8);
                sums[lane] = _mm_crc32_u64(sums[lane], word);
            }
        state = multiply(two, (uint32_t)sums[0]) ^ multiply(one, (uint32_t)sums[1]) ^ sums[2];
    }
    return state;
}

__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const void *bytes,
                                                               size_t size)
{
    const unsigned char *at = bytes;
    uint64_t state = ~crc;

    if (size >= MANY)
        state = run_lanes(state, &at, &size);
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
