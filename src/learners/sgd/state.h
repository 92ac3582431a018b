/* SPDX-License-Identifier: Apache-2.0 */
/* What a training by stochastic gradients is made of: equations, one an output of each model of the
 * grid, and walks, the independent trainings of an equation (one a shard) that are averaged at the
 * end of every round. */
#ifndef GR_LEARNERS_SGD_STATE_H
#define GR_LEARNERS_SGD_STATE_H

#include "kernels/rows.h"
#include "learners/sgd/hashed.h"
#include "learners/sgd/pairs.h"
#include "learners/sgd/sgd.h"

/* Steps that are drawn together, and how far ahead rows are asked for. */
enum { GR_SGD_CHUNK = 128, GR_SGD_AHEAD = 16 };

/* Weights are scale * v, so that shrinking all of them is one product. Arrays hold floats or
 * doubles by the precision, in whole strips; between rounds scale is 1 and nothing is pending. */
typedef struct gr_walk {
    void *v;
    double bias, scale;
    double norm; /* |v|^2 + bias^2 */
    /* Averaging: the sum of the weights after each step is sums + scale_sum * v - u. */
    void *u;
    double *sums; /* bias last; NULL: no averaging */
    double bias_u, scale_sum;
    uint64_t averaged; /* steps in the sum */
    /* AdaGrad: sums of squared gradients. */
    void *squares; /* NULL: another rule */
    double bias_squares;
    double pull;      /* of l1, not yet applied, in units of v */
    uint64_t waiting; /* AdaGrad: steps whose regularisation is not yet applied */
    uint64_t steps;
    bool lost; /* weights are not finite any more */
} gr_walk;

typedef struct gr_equation {
    double alpha, lambda;
    bool of_label; /* one against the rest: the target is whether a row has this label */
    float label;
    const gr_pairs *pairs; /* NULL: alpha is 1 and none are needed */
    double radius;         /* weights are kept within; 0: no projection */
    gr_walk *walks;        /* shards */
} gr_equation;

/* A step: rows a and b, or the row a alone, or the list of query a. */
typedef struct gr_draw {
    uint32_t a, b;
    double target, weight;
} gr_draw;
#define GR_NO_ROW UINT32_MAX
#define GR_LIST (UINT32_MAX - 1u)

struct gr_sgd {
    gr_sgd_task task;
    const gradus_arrays *arrays;
    size_t features; /* weights: of the data, or buckets */
    unsigned bits;   /* of hashing; 0: none */
    size_t models, outputs;
    gr_equation *equations; /* models x outputs */
    size_t shards;
    uint64_t walk_steps; /* of each walk, in all rounds */
    uint64_t rounds;     /* done */
    uint64_t steps;      /* of all walks of all equations, since the start */
    gr_pair_order order;
    gr_pairs *samplers;
    size_t sampler_count;
    double shift, unit; /* targets are (label - shift) * unit */
    double mean_weight; /* of rows */
    bool careful;       /* there are values that are not finite */
    double *spreads;    /* of features */
    uint64_t gap;       /* steps between two applications of what changes all weights */
    size_t longest;     /* rows of the longest query */
};

static inline gr_row gr_sgd_row(const gradus_arrays *arrays, uint32_t r)
{
    if (!arrays->row_starts)
        return (gr_row){ arrays->values + (size_t)r * arrays->stride, NULL, arrays->features };
    const uint64_t start = arrays->row_starts[r];

    return (gr_row){ arrays->entries + start, arrays->columns + start,
                     (size_t)(arrays->row_starts[r + 1] - start) };
}

/* What a row's label is to an equation. */
static inline double gr_sgd_target(const gr_sgd *sgd, const gr_equation *equation, uint32_t r)
{
    const float label = sgd->task.problem->labels[r];

    if (equation->of_label)
        return label == equation->label ? 1.0 : 0.0;
    return ((double)label - sgd->shift) * sgd->unit;
}

/* Draws the steps [first, first + count) of a shard for an equation. */
void gr_sgd_draw(const gr_sgd *sgd, const gr_equation *equation, size_t shard, uint64_t first,
                 size_t count, gr_draw *draws);

/* Drawn steps, of which the first are to be taken; the others will be soon. */
typedef struct gr_draws {
    gr_draw at[GR_SGD_CHUNK + GR_SGD_AHEAD];
    size_t count, drawn;
} gr_draws;

/* Takes drawn steps; scratch: one a row of the longest query. */
typedef void gr_sgd_walker(const gr_sgd *sgd, const gr_equation *equation, gr_walk *walk,
                           const gr_draws *draws, bool averages, double *scratch);
gr_sgd_walker *gr_sgd_walker_of(const gr_sgd_options *options);
/* Makes scale 1, and applies what is pending. */
void gr_walk_settle(const gr_sgd *sgd, gr_walk *walk, double lambda);
/* The mean of the walks of an equation, given to all of them. */
void gr_walks_join(const gr_sgd *sgd, gr_walk *walks);
double gr_walk_weight(const gr_sgd *sgd, const gr_walk *walk, size_t f);

#endif
