/* SPDX-License-Identifier: Apache-2.0 */
/* A model whose score is a sum of trees, as one forest with a single output. */
#ifndef GR_EXCHANGE_TREE_SUM_H
#define GR_EXCHANGE_TREE_SUM_H

#include "learners/forest/forest.h"
#include "model/model.h"

/* Methods whose models are sums of trees with default options, for gr_format.methods. */
#define GR_TREE_SUM_METHODS "lambdamart regression cocr propodds orboost pairrank rankboost"

enum { GR_BASE_TREES = 3 }; /* floats that hold a double */

/* The score is base plus, over the trees t, weights[t] times the leaf value of the row. Features are
 * raw: a transform of the model has moved into the thresholds, which a float compares with exactly as
 * the transformed value with the original threshold. */
typedef struct gr_tree_sum {
    double base;
    gr_forest forest; /* outputs 1, bases[0] 0; thresholds may be -INFINITY or INFINITY */
    double *weights;  /* one per tree, and space for GR_BASE_TREES more */
    bool weighted;    /* not all weights are 1 */
} gr_tree_sum;

/* Builds the sum, or fails with GRADUS_BAD_ARGUMENT and the reason why the score is not a sum of
 * trees: "'softmax scores' cannot be ...". format: name for messages. Holds models with one
 * output, sums of outputs (cocr), and weighted sums of such models. Free it in any case. */
gradus_status gr_tree_sum_build(const gradus_model *model, const char *format, gr_tree_sum *sum,
                                gradus_error *err);
/* Turns the base into trees of one leaf before the others, for formats or consumers without a base:
 * one tree of the leaf 1, weighted by the base; or, if floats, as many floats as it takes for their
 * sum, in double, to be the base. Afterwards there is at least one tree. model: of the sum. */
gradus_status gr_tree_sum_fold_base(gr_tree_sum *sum, const gradus_model *model, bool floats,
                                    gradus_error *err);
void gr_tree_sum_free(gr_tree_sum *sum);

#endif
