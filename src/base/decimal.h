/* SPDX-License-Identifier: Apache-2.0 */
/* Exact conversion between decimal and binary, for the few numbers that the fast paths of text.c
 * cannot decide. */
#ifndef GR_BASE_DECIMAL_H
#define GR_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rounds top * 2^shift to `bits` bits of precision (53: double, 24: float), ties to even. sticky:
 * nonzero bits were cut off below top. Subnormals are rounded at the format's lowest bit; values
 * too large for the format become infinite. top is not 0. */
double gr_round_binary(uint64_t top, int shift, bool sticky, int bits);

/* The value of digits * 10^exponent, rounded to `bits` as above. digits: `count` characters '0' to
 * '9'. */
double gr_decimal_to_binary(const char *digits, size_t count, int64_t exponent, int bits);

/* The first `count` (at most 17) significant digits of number > 0, rounded to nearest, as an
 * integer with exactly `count` digits. *power: the power of ten of the first digit. */
uint64_t gr_binary_to_decimal(double number, int count, int *power);

#endif
