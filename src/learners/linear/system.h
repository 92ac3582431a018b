/* SPDX-License-Identifier: Apache-2.0 */
/* The scaled normal equations of a least squares fit, shared by solve.c and eliminate.c. */
#ifndef GR_LEARNERS_LINEAR_SYSTEM_H
#define GR_LEARNERS_LINEAR_SYSTEM_H

#include "base/memory.h"
#include "kernels/gram.h"
#include "learners/linear/solve.h"

/* (R + ridge I) b = c, with R the correlations of the features, and b and c in units of their
 * standard deviations. */
typedef struct gr_system {
    const gr_linear_moments *moments;
    struct gr_pool *asked; /* polled for cancellation: functions then return early */
    gr_dot_kernel *dot;
    size_t size;      /* number of features */
    size_t *features; /* [size]: features of the moments */
    double *scales;   /* [size]: 1 / sqrt(sum of squared deviations) */
    double *targets;  /* [size]: c */
    double *solution; /* [size]: b; 0 for features beyond the rank */
    double ridge;     /* added to the diagonal, which is 1 */
    size_t rank;
    size_t *order;  /* [size]: pivot order; the first `rank` are taken */
    double *factor; /* [size x stride]: L; row i for feature i, column k for pivot k */
    size_t stride;
    double *left; /* [size]: unexplained fraction of each feature */
    double least_pivot;
    gr_arena arena; /* owns the arrays */
} gr_system;

/* Allocates for up to `most` features. Call gr_system_free whatever this returns. */
gradus_status gr_system_new(gr_system *system, const gr_linear_moments *moments, size_t most,
                            double ridge, gradus_error *err);
void gr_system_free(gr_system *system);
/* Factors and solves the system of these features, all of which have positive variance. */
void gr_system_solve(gr_system *system, const size_t *features, size_t count);
/* The inverse of the factored matrix, [rank x rank] in pivot order. */
void gr_system_invert(const gr_system *system, double *inverse);
/* The residual sum of squares of the solution. */
double gr_system_rss(const gr_system *system);

/* eliminate.c */
/* Removes features (*count of them, ascending, of full rank) by the given elimination. */
gradus_status gr_eliminate(const gr_system *system, int elimination, size_t *features,
                           size_t *count, gradus_error *err);

#endif
