/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of rows and columns that do not depend on their storage: the sum of hashes of (value,
 * position) over nonzero values. Zeros contribute nothing, so dense and sparse rows agree, and a
 * sum can be formed in any order and in parts by several threads. */
#ifndef GR_DATA_VALUE_HASH_H
#define GR_DATA_VALUE_HASH_H

#include <stdint.h>
#include <string.h>

/* The bit pattern of a value, made unique: -0 becomes 0, and all NANs (missing values) are
 * equal. */
static inline uint32_t gr_value_bits(float value)
{
    uint32_t bits;

    if (value == 0.0f)
        return 0;
    if (value != value)
        return 0x7fc00000u;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* bits must not be 0. place: the number of the column or row. */
static inline uint64_t gr_value_hash(uint32_t bits, uint64_t place)
{
    uint64_t x = (place + 1) * 0x9E3779B97F4A7C15u ^ (uint64_t)bits << 16;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u; /* splitmix64 */
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

#endif
