/* SPDX-License-Identifier: Apache-2.0 */
/* Passes over the gradients of rows for gradient quantisation (learners/tree/quantize.h): measuring
 * their size, rounding them to integers, and summing them exactly. Every version gives the same
 * bits. */
#ifndef GR_KERNELS_ROUNDING_H
#define GR_KERNELS_ROUNDING_H

#include "kernels/versions.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gr_rows {
    const uint32_t *list; /* below 2^31; NULL: first, first + 1, ... */
    size_t first, count;
} gr_rows;

/* Sum and maximum of absolute values. Value i is added to partial sum i % 8; the eight partial sums
 * are added in order. */
typedef struct gr_extent {
    double sum, most;
    bool negative; /* some value is negative */
} gr_extent;

/* Rounds as gr_row_hash and gr_round_number of kernels/keyed_rounding.h do. */
typedef struct gr_rounding {
    const float *gradients, *hessians; /* indexed by row; hessians NULL: all 1 */
    double gradient_scale, hessian_scale;
    uint64_t key;
    uint64_t *words; /* output, indexed by row */
    uint64_t first;  /* the number of row 0 in the hash: not 0 on one of several processes */
} gr_rounding;

typedef struct gr_rounded {
    int64_t gradients, hessians, most; /* the sums, and the largest hessian */
} gr_rounded;

/* Sums values times scale, each truncated to an integer. */
typedef struct gr_summing {
    const float *gradients, *hessians; /* indexed by row; hessians NULL: not summed */
    double gradient_scale, hessian_scale;
} gr_summing;

typedef struct gr_rounding_kernels {
    gr_extent (*measure)(const float *values, const gr_rows *rows);
    gr_rounded (*round)(const gr_rounding *how, const gr_rows *rows);
    void (*sum)(const gr_summing *how, const gr_rows *rows, int64_t *gradients, int64_t *hessians);
} gr_rounding_kernels;

GR_KERNEL_VERSIONS(rounding, gr_rounding_kernels)

#endif
