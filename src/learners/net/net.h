/* SPDX-License-Identifier: Apache-2.0 */
/* Neural networks that score a row: a linear function, or one hidden layer with a linear output.
 * Trained on mini-batches of queries to minimise a loss over each query's rows (losses.h).
 *
 * Values that are not finite count as 0. Weights, hidden units and gradients per row are floats;
 * scores, losses, sums over a batch and the optimiser's state are doubles.
 *
 * How the files work together: net_train.c draws the batches, runs rows forward and backward
 * through the net (kernels/net_layers.h) and updates the weights; losses.c gives the loss of a
 * query and its gradient in the scores; net.c stores, checks and scores a trained net; net_params.c
 * declares the options. */
#ifndef GR_LEARNERS_NET_NET_H
#define GR_LEARNERS_NET_NET_H

#include "base/param.h"
#include "data/dataset.h"
#include "kernels/net_layers.h"
#include "learners/net/losses.h"
#include "objectives/objective.h"

enum { GR_MAX_UNITS = 4096 };

/* Layout of the weights. Without hidden units: one weight per feature, zeros up to a multiple of
 * GR_UNITS, and the base (output bias). With units, `pitch` being their number rounded up to a
 * multiple of GR_UNITS: [features x pitch] weights, [pitch] biases, [pitch] output weights, and the
 * base; entries past the last unit are 0. */
typedef struct gr_net {
    size_t features, units;
    int activation;  /* gr_activation */
    uint64_t rounds; /* rounds (passes over the data) it was trained for */
    const float *weights;
    void *own; /* the memory of weights; NULL: borrowed */
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
/* Validates the numbers of a net from an untrusted file. */
gradus_status gr_net_check(const gr_net *net, gradus_error *err);
/* Per feature: the sum of |weight| over its paths to the output, and the number of paths that are
 * not 0. Either may be NULL. */
void gr_net_importance(const gr_net *net, double *sizes, uint64_t *ways);

/* Bytes of scratch for gr_net_run, aligned to 64. */
size_t gr_net_scratch(const gr_net *net);
void gr_net_run(const gr_net *net, const float *values, size_t rows, size_t stride, double *scores,
                void *scratch);
/* Scores all rows of a data set. */
gradus_status gr_net_score(const gr_net *net, const gradus_dataset *data, double *scores,
                           gr_pool *pool, gradus_error *err);

enum { GR_ADAM, GR_SGD };

typedef struct gr_net_options {
    uint64_t hidden;
    int activation, optimiser;
    double rate, momentum, decay;
    uint64_t batch; /* queries per step */
} gr_net_options;

extern const gr_param gr_net_params[];

/* The arguments of a training. Everything must outlive it. */
typedef struct gr_net_task {
    const gradus_context *context;
    const gradus_dataset *data;
    const gr_problem *problem;
    const gr_net_options *options;
    const gr_gains *gains;                 /* replace the labels; NULL: labels are used */
    const gr_objective_options *objective; /* sigma; for lambdarank all of it */
    gr_list_loss loss;
    uint64_t seed;
    const gr_net *start; /* warm start; NULL: random weights */
} gr_net_task;

typedef struct gr_net_training gr_net_training;

/* net_train.c */
gr_net_training *gr_net_training_new(const gr_net_task *task, gradus_error *err);
void gr_net_training_free(gr_net_training *training);
/* One pass over the data. Fails if training diverges. */
gradus_status gr_net_training_round(gr_net_training *training, gradus_error *err);
/* State of the optimiser between rounds, besides the net, as an array of numbers for
 * checkpoints. */
size_t gr_net_state_size(const gr_net_training *training);
void gr_net_save(const gr_net_training *training, double *numbers);
gradus_status gr_net_load(gr_net_training *training, const double *numbers, gradus_error *err);

/* The current net. Its arrays belong to the training and change with the next round. */
const gr_net *gr_net_training_net(const gr_net_training *training);
/* The mean loss of the last round, measured before each step; NAN for lambdarank, which has
 * none. */
double gr_net_training_loss(const gr_net_training *training);
/* Number of queries skipped because no order of their rows is better than another. */
size_t gr_net_training_skipped(const gr_net_training *training);

#endif
