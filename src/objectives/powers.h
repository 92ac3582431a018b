/* SPDX-License-Identifier: Apache-2.0 */
/* Sums for losses of the form e^-f down + e^f up, with two numbers per level: pairrank and orboost.
 * Rows are summed by level, so that everything after depends only on the number of levels. */
#ifndef GR_OBJECTIVES_POWERS_H
#define GR_OBJECTIVES_POWERS_H

#include "kernels/ordinal.h"
#include "objectives/objective_rows.h"

/* The loss of a row of this level is e^-f down + e^f up. */
typedef struct gr_power_level {
    double down, up;
} gr_power_level;

/* Adds w e^-f and w e^f of the rows to sums by level; call gr_fold_levels afterwards. Used as
 * `rows` of a gr_sum_job of width 2 * GR_POWER_SUMS * levels. */
enum { GR_POWER_SUMS = 2 };
void gr_power_sums(const gr_sum_job *job, size_t first, size_t count, double *sums);

/* The same along a line f + share d: sums w e^-f times 1, -d and d^2, and w e^f times 1, d and d^2.
 * The job's user is a gr_power_line. */
typedef struct gr_power_line {
    const double *steps; /* [row]: d */
    double share;
} gr_power_line;
void gr_power_line_sums(const gr_sum_job *job, size_t first, size_t count, double *sums);

/* Gradients and Hessians of the rows; each of the two terms is limited to GR_POWER_MAX before
 * weighting. */
void gr_power_gradients(const gr_problem *problem, const gr_power_level *levels,
                        const double *scores, size_t first, size_t count, float *gradients,
                        float *hessians);

#endif
