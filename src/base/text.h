/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in and out of text, exact and whatever the locale; small help with strings. */
#ifndef GR_BASE_TEXT_H
#define GR_BASE_TEXT_H

#include "base/error.h"

/* Each reads a number at `at`, before `end`, and returns where it stopped, or NULL if no number
 * begins there. Decimal numbers with an optional sign, fraction and exponent are rounded to the
 * nearest (ties to even); "nan", "inf" and "infinity" are read in any case. Numbers too large
 * become infinite. */
const char *gr_parse_double(const char *at, const char *end, double *number);
const char *gr_parse_float(const char *at, const char *end, float *number);
/* Digits only; NULL also if the number exceeds 64 bits. */
const char *gr_parse_count(const char *at, const char *end, uint64_t *count);

/* Each writes the shortest text that reads back as the same number, with a NUL, and returns its
 * length. 0.1, 1e-7, 123456; "nan", "inf", "-inf". */
size_t gr_format_double(double number, char text[GRADUS_NUMBER_SIZE]);
size_t gr_format_float(float number, char text[GRADUS_NUMBER_SIZE]);
size_t gr_format_count(uint64_t count, char text[GRADUS_NUMBER_SIZE]);

/* Joins two strings into a buffer, cut to fit; always ends in NUL. */
void gr_text_copy(char *to, size_t size, const char *first, const char *second);
/* Appends a string to the one in the buffer, cut to fit. */
void gr_text_append(char *to, size_t size, const char *more);

/* The word for so many: "query", "queries". */
static inline const char *gr_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

#endif
