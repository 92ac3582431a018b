/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products between rows: the inner loops of kernel machines. A product of two floats is exact
 * in a double, and each sum runs over the features in a fixed order, so that all versions give the
 * same bits, and sparse rows the same as dense ones. */
#ifndef GR_KERNELS_DOT_H
#define GR_KERNELS_DOT_H

#include "kernels/versions.h"

#include <stdint.h>

/* Dense rows are stored in strips of GR_DOT rows, so that a vector holds one feature of several
 * rows: feature f of row r is at [(r / GR_DOT * features + f) * GR_DOT + r % GR_DOT]. Rows
 * past the last are 0. */
enum { GR_DOT = 8 };

typedef struct gr_dot_rows {
    size_t features;
    const float *strips;     /* NULL: the rows are sparse */
    const uint64_t *starts;  /* sparse: rows + 1 */
    const uint32_t *columns; /* ascending within a row */
    const float *entries;
} gr_dot_rows;

/* Dot products of one row, left[f], with rows [from, to), written to dots[r - from]. For dense rows
 * `from` is a multiple of GR_DOT, and whole strips are written. */
typedef void gr_dot_one(const double *left, const gr_dot_rows *right, size_t from, size_t to,
                        double *dots);
/* The same for GR_DOT rows at once: feature f of row i is at left[f * GR_DOT + i], and its dot
 * products are written to dots[i * stride + r - from]. */
typedef void gr_dot_all(const double *left, const gr_dot_rows *right, size_t from, size_t to,
                        double *dots, size_t stride);

/* The sum of left[f] * row[f]: lane l sums over f = l, l + GR_DOT, ..., then lanes are added
 * pairwise. */
typedef double gr_dot_product(const double *left, const float *row, size_t features);
/* sums[f] += by * row[f] */
typedef void gr_dot_add(double *sums, const float *row, double by, size_t features);
/* The dot product with a sparse row; the same bits as gr_dot_product. */
double gr_dot_sparse(const double *left, const uint32_t *columns, const float *entries,
                     size_t count);

/* The same for a sparse row stored as (column, value) pairs. */
typedef struct gr_dot_entry {
    uint32_t column;
    float value;
} gr_dot_entry;
double gr_dot_entries(const double *left, const gr_dot_entry *row, size_t count);

typedef struct gr_dot_kernels {
    gr_dot_one *one;
    gr_dot_all *all;
    gr_dot_product *dot;
    gr_dot_add *add;
} gr_dot_kernels;

extern const gr_dot_kernels *const gr_dot_versions[GR_VERSIONS];
extern const gr_dot_kernels gr_dot_plain; /* the reference */

static inline const gr_dot_kernels *gr_dot_fastest(void)
{
    return gr_dot_versions[gr_versions_here() - 1];
}

#endif
