/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of rows and columns that do not depend on how they are stored: the sum over values other
 * than 0 of a hash of (value, place). Zeros add nothing, so dense and sparse agree; sums may be
 * formed in any order and in parts, so threads do. */
#ifndef GR_DATA_VALUE_HASH_H
#define GR_DATA_VALUE_HASH_H

#include <stdint.h>
#include <string.h>

/* Equal for equal values: -0 is 0, and every NAN is the same missing value. */
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

/* bits are not 0. place: the number of the column or row. */
static inline uint64_t gr_value_hash(uint32_t bits, uint64_t place)
{
    uint64_t x = (place + 1) * 0x9E3779B97F4A7C15u ^ (uint64_t)bits << 16;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u; /* splitmix64 */
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

#endif
