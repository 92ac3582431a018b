/* SPDX-License-Identifier: Apache-2.0 */
/* A score as a weighted sum of the outputs of nodes that take rows. */
#ifndef GR_EXCHANGE_SCORE_TERMS_H
#define GR_EXCHANGE_SCORE_TERMS_H

#include "model/model.h"

/* The score is constant plus, over the nodes n that take rows and their outputs k, the sum of
 * weights[nodes[n].column + k] times output k of node n. */
typedef struct gr_score_terms {
    double constant;
    double *weights; /* one per output of every node; 0 for nodes that take other nodes */
} gr_score_terms;

/* Finds the weights, or fails with GRADUS_BAD_ARGUMENT and the reason why the score is not a
 * weighted sum. format, holds: for messages ("xgboost-json", "sums of trees"). Free it in any
 * case. */
gradus_status gr_score_terms_build(const gradus_model *model, const char *format, const char *holds,
                                   gr_score_terms *terms, gradus_error *err);
void gr_score_terms_free(gr_score_terms *terms);

/* Fails because a format holds only such models, and the model has something else ("a linear
 * model"). */
gradus_status gr_fail_format(const char *format, const char *holds, const char *found,
                             gradus_error *err);

#endif
