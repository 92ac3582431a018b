/* SPDX-License-Identifier: Apache-2.0 */
/* Of many ways to cut rows in two, the one that leaves the least spread. */
#ifndef GR_LEARNERS_M5_SPREAD_H
#define GR_LEARNERS_M5_SPREAD_H

#include "kernels/versions.h"

enum { GR_CUTS_AT_ONCE = 256 };

/* Sums over rows: of weights, weights times targets, and weights times squared targets. */
typedef struct gr_m5_sums {
    double weight, sum, squares;
} gr_m5_sums;

static inline double gr_m5_variance(const gr_m5_sums *sums)
{
    const double mean = sums->sum / sums->weight;
    const double variance = sums->squares / sums->weight - mean * mean;

    return variance > 0.0 ? variance : 0.0;
}

/* Cuts to look at: the sums over the rows on the left side of each. */
typedef struct gr_m5_cuts {
    double weights[GR_CUTS_AT_ONCE], sums[GR_CUTS_AT_ONCE], squares[GR_CUTS_AT_ONCE];
} gr_m5_cuts;

/* spreads[i] = weight_left * (variance_left / variance)^(1/5) + the same of the right side. The
 * arrays are filled up to a multiple of 8 here. */
typedef void gr_m5_spread_kernel(gr_m5_cuts *cuts, size_t count, const gr_m5_sums *all,
                                 double *spreads);
extern gr_m5_spread_kernel *const gr_m5_spread_kernels[GR_VERSIONS];

/* x^(1/5), as the kernels have it. */
double gr_m5_fifth_root(double x);

#endif
