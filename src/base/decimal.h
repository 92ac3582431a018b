/* SPDX-License-Identifier: Apache-2.0 */
/* Exact conversion between decimal and binary, for the few numbers the short paths of text.c
 * cannot decide. */
#ifndef GR_BASE_DECIMAL_H
#define GR_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The double nearest to (top + a bit below it if sticky) * 2^shift that has `bits` bits of
 * precision and is a multiple of 2^lowest; infinite from 2^(highest + 1) on. top is not 0. */
double gr_round_binary(uint64_t top, int shift, bool sticky, int bits);

/* The value of digits * 10^exponent, rounded to `bits` (53: double, 24: float) as above.
 * digits: `count` characters '0' to '9'. */
double gr_decimal_to_binary(const char *digits, size_t count, int64_t exponent, int bits);

/* The `count` (at most 17) significant digits of number > 0, rounded to nearest: returns them as
 * an integer with exactly `count` digits, and the power of ten of the first one. */
uint64_t gr_binary_to_decimal(double number, int count, int *power);

#endif
