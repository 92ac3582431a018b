/* SPDX-License-Identifier: Apache-2.0 */
/* Products of columns over rows: the inner loops of least squares. Every version gives the same
 * bits: each sum runs over the rows, or over eight lanes, in one order. No product is fused with a
 * sum. */
#ifndef GR_KERNELS_GRAM_H
#define GR_KERNELS_GRAM_H

#include "kernels/versions.h"

#include <stdbool.h>
#include <stdint.h>

/* A panel holds rows as strips of GR_STRIP columns: column c of row r is at
 * [(c / GR_STRIP * rows + r) * GR_STRIP + c % GR_STRIP]. */
enum { GR_STRIP = 8 };

/* Rows of `values` (row numbers, or NULL: the first `rows`; `stride` floats apart) minus the means,
 * into a panel of which `columns` is the number of columns (a multiple of GR_STRIP, as many as the
 * features fill); what is not finite, and the columns past the last feature, are 0. */
typedef struct gr_pack {
    const float *values;
    size_t stride, features;
    const uint32_t *numbers;
    size_t rows;
    const double *means;
} gr_pack;
typedef void gr_pack_kernel(const gr_pack *pack, double *panel);

/* products[i * stride + j] += the sum over rows of left column i times right column j, for all
 * columns of strips up to that of i. Sums of a panel begin at 0. */
typedef void gr_gram_kernel(const double *left, const double *right, size_t rows, size_t strips,
                            double *products, size_t stride);

/* The sum of a[i] * b[i]: lane l over i = l, l + 8, ..., then lanes in pairs. */
typedef double gr_dot_kernel(const double *a, const double *b, size_t count);

/* sums[f] += weight * row[f], where the value is finite; whether all of them were. */
typedef bool gr_total_kernel(const float *row, size_t features, double weight, double *sums);

typedef struct gr_gram_kernels {
    gr_total_kernel *total;
    gr_pack_kernel *pack;
    gr_gram_kernel *gram;
    gr_dot_kernel *dot;
} gr_gram_kernels;

extern const gr_gram_kernels *const gr_gram_versions[GR_VERSIONS];
extern const gr_gram_kernels gr_gram_plain; /* the reference */

static inline const gr_gram_kernels *gr_gram_fastest(void)
{
    return gr_gram_versions[gr_versions_here() - 1];
}

#endif
