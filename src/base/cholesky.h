/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky decomposition of small symmetric positive definite matrices. Matrices are n x n, row by
 * row; only the lower triangle is used. learners/linear/system.c has a decomposition with pivoting
 * that computes the elements as it needs them. */
#ifndef GR_BASE_CHOLESKY_H
#define GR_BASE_CHOLESKY_H

#include "base/pool.h"

/* Replaces a by the factor L of a = L L'. False if a pivot is not finite or not above `least` times
 * its diagonal element, or if cancelled; asked: polled for cancellation, or NULL. */
bool gr_cholesky_factor(double *a, size_t n, double least, gr_pool *asked);
/* x = inverse(L L') x. */
void gr_cholesky_solve(const double *l, size_t n, double *x);

#endif
