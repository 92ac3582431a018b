/* SPDX-License-Identifier: Apache-2.0 */
/* The lambdas of one document with all that rank below it: the inner loop of lambdarank. */
#ifndef GR_KERNELS_LAMBDA_H
#define GR_KERNELS_LAMBDA_H

#include "kernels/versions.h"

/* A document, and those below it in the order of the scores: places first to end - 1 of the arrays.
 * Swapping it with j changes the metric by (value - values[j]) * (place + places[j]). Arrays are
 * aligned to 64 bytes and go on to a multiple of GR_LAMBDA_STEP, whatever they hold there. Scores
 * are at most GR_LAMBDA_FAR from 0. */
typedef struct gr_lambda_pairs {
    size_t first, end;
    float score, value, place;
    const float *scores, *values, *places;
    float sigma;
    float offset, slope;         /* changes are divided by offset + slope * (score - scores[j]) */
    float *gradients, *hessians; /* of the documents below: added to */
} gr_lambda_pairs;

enum { GR_LAMBDA_STEP = 16 };
#define GR_LAMBDA_FAR 0x1p100

typedef struct gr_lambda_sums {
    double gradient, hessian; /* of the document */
    double size;              /* of all lambdas: the sum of their absolute values */
} gr_lambda_sums;

typedef void gr_lambda_kernel(const gr_lambda_pairs *pairs, gr_lambda_sums *sums);
extern gr_lambda_kernel *const gr_lambda_kernels[GR_VERSIONS];

#endif
