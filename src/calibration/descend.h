/* SPDX-License-Identifier: Apache-2.0 */
/* Minimising smooth functions of a few hundred numbers. */
#ifndef GR_CALIBRATION_DESCEND_H
#define GR_CALIBRATION_DESCEND_H

#include "base/pool.h"

/* The value at x, and the gradient. */
typedef double (*gr_smooth)(const void *task, const double *x, double *gradient);

/* From x to where the gradient is next to 0, by the method of Broyden, Fletcher, Goldfarb and
 * Shanno with halved steps, in `most` steps at most; *value is what it is there.
 * asked: whether to stop. */
gradus_status gr_descend(gr_smooth f, const void *task, double *x, size_t n, size_t most,
                         gr_pool *asked, double *value, gradus_error *err);

/* Solves a * x = b for a symmetric positive matrix (n x n, of which the lower half is used, and
 * destroyed); b becomes x. False if it is singular, or if the one asked wants to stop. */
bool gr_solve_positive(double *a, double *b, size_t n, gr_pool *asked);

#endif
