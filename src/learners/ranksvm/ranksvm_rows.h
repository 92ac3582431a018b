/* SPDX-License-Identifier: Apache-2.0 */
/* Products with the data matrix X and its transpose, all that Newton's method needs of the data.
 * Values that are not finite count as 0. */
#ifndef GR_LEARNERS_RANKSVM_RANKSVM_ROWS_H
#define GR_LEARNERS_RANKSVM_RANKSVM_ROWS_H

#include "data/dataset.h"

typedef struct gr_svm_rows {
    gradus_arrays arrays; /* all values finite */
    float *own;           /* a cleaned copy of the values or entries, if one was needed */
    size_t block, blocks; /* rows per block; number of blocks */
    double *sums;         /* [blocks x features] */
    gr_pool *pool;
} gr_svm_rows;

gradus_status gr_svm_rows_make(const gradus_dataset *data, gr_pool *pool, gr_svm_rows *rows,
                               gradus_error *err);
void gr_svm_rows_free(gr_svm_rows *rows);
/* out = X weights; out: [rows], weights: [features]. */
void gr_svm_rows_times(const gr_svm_rows *rows, const double *weights, double *out);
/* out = X' factors; out: [features], factors: [rows]. Blocks are added in a fixed order. */
void gr_svm_rows_combine(const gr_svm_rows *rows, const double *factors, double *out);

#endif
