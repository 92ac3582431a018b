/* SPDX-License-Identifier: Apache-2.0 */
/* The lambdas of one document with all documents ranked below it: the inner loop of LambdaRank. */
#ifndef GR_KERNELS_LAMBDA_H
#define GR_KERNELS_LAMBDA_H

#include "kernels/versions.h"

#include <stdbool.h>

/* A document, and those ranked below it, which are items first to end - 1 of the arrays, with
 * descending scores. Swapping it with j changes the metric by (value - values[j]) * (place +
 * places[j]). Arrays are aligned to 64 bytes and padded to a multiple of GR_LAMBDA_STEP with any
 * content. |score| is at most GR_LAMBDA_FAR. */
typedef struct gr_lambda_pairs {
    size_t first, end;
    float score, value, place;
    const float *scores, *values, *places;
    float sigma;
    float offset, slope;         /* changes are divided by offset + slope * (score - scores[j]) */
    float *gradients, *hessians; /* of the documents below; added to */
} gr_lambda_pairs;

enum { GR_LAMBDA_STEP = 16 };
#define GR_LAMBDA_FAR 0x1p100

typedef struct gr_lambda_sums {
    double gradient, hessian; /* of the document */
    double size;              /* the sum of |lambda| over the pairs */
} gr_lambda_sums;

typedef void gr_lambda_kernel(const gr_lambda_pairs *pairs, gr_lambda_sums *sums);

typedef struct gr_lambda_kernels {
    gr_lambda_kernel *row;
} gr_lambda_kernels;

GR_KERNEL_VERSIONS(lambda, gr_lambda_kernels)

#endif
