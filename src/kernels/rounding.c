/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of gradient quantisation; rounding_body.h has the loops. */
#include "kernels/rounding.h"

enum { LINES = 8 };

static inline size_t row_at(const gr_rows *rows, size_t i)
{
    return rows->list ? rows->list[i] : rows->first + i;
}

/* A single row, for those that do not fill the last vector. */
static void measure_one(float value, double *line, gr_extent *found)
{
    const double size = value < 0 ? -(double)value : (double)value;

    *line += size;
    found->most = size > found->most ? size : found->most;
    found->negative |= value < 0;
}

#define BODY "kernels/rounding_body.h"
#include "kernels/every_version.h"

const gr_rounding_kernels *const gr_rounding_versions[GR_VERSIONS] = GR_EVERY_VERSION(&kernels);
