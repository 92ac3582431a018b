/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers for losses that are sums over rows: gradients and sums in blocks of rows on all
 * threads. */
#ifndef GR_OBJECTIVES_OBJECTIVE_ROWS_H
#define GR_OBJECTIVES_OBJECTIVE_ROWS_H

#include "base/memory.h"
#include "objectives/objective.h"

enum { GR_CHUNK = 512 }; /* maximum rows per call */

/* A call of gradients(): its inputs, outputs and the function that computes a range of rows. */
typedef struct gr_gradient_job {
    const gr_problem *problem;
    const double *scores; /* [outputs x rows], as are gradients and hessians */
    float *gradients, *hessians;
    void (*rows)(const struct gr_gradient_job *job, size_t first, size_t count);
    size_t most;       /* maximum rows per call of `rows`, up to GR_CHUNK */
    const void *state; /* for `rows` */
} gr_gradient_job;

/* begin() of objectives without a state. */
gradus_status gr_begin_nothing(const gr_problem *problem, const gr_objective_options *options,
                               gr_pool *pool, void **state, gradus_error *err);

/* begin() of objectives whose state is one number; to be freed. */
gradus_status gr_begin_number(double number, void **state, gradus_error *err);

void gr_gradient_run(gr_gradient_job *job, gr_pool *pool);

/* Defines gradients() that only runs a `rows` function in blocks, with the objective's state. */
#define GR_DEFINE_GRADIENTS(name, rows_function)                                                   \
    static gradus_status name(void *state, const gr_problem *problem, const double *scores,        \
                              float *gradients, float *hessians, gr_pool *pool, gradus_error *err) \
    {                                                                                              \
        gr_gradient_job job = {                                                                    \
            problem, scores, gradients, hessians, rows_function, GR_CHUNK, state                   \
        };                                                                                         \
                                                                                                   \
        (void)err;                                                                                 \
        gr_gradient_run(&job, pool);                                                               \
        return GRADUS_OK;                                                                          \
    }

/* Fills in what gr_device_problem says about the rows. */
void gr_describe_rows(const gr_problem *problem, gr_device_loss loss, gr_device_problem *described);

/* Defines describe() of a loss of rows. */
#define GR_DEFINE_DESCRIBE(name, loss)                                                             \
    static bool name(const void *state, const gr_problem *problem, gr_device_problem *described)   \
    {                                                                                              \
        (void)state;                                                                               \
        gr_describe_rows(problem, loss, described);                                                \
        return true;                                                                               \
    }

/* The same if the objective's state is the number of the loss. */
#define GR_DEFINE_DESCRIBE_NUMBER(name, loss)                                                      \
    static bool name(const void *state, const gr_problem *problem, gr_device_problem *described)   \
    {                                                                                              \
        gr_describe_rows(problem, loss, described);                                                \
        described->number = *(const double *)state;                                                \
        return true;                                                                               \
    }

/* Targets and weights of rows first to first + count - 1 for output k. */
void gr_problem_targets(const gr_problem *problem, size_t k, size_t first, size_t count,
                        double *targets);
void gr_problem_weights(const gr_problem *problem, size_t k, size_t first, size_t count,
                        double *weights);
/* Weights for a single output; NULL if all are 1. */
const double *gr_weights_or_null(const gr_problem *problem, size_t first, size_t count,
                                 double weights[GR_CHUNK]);

/* Gradients weight * slope(score - target) and Hessians equal to the weights: the regression losses.
 * number: the objective's state. Inlined, so that slope is too. */
static inline __attribute__((always_inline)) void
gr_slope_rows(const gr_gradient_job *job, size_t first, size_t count,
              double (*slope)(double off, double number))
{
    const gr_problem *problem = job->problem;
    const double number = job->state ? *(const double *)job->state : 0.0;
    double targets[GR_CHUNK], weights[GR_CHUNK];

    for (size_t k = 0; k < problem->outputs; k++) {
        const size_t at = k * problem->rows + first;

        gr_problem_targets(problem, k, first, count, targets);
        gr_problem_weights(problem, k, first, count, weights);
        for (size_t r = 0; r < count; r++) {
            job->gradients[at + r] =
                (float)(weights[r] * slope(job->scores[at + r] - targets[r], number));
            job->hessians[at + r] = (float)weights[r];
        }
    }
}

/* Defines gradients() of a regression loss by its slope. */
#define GR_DEFINE_SLOPES(name, slope)                                                              \
    static void name##_rows(const gr_gradient_job *job, size_t first, size_t count)                \
    {                                                                                              \
        gr_slope_rows(job, first, count, slope);                                                   \
    }                                                                                              \
    GR_DEFINE_GRADIENTS(name, name##_rows)

/* means[k]: the weighted mean of the targets of output k; 0 without weight. */
void gr_mean_targets(const gr_problem *problem, double *means);
/* A frequency away from 0 and 1, whose logarithms are infinite: at least half a row of `rows`. */
double gr_frequency(double p, size_t rows);

/* The mean over rows of the sum of loss(weight, score, target, number) over outputs. */
double gr_mean_loss_of(const void *state, const gr_problem *problem, const double *scores,
                       double (*loss)(double weight, double score, double target, double number));

/* Defines loss() of such a loss. */
#define GR_DEFINE_LOSS(name, of_row)                                                               \
    static double name(const void *state, const gr_problem *problem, const double *scores)         \
    {                                                                                              \
        return gr_mean_loss_of(state, problem, scores, of_row);                                    \
    }

/* Sums over rows, bit-identical for any number of threads: each block of rows has its own sums,
 * which are added in block order. */
typedef struct gr_sum_job {
    const gr_problem *problem;
    const double *scores;
    const void *user;
    size_t width; /* number of sums */
    /* Adds rows first to first + count - 1 (count <= GR_CHUNK) to the sums. */
    void (*rows)(const struct gr_sum_job *job, size_t first, size_t count, double *sums);
    gr_array *room; /* the caller's buffer, for reuse */
    /* the numbers of levels from which a device computes the same sums (gr_boost_device) */
    const double *numbers;
} gr_sum_job;
/* Of a problem with a share: sums over the rows of all processes, in the order in which a single
 * process adds them. `user` must not depend on rows. */
gradus_status gr_sum_run(const gr_sum_job *job, gr_pool *pool, double *totals, gradus_error *err);

/* Adds `width` numbers per row to sums by level ([2 x levels x width]): even rows to the first
 * half, odd rows to the second, so that consecutive additions are independent. gr_fold_levels then
 * adds the second half to the first. */
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

/* -share * gradients / (hessians + l2), limited to +-GR_LEAF_LIMIT, and 0 if there is no curvature.
 * For losses whose curvature may vanish. */
#define GR_LEAF_LIMIT 100.0
double gr_leaf_limited(const gr_leaf *leaf, double share);
/* leaf() with share 1. */
double gr_leaf_newton(const void *state, const gr_problem *problem, const gr_leaf *leaf);

#endif
