/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models, fitted by weighted least squares, one equation per output.
 *
 * How the files work together: linear_train.c fits all outputs. sums.c makes two passes over the
 * rows and sums up their means and products per grade; moments.c combines these into the moments of
 * one output; solve.c fits an output to its moments, with the Cholesky solver of system.c and the
 * attribute elimination of eliminate.c. linear_run.c scores rows. proportional_odds.c fits
 * proportional odds models by Newton's method, with features standardised by the means and standard
 * deviations of a least squares fit. */
#ifndef GR_LEARNERS_LINEAR_LINEAR_H
#define GR_LEARNERS_LINEAR_LINEAR_H

#include "data/dataset.h"
#include "learners/linear/solve.h"
#include "objectives/problem.h"

/* Output k = bases[k] + sum over features f of coefficients[k * features + f] * (value - means[f]).
 * Values that are not finite are missing and contribute 0. */
typedef struct gr_linear {
    size_t features, outputs;
    const double *means;        /* [feature], over the training rows that have it */
    const double *spreads;      /* [feature]: standard deviations in the training rows */
    const double *bases;        /* [output]: outputs of the mean row */
    const double *coefficients; /* [outputs x features] */
    double *own;                /* the memory of all these arrays; NULL: borrowed */
} gr_linear;

/* linear_train.c */
/* Fits every output of the problem. Prints notes about features that were left out and about
 * outputs in which every row has weight 0; those predict the mean of their target over all rows. */
gradus_status gr_linear_train(const gradus_context *context, const gradus_dataset *data,
                              const gr_problem *problem, const gr_linear_options *options,
                              gr_linear *linear, gradus_error *err);
/* Allocates zeroed arrays in one block: means, spreads, coefficients, bases. */
gradus_status gr_linear_new(gr_linear *linear, size_t features, size_t outputs, gradus_error *err);
gradus_status gr_linear_copy(const gr_linear *from, gr_linear *to, gradus_error *err);
void gr_linear_free(gr_linear *linear);
/* Fails unless all numbers are finite and small enough to give finite outputs. */
gradus_status gr_linear_check(const gr_linear *linear, gradus_error *err);

/* linear_run.c */
/* See gradus_model_importance. */
void gr_linear_importance(const gr_linear *linear, double *sizes, uint64_t *equations);

/* Size of the scratch array of gr_linear_run, in doubles. */
size_t gr_linear_scratch(const gr_linear *linear);
/* Scores dense rows: output k of row r goes to out[k * stride_out + r]. scratch is aligned to 64
 * bytes. */
void gr_linear_run(const gr_linear *linear, const float *values, size_t rows, size_t stride,
                   double *out, size_t stride_out, double *scratch);
/* Whether sparse rows are scored without making them dense: all means are 0, or the number
 * of features makes dense rows far slower. */
bool gr_linear_takes_sparse(const gr_linear *linear);
/* zeros[k]: what the zeros of a sparse row contribute to output k (a row without entries). */
void gr_linear_zeros(const gr_linear *linear, double *zeros);
/* Scores a sparse row: output k goes to out[k * stride_out]. Equals gr_linear_run on the dense row
 * up to rounding, and bit for bit if all means are 0. zeros: from gr_linear_zeros. Features unknown
 * to the model contribute 0. */
void gr_linear_run_sparse(const gr_linear *linear, const double *zeros, const uint32_t *columns,
                          const float *entries, size_t count, double *out, size_t stride_out);
/* Adds the outputs of all rows to sums ([outputs x rows]). */
gradus_status gr_linear_add(const gr_linear *linear, const gradus_dataset *data, double *sums,
                            gr_pool *pool, gradus_error *err);

#endif
