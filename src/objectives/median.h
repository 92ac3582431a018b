/* SPDX-License-Identifier: Apache-2.0 */
/* The weighted median of the residuals of some rows, without memory of its own. */
#ifndef GR_OBJECTIVES_MEDIAN_H
#define GR_OBJECTIVES_MEDIAN_H

#include "objectives/problem.h"

/* Of target - scores[r] over the rows: the number that as much weight is below as above; the middle
 * of two if any number between them is that; 0 without weight. scores NULL: all 0. rows NULL: the
 * first `count`. Linear in count. */
double gr_residual_median(const gr_problem *problem, size_t k, const double *scores,
                          const uint32_t *rows, size_t count);

#endif
