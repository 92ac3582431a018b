/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of a least squares fit, scaled: what solve.c and eliminate.c share. */
#ifndef GR_LEARNERS_LINEAR_SYSTEM_H
#define GR_LEARNERS_LINEAR_SYSTEM_H

#include "kernels/gram.h"
#include "learners/linear/solve.h"

/* (R + ridge) b = c: R the correlations of features, b and c in units of their deviations. */
typedef struct gr_system {
    const gr_moments *moments;
    struct gr_pool *asked; /* whether to stop: what is called then returns early */
    gr_dot_kernel *dot;
    size_t size;      /* features in it */
    size_t *features; /* of the moments */
    double *scales;   /* 1 / the root of the sum of squares of each */
    double *targets;  /* c */
    double *solution; /* b; 0 for what is beyond the rank */
    double ridge;     /* added to each 1 on the diagonal */
    size_t rank;
    size_t *order;  /* of pivots: the first `rank` are taken */
    double *factor; /* size x stride: L, row i of feature i, column k of pivot k */
    size_t stride;
    double *left; /* unexplained of each feature */
    double least_pivot;
} gr_system;

/* Room for as many features; free with gr_system_free, whatever it returns. */
gradus_status gr_system_new(gr_system *system, const gr_moments *moments, size_t most, double ridge,
                            gradus_error *err);
void gr_system_free(gr_system *system);
/* Takes the features, which all have a variance, factors and solves. */
void gr_system_solve(gr_system *system, const size_t *features, size_t count);
/* The inverse of what was factored (rank x rank), in the order of pivots. */
void gr_system_invert(const gr_system *system, double *inverse);
/* Of the solution. */
double gr_system_rss(const gr_system *system);

/* Takes features (`*count` of them, ascending, the rank is full) away as the options say. */
gradus_status gr_eliminate(const gr_system *system, int elimination, size_t *features,
                           size_t *count, gradus_error *err);

#endif
