/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of numbers in options: the values that are tried. */
#ifndef GR_BASE_GRID_H
#define GR_BASE_GRID_H

#include "base/error.h"

#include <stddef.h>

enum { GR_GRID_VALUES = 64 };

/* "0.1" or "1e-3,1e-4": each from low to high. name: of the option. */
gradus_status gr_grid_parse(const char *text, const char *name, double low, double high,
                            double *values, size_t *count, gradus_error *err);

#endif
