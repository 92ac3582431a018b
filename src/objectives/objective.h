/* SPDX-License-Identifier: Apache-2.0 */
/* An objective is the loss that boosting minimises, given by its gradients and Hessians at the
 * current scores.
 *
 * To add one: write a file objectives/objective_<name>.c that ends in a `const gr_objective`, and
 * add a row to objectives.def. Gradients are those of the loss (a leaf's value is -sum g / (sum h + l2)) and
 * include the weights of rows; Hessians are positive, or 0 for rows that do not matter.
 *
 * How the files work together: problem.h describes the rows, targets and weights. objective_rows.c
 * runs the losses that are sums over rows (the regression losses, logistic, softmax, propodds,
 * orboost) in blocks on all threads; residual_quantile.c computes the leaf values of absolute, huber
 * and quantile. thresholds.c manages the
 * thresholds of propodds and orboost; powers.c sums the exponentials of orboost and pairrank per
 * grade. lambdarank and pairrank have several files each, listed in objective_lambdarank.h and
 * objective_pairrank.h. label_gains.c parses --gain and --label-gain; objective_params.c declares
 * the options. */
#ifndef GR_OBJECTIVES_OBJECTIVE_H
#define GR_OBJECTIVES_OBJECTIVE_H

#include "backend/boost_device.h"
#include "base/param.h"
#include "base/pool.h"
#include "base/table.h"
#include "metrics/convention.h"
#include "objectives/problem.h"

/* A leaf whose value is to be computed. */
typedef struct gr_leaf {
    size_t output;
    const uint32_t *rows;
    size_t count;
    double gradients, hessians; /* sums over the rows */
    const double *scores;       /* [row], of the output, before this tree */
    double l2;
} gr_leaf;

/* The thresholds that enter a row's loss: those adjacent to its grade, or all. */
typedef enum gr_orboost_form { GR_ORBOOST_LEFT_RIGHT, GR_ORBOOST_ALL } gr_orboost_form;

typedef struct gr_orboost_options {
    int form; /* gr_orboost_form */
} gr_orboost_options;

enum { GR_PAIRS_WITHIN_QUERY, GR_PAIRS_WITHIN_ALL };
enum { GR_PAIR_EXPONENTIAL, GR_PAIR_LOGISTIC };

typedef struct gr_pairrank_options {
    int within; /* GR_PAIRS_*: which rows are compared */
    int loss;
    bool plain; /* without the extra terms of Theorem 4 */
} gr_pairrank_options;

typedef struct gr_loss_options {
    double delta;    /* huber: residuals beyond this count linearly */
    double quantile; /* quantile: the fraction of rows below the score */
} gr_loss_options;

/* Parameters of all objectives; each reads its own. */
typedef struct gr_objective_options {
    int lambda_metric;     /* lambdarank: ndcg, err, map */
    uint64_t lambda_depth; /* cutoff of that metric; 0: the whole list */
    uint64_t truncation;   /* pairs need a document in the first N ranks; 0: all pairs */
    double sigma;          /* slope of the logistic loss of a pair */
    int normalise;         /* lambdarank: GR_LAMBDA_PLAIN or GR_LAMBDA_BY_QUERY */
    gr_gains gains;        /* gains in NDCG; set by the caller from --gain and --label-gain */
    double max_grade;      /* K of ERR's stop probabilities; set by the caller from the data */
    void *custom;          /* passed to a caller-defined objective; not a parameter */
    gr_orboost_options orboost;
    gr_pairrank_options pairrank;
    gr_loss_options loss;
    /* [levels x levels]: cost of ranking a document of the column's grade below one of the row's
     * grade; set by the caller. */
    const double *pair_costs;
    /* [sets x (levels - 1)]: thresholds of the model that training resumes from; NULL: none. */
    const double *thresholds;
    size_t threshold_sets;
} gr_objective_options;

extern const gr_param gr_objective_params[];
extern const gr_option_block gr_objective_option_block;
extern const gr_param gr_orboost_params[];
extern const gr_param gr_pairrank_params[];
extern const gr_param gr_loss_params[]; /* those of all regression losses */

/* objective_orboost.c */
/* orboost: the loss of a row of level l is e^(log_up[l] - f) + e^(f + log_down[l]). */
void gr_orboost_terms(const double *thresholds, size_t levels, gr_orboost_form form, double *log_up,
                      double *log_down);

typedef struct gr_objective {
    gr_about about;
    /* true: splits minimise the squared error of the negative gradients, and Hessians are used only
     * for leaf values, as in McRank; false: splits are those of Newton boosting. */
    bool searches_by_weight;
    /* Names of options that only this regression loss reads, separated by spaces: an error with
     * another --loss. NULL: none. */
    const char *reads;
    bool unit;     /* all Hessians are 1 if there are no row and level weights */
    bool residual; /* in that case gradients are score - target */
    /* Validates the problem and creates a state, or sets it to NULL. */
    gradus_status (*begin)(const gr_problem *problem, const gr_objective_options *options,
                           gr_pool *pool, void **state, gradus_error *err);
    void (*end)(void *state); /* frees the state; NULL: nothing to free */
    /* bases[k]: the initial score of all rows in output k. NULL: all 0. */
    void (*bases)(const void *state, const gr_problem *problem, double *bases);
    /* The same for objectives that start at 0 but can start at the best constant scores instead
     * (--boost-from-average). NULL: they cannot. */
    void (*average)(const void *state, const gr_problem *problem, double *bases);
    /* Fills gradients and Hessians ([outputs x rows]) at the given scores ([outputs x rows]).
     * Bit-identical for any number of threads. pool: that of begin(), or one with fewer threads. */
    gradus_status (*gradients)(void *state, const gr_problem *problem, const double *scores,
                               float *gradients, float *hessians, gr_pool *pool, gradus_error *err);
    /* The value of a leaf; NULL: -gradients / (hessians + l2), 0 where that is 0 / 0. Has no side
     * effects, so that leaves can be computed in parallel. */
    double (*leaf)(const void *state, const gr_problem *problem, const gr_leaf *leaf);
    /* leaf() needs the rows, which are then ascending, and scores, not only their sums */
    bool leaf_reads_rows;
    /* The mean loss: the weighted sum over rows and outputs divided by the number of rows; `rows`
     * times its derivatives are the gradients. For tests and learning curves. NULL: there is no
     * loss (lambdarank). */
    double (*loss)(const void *state, const gr_problem *problem, const double *scores);
    /* For losses with thresholds besides their single output: the state's thresholds, [levels - 1],
     * which a driver records after each round or sets when it resumes from a model. NULL: no
     * thresholds. */
    double *(*thresholds)(void *state);
    /* Optimises the thresholds at the given scores: called at the start (unless they were set) and
     * after each round. *separated: the grades are perfectly separated, and further training could
     * only scale up the scores. NULL: nothing to do. */
    gradus_status (*fit_thresholds)(void *state, const gr_problem *problem, const double *scores,
                                    gr_pool *pool, bool *separated, gradus_error *err);
    /* Line search: the factor of a step ([row], single output) that minimises the loss. NULL: 1. */
    gradus_status (*line_search)(void *state, const gr_problem *problem, const double *scores,
                                 const double *steps, gr_pool *pool, double *share,
                                 gradus_error *err);
    /* Describes the loss and its problem to a device; false: the processor computes the gradients.
     * NULL: it always does. */
    bool (*describe)(const void *state, const gr_problem *problem, gr_device_problem *described);
    /* For losses with thresholds that describe() knows: [levels x GR_DEVICE_LEVEL_NUMBERS] at the
     * current thresholds. */
    void (*level_numbers)(const void *state, double *numbers);
    /* line_search() applies to trees too; otherwise only to learners with one weight per step. */
    bool searches_trees;
} gr_objective;

#define GR_OBJECTIVE(name) extern const gr_objective gr_objective_##name;
#include "objectives/objectives.def"

/* The regression losses of objectives.def, in its order. */
enum {
    GR_REGRESSION_LOSSES = 0
#define GR_REGRESSION_LOSS(name) +1
#include "objectives/objectives.def"
};
extern const gr_objective *const gr_regression_losses[GR_REGRESSION_LOSSES];

/* objectives.c */
const gr_about *gr_objectives_at(size_t index); /* NULL: past the end */
const gr_objective *gr_objective_find(const char *name);

#endif
