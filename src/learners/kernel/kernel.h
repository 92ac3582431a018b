/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel functions between rows, and machines made of them: output k of a row x is
 *     bases[k] + the sum over support rows r of coefficients[k][r] * kernel(x, r).
 *
 *   linear      x'z
 *   polynomial  (x'z + coef0)^degree
 *   gaussian    exp(-|x - z|^2 / (2 bandwidth^2))
 *
 * A value that is not finite is missing, and counts as the mean of its feature. Every kernel value
 * is the same bits whatever it is computed beside: rows may be dense or sparse, taken one by one
 * or in blocks, on any number of threads. */
#ifndef GR_LEARNERS_KERNEL_KERNEL_H
#define GR_LEARNERS_KERNEL_KERNEL_H

#include "base/param.h"
#include "data/dataset.h"
#include "data/spread.h"
#include "kernels/cross.h"

enum { GR_KERNEL_GAUSSIAN, GR_KERNEL_POLYNOMIAL, GR_KERNEL_LINEAR };
extern const char *const gr_kernel_names[]; /* NULL ends it */
enum { GR_KERNEL_DEGREE = 32 };             /* the highest */

typedef struct gr_kernel_options {
    int kind;
    const char *bandwidth; /* a number, or "auto" */
    uint64_t degree;
    double coef0;
} gr_kernel_options;

extern const gr_param gr_kernel_params[];

typedef struct gr_kernel {
    int kind;
    double bandwidth; /* of all kinds above 0; only the gaussian reads it */
    uint64_t degree;
    double coef0;
} gr_kernel;

/* The kernel that the options speak of. "auto": bandwidth^2 is half the sum of the variances of the
 * features (a quarter of the mean squared distance of two rows), so that d standardised features
 * give d / 2; 1 if no feature varies. */
gradus_status gr_kernel_choose(const gr_kernel_options *options, const gr_spread *spreads,
                               size_t features, gr_kernel *kernel, gradus_error *err);
/* Whether its numbers are within what the options allow. */
bool gr_kernel_is_good(const gr_kernel *kernel);

/* Rows laid out to be met by others; all owned. */
typedef struct gr_kernel_rows {
    size_t rows, features;
    float *strips; /* dense: see gr_cross_rows; NULL: sparse */
    uint64_t *starts;
    uint32_t *columns;
    float *entries;
    double *squares; /* |row|^2 */
    float *means;    /* what a missing value counts as, one a feature */
} gr_kernel_rows;

/* The rows of a set with these numbers (NULL: the first `count`), sparse if the set is. spreads:
 * of the set that missing values take their means from. */
gradus_status gr_kernel_rows_of(const gradus_dataset *data, const uint32_t *numbers, size_t count,
                                const gr_spread *spreads, gr_kernel_rows *rows, gradus_error *err);
/* Some of the rows. */
gradus_status gr_kernel_rows_pick(const gr_kernel_rows *from, const uint32_t *numbers, size_t count,
                                  gr_kernel_rows *rows, gradus_error *err);
/* Fills squares, of rows whose values are there. */
gradus_status gr_kernel_rows_finish(gr_kernel_rows *rows, gradus_error *err);
void gr_kernel_rows_free(gr_kernel_rows *rows);
static inline gr_cross_rows gr_kernel_cross(const gr_kernel_rows *own)
{
    return (gr_cross_rows){ own->features, own->strips, own->starts, own->columns, own->entries };
}
/* Row r as doubles, features of them, all written. */
void gr_kernel_row_fill(const gr_kernel_rows *rows, size_t r, double *values);

/* kernel(left, row r) at out[r - from], for rows [from, to); `from` is a multiple of GR_CROSS, and
 * out has room for as many as a multiple of it. square: |left|^2. */
void gr_kernel_one(const gr_kernel *kernel, const gr_kernel_rows *rows, const double *left,
                   double square, size_t from, size_t to, double *out);
/* Doubles that gr_kernel_block needs. */
size_t gr_kernel_scratch(const gr_kernel_rows *rows);
/* kernel(i, r) at out[i * stride_out + r - from] for `count` dense rows i of the caller's, at
 * most GR_CROSS; missing values are filled in. Otherwise as gr_kernel_one; out has room for
 * GR_CROSS rows i. */
void gr_kernel_block(const gr_kernel *kernel, const gr_kernel_rows *rows, const float *values,
                     size_t count, size_t stride, size_t from, size_t to, double *out,
                     size_t stride_out, double *scratch);
/* For all rows of the set: out[i * rows->rows + r]. */
gradus_status gr_kernel_map(const gr_kernel *kernel, const gr_kernel_rows *rows,
                            const gradus_dataset *data, float *out, gr_pool *pool,
                            gradus_error *err);

typedef struct gr_machine {
    gr_kernel kernel;
    gr_kernel_rows rows;
    size_t outputs;
    double *bases;        /* one an output; owned */
    double *coefficients; /* outputs x rows; owned */
} gr_machine;

gradus_status gr_machine_copy(const gr_machine *from, gr_machine *to, gradus_error *err);
void gr_machine_free(gr_machine *machine);
/* Whether all its numbers are finite, columns in order and the kernel good. */
gradus_status gr_machine_check(const gr_machine *machine, gradus_error *err);
/* Doubles that running needs beside. */
size_t gr_machine_scratch(const gr_machine *machine);
/* out[k * stride_out + r] */
void gr_machine_run(const gr_machine *machine, const float *values, size_t rows, size_t stride,
                    double *out, size_t stride_out, double *scratch);
/* Adds the outputs of the rows of a set to sums (outputs x rows). */
gradus_status gr_machine_add(const gr_machine *machine, const gradus_dataset *data, double *sums,
                             gr_pool *pool, gradus_error *err);

#endif
