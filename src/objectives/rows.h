/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of losses that are sums over rows: in blocks of rows, on any thread. */
#ifndef GR_OBJECTIVES_ROWS_H
#define GR_OBJECTIVES_ROWS_H

#include "base/memory.h"
#include "objectives/objective.h"

enum { GR_CHUNK = 512 }; /* rows whose targets and weights are laid out at once */

/* What a call of gradients() fills, and from what. */
typedef struct gr_gradient_job {
    const gr_problem *problem;
    const double *scores; /* these three: outputs x rows */
    float *gradients, *hessians;
    void (*rows)(const struct gr_gradient_job *job, size_t first, size_t count);
    size_t most;       /* rows of a call of `rows` at most; up to GR_CHUNK */
    const void *state; /* of the objective, if `rows` wants it */
} gr_gradient_job;

/* begin() of objectives that need no state. */
gradus_status gr_begin_nothing(const gr_problem *problem, const gr_objective_options *options,
                               gr_pool *pool, void **state, gradus_error *err);

void gr_gradient_run(gr_gradient_job *job, gr_pool *pool);

/* Targets and weights of `count` rows from the first on, for output k. */
void gr_problem_targets(const gr_problem *problem, size_t k, size_t first, size_t count,
                        double *targets);
void gr_problem_weights(const gr_problem *problem, size_t k, size_t first, size_t count,
                        double *weights);
/* The same of an only output, but NULL if all are 1. */
const double *gr_weights_or_null(const gr_problem *problem, size_t first, size_t count,
                                 double weights[GR_CHUNK]);

/* Sums over rows, the same bits for any number of threads: each block of rows has sums of its own,
 * which are added in the order of the blocks. */
typedef struct gr_sum_job {
    const gr_problem *problem;
    const double *scores;
    const void *user;
    size_t width; /* numbers that are summed */
    /* Adds rows first to first + count - 1 (at most GR_CHUNK) to the sums. */
    void (*rows)(const struct gr_sum_job *job, size_t first, size_t count, double *sums);
    gr_array *room; /* of the caller's, to be used again */
} gr_sum_job;
gradus_status gr_sum_run(const gr_sum_job *job, gr_pool *pool, double *totals, gradus_error *err);

/* Adds numbers of rows, `width` of each, to sums by level (2 x levels x width): rows at even places
 * to the first half and the others to the second, so that an addition need not wait for the one
 * before. gr_fold_levels then adds the second half to the first. */
static inline void gr_add_levels(const uint8_t *level_of, size_t count, size_t levels, size_t width,
                                 double (*numbers)[GR_CHUNK], double *sums)
{
    double *const halves[2] = { sums, sums + levels * width };

    for (size_t i = 0; i < count; i++) {
        double *own = halves[i % 2] + width * level_of[i];

        for (size_t j = 0; j < width; j++)
            own[j] += numbers[j][i];
    }
}

static inline void gr_fold_levels(size_t levels, size_t width, double *sums)
{
    for (size_t i = 0; i < levels * width; i++)
        sums[i] += sums[levels * width + i];
}

/* -gradients / (hessians + l2) times `share`, but at most GR_LEAF_LIMIT either way and 0 if there
 * is no curvature at all. For losses whose curvature may vanish. */
#define GR_LEAF_LIMIT 100.0
double gr_leaf_limited(const gr_leaf *leaf, double share);

#endif
