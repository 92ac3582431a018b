/* SPDX-License-Identifier: Apache-2.0 */
/* Parses decimal numbers in their usual short form without a loop or a branch on their length:
 * eight or sixteen digits are processed at once. Other numbers are left to gr_parse_float. The text
 * must be readable for 32 bytes past the number. */
#ifndef GR_BASE_SHORT_NUMBER_H
#define GR_BASE_SHORT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define GR_ALL_BYTES(byte) (0x0101010101010101u * (uint64_t)(byte))

/* The number of leading digits among eight bytes; *digits gets their values. */
static inline unsigned gr_leading_digits(const char *at, uint64_t *digits)
{
    uint64_t word, others;

    memcpy(&word, at, 8);
    *digits = word ^ GR_ALL_BYTES('0');
    others = (*digits + GR_ALL_BYTES(0x76)) | *digits;
    others &= GR_ALL_BYTES(0x80);
    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* The value of the first `count` (1 to 8) digit bytes. */
static inline uint64_t gr_digits_value(uint64_t digits, unsigned count)
{
    digits <<= 64 - 8 * count; /* leading zeros */
    digits = digits * 10 + (digits >> 8);
    return (((digits & 0x000000FF000000FFu) * 0x000F424000000064u) +
            ((digits >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
           32;
}

static const double gr_shares[16] = { 1e0,  1e-1, 1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,
                                      1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15 };
static const uint64_t gr_whole_powers[8] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };

/* An integer times a rounded 10^-k has an error below two units in the last place of a double.
 * Rounding it to a float can be wrong only if the double is that close to the midpoint of two
 * floats. */
static inline bool gr_is_between_floats(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return ((bits - 0x0FFFFFFE) & 0x1FFFFFFF) <= 4;
}

/* Bit i describes byte i of sixteen: `others` are not digits, `points` are decimal points. */
typedef struct gr_byte_kinds {
    unsigned others, points;
} gr_byte_kinds;

#ifdef __SSE2__
static inline gr_byte_kinds gr_kinds_of(const char *at)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i digits = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    const __m128i small = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    const __m128i points = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('.'));

    return (gr_byte_kinds){ ~(unsigned)_mm_movemask_epi8(small),
                            (unsigned)_mm_movemask_epi8(points) };
}
#else
/* The top bit of each of eight bytes, as one byte. */
static inline unsigned gr_top_bits(uint64_t word)
{
    return (unsigned)((word >> 7 & GR_ALL_BYTES(1)) * 0x0102040810204080u >> 56);
}

/* Bit i: byte i of eight is 0. */
static inline unsigned gr_zero_bytes(uint64_t word)
{
    const uint64_t low = word & GR_ALL_BYTES(0x7f);

    return gr_top_bits(~((low + GR_ALL_BYTES(0x7f)) | word));
}

static inline gr_byte_kinds gr_kinds_of(const char *at)
{
    gr_byte_kinds kinds = { ~0u << 16, 0 };

    for (unsigned half = 0; half < 16; half += 8) {
        uint64_t word;

        memcpy(&word, at + half, 8);
        const uint64_t digits = word ^ GR_ALL_BYTES('0');

        kinds.others |= gr_top_bits(((digits & GR_ALL_BYTES(0x7f)) + GR_ALL_BYTES(0x76)) | digits)
                        << half;
        kinds.points |= gr_zero_bytes(word ^ GR_ALL_BYTES('.')) << half;
    }
    return kinds;
}
#endif

/* Bit i: byte i of 64 is `byte`. */
static inline uint64_t gr_bytes_equal(const char *at, char byte)
{
    uint64_t bits = 0;

#ifdef __SSE2__
    for (unsigned i = 0; i < 64; i += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
        const __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte));

        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(equal) << i;
    }
#else
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t word;

        memcpy(&word, at + i, 8);
        bits |= (uint64_t)gr_zero_bytes(word ^ GR_ALL_BYTES((unsigned char)byte)) << i;
    }
#endif
    return bits;
}

/* Parses "12", "0.25", "-3.125": up to seven digits before the point and fifteen in total, without
 * a branch on their number. Returns NULL for other numbers, which are left to gr_parse_float. */
static inline const char *gr_short_number(const char *at, float *number)
{
    const unsigned negative = *at == '-';
    at += negative;
    const gr_byte_kinds kinds = gr_kinds_of(at);
    /* the bit of the decimal point, if it directly follows the digits */
    const unsigned point = kinds.others & -kinds.others & kinds.points;
    const unsigned whole = (unsigned)__builtin_ctz(kinds.others);
    const unsigned end = (unsigned)__builtin_ctz(kinds.others ^ point);
    const unsigned total = end - (point != 0);
    uint64_t before, after, value;

    if (__builtin_expect(whole > 7 || total - 1 > 14, 0))
        return NULL;
    memcpy(&before, at, 8);
    memcpy(&after, at + (point != 0), 8); /* shifted by one to skip the point */
    const uint64_t kept = ((uint64_t)1 << 8 * whole) - 1;
    const uint64_t digits = ((before & kept) | (after & ~kept)) ^ GR_ALL_BYTES('0');

    if (total <= 8) {
        value = gr_digits_value(digits, total);
    } else {
        memcpy(&after, at + 9, 8);
        value = gr_digits_value(digits, 8) * gr_whole_powers[total - 8] +
                gr_digits_value(after ^ GR_ALL_BYTES('0'), total - 8);
    }
    const double near = (double)(int64_t)value * gr_shares[total - whole];

    if (__builtin_expect(gr_is_between_floats(near), 0))
        return NULL;
    const union {
        float number;
        uint32_t bits;
    } magnitude = { (float)near };
    const uint32_t bits = magnitude.bits | negative << 31;

    memcpy(number, &bits, sizeof bits);
    return at + end;
}

#endif
