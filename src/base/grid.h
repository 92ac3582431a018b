/* SPDX-License-Identifier: Apache-2.0 */
/* Options that take one or more numbers, such as the values that a grid search tries. */
#ifndef GR_BASE_GRID_H
#define GR_BASE_GRID_H

#include "base/error.h"

#include <stddef.h>

enum { GR_GRID_VALUES = 64 };

/* Parses "0.1" or "1e-3,1e-4"; each number must be in [low, high]. name: the option, for errors. */
gradus_status gr_grid_parse(const char *text, const char *name, double low, double high,
                            double *values, size_t *count, gradus_error *err);

/* The same for up to `capacity` numbers. */
gradus_status gr_numbers_parse(const char *text, const char *name, double low, double high,
                               double *values, size_t capacity, size_t *count, gradus_error *err);

#endif
