/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models by weighted least squares: one equation an output. */
#ifndef GR_LEARNERS_LINEAR_LINEAR_H
#define GR_LEARNERS_LINEAR_LINEAR_H

#include "data/dataset.h"
#include "learners/linear/solve.h"
#include "objectives/problem.h"

/* Output k = bases[k] + the sum over features of coefficients[k * features + f] * (value -
 * means[f]); what is not finite is missing and adds 0. */
typedef struct gr_linear {
    size_t features, outputs;
    const double *means;        /* of the training rows that have the feature */
    const double *spreads;      /* deviations of features in the training rows */
    const double *bases;        /* outputs of a row of means */
    const double *coefficients; /* outputs x features */
    double *own;                /* memory of them; NULL: somebody else's */
} gr_linear;

/* Fits every output of the problem. Notes tell of features that were left out, and of outputs that
 * no row has a weight in: they are constant, the mean of their target over all rows. */
gradus_status gr_linear_train(const gradus_context *context, const gradus_dataset *data,
                              const gr_problem *problem, const gr_linear_options *options,
                              gr_linear *linear, gradus_error *err);
/* Zeros in one piece of memory: means, spreads, coefficients, bases. */
gradus_status gr_linear_new(gr_linear *linear, size_t features, size_t outputs, gradus_error *err);
gradus_status gr_linear_copy(const gr_linear *from, gr_linear *to, gradus_error *err);
void gr_linear_free(gr_linear *linear);
/* Whether all its numbers are finite, and none is too large to give finite outputs. */
gradus_status gr_linear_check(const gr_linear *linear, gradus_error *err);

/* As in gradus_model_importance. */
void gr_linear_importance(const gr_linear *linear, double *sizes, uint64_t *equations);

/* Doubles that running needs beside. */
size_t gr_linear_scratch(const gr_linear *linear);
/* out[k * stride_out + r]; scratch aligned to 64. */
void gr_linear_run(const gr_linear *linear, const float *values, size_t rows, size_t stride,
                   double *out, size_t stride_out, double *scratch);
/* Whether sparse rows are run as they are: all means are 0, or making such a row dense would take
 * far longer than running it. */
bool gr_linear_takes_sparse(const gr_linear *linear);
/* What entries that are 0 add to each output of a row that is run as it is. */
void gr_linear_zeros(const gr_linear *linear, double *zeros);
/* Output k at out[k * stride_out], for a sparse row: gr_linear_run's of the row made dense, within
 * rounding; the same bits if all means are 0. zeros: gr_linear_zeros's. Features that the model
 * does not have add 0. */
void gr_linear_run_sparse(const gr_linear *linear, const double *zeros, const uint32_t *columns,
                          const float *entries, size_t count, double *out, size_t stride_out);
/* Adds the outputs of the rows of a set to sums (outputs x rows). */
gradus_status gr_linear_add(const gr_linear *linear, const gradus_dataset *data, double *sums,
                            gr_pool *pool, gradus_error *err);

#endif
