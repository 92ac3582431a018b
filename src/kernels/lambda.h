/* The lambdas of one document with all that rank below it: the inner loop of lambdarank. */
#ifndef GR_KERNELS_LAMBDA_H
#define GR_KERNELS_LAMBDA_H

#include "kernels/versions.h"

/* Document i, and `count` documents below it in the order of the scores. Swapping i and j changes
 * the metric by (value - values[j]) * (place + places[j]). */
typedef struct gr_lambda_pairs {
    size_t count;
    double score, value, place;
    const double *scores, *values, *places;
    double sigma;
    double offset, slope;         /* changes are divided by offset + slope * (score - scores[j]) */
    double *gradients, *hessians; /* of the documents below: added to */
} gr_lambda_pairs;

typedef struct gr_lambda_sums {
    double gradient, hessian; /* of document i */
    double size;              /* of all lambdas: the sum of their absolute values */
} gr_lambda_sums;

void gr_lambda_row(const gr_lambda_pairs *pairs, gr_lambda_sums *sums);
extern void (*const gr_lambda_row_versions[GR_MOST_VERSIONS])(const gr_lambda_pairs *,
                                                              gr_lambda_sums *);

#endif
