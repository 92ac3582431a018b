/* SPDX-License-Identifier: Apache-2.0 */
/* Exact decimal-binary conversion in plain big-integer arithmetic. It is rarely needed, so it is
 * written for clarity rather than speed. */
#include "base/decimal.h"

#include <math.h>
#include <string.h>

enum {
    LIMBS = 256,     /* 32 bits each: enough for 800 digits times 5^1200 */
    MAX_DIGITS = 800 /* halfway points between doubles have at most 767 */
};

typedef struct big {
    size_t used; /* number of limbs; the top one is not 0 */
    uint32_t limb[LIMBS];
} big;

static void big_multiply_add(big *b, uint32_t factor, uint32_t more)
{
    uint64_t carry = more;

    for (size_t i = 0; i < b->used; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->limb[b->used++] = (uint32_t)carry;
}

static void big_multiply_power(big *b, uint32_t base, int64_t power)
{
    for (; power > 0; power--)
        big_multiply_add(b, base, 0);
}

static size_t big_bits(const big *b)
{
    return b->used ? b->used * 32 - (size_t)__builtin_clz(b->limb[b->used - 1]) : 0;
}

static void big_shift_left(big *b, size_t bits)
{
    const size_t whole = bits / 32, part = bits % 32;

    if (b->used == 0)
        return;
    memmove(b->limb + whole, b->limb, b->used * sizeof b->limb[0]);
    memset(b->limb, 0, whole * sizeof b->limb[0]);
    b->used += whole;
    if (part)
        big_multiply_add(b, (uint32_t)1 << part, 0);
}

static int big_compare(const big *a, const big *b)
{
    if (a->used != b->used)
        return a->used > b->used ? 1 : -1;
    for (size_t i = a->used; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] > b->limb[i] ? 1 : -1;
    return 0;
}

static void big_subtract(big *a, const big *b) /* a >= b */
{
    int64_t borrow = 0;

    for (size_t i = 0; i < a->used; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->used ? (int64_t)b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->used && a->limb[a->used - 1] == 0)
        a->used--;
}

static void big_set(big *b, uint64_t value)
{
    b->limb[0] = (uint32_t)value;
    b->limb[1] = (uint32_t)(value >> 32);
    b->used = b->limb[1] ? 2 : b->limb[0] ? 1 : 0;
}

/* floor(a / b) where the quotient has at most 64 bits; a becomes the remainder. */
static uint64_t big_divide(big *a, big *b)
{
    const size_t from = big_bits(a), by = big_bits(b);
    size_t steps = from >= by ? from - by : 0;
    uint64_t quotient = 0;

    big_shift_left(b, steps);
    for (;; steps--) {
        quotient <<= 1;
        if (big_compare(a, b) >= 0) {
            big_subtract(a, b);
            quotient |= 1;
        }
        if (steps == 0)
            return quotient;
        for (size_t i = 0; i < b->used; i++) /* halve b: exact, it was shifted up */
            b->limb[i] = b->limb[i] >> 1 | (i + 1 < b->used ? b->limb[i + 1] << 31 : 0);
        if (b->limb[b->used - 1] == 0)
            b->used--;
    }
}

double gr_round_binary(uint64_t top, int shift, bool sticky, int bits)
{
    const int lowest = bits == 53 ? -1074 : -149, highest = bits == 53 ? 1023 : 127;
    const int width = 64 - __builtin_clzll(top);
    int drop = width - bits;

    if (shift + drop < lowest)
        drop = lowest - shift;
    if (drop > 64)
        return 0.0;
    if (drop > 0) {
        const uint64_t half = (uint64_t)1 << (drop - 1);
        const uint64_t rest = drop == 64 ? top : top & (2 * half - 1);
        uint64_t kept = drop == 64 ? 0 : top >> drop;

        kept += rest > half || (rest == half && (sticky || (kept & 1)));
        top = kept;
        shift += drop;
    }
    if (top && 63 - __builtin_clzll(top) + shift > highest)
        return (double)INFINITY;
    return ldexp((double)top, shift);
}

/* Rounds num / den * 2^shift, computed as a 64-bit quotient and a sticky bit. */
static double quotient_to_binary(big *num, big *den, int shift, int bits)
{
    const int64_t gap = (int64_t)big_bits(num) - (int64_t)big_bits(den);
    const int64_t scale = 63 - gap; /* the quotient then has 63 or 64 bits */
    uint64_t top;

    if (scale > 0)
        big_shift_left(num, (size_t)scale);
    else
        big_shift_left(den, (size_t)-scale);
    top = big_divide(num, den);
    return gr_round_binary(top, shift - (int)scale, num->used != 0, bits);
}

double gr_decimal_to_binary(const char *digits, size_t count, int64_t exponent, int bits)
{
    big num = { 0, { 0 } }, den = { 0, { 0 } };
    bool more = false;

    for (; count && *digits == '0'; count--)
        digits++;
    for (; count > MAX_DIGITS; count--, exponent++)
        more |= digits[count - 1] != '0';
    if (count == 0 || exponent + (int64_t)count < -330)
        return 0.0;
    if (exponent + (int64_t)count > 310)
        return (double)INFINITY;
    for (size_t i = 0; i < count; i++)
        big_multiply_add(&num, 10, (uint32_t)(digits[i] - '0'));
    if (more) { /* the digits left out cannot decide a tie; one nonzero digit represents them */
        big_multiply_add(&num, 10, 1);
        exponent--;
    }
    big_set(&den, 1);
    big_multiply_power(exponent > 0 ? &num : &den, 5, exponent > 0 ? exponent : -exponent);
    return quotient_to_binary(&num, &den, (int)exponent, bits);
}

/* Rounds half to even: adds one to digits if the remainder is over half the divisor. 9.99 may
 * become 10.0. */
static uint64_t round_up(uint64_t digits, big *rest, const big *divisor, uint64_t limit, int *power)
{
    big_shift_left(rest, 1);
    const int side = big_compare(rest, divisor);

    digits += side > 0 || (side == 0 && (digits & 1));
    if (digits < limit)
        return digits;
    ++*power;
    return limit / 10;
}

uint64_t gr_binary_to_decimal(double number, int count, int *power)
{
    int two;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(number, &two), 53);
    uint64_t limit = 1, digits;

    two -= 53;
    for (int i = 0; i < count; i++)
        limit *= 10;
    *power = (int)floor(log10(number));
    for (;;) {
        big num = { 0, { 0 } }, den = { 0, { 0 } };
        const int ten = count - 1 - *power; /* digits = mantissa * 2^two * 10^ten, rounded */

        big_set(&num, mantissa);
        big_set(&den, 1);
        big_multiply_power(ten > 0 ? &num : &den, 10, ten > 0 ? ten : -ten);
        big_shift_left(two > 0 ? &num : &den, (size_t)(two > 0 ? two : -two));
        digits = big_divide(&num, &den);
        if (digits >= limit / 10 && digits < limit)
            return round_up(digits, &num, &den, limit, power);
        *power += digits >= limit ? 1 : -1; /* log10 was rounded across a power of ten */
    }
}
