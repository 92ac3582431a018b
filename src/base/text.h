/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing and formatting numbers, exactly and independently of the locale; string helpers. */
#ifndef GR_BASE_TEXT_H
#define GR_BASE_TEXT_H

#include "base/error.h"

/* Each parses a number at `at`, before `end`, and returns where it stopped, or NULL if there is no
 * number. Decimal numbers with optional sign, fraction and exponent are rounded to the nearest
 * value (ties to even); "nan", "inf" and "infinity" are accepted in any case. Numbers too large
 * become infinite. */
const char *gr_parse_double(const char *at, const char *end, double *number);
const char *gr_parse_float(const char *at, const char *end, float *number);
/* Digits only; also NULL if the number does not fit in 64 bits. */
const char *gr_parse_count(const char *at, const char *end, uint64_t *count);

/* Each writes the shortest text that reads back as the same number, with a NUL, and returns its
 * length: 0.1, 1e-7, 123456, "nan", "inf", "-inf". */
size_t gr_format_double(double number, char text[GRADUS_NUMBER_SIZE]);
size_t gr_format_float(float number, char text[GRADUS_NUMBER_SIZE]);
size_t gr_format_count(uint64_t count, char text[GRADUS_NUMBER_SIZE]);

/* Writes two strings one after the other into a buffer, truncated to fit and always terminated. */
void gr_text_copy(char *to, size_t size, const char *first, const char *second);
/* Appends a string to the one in the buffer, truncated to fit. */
void gr_text_append(char *to, size_t size, const char *more);

/* Singular or plural: "query", "queries". */
static inline const char *gr_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

#endif
