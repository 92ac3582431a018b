/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel: the spread that remains after each of many candidate cuts of a node. */
#ifndef GR_LEARNERS_M5_M5_SPREAD_H
#define GR_LEARNERS_M5_M5_SPREAD_H

#include "kernels/versions.h"

enum { GR_CUTS_AT_ONCE = 256 };

/* Sums over rows of w, w y and w y^2. */
typedef struct gr_m5_sums {
    double weight, sum, squares;
} gr_m5_sums;

static inline double gr_m5_variance(const gr_m5_sums *sums)
{
    const double mean = sums->sum / sums->weight;
    const double variance = sums->squares / sums->weight - mean * mean;

    return variance > 0.0 ? variance : 0.0;
}

/* Candidate cuts: the sums over the rows to the left of each. */
typedef struct gr_m5_cuts {
    double weights[GR_CUTS_AT_ONCE], sums[GR_CUTS_AT_ONCE], squares[GR_CUTS_AT_ONCE];
} gr_m5_cuts;

/* spreads[i] = weight_left * (variance_left / variance)^(1/5) + the same for the right side. Pads
 * the arrays of cuts to whole vectors. */
typedef void gr_m5_spread_kernel(gr_m5_cuts *cuts, size_t count, const gr_m5_sums *all,
                                 double *spreads);
extern gr_m5_spread_kernel *const gr_m5_spread_kernels[GR_VERSIONS];

/* x^(1/5), bit-identical to the kernels. */
double gr_m5_fifth_root(double x);

#endif
