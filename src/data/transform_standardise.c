/* SPDX-License-Identifier: Apache-2.0 */
/* Standardisation over all rows. */
#include "data/transform.h"

#include <math.h>

static void scale_normal(const gr_spread *spread, double *shift, double *unit)
{
    const bool varies = spread->low < spread->high;

    *shift = varies ? spread->mean : 0.0;
    *unit = varies ? sqrt(spread->squares / spread->count) : 0.0;
}

const gr_transform gr_transform_standardise = {
    .about = {
        .name = "standardise",
        .summary = "each feature to mean 0 and standard deviation 1 over all rows",
        .details = "value -> (value - mean) / deviation; the variance is divided by the number of "
                   "values. A constant feature becomes 0. Missing and infinite values are ignored "
                   "and left unchanged. Sparse rows become dense, except with keep-zeros: then "
                   "value -> value / deviation.",
    },
    .scale = scale_normal,
};
