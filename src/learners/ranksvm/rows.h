/* SPDX-License-Identifier: Apache-2.0 */
/* Products with the rows of a set: what Newton's method sees of the data. Values that are not
 * finite are 0. */
#ifndef GR_LEARNERS_RANKSVM_ROWS_H
#define GR_LEARNERS_RANKSVM_ROWS_H

#include "data/dataset.h"

typedef struct gr_svm_rows {
    gradus_arrays arrays; /* finite */
    float *own;           /* values or entries, if they had to be made so */
    size_t block, blocks; /* rows that are summed together */
    double *sums;         /* blocks x features */
    gr_pool *pool;
} gr_svm_rows;

gradus_status gr_svm_rows_make(const gradus_dataset *data, gr_pool *pool, gr_svm_rows *rows,
                               gradus_error *err);
void gr_svm_rows_free(gr_svm_rows *rows);
/* out (rows) = X weights (features). */
void gr_svm_rows_times(const gr_svm_rows *rows, const double *weights, double *out);
/* out (features) = X' factors (rows): blocks added in their order. */
void gr_svm_rows_combine(const gr_svm_rows *rows, const double *factors, double *out);

#endif
