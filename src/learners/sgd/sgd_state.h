/* SPDX-License-Identifier: Apache-2.0 */
/* State of a training: one equation per output of each model of the grid. Each equation has one
 * walk per shard, an independent SGD run; the walks are averaged at the end of every round. */
#ifndef GR_LEARNERS_SGD_SGD_STATE_H
#define GR_LEARNERS_SGD_SGD_STATE_H

#include "kernels/axpy.h"
#include "learners/sgd/hashed.h"
#include "learners/sgd/sgd_pairs.h"
#include "learners/sgd/sgd.h"

/* CHUNK: steps drawn together. AHEAD: how many steps ahead rows are prefetched. */
enum { GR_SGD_CHUNK = 128, GR_SGD_AHEAD = 16 };

/* Weights are scale * v, so that shrinking them all is one multiplication. Arrays hold floats or
 * doubles, depending on the precision, padded to whole strips. Between rounds scale is 1 and no
 * update is pending. */
typedef struct gr_walk {
    void *v;
    double bias, scale;
    double norm; /* |v|^2 + bias^2 */
    /* Averaging: the sum of the weights after each step is sums + scale_sum * v - u, which changes
     * only where v does. */
    void *u;
    double *sums; /* [features + 1], bias last; NULL: no averaging */
    double bias_u, scale_sum;
    uint64_t averaged; /* number of steps in the sum */
    /* AdaGrad: sums of squared gradients. */
    void *squares; /* [features]; NULL: another step rule */
    double bias_squares;
    double pull;      /* pending L1 shrinkage, in units of v */
    uint64_t waiting; /* AdaGrad: steps with pending regularisation */
    uint64_t steps;
    bool lost; /* the weights are no longer finite */
} gr_walk;

typedef struct gr_equation {
    double alpha, lambda;
    bool of_label; /* one-vs-all: the target is whether the row has `label` */
    float label;
    const gr_sgd_pairs *pairs; /* NULL: alpha is 1, pairs are not used */
    double radius;             /* maximum |w|; 0: no projection */
    gr_walk *walks;            /* [shards] */
} gr_equation;

/* What a step uses: the pair of rows a and b, row a alone (b is GR_NO_ROW), or the list of query a
 * (b is GR_LIST). */
typedef struct gr_draw {
    uint32_t a, b;
    double target, weight;
} gr_draw;
#define GR_NO_ROW UINT32_MAX
#define GR_LIST (UINT32_MAX - 1u)

struct gr_sgd {
    gr_sgd_task task;
    const gradus_arrays *arrays;
    size_t features; /* number of weights: features of the data, or buckets */
    unsigned bits;   /* hash bits; 0: no hashing */
    size_t models, outputs;
    gr_equation *equations; /* [models x outputs] */
    size_t shards;
    uint64_t walk_steps; /* steps of each walk over all rounds */
    uint64_t rounds;     /* completed */
    uint64_t steps;      /* of all walks together, since creation */
    gr_pair_order order;
    gr_sgd_pairs *samplers;
    size_t sampler_count;
    double shift, unit; /* target = (label - shift) * unit */
    double mean_weight; /* mean row weight */
    bool careful;       /* some values are not finite */
    double *spreads;    /* [feature]: standard deviations */
    uint64_t gap;       /* steps between updates that touch all weights */
    size_t longest;     /* rows in the longest query */
};

static inline gr_row_values gr_sgd_row(const gradus_arrays *arrays, uint32_t r)
{
    if (!arrays->row_starts)
        return (gr_row_values){ arrays->values + (size_t)r * arrays->stride, NULL,
                                arrays->features };
    const uint64_t start = arrays->row_starts[r];

    return (gr_row_values){ arrays->entries + start, arrays->columns + start,
                            (size_t)(arrays->row_starts[r + 1] - start) };
}

/* The target of row r. */
static inline double gr_sgd_target(const gr_sgd *sgd, const gr_equation *equation, uint32_t r)
{
    const float label = sgd->task.problem->labels[r];

    if (equation->of_label)
        return label == equation->label ? 1.0 : 0.0;
    return ((double)label - sgd->shift) * sgd->unit;
}

/* sgd_draw.c */
/* Draws steps [first, first + count) of a shard. */
void gr_sgd_draw(const gr_sgd *sgd, const gr_equation *equation, size_t shard, uint64_t first,
                 size_t count, gr_draw *draws);

/* Drawn steps: the first `count` are taken now, the others up to `drawn` are only prefetched. */
typedef struct gr_draws {
    gr_draw at[GR_SGD_CHUNK + GR_SGD_AHEAD];
    size_t count, drawn;
} gr_draws;

/* Takes the drawn steps. scratch: [longest query]. */
typedef void gr_sgd_walker(const gr_sgd *sgd, const gr_equation *equation, gr_walk *walk,
                           const gr_draws *draws, bool averages, double *scratch);

/* sgd_walk.c */
gr_sgd_walker *gr_sgd_walker_of(const gr_sgd_options *options);
/* Applies all pending updates and resets scale to 1. */
void gr_walk_apply_decay(const gr_sgd *sgd, gr_walk *walk, double lambda);
/* Averages the walks of an equation and gives all of them the result. */
void gr_walks_join(const gr_sgd *sgd, gr_walk *walks);
double gr_walk_weight(const gr_sgd *sgd, const gr_walk *walk, size_t f);

#endif
