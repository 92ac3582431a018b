/* SPDX-License-Identifier: Apache-2.0 */
/* AdaBoost.MH (Schapire and Singer, 1999) with the base classifiers of Kégl and Busa-Fekete (2009).
 *
 * A row of grade l has target y = +1 for label l and -1 for the K - 1 others. Each round finds a
 * base classifier h with an output in {-1, +1} for each label and a large edge
 *
 *     gamma = sum over rows and labels of w h y,   alpha = log((1 + gamma) / (1 - gamma)) / 2
 *
 * and multiplies the weights w by e^(-alpha h y) / Z, where Z normalises their sum. The product of
 * all Z bounds the fraction of labels, by initial weight, that sum alpha h classifies wrongly.
 *
 *   tree      grown best-first: the split that increases the edge most; leaves vote by sign
 *   product   a product of cuts whose sides vote oppositely; each cut in turn is optimised with
 *             the others fixed, until the edge stops growing
 *   stump     a product of one cut
 *
 * With real-valued leaves a vote is log((W+ + e) / (W- + e)) / 2, where W+ and W- are the weights
 * for and against the label in the leaf; votes are divided by the largest of the round, which
 * becomes alpha.
 *
 * With an edge offset theta, alpha is log((1 + gamma) / (1 - gamma) (1 - theta) / (1 + theta)) / 2,
 * and training stops when no edge exceeds theta; votes that do more harm than good may be set to 0
 * (adaboost_abstain.h).
 *
 * Weights are the initial ones times e^(-y f), where f is the sum of alpha h. They are recomputed
 * from f every round, with the largest exponent subtracted, so that nothing overflows or drifts
 * over any number of rounds, and rounded to integers that sum to about 2^60, so that sums are
 * exact. The votes and the data are the complete state of training.
 *
 * How the files work together. adaboost.c runs the rounds: adaboost_weights.c computes the weights,
 * then adaboost_tree.c or adaboost_product.c finds the base classifier with the help of edges.c
 * (histograms of weights and the best cut). adaboost_round.h declares what they share. votes.c
 * stores and evaluates the classifiers found, and adaboost_check.c validates those read from a
 * model file. */
#ifndef GR_LEARNERS_ADABOOST_ADABOOST_H
#define GR_LEARNERS_ADABOOST_ADABOOST_H

#include "base/context.h"
#include "learners/adaboost/votes.h"
#include "objectives/problem.h"

enum { GR_BASE_TREE, GR_BASE_PRODUCT, GR_BASE_STUMP };
enum { GR_LABEL_WEIGHTS_GRADE, GR_LABEL_WEIGHTS_UNIFORM };

typedef struct gr_adaboost_options {
    int base;
    uint64_t terms;    /* maximum cuts of a product */
    bool real;         /* leaves of trees have real-valued votes */
    int label_weights; /* initial weights */
    bool abstain;      /* votes may be 0 (adaboost_abstain.h) */
    double offset;     /* of the edge */
} gr_adaboost_options;

extern const gr_param gr_adaboost_params[];
extern const gr_option_block gr_adaboost_option_block;

typedef struct gr_adaboost_task {
    const gradus_context *context;
    const gradus_dataset *data;
    const gr_problem *problem; /* one output per level */
    const gr_adaboost_options *options;
    const gr_bin_options *bin;
    uint64_t leaves;       /* maximum leaves of a tree */
    const gr_votes *start; /* to resume from; NULL: none */
    gr_pool *asked;        /* checked for cancellation; NULL: the context's pool */
} gr_adaboost_task;

typedef struct gr_adaboost gr_adaboost;

gr_adaboost *gr_adaboost_new(const gr_adaboost_task *task, gradus_error *err);
void gr_adaboost_free(gr_adaboost *boost);

/* Runs one round. *grew becomes false if further rounds would not help: no cut is possible, the
 * edge is 0, or the base classifier makes no error. */
gradus_status gr_adaboost_step(gr_adaboost *boost, bool *grew, gradus_error *err);
const gr_votes *gr_adaboost_votes(const gr_adaboost *boost);
/* The sums of alpha h for the training rows, labels x rows. */
const double *gr_adaboost_sums(const gr_adaboost *boost);
/* The edge of the last round's base classifier, and the log of the bound on the training error (the
 * product of all normalisers Z). */
double gr_adaboost_edge(const gr_adaboost *boost);
double gr_adaboost_log_bound(const gr_adaboost *boost);
/* Restores both after resuming from a checkpoint; recomputing the bound would round differently. */
void gr_adaboost_set_bound(gr_adaboost *boost, double edge, double log_bound);
/* Whether the last base classifier classified every weighted label correctly. */
bool gr_adaboost_separated(const gr_adaboost *boost);
double gr_adaboost_preparing(const gr_adaboost *boost); /* seconds spent on binning */

/* adaboost_weights.c */
/* The log of the initial weight of label k of a row of the given level, before normalisation. */
double gr_adaboost_first_weight(const gr_adaboost_options *options, const gr_problem *problem,
                                size_t level, size_t k);

#endif
