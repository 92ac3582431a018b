/* SPDX-License-Identifier: Apache-2.0 */
/* Nets that score: a linear function, or one layer of units with a linear output. Trained by
 * mini-batches of queries, by a loss of lists (losses.h).
 *
 * Values that are not finite count as 0. Weights, units and their slopes are floats; scores,
 * losses, sums over a batch and the state of the optimiser are doubles. */
#ifndef GR_LEARNERS_NET_NET_H
#define GR_LEARNERS_NET_NET_H

#include "base/param.h"
#include "data/dataset.h"
#include "kernels/net.h"
#include "learners/net/losses.h"
#include "objectives/objective.h"

enum { GR_MOST_UNITS = 4096 };

/* Without units: a weight a feature, zeros up to a multiple of GR_UNITS, and the base. With units,
 * `pitch` being their number rounded up to GR_UNITS: features x pitch weights, pitch biases, pitch
 * weights of the output, and the base; what is past the last unit is 0. */
typedef struct gr_net {
    size_t features, units;
    int activation;  /* gr_activation */
    uint64_t rounds; /* passes over the data that made it */
    const float *weights;
    void *own; /* memory of them; NULL: somebody else's */
} gr_net;

static inline size_t gr_net_pitch(size_t units)
{
    return (units + GR_UNITS - 1) / GR_UNITS * GR_UNITS;
}

static inline size_t gr_net_count(size_t features, size_t units)
{
    return units ? (features + 2) * gr_net_pitch(units) + 1 : gr_net_pitch(features) + 1;
}

gradus_status gr_net_copy(const gr_net *from, gr_net *to, gradus_error *err);
void gr_net_free(gr_net *net);
/* Whether the numbers can be those of a net. */
gradus_status gr_net_check(const gr_net *net, gradus_error *err);
/* Of each feature: the sizes of its ways to the output, and how many there are. Either may be
 * NULL. */
void gr_net_importance(const gr_net *net, double *sizes, uint64_t *ways);

/* Bytes that running needs beside, aligned to 64. */
size_t gr_net_scratch(const gr_net *net);
void gr_net_run(const gr_net *net, const float *values, size_t rows, size_t stride, double *scores,
                void *scratch);
/* Writes the scores of the rows of a set. */
gradus_status gr_net_score(const gr_net *net, const gradus_dataset *data, double *scores,
                           gr_pool *pool, gradus_error *err);

enum { GR_ADAM, GR_SGD };

typedef struct gr_net_options {
    uint64_t hidden;
    int activation, optimiser;
    double rate, momentum, decay;
    uint64_t batch; /* queries */
} gr_net_options;

extern const gr_param gr_net_params[];

/* What is trained. Everything outlives the training. */
typedef struct gr_net_task {
    const gradus_context *context;
    const gradus_dataset *data;
    const gr_problem *problem;
    const gr_net_options *options;
    const gr_gains *gains;                 /* that take the place of labels; NULL: none */
    const gr_objective_options *objective; /* sigma, and of lambdarank all */
    gr_list_loss loss;
    uint64_t seed;
    const gr_net *start; /* to go on from; NULL: none */
} gr_net_task;

typedef struct gr_net_training gr_net_training;

gr_net_training *gr_net_training_new(const gr_net_task *task, gradus_error *err);
void gr_net_training_free(gr_net_training *training);
/* A pass over the data. Fails if the weights run away. */
gradus_status gr_net_training_round(gr_net_training *training, gradus_error *err);
/* As it is now; its arrays are the training's, and change with the next round. */
/* Numbers that training goes on from between rounds, beside the net. */
size_t gr_net_state_size(const gr_net_training *training);
void gr_net_save(const gr_net_training *training, double *numbers);
gradus_status gr_net_load(gr_net_training *training, const double *numbers, gradus_error *err);

const gr_net *gr_net_training_net(const gr_net_training *training);
/* The mean loss of the last round, as it was met; NAN if the loss has no value. */
double gr_net_training_loss(const gr_net_training *training);
/* Queries that no order is better for than another. */
size_t gr_net_training_skipped(const gr_net_training *training);

#endif
