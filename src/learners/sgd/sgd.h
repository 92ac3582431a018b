/* SPDX-License-Identifier: Apache-2.0 */
/* Combined regression and ranking by stochastic gradients (Sculley, 2010): linear models that lower
 *
 *     alpha L(D) + (1 - alpha) L(P) + beta L(Q) + lambda/2 |w|^2
 *
 * where D are the rows, P the pairs of rows of one query with different labels, as differences of
 * the two, and Q the queries with such pairs, as lists. L is the mean over them of half the squared
 * error, of the logistic loss or of the hinge loss; of lists the cross-entropy of softmax(labels)
 * and softmax(scores). A step draws a row (with probability alpha), a pair or a list, and goes
 * against the gradient of its loss. The constant feature 1 has the bias as its weight, which is
 * regularised like the rest. Values that are not finite count as 0. */
#ifndef GR_LEARNERS_SGD_SGD_H
#define GR_LEARNERS_SGD_SGD_H

#include "base/param.h"
#include "data/dataset.h"
#include "learners/linear/linear.h"
#include "objectives/problem.h"

typedef enum gr_sgd_loss { GR_SGD_SQUARED, GR_SGD_LOGISTIC, GR_SGD_HINGE } gr_sgd_loss;

enum { GR_STEPS_PEGASOS, GR_STEPS_CONSTANT, GR_STEPS_SQRT, GR_STEPS_ADAGRAD };
enum { GR_PAIRS_EXACT, GR_PAIRS_BY_QUERY };
enum { GR_SGD_FLOAT, GR_SGD_DOUBLE };

typedef struct gr_sgd_options {
    const char *alpha, *lambda; /* numbers, or lists of them: a grid */
    uint64_t steps;             /* of each model, of all its shards together */
    int rule;                   /* GR_STEPS_*: how long steps are */
    double step_size;           /* of all rules but pegasos */
    bool average, no_projection;
    int sampling;  /* GR_PAIRS_* */
    int precision; /* GR_SGD_FLOAT or _DOUBLE */
    double l1;
    double listwise;    /* beta */
    uint64_t shards;    /* 0: by the number of steps */
    uint64_t hash_bits; /* 0: none */
    uint64_t landmarks; /* 0: none */
    bool one_vs_all;
} gr_sgd_options;

extern const gr_param gr_sgd_params[];

/* What is trained. Everything outlives the training. */
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
/* The next of the rounds that the steps are cut into. Fails if the weights run away. */
gradus_status gr_sgd_round(gr_sgd *sgd, gradus_error *err);
uint64_t gr_sgd_rounds(const gr_sgd *sgd); /* done */
/* Steps taken by all models together, those before loading left out. */
uint64_t gr_sgd_steps(const gr_sgd *sgd);

/* Models of the grid; each has the outputs of the problem. */
size_t gr_sgd_models(const gr_sgd *sgd);
/* Numbers that training goes on from, between rounds. */
size_t gr_sgd_state_size(const gr_sgd *sgd);
void gr_sgd_save(const gr_sgd *sgd, double *numbers);
void gr_sgd_load(gr_sgd *sgd, uint64_t rounds, const double *numbers);

/* Its alpha and lambda. */
void gr_sgd_model(const gr_sgd *sgd, size_t model, double *alpha, double *lambda);
/* The equations of a model now. */
gradus_status gr_sgd_linear(const gr_sgd *sgd, size_t model, gr_linear *linear, gradus_error *err);

#endif
