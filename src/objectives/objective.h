/* SPDX-License-Identifier: Apache-2.0 */
/* What boosting lowers: a loss, through its gradients and hessians at the scores so far.
 *
 * To add one: a file objectives/<name>.c that ends in a `const gr_objective`, and a row in
 * objectives.def. Gradients are those of the loss (so a leaf's value is -sum g / (sum h + l2)), the
 * weights of rows in them; hessians are positive, or 0 where the row does not matter. */
#ifndef GR_OBJECTIVES_OBJECTIVE_H
#define GR_OBJECTIVES_OBJECTIVE_H

#include "base/param.h"
#include "base/pool.h"
#include "base/table.h"
#include "metrics/convention.h"
#include "objectives/problem.h"

/* A leaf whose value is wanted. */
typedef struct gr_leaf {
    size_t output;
    const uint32_t *rows;
    size_t count;
    double gradients, hessians; /* sums over the rows */
    const double *scores;       /* of the output, before the tree */
    double l2;
} gr_leaf;

/* Which thresholds a row is held against: those next to its grade, or all. */
typedef enum gr_orboost_form { GR_ORBOOST_LEFT_RIGHT, GR_ORBOOST_ALL } gr_orboost_form;

typedef struct gr_orboost_options {
    int form; /* gr_orboost_form */
} gr_orboost_options;

enum { GR_PAIRS_WITHIN_QUERY, GR_PAIRS_WITHIN_ALL };
enum { GR_PAIR_EXPONENTIAL, GR_PAIR_LOGISTIC };

typedef struct gr_pairrank_options {
    int within; /* rows that are compared: of a query, or all */
    int loss;
    bool plain; /* without the extra terms */
} gr_pairrank_options;

/* Parameters of all objectives; each reads its own. */
typedef struct gr_objective_options {
    int lambda_metric;     /* lambdarank: ndcg, err, map */
    uint64_t lambda_depth; /* k of the metric that deltas are of; 0: the whole list */
    uint64_t truncation;   /* pairs have one document among the first so many; 0: all pairs */
    double sigma;          /* steepness of the pair's logistic */
    int normalise;         /* lambdarank: how the lambdas of a query are scaled */
    gr_gains gains;        /* of labels in NDCG; set by the caller from --gain and --label-gain */
    double max_grade;      /* of ERR's stop probabilities; set by the caller from the data */
    void *custom;          /* what an objective of the caller's works with; not a parameter */
    gr_orboost_options orboost;
    gr_pairrank_options pairrank;
    const double *pair_costs; /* levels x levels: of ranking the column's under the row's; set by
                                 the caller from the cost */
    const double *thresholds; /* of a model that is gone on from, sets x (levels - 1); NULL: none */
    size_t threshold_sets;
} gr_objective_options;

extern const gr_param gr_objective_params[];
extern const gr_param gr_orboost_params[];
extern const gr_param gr_pairrank_params[];

/* The loss of orboost for a row of each level is e^(log_up - f) + e^(f + log_down). */
void gr_orboost_terms(const double *thresholds, size_t levels, gr_orboost_form form, double *log_up,
                      double *log_down);

typedef struct gr_objective {
    gr_about about;
    /* Splits minimise the squared error of the negative gradients (hessians only give the values of
     * leaves), as in McRank; else splits are those of Newton's method. */
    bool searches_by_weight;
    bool unit; /* without row and level weights, all hessians are 1 */
    /* Checks the problem and makes a state, or leaves it NULL. */
    gradus_status (*begin)(const gr_problem *problem, const gr_objective_options *options,
                           gr_pool *pool, void **state, gradus_error *err);
    void (*end)(void *state); /* NULL: nothing to end */
    /* The score every row starts with, one an output. */
    void (*bases)(const void *state, const gr_problem *problem, double *bases);
    /* Fills gradients and hessians (outputs x rows) at scores (outputs x rows). The same bits for
     * any number of threads. pool: that of begin, or one of fewer threads. */
    gradus_status (*gradients)(void *state, const gr_problem *problem, const double *scores,
                               float *gradients, float *hessians, gr_pool *pool, gradus_error *err);
    /* The value of a leaf; NULL: -gradients / (hessians + l2), 0 where that is 0 / 0. Changes
     * nothing, so that leaves can be computed on several threads. */
    double (*leaf)(const void *state, const gr_problem *problem, const gr_leaf *leaf);
    /* The mean loss at scores: the sum over rows and outputs, with their weights, divided by the
     * number of rows, so that `rows` times its derivatives are the gradients. For tests and
     * curves. NULL if there is none (lambdarank). */
    double (*loss)(const void *state, const gr_problem *problem, const double *scores);
    /* Of losses with thresholds beside their one output: where the state has them, levels - 1, for
     * a driver to keep, or to set when it goes on from a model. NULL: none. */
    double *(*thresholds)(void *state);
    /* Moves the thresholds to where they are best at the scores: called once at the start (unless
     * they were set) and after each round. *separated: the grades are told apart without doubt, so
     * that scores could only grow without end. NULL: nothing to move. */
    gradus_status (*settle)(void *state, const gr_problem *problem, const double *scores,
                            gr_pool *pool, bool *separated, gradus_error *err);
    /* How much of a step (one a row, of the one output) lowers the loss most: a line search. NULL:
     * all of it. */
    gradus_status (*stretch)(void *state, const gr_problem *problem, const double *scores,
                             const double *steps, gr_pool *pool, double *share, gradus_error *err);
    bool stretches_trees; /* else only steps of learners with one weight a step are stretched */
} gr_objective;

#define GR_OBJECTIVE(name) extern const gr_objective gr_objective_##name;
#include "objectives/objectives.def"
#undef GR_OBJECTIVE

const gr_about *gr_objectives_at(size_t index); /* NULL past the last */
const gr_objective *gr_objective_find(const char *name);

#endif
