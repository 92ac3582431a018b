/* SPDX-License-Identifier: Apache-2.0 */
/* Losses in which a row has e^-f times one number of its level plus e^f times another: pairrank and
 * orboost. Rows are added up by level, so that what comes after has nothing to do with rows. */
#ifndef GR_OBJECTIVES_POWERS_H
#define GR_OBJECTIVES_POWERS_H

#include "kernels/ordinal.h"
#include "objectives/rows.h"

/* The loss of a row of a level is e^-f down + e^f up. */
typedef struct gr_power_level {
    double down, up;
} gr_power_level;

/* Adds w e^-f and w e^f of the rows to sums by level, for gr_fold_levels. A `rows` of a gr_sum_job,
 * whose width is 2 * GR_POWER_SUMS * levels. */
enum { GR_POWER_SUMS = 2 };
void gr_power_sums(const gr_sum_job *job, size_t first, size_t count, double *sums);

/* Along a line f + share d: w e^-f times 1, -d and d^2, w e^f times 1, d and d^2. Likewise, with a
 * gr_power_line as the job's user. */
typedef struct gr_power_line {
    const double *steps; /* one a row */
    double share;
} gr_power_line;
void gr_power_line_sums(const gr_sum_job *job, size_t first, size_t count, double *sums);

/* Gradients and hessians of the rows, each part at most GR_POWER_MOST before weights. */
void gr_power_gradients(const gr_problem *problem, const gr_power_level *levels,
                        const double *scores, size_t first, size_t count, float *gradients,
                        float *hessians);

#endif
