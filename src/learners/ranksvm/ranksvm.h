/* SPDX-License-Identifier: Apache-2.0 */
/* Linear RankSVM with the squared hinge loss, solved to convergence: minimises
 *
 *     lambda/2 |w|^2 + mean over pairs of max(0, 1 - (s_better - s_worse))^2
 *
 * over pairs of rows of one query with different labels. Newton steps are solved by conjugate
 * gradients (Chapelle and Keerthi 2010); sums over the pairs of n rows take O(n log n) (Kuo, Lee
 * and Lin 2014).
 *
 * The values 2/P max(0, 1 - ...) of the P pairs are dual feasible, and with them the duality gap is
 * |gradient|^2 / (2 lambda), which bounds the distance of the objective from its minimum.
 *
 * How the files work together: newton.c iterates; each gradient and each product with the Hessian
 * sums over the pairs of every query (hinge.c) and multiplies by the data matrix or its transpose
 * (ranksvm_rows.c). */
#ifndef GR_LEARNERS_RANKSVM_RANKSVM_H
#define GR_LEARNERS_RANKSVM_RANKSVM_H

#include "base/param.h"
#include "data/dataset.h"
#include "learners/linear/linear.h"
#include "learners/sgd/sgd_pairs.h"

typedef struct gr_ranksvm_options {
    double gap; /* stop when the gap is this fraction of the objective */
} gr_ranksvm_options;

extern const gr_param gr_ranksvm_params[];

typedef struct gr_ranksvm_task {
    const gradus_context *context;
    const gradus_dataset *data;
    const gr_problem *problem;
    double lambda; /* positive */
    bool by_query; /* true: queries have equal weight; false: pairs do */
    double gap;
} gr_ranksvm_task;

typedef struct gr_ranksvm_fit {
    double objective, gap, pairs;
    uint64_t steps, products; /* Newton steps; products with the Hessian */
    size_t skipped;           /* queries without pairs */
    bool converged;
} gr_ranksvm_fit;

/* newton.c */
/* weights: [features], the starting point and the result. */
gradus_status gr_ranksvm_train(const gr_ranksvm_task *task, double *weights, gr_ranksvm_fit *fit,
                               gradus_error *err);

/* ---- Sums over pairs, for the solver and its tests ---- */

/* Sums for one row over its active pairs, those with s_better - s_worse < 1: the number of pairs in
 * which it is the better row and the sum of `values` of their worse rows; the same for the pairs in
 * which it is the worse row. */
typedef struct gr_hinge_sums {
    double better_count, better_sum, worse_count, worse_sum;
} gr_hinge_sums;

/* The rows of one query. A place is an index into the list. */
typedef struct gr_hinge_list {
    size_t count;
    const uint32_t *order; /* [count]: places by ascending score */
    const double *scores;  /* [place] */
    const uint32_t *ranks; /* [place]: rank of its label among the query's labels, from 0 */
    uint32_t levels;
} gr_hinge_list;

/* hinge.c */
/* values, sums: [place]; tree: scratch of 2 x (levels + 1) numbers. */
void gr_hinge_sum(const gr_hinge_list *list, const double *values, gr_hinge_sums *sums,
                  double *tree);

#endif
