/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking by support vectors, to convergence: a linear function that lowers
 *
 *     lambda/2 |w|^2 + the mean over pairs of max(0, 1 - (s_better - s_worse))^2
 *
 * over pairs of rows of a query with different labels, by Newton steps that conjugate gradients
 * solve (Chapelle and Keerthi, 2010), pairs summed in n log n (Kuo, Lee and Lin, 2014).
 *
 * Prices 2/P max(0, 1 - ...) of the pairs are feasible in the dual, and with them the duality gap
 * is |gradient|^2 / (2 lambda): it bounds how far the objective is above its least value. */
#ifndef GR_LEARNERS_RANKSVM_RANKSVM_H
#define GR_LEARNERS_RANKSVM_RANKSVM_H

#include "base/param.h"
#include "data/dataset.h"
#include "learners/linear/linear.h"
#include "learners/sgd/pairs.h"

typedef struct gr_ranksvm_options {
    double gap; /* stop at a gap of this share of the objective */
} gr_ranksvm_options;

extern const gr_param gr_ranksvm_params[];

typedef struct gr_ranksvm_task {
    const gradus_context *context;
    const gradus_dataset *data;
    const gr_problem *problem;
    double lambda; /* above 0 */
    bool by_query; /* each query counts alike, else each pair */
    double gap;
} gr_ranksvm_task;

typedef struct gr_ranksvm_fit {
    double objective, gap, pairs;
    uint64_t steps, products; /* Newton's, and products with the matrix of second derivatives */
    size_t skipped;           /* queries without pairs */
    bool converged;
} gr_ranksvm_fit;

/* weights: one a feature, where to begin and what is found. */
gradus_status gr_ranksvm_train(const gr_ranksvm_task *task, double *weights, gr_ranksvm_fit *fit,
                               gradus_error *err);

/* ---- The pairs, for the solver and its tests ---- */

/* Of each row, over its pairs with s_better - s_worse < 1: how many there are in which it is the
 * better one and the sum of `values` of the others; the same as the worse one. */
typedef struct gr_hinge_sums {
    double better_count, better_sum, worse_count, worse_sum;
} gr_hinge_sums;

/* The rows of one query: places by ascending score, and ranks of labels from 0. */
typedef struct gr_hinge_list {
    size_t count;
    const uint32_t *order; /* places in the list, by ascending score */
    const double *scores;  /* by place */
    const uint32_t *ranks; /* by place: of its label */
    uint32_t levels;
} gr_hinge_list;

/* values and sums by place; tree: 2 x (levels + 1) numbers. */
void gr_hinge_sum(const gr_hinge_list *list, const double *values, gr_hinge_sums *sums,
                  double *tree);

#endif
