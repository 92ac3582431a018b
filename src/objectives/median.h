/* SPDX-License-Identifier: Apache-2.0 */
/* The weighted median of residuals, without allocating memory. */
#ifndef GR_OBJECTIVES_MEDIAN_H
#define GR_OBJECTIVES_MEDIAN_H

#include "objectives/problem.h"

/* The weighted median of target - scores[r] over the rows: half of the weight is below it; the
 * midpoint if two values qualify; 0 if the total weight is 0. scores NULL: all 0. rows NULL: the
 * first `count`. Linear in count. */
double gr_residual_median(const gr_problem *problem, size_t k, const double *scores,
                          const uint32_t *rows, size_t count);

#endif
