/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of a row with weights, and adding a multiple of a row to weights (axpy): the inner
 * loops of stochastic gradient descent. Every version gives the same bits: feature i of a dense row
 * belongs to lane i % L (L = 16 for float weights, 8 for double), and lanes are added by halving.
 * No product is fused with a sum. */
#ifndef GR_KERNELS_AXPY_H
#define GR_KERNELS_AXPY_H

#include "kernels/versions.h"

#include <stdint.h>

/* A row: dense (columns NULL; value i belongs to feature i), or sparse with distinct columns. */
typedef struct gr_row_values {
    const float *values;
    const uint32_t *columns; /* below 2^31 */
    size_t count;
} gr_row_values;

enum { GR_FLOAT_LANES = 16, GR_DOUBLE_LANES = 8, GR_SPARSE_LANES = 8 };

/* dot: the sum of value times weight. dot_pair: the same for row a minus row b, both dense. add:
 * weights += factor * row; returns the increase of the sum of squared weights. careful_*: values
 * that are not finite count as 0. */
#define GR_ROW_KERNELS(name, real)                                                                 \
    typedef struct name {                                                                          \
        real (*dot)(const float *row, const real *weights, size_t count);                          \
        real (*dot_pair)(const float *a, const float *b, const real *weights, size_t count);       \
        real (*add)(const float *row, real factor, real *weights, size_t count);                   \
        real (*add_pair)(const float *a, const float *b, real factor, real *weights,               \
                         size_t count);                                                            \
        real (*careful_dot)(const float *row, const real *weights, size_t count);                  \
        real (*careful_dot_pair)(const float *a, const float *b, const real *weights,              \
                                 size_t count);                                                    \
        real (*careful_add)(const float *row, real factor, real *weights, size_t count);           \
        real (*careful_add_pair)(const float *a, const float *b, real factor, real *weights,       \
                                 size_t count);                                                    \
        real (*sparse_dot)(const gr_row_values *row, const real *weights);                         \
        real (*sparse_add)(const gr_row_values *row, real factor, real *weights);                  \
    } name

GR_ROW_KERNELS(gr_float_rows, float);
GR_ROW_KERNELS(gr_double_rows, double);

/* The plain versions, which are the reference, come first. */
extern const gr_float_rows *const gr_float_rows_versions[GR_VERSIONS];
extern const gr_double_rows *const gr_double_rows_versions[GR_VERSIONS];

#endif
