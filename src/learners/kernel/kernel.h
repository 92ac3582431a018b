/* SPDX-License-Identifier: Apache-2.0 */
/* Mercer kernels between rows, and kernel machines: output k of a row x is
 *     bases[k] + the sum over support rows r of coefficients[k][r] * kernel(x, r).
 *
 *   linear      x'z
 *   polynomial  (x'z + coef0)^degree
 *   gaussian    exp(-|x - z|^2 / (2 bandwidth^2))
 *
 * A value that is not finite is missing and is replaced by the mean of its feature. A kernel value
 * has the same bits whether rows are dense or sparse, single or in blocks, and on any number of
 * threads.
 *
 * kernel.c computes kernel values from dot products (kernels/dot.h), kernel_rows.c stores the
 * support rows in the layout that these need, and machine.c evaluates, copies and checks whole
 * machines. learners/svor fits the coefficients. Not to be confused with src/kernels, which holds
 * inner loops of all kinds. */
#ifndef GR_LEARNERS_KERNEL_KERNEL_H
#define GR_LEARNERS_KERNEL_KERNEL_H

#include "base/param.h"
#include "data/dataset.h"
#include "data/column_statistics.h"
#include "kernels/dot.h"

enum { GR_KERNEL_GAUSSIAN, GR_KERNEL_POLYNOMIAL, GR_KERNEL_LINEAR };
extern const char *const gr_kernel_names[]; /* ends with NULL */
enum { GR_KERNEL_DEGREE = 32 };             /* the maximum */

typedef struct gr_kernel_options {
    int kind;
    const char *bandwidth; /* a number, or "auto" */
    uint64_t degree;
    double coef0;
} gr_kernel_options;

extern const gr_param gr_kernel_params[];
extern const gr_option_block gr_kernel_option_block;

typedef struct gr_kernel {
    int kind;
    double bandwidth; /* above 0 for all kinds, but only used by the gaussian */
    uint64_t degree;
    double coef0;
} gr_kernel;

/* Makes the kernel of the options. With "auto", bandwidth^2 is half the sum of the variances of the
 * features (a quarter of the mean squared distance between two rows), so that d standardised
 * features give d / 2; 1 if no feature varies. */
gradus_status gr_kernel_choose(const gr_kernel_options *options, const gr_spread *spreads,
                               size_t features, gr_kernel *kernel, gradus_error *err);
/* Whether the numbers are in the range that the options allow. */
bool gr_kernel_is_good(const gr_kernel *kernel);

/* Support rows in the layout of the dot product kernels; owns its arrays. */
typedef struct gr_kernel_rows {
    size_t rows, features;
    float *strips; /* dense rows, see gr_dot_rows; NULL: sparse */
    uint64_t *starts;
    uint32_t *columns;
    float *entries;
    double *squares; /* per row: |row|^2 */
    float *means;    /* per feature: the replacement of missing values */
} gr_kernel_rows;

/* kernel_rows.c */
/* Copies the rows of a dataset with these numbers (NULL: the first `count`); sparse if the dataset
 * is. spreads: statistics of the dataset whose means replace missing values. */
gradus_status gr_kernel_rows_of(const gradus_dataset *data, const uint32_t *numbers, size_t count,
                                const gr_spread *spreads, gr_kernel_rows *rows, gradus_error *err);
/* Copies some of the rows. */
gradus_status gr_kernel_rows_pick(const gr_kernel_rows *from, const uint32_t *numbers, size_t count,
                                  gr_kernel_rows *rows, gradus_error *err);
/* Computes squares from the values, which must be filled in. */
gradus_status gr_kernel_rows_finish(gr_kernel_rows *rows, gradus_error *err);
void gr_kernel_rows_free(gr_kernel_rows *rows);
static inline gr_dot_rows gr_kernel_dots(const gr_kernel_rows *own)
{
    return (gr_dot_rows){ own->features, own->strips, own->starts, own->columns, own->entries };
}
/* Writes row r as `features` doubles. */
void gr_kernel_row_fill(const gr_kernel_rows *rows, size_t r, double *values);

/* kernel.c */
/* Writes kernel(left, row r) to out[r - from] for rows [from, to). `from` is a multiple of
 * GR_DOT, and out has space for to - from rounded up to a multiple of GR_DOT. square:
 * |left|^2. */
void gr_kernel_one(const gr_kernel *kernel, const gr_kernel_rows *rows, const double *left,
                   double square, size_t from, size_t to, double *out);
/* Doubles of scratch that gr_kernel_block needs. */
size_t gr_kernel_scratch(const gr_kernel_rows *rows);
/* Writes kernel(i, r) to out[i * stride_out + r - from] for `count` dense rows i in values, at most
 * GR_DOT; missing values are replaced. Otherwise like gr_kernel_one. out has space for GR_DOT
 * rows i. */
void gr_kernel_block(const gr_kernel *kernel, const gr_kernel_rows *rows, const float *values,
                     size_t count, size_t stride, size_t from, size_t to, double *out,
                     size_t stride_out, double *scratch);
/* The kernel matrix of all rows i of a dataset: kernel(i, r) at out[i * rows->rows + r]. */
gradus_status gr_kernel_map(const gr_kernel *kernel, const gr_kernel_rows *rows,
                            const gradus_dataset *data, float *out, gr_pool *pool,
                            gradus_error *err);

typedef struct gr_machine {
    gr_kernel kernel;
    gr_kernel_rows rows;
    size_t outputs;
    double *bases;        /* per output; owned */
    double *coefficients; /* outputs x support rows; owned */
} gr_machine;

enum { GR_MACHINE_CHUNK = 256 }; /* support rows whose products are summed before they are added */

/* machine.c */
gradus_status gr_machine_copy(const gr_machine *from, gr_machine *to, gradus_error *err);
void gr_machine_free(gr_machine *machine);
/* Validates a machine read from a file: finite numbers, ordered columns, valid kernel. */
gradus_status gr_machine_check(const gr_machine *machine, gradus_error *err);
/* Doubles of scratch that gr_machine_run needs. */
size_t gr_machine_scratch(const gr_machine *machine);
/* Output k of dense row r at out[k * stride_out + r]. */
void gr_machine_run(const gr_machine *machine, const float *values, size_t rows, size_t stride,
                    double *out, size_t stride_out, double *scratch);
/* Adds the outputs of all rows of a dataset to sums (outputs x rows). */
gradus_status gr_machine_add(const gr_machine *machine, const gradus_dataset *data, double *sums,
                             gr_pool *pool, gradus_error *err);

#endif
