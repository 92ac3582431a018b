/* SPDX-License-Identifier: Apache-2.0 */
/* Passes over the gradients of rows: how large they are, as integers, and their sums. Every version
 * gives the same bits. Rows are listed, or, without a list, are those from `first` on. */
#ifndef GR_KERNELS_ROUNDING_H
#define GR_KERNELS_ROUNDING_H

#include "kernels/versions.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gr_rows {
    const uint32_t *list; /* below 2^31; NULL: first, first + 1, ... */
    size_t first, count;
} gr_rows;

/* Of absolute values. Value i adds to line i % 8 of the sum, and lines are added in their order. */
typedef struct gr_measure {
    double sum, most;
    bool negative; /* one of the values is */
} gr_measure;

/* See gr_row_hash and gr_round_number of learners/tree/rounding.h, which this does. */
typedef struct gr_rounding {
    const float *gradients, *hessians; /* of row 0 on; hessians NULL: 1 each */
    double gradient_scale, hessian_scale;
    uint64_t key;
    uint64_t *words; /* of row 0 on */
} gr_rounding;

typedef struct gr_rounded {
    int64_t gradients, hessians, most; /* sums, and the largest hessian */
} gr_rounded;

/* Values times scales, rounded towards 0, are added up. */
typedef struct gr_summing {
    const float *gradients, *hessians; /* of row 0 on; hessians NULL: not added */
    double gradient_scale, hessian_scale;
} gr_summing;

typedef struct gr_rounding_kernels {
    gr_measure (*measure)(const float *values, const gr_rows *rows);
    gr_rounded (*round)(const gr_rounding *how, const gr_rows *rows);
    void (*sum)(const gr_summing *how, const gr_rows *rows, int64_t *gradients, int64_t *hessians);
} gr_rounding_kernels;

/* The plain version first. */
extern const gr_rounding_kernels *const gr_rounding_versions[GR_VERSIONS];

static inline const gr_rounding_kernels *gr_rounding_here(void)
{
    return gr_rounding_versions[gr_versions_here() - 1];
}

#endif
