/* SPDX-License-Identifier: Apache-2.0 */
/* Multiple p-values: corrected for their number, or combined into one. */
#ifndef GR_STATISTICS_MULTIPLE_H
#define GR_STATISTICS_MULTIPLE_H

#include "base/error.h"

/* Holm's step-down correction. NAN stays NAN and does not count, as in R's p.adjust. */
gradus_status gr_holm(const double *p, size_t count, double *adjusted, gradus_error *err);

/* Fisher's combination: -2 sum(log p) is chi-square with 2 count degrees of freedom. */
gradus_status gr_fisher(const double *p, size_t count, double *statistic, double *combined,
                        gradus_error *err);

#endif
