/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted quantiles of residuals, without allocating memory. */
#ifndef GR_OBJECTIVES_RESIDUAL_QUANTILE_H
#define GR_OBJECTIVES_RESIDUAL_QUANTILE_H

#include "objectives/problem.h"

/* The weighted quantile of target - scores[r] over the rows, for a fraction in (0, 1): at most that
 * fraction of the weight is below it, and at most the rest above; the midpoint if two values
 * qualify; 0 if the total weight is 0. fraction 0.5: the median. scores NULL: all 0. rows NULL: the
 * first `count`. Linear in count. */
double gr_residual_quantile(const gr_problem *problem, size_t k, const double *scores,
                            const uint32_t *rows, size_t count, double fraction);

#endif
