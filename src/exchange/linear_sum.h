/* SPDX-License-Identifier: Apache-2.0 */
/* A model whose score is one linear function of its (possibly transformed) features. */
#ifndef GR_EXCHANGE_LINEAR_SUM_H
#define GR_EXCHANGE_LINEAR_SUM_H

#include "data/transform.h"
#include "model/model.h"

/* Methods whose models are linear functions with default options, for gr_format.methods. */
#define GR_LINEAR_SUM_METHODS "ranksvm adarank-map adarank-ndcg coordinate-ascent"

/* The score is intercept plus the sum over f of coefficients[f] * z[f], where z[f] is the feature
 * after the model's transform, and fill[f] in place of a missing or non-finite value. */
typedef struct gr_linear_sum {
    size_t features;
    double intercept;
    double *coefficients;
    double *fill;
    const gr_fitted_transform *transform; /* of the model; NULL: none */
} gr_linear_sum;

/* Builds the function, or fails with GRADUS_BAD_ARGUMENT and the reason. Free it in any case. */
gradus_status gr_linear_sum_build(const gradus_model *model, const char *format, gr_linear_sum *sum,
                                  gradus_error *err);
void gr_linear_sum_free(gr_linear_sum *sum);

#endif
