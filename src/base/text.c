/* SPDX-License-Identifier: Apache-2.0 */
/* Number parsing and formatting, always correctly rounded. Most numbers take a fast path in doubles
 * or 128-bit integers; decimal.c decides the rest. */
#include "base/text.h"

#include "base/decimal.h"
#include "base/short_number.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { KEPT_DIGITS = 19, EXACT_POWER = 22 };

#define LARGE_EXPONENT ((int64_t)1 << 50) /* more digits than any text has */

static const double exact_powers[EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* A scanned decimal number: value * 10^exponent, exactly if `complete`. */
typedef struct decimal {
    uint64_t value;   /* the first 19 significant digits */
    int64_t exponent; /* power of ten of the last digit in value */
    bool complete;    /* no nonzero digit was left out */
    bool negative;
    const char *begin, *stop; /* the digits with their decimal point, for the exact path */
    int64_t written_exponent; /* the number after the 'e' */
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Scans digits. Those beyond the first 19 are dropped and adjust the exponent instead. step: 1
 * after the decimal point, 0 before it. */
static const char *scan_digits(const char *at, const char *end, decimal *d, int *kept, int step)
{
    uint64_t eight;

    for (; at < end && *at == '0' && d->value == 0; at++)
        d->exponent -= step;
    while (*kept <= KEPT_DIGITS - 8 && end - at >= 8 && gr_leading_digits(at, &eight) == 8) {
        d->value = d->value * 100000000 + gr_digits_value(eight, 8);
        *kept += 8;
        d->exponent -= 8 * step;
        at += 8;
    }
    for (; at < end && is_digit(*at); at++) {
        if (*kept < KEPT_DIGITS) {
            d->value = d->value * 10 + (uint64_t)(*at - '0');
            *kept += d->value != 0;
            d->exponent -= step;
        } else {
            d->complete &= *at == '0';
            d->exponent += 1 - step;
        }
    }
    return at;
}

static const char *scan_exponent(const char *at, const char *end, int64_t *exponent)
{
    const char *digits = at + 1;
    bool negative = false;
    int64_t power = 0;

    if (digits < end && (*digits == '-' || *digits == '+'))
        negative = *digits++ == '-';
    if (digits >= end || !is_digit(*digits))
        return at; /* "3em": the number is 3 */
    for (; digits < end && is_digit(*digits); digits++)
        if (power < LARGE_EXPONENT)
            power = power * 10 + (*digits - '0');
    *exponent = negative ? -power : power;
    return digits;
}

static const char *scan_decimal(const char *at, const char *end, decimal *d)
{
    const char *after_whole, *stop;
    int kept = 0;

    d->begin = at;
    after_whole = scan_digits(at, end, d, &kept, 0);
    stop = after_whole;
    if (stop < end && *stop == '.')
        stop = scan_digits(stop + 1, end, d, &kept, 1);
    if (after_whole == at && stop <= after_whole + 1)
        return NULL; /* no digit before or after the point */
    d->stop = stop;
    if (stop < end && (*stop == 'e' || *stop == 'E'))
        stop = scan_exponent(stop, end, &d->written_exponent);
    d->exponent += d->written_exponent;
    return stop;
}

/* value * 10^exponent for |exponent| <= 19, in 128-bit integers. */
static double small_power_to_binary(uint64_t value, int exponent, int bits)
{
    unsigned __int128 wide = value;
    uint64_t ten = 1;
    bool sticky = false;
    int shift = 0;

    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++)
        ten *= 10;
    if (exponent < 0) {
        const int up = __builtin_clzll(value); /* shift so that the quotient has at least 64 bits */
        const unsigned __int128 high = (unsigned __int128)(value << up) << 64;

        wide = high / ten;
        sticky = high % ten != 0;
        shift = -64 - up;
    } else {
        wide *= ten;
    }
    while (wide >> 64) {
        sticky |= (wide & 1) != 0;
        wide >>= 1;
        shift++;
    }
    return gr_round_binary((uint64_t)wide, shift, sticky, bits);
}

/* Copies the digits without the decimal point for the exact conversion. */
static double exact_to_binary(const decimal *d, int bits)
{
    char digits[1024];
    size_t count = 0;
    int64_t exponent = d->written_exponent;
    bool after_point = false;

    for (const char *at = d->begin; at < d->stop; at++) {
        if (*at == '.') {
            after_point = true;
        } else if (count == 0 && *at == '0') {
            exponent -= after_point;
        } else if (count < sizeof digits) {
            digits[count++] = *at;
            exponent -= after_point;
        } else {
            if (*at != '0')
                digits[sizeof digits - 1] = '1'; /* after 800 digits only "greater than" matters */
            exponent += !after_point;
        }
    }
    return gr_decimal_to_binary(digits, count, exponent, bits);
}

/* A float from the first 19 digits in doubles. Three roundings (of the value, of the quotient or product,
 * and the digits left out) make an error below 2.1 units in the last place. Unless the double is within
 * two of the midpoint of two floats, it is on the same side as the number. */
static bool round_to_float(const decimal *d, double *number)
{
    const double near = d->exponent < 0 ? (double)d->value / exact_powers[-d->exponent]
                                        : (double)d->value * exact_powers[d->exponent];

    *number = (double)(float)near;
    return !gr_is_between_floats(near) && near >= 0x1p-126 && near < 0x1p127;
}

static double decimal_value(const decimal *d, int bits)
{
    if (d->value == 0)
        return 0.0;
    if (d->exponent >= -EXACT_POWER && d->exponent <= EXACT_POWER) {
        double near;

        if (bits == 24 && round_to_float(d, &near))
            return near;
        if (bits == 53 && d->complete && d->value <= (uint64_t)1 << 53)
            return d->exponent < 0 ? (double)d->value / exact_powers[-d->exponent]
                                   : (double)d->value * exact_powers[d->exponent];
    }
    if (d->complete && d->exponent >= -19 && d->exponent <= 19)
        return small_power_to_binary(d->value, (int)d->exponent, bits);
    return exact_to_binary(d, bits);
}

static bool same_word(const char *at, const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((at[i] | 0x20) != word[i])
            return false;
    return true;
}

static const char *parse_special(const char *at, const char *end, double *number)
{
    const size_t left = (size_t)(end - at);

    if (left >= 8 && same_word(at, "infinity", 8)) {
        *number = (double)INFINITY;
        return at + 8;
    }
    if (left >= 3 && same_word(at, "inf", 3)) {
        *number = (double)INFINITY;
        return at + 3;
    }
    if (left >= 3 && same_word(at, "nan", 3)) {
        *number = (double)NAN;
        return at + 3;
    }
    return NULL;
}

static const char *parse_number(const char *at, const char *end, int bits, double *number)
{
    decimal d = { 0, 0, true, false, NULL, NULL, 0 };
    const char *stop;

    if (at < end && (*at == '-' || *at == '+'))
        d.negative = *at++ == '-';
    if (at >= end)
        return NULL;
    stop = scan_decimal(at, end, &d);
    if (stop)
        *number = decimal_value(&d, bits);
    else
        stop = parse_special(at, end, number);
    if (stop && d.negative)
        *number = -*number;
    return stop;
}

const char *gr_parse_double(const char *at, const char *end, double *number)
{
    return parse_number(at, end, 53, number);
}

const char *gr_parse_float(const char *at, const char *end, float *number)
{
    double wide = 0.0;
    const char *stop = parse_number(at, end, 24, &wide);

    *number = (float)wide; /* already rounded to 24 bits */
    return stop;
}

const char *gr_parse_count(const char *at, const char *end, uint64_t *count)
{
    uint64_t value = 0;
    const char *start = at;

    for (; at < end && is_digit(*at); at++)
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return NULL;
    *count = value;
    return at > start ? at : NULL;
}

size_t gr_format_count(uint64_t count, char text[GRADUS_NUMBER_SIZE])
{
    char backwards[20]; /* digits of 2^64 - 1 */
    size_t length = 0;

    do
        backwards[length++] = (char)('0' + count % 10);
    while (count /= 10);
    for (size_t i = 0; i < length; i++)
        text[i] = backwards[length - 1 - i];
    text[length] = '\0';
    return length;
}

/* Writes the integer `digits`, whose first digit has the value 10^power. */
static size_t write_decimal(uint64_t digits, int power, char *text)
{
    char plain[GRADUS_NUMBER_SIZE];
    size_t at = 0;
    int count;

    for (; digits % 10 == 0; digits /= 10) /* drop trailing zeros */
        ;
    count = (int)gr_format_count(digits, plain);
    if (power < -6 || power > 20) { /* 1.25e-7 */
        text[at++] = plain[0];
        if (count > 1) {
            text[at++] = '.';
            memcpy(text + at, plain + 1, (size_t)count - 1);
            at += (size_t)count - 1;
        }
        text[at++] = 'e';
        if (power < 0)
            text[at++] = '-';
        return at + gr_format_count((uint64_t)(power < 0 ? -power : power), text + at);
    }
    if (power < 0) { /* 0.00125 */
        memcpy(text, "0.000000", 8);
        at = (size_t)(1 - power);
        memcpy(text + at, plain, (size_t)count);
        at += (size_t)count;
    } else if (count <= power + 1) { /* 12500 */
        memcpy(text, plain, (size_t)count);
        memset(text + count, '0', (size_t)(power + 1 - count));
        at = (size_t)power + 1;
    } else { /* 1.25 */
        memcpy(text, plain, (size_t)power + 1);
        text[power + 1] = '.';
        memcpy(text + power + 2, plain + power + 1, (size_t)(count - power - 1));
        at = (size_t)count + 1;
    }
    text[at] = '\0';
    return at;
}

static size_t write_special(double number, char *text)
{
    const char *word = isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
    const size_t length = strlen(word);

    memcpy(text, word, length + 1);
    return length;
}

/* The first `count` digits of number > 0, rounded, in 128-bit integers if they suffice. */
static uint64_t leading_digits(double number, int count, int *power)
{
    int two;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(number, &two), 53);
    int ten;

    two -= 53;
    *power = (int)floor(log10(number));
    ten = count - 1 - *power;
    if (ten >= 0 && ten <= EXACT_POWER && two < 0 && two > -127) {
        unsigned __int128 wide = mantissa;

        for (int i = 0; i < ten; i++)
            wide *= 10;
        const unsigned __int128 unit = (unsigned __int128)1 << -two;
        const unsigned __int128 rest = wide & (unit - 1);
        const uint64_t whole = (uint64_t)(wide >> -two);
        const uint64_t digits = whole + (rest > unit / 2 || (rest == unit / 2 && (whole & 1)));
        const uint64_t least = (uint64_t)exact_powers[count - 1];

        if (whole >= least && digits < 10 * least) /* else log10 was off, or 9.99 became 10.0 */
            return digits;
    }
    return gr_binary_to_decimal(number, count, power);
}

static double parse_digits(uint64_t digits, int power_of_last, int bits)
{
    decimal d = { digits, power_of_last, true, false, NULL, NULL, 0 };
    char text[GRADUS_NUMBER_SIZE];

    if (d.exponent >= -19 && d.exponent <= 19)
        return decimal_value(&d, bits);
    return gr_decimal_to_binary(text, gr_format_count(digits, text), power_of_last, bits);
}

/* Writes the fewest digits, from `low` to `high`, that read back as number. If n digits do, so do n
 * + 1, so the count is found by bisection. Powers of two are the exception: their lower neighbour
 * is closer than the upper one, so a closer text may still round to the neighbour. Their counts are
 * tried in order. */
static size_t format_shortest(double number, int bits, int low, int high, char *text)
{
    uint64_t best = 0;
    int best_power = 0, power;
    const bool power_of_two = frexp(number, &power) == 0.5;

    while (low <= high) {
        const int count = power_of_two ? low : (low + high) / 2;
        const uint64_t digits = leading_digits(number, count, &power);

        if (count >= (bits == 53 ? 17 : 9) ||
            parse_digits(digits, power - count + 1, bits) == number) {
            best = digits;
            best_power = power;
            high = count - 1;
        } else {
            low = count + 1;
        }
    }
    return write_decimal(best, best_power, text);
}

size_t gr_format_double(double number, char text[GRADUS_NUMBER_SIZE])
{
    size_t sign = 0;

    if (!isfinite(number))
        return write_special(number, text);
    if (signbit(number)) {
        text[sign++] = '-';
        number = -number;
    }
    if (number < 1e15 && number == (double)(uint64_t)number)
        return sign + gr_format_count((uint64_t)number, text + sign);
    /* texts of up to 15 digits round-trip for normal numbers, so fewer need not be tried: trailing
     * zeros are dropped */
    return sign + format_shortest(number, 53, number < DBL_MIN ? 1 : 15, 17, text + sign);
}

/* The `count` digits of a float and whether they read back as it, in double arithmetic. */
static bool short_float_digits(double number, int count, int power, uint64_t *digits)
{
    const int ten = count - 1 - power;
    const double scale = exact_powers[ten < 0 ? -ten : ten];
    const double scaled = ten < 0 ? number / scale : number * scale;
    const uint64_t nearest = (uint64_t)(scaled + 0.5);
    const double back = ten < 0 ? (double)nearest * scale : (double)nearest / scale;

    *digits = nearest;
    return (double)(float)back == number;
}

static size_t format_common_float(double number, int power, char *text)
{
    int low = 1, high = 9;
    uint64_t best = 0, digits;

    while (low <= high) {
        const int count = (low + high) / 2;

        if (short_float_digits(number, count, power, &digits) || count == 9) {
            best = digits;
            high = count - 1;
        } else {
            low = count + 1;
        }
    }
    /* low is now the number of digits; rounding up may have added one */
    if (best >= (uint64_t)exact_powers[low])
        power++;
    return write_decimal(best, power, text);
}

/* floor(log10(number)) for 1e-10 <= number < 1e10 */
static int common_power(double number)
{
    int power = 0;

    if (number >= 1.0)
        while (number >= exact_powers[power + 1])
            power++;
    else
        for (power = -1; number * exact_powers[-power] < 1.0; power--)
            ;
    return power;
}

size_t gr_format_float(float number, char text[GRADUS_NUMBER_SIZE])
{
    double wide = (double)number;
    size_t sign = 0;

    if (!isfinite(number))
        return write_special(wide, text);
    if (signbit(number)) {
        text[sign++] = '-';
        wide = -wide;
    }
    if (wide < 1e7 && wide == (double)(uint64_t)wide)
        return sign + gr_format_count((uint64_t)wide, text + sign);
    if (wide >= 1e-10 && wide < 1e10)
        return sign + format_common_float(wide, common_power(wide), text + sign);
    return sign + format_shortest(wide, 24, 1, 9, text + sign);
}

void gr_text_append(char *to, size_t size, const char *more)
{
    const size_t used = strlen(to);
    const size_t length = strlen(more), room = size - 1 - used;
    const size_t kept = length < room ? length : room;

    memcpy(to + used, more, kept);
    to[used + kept] = '\0';
}

void gr_text_copy(char *to, size_t size, const char *first, const char *second)
{
    to[0] = '\0';
    gr_text_append(to, size, first);
    gr_text_append(to, size, second);
}
