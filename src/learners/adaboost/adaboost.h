/* SPDX-License-Identifier: Apache-2.0 */
/* AdaBoost.MH (Schapire and Singer, 1999) with the base classifiers of Kégl and Busa-Fekete (2009).
 *
 * A row of level l has the label +1 for l and -1 for the K - 1 others. Each round finds a base
 * classifier h with an output in {-1, +1} for each label and a large edge
 *
 *     gamma = sum over rows and labels of w h y,   alpha = log((1 + gamma) / (1 - gamma)) / 2
 *
 * and multiplies the weights w by e^(-alpha h y) / Z, Z the sum. The product of all Z so far bounds
 * the share of labels (by their first weights) that sum alpha h has on the wrong side.
 *
 *   tree      best leaf first: the split that adds most to the edge, votes of a leaf by sign
 *   product   cuts with opposite sides, each chosen anew with the others held, in turn, until the
 *             edge grows no more
 *   stump     a product of one cut
 *
 * With real-valued leaves a vote is log((W+ + e) / (W- + e)) / 2 over the weights of the leaf, and
 * alpha the largest of the round, by which they are divided.
 *
 * Weights are e^(-y f) times the first ones, taken from f every round with the largest exponent
 * subtracted, so that nothing overflows or drifts over any number of rounds; sums are of whole
 * numbers, 2^60 for all weights. The votes and the data are all the state there is. */
#ifndef GR_LEARNERS_ADABOOST_ADABOOST_H
#define GR_LEARNERS_ADABOOST_ADABOOST_H

#include "base/context.h"
#include "learners/adaboost/votes.h"
#include "objectives/problem.h"

enum { GR_BASE_TREE, GR_BASE_PRODUCT, GR_BASE_STUMP };
enum { GR_LABEL_WEIGHTS_GRADE, GR_LABEL_WEIGHTS_UNIFORM };

typedef struct gr_adaboost_options {
    int base;
    uint64_t terms;    /* of a product */
    bool real;         /* leaves of trees have real values */
    int label_weights; /* at the start */
} gr_adaboost_options;

extern const gr_param gr_adaboost_params[];

typedef struct gr_adaboost_task {
    const gradus_context *context;
    const gradus_dataset *data;
    const gr_problem *problem; /* one output a level */
    const gr_adaboost_options *options;
    const gr_bin_options *bin;
    uint64_t leaves;       /* of a tree at most */
    const gr_votes *start; /* to go on from; NULL: none */
    gr_pool *asked;        /* whether to stop; NULL: the context's */
} gr_adaboost_task;

typedef struct gr_adaboost gr_adaboost;

gr_adaboost *gr_adaboost_new(const gr_adaboost_task *task, gradus_error *err);
void gr_adaboost_free(gr_adaboost *boost);

/* One round. *grew is false if more rounds would bring no more: there is nothing to cut, no edge is
 * left, or the labels are told apart without error. */
gradus_status gr_adaboost_step(gr_adaboost *boost, bool *grew, gradus_error *err);
const gr_votes *gr_adaboost_votes(const gr_adaboost *boost);
/* Sums of alpha h of the training rows, labels x rows. */
const double *gr_adaboost_sums(const gr_adaboost *boost);
/* The edge of the last round's base classifier, and the log of the product of all normalisers: of
 * the bound on the training error. */
double gr_adaboost_edge(const gr_adaboost *boost);
double gr_adaboost_log_bound(const gr_adaboost *boost);
/* After going on from a checkpoint: what both were. Computed anew, the bound has other rounding. */
void gr_adaboost_set_bound(gr_adaboost *boost, double edge, double log_bound);
/* Whether the last base classifier was right of every label that has weight. */
bool gr_adaboost_separated(const gr_adaboost *boost);
double gr_adaboost_preparing(const gr_adaboost *boost); /* seconds */

/* log of the weight that label k of a row of the level begins with, not yet divided by the sum. */
double gr_adaboost_first_weight(const gr_adaboost_options *options, const gr_problem *problem,
                                size_t level, size_t k);

#endif
