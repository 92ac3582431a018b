/* SPDX-License-Identifier: Apache-2.0 */
/* Gram matrices (products of columns, summed over rows): the inner loops of least squares. Every
 * version gives the same bits: each sum runs over the rows, or over eight lanes, in a fixed order,
 * and no product is fused with a sum. */
#ifndef GR_KERNELS_GRAM_H
#define GR_KERNELS_GRAM_H

#include "kernels/versions.h"

#include <stdbool.h>
#include <stdint.h>

/* A panel stores rows in strips of GR_STRIP columns: column c of row r is at
 * [(c / GR_STRIP * rows + r) * GR_STRIP + c % GR_STRIP]. */
enum { GR_STRIP = 8 };

/* Copies rows minus the means to a panel. Rows are values[numbers[r] * stride] (numbers NULL: the
 * first `rows`). The panel has as many whole strips as the features need; values that are not
 * finite, and columns past the last feature, become 0. */
typedef struct gr_pack {
    const float *values;
    size_t stride, features;
    const uint32_t *numbers;
    size_t rows;
    const double *means;
} gr_pack;
typedef void gr_pack_kernel(const gr_pack *pack, double *panel);

/* products[i * stride + j] += the sum over rows of left column i times right column j, for all
 * columns j in strips up to that of i (the lower triangle, in whole strips). The sum of a panel
 * starts at 0 before it is added. */
typedef void gr_gram_kernel(const double *left, const double *right, size_t rows, size_t strips,
                            double *products, size_t stride);

/* The sum of a[i] * b[i]: lane l sums over i = l, l + 8, ..., then lanes are added pairwise. */
typedef double gr_dot_kernel(const double *a, const double *b, size_t count);

/* sums[f] += weight * row[f] where row[f] is finite; returns whether all values are finite. */
typedef bool gr_total_kernel(const float *row, size_t features, double weight, double *sums);

typedef struct gr_gram_kernels {
    gr_total_kernel *total;
    gr_pack_kernel *pack;
    gr_gram_kernel *gram;
    gr_dot_kernel *dot;
} gr_gram_kernels;

GR_KERNEL_VERSIONS(gram, gr_gram_kernels)
extern const gr_gram_kernels gr_gram_plain; /* the reference */

#endif
