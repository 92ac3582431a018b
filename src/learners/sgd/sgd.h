/* SPDX-License-Identifier: Apache-2.0 */
/* Combined regression and ranking (CRR, Sculley 2010): linear models trained by stochastic gradient
 * descent (SGD) to minimise
 *
 *     alpha L(D) + (1 - alpha) L(P) + beta L(Q) + lambda/2 |w|^2
 *
 * D are the rows. P are the pairs of rows of one query with different labels, each represented by
 * the difference of its two rows. Q are the queries with such pairs. L is a mean: over D and P of
 * half the squared error, the logistic loss or the hinge loss; over Q of the cross-entropy between
 * softmax(labels) and softmax(scores). Each step draws a row (with probability alpha), a pair or a
 * list and moves against the gradient of its loss. The bias is the weight of a constant feature 1
 * and is regularised like the others. Values that are not finite count as 0.
 *
 * How the files work together: sgd.c sets up the training (sgd_state.h) and runs its rounds;
 * several shards of a round run in parallel and are averaged. sgd_draw.c selects the row, pair or
 * list of each step, with counter-based random numbers (sgd_random.h) and, for pairs, the sampler
 * of sgd_pairs.c. sgd_walk.c takes the steps; it includes sgd_walk_body.h (one step size for all
 * weights) and adagrad_body.h (one per weight) once for float and once for double weights.
 * sgd_save.c converts the state to and from the numbers of a checkpoint. hashed.c scores models
 * with hashed features. */
#ifndef GR_LEARNERS_SGD_SGD_H
#define GR_LEARNERS_SGD_SGD_H

#include "base/param.h"
#include "data/dataset.h"
#include "learners/linear/linear.h"
#include "objectives/problem.h"

typedef enum gr_sgd_loss { GR_SGD_SQUARED, GR_SGD_LOGISTIC, GR_SGD_HINGE } gr_sgd_loss;

enum { GR_STEPS_PEGASOS, GR_STEPS_CONSTANT, GR_STEPS_SQRT, GR_STEPS_ADAGRAD, GR_STEPS_INVERSE };
enum { GR_PAIRS_EXACT, GR_PAIRS_BY_QUERY };
enum { GR_SGD_FLOAT, GR_SGD_DOUBLE };

typedef struct gr_sgd_options {
    const char *alpha, *lambda; /* a number or a list; lists span a grid of models */
    uint64_t steps;             /* per model, all shards together */
    int rule;                   /* GR_STEPS_*: step size schedule */
    double step_size;           /* for all rules except pegasos */
    bool average, no_projection;
    int sampling;  /* GR_PAIRS_* */
    int precision; /* GR_SGD_FLOAT or _DOUBLE */
    double l1;
    double listwise;    /* beta */
    uint64_t shards;    /* 0: chosen by the number of steps */
    uint64_t hash_bits; /* 0: none */
    uint64_t landmarks; /* 0: none */
    bool one_vs_all;
} gr_sgd_options;

extern const gr_param gr_sgd_params[];
extern const gr_option_block gr_sgd_option_block;

/* The arguments of a training. Everything must outlive it. */
typedef struct gr_sgd_task {
    const gradus_context *context;
    const gradus_dataset *data;
    const gr_problem *problem;
    const gr_sgd_options *options;
    gr_sgd_loss loss;
    uint64_t seed, rounds;
} gr_sgd_task;

typedef struct gr_sgd gr_sgd;

gr_sgd *gr_sgd_new(const gr_sgd_task *task, gradus_error *err);
void gr_sgd_free(gr_sgd *sgd);
/* Runs the next round: 1 / rounds of the steps. Fails if training diverges. */
gradus_status gr_sgd_round(gr_sgd *sgd, gradus_error *err);
uint64_t gr_sgd_rounds(const gr_sgd *sgd); /* completed */
/* Steps taken by all models together since creation; those before gr_sgd_load do not count. */
uint64_t gr_sgd_steps(const gr_sgd *sgd);

/* Number of models in the grid; each has the problem's outputs. */
size_t gr_sgd_models(const gr_sgd *sgd);

/* sgd_save.c */
/* State of the training between rounds as an array of numbers, for checkpoints. */
size_t gr_sgd_state_size(const gr_sgd *sgd);
void gr_sgd_save(const gr_sgd *sgd, double *numbers);
void gr_sgd_load(gr_sgd *sgd, uint64_t rounds, const double *numbers);

/* sgd.c */
/* alpha and lambda of a model of the grid. */
void gr_sgd_model(const gr_sgd *sgd, size_t model, double *alpha, double *lambda);
/* The current weights of a model. */
gradus_status gr_sgd_linear(const gr_sgd *sgd, size_t model, gr_linear *linear, gradus_error *err);

#endif
