/* SPDX-License-Identifier: Apache-2.0 */
/* A few rows for tests of stochastic gradient descent, and training on them. */
#ifndef TESTS_UNIT_SGD_ROWS_H
#define TESTS_UNIT_SGD_ROWS_H

#include "check.h"

#include "base/context.h"
#include "base/math.h"
#include "learners/sgd/hashed.h"
#include "learners/sgd/sgd_random.h"
#include "learners/sgd/sgd.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 48, QUERIES = 5, FEATURES = 4, WEIGHTS = FEATURES + 1 };

static float values[ROWS * FEATURES], labels[ROWS];
static const uint64_t starts[QUERIES + 1] = { 0, 6, 17, 19, 30, ROWS };
static const double level_labels[] = { 0, 1, 2 };
static uint8_t level_of[ROWS];
static char last_note[400];

static inline void keep_note(void *user, const char *note)
{
    (void)user;
    snprintf(last_note, sizeof last_note, "%s", note);
}

static inline double uniform(uint64_t stream, uint64_t place)
{
    return (double)(gr_sgd_random(stream, place) >> 11) * 0x1p-53;
}

/* Grades 0 to 2 that depend on the features, with noise. */
static inline void make_rows(void)
{
    for (size_t r = 0; r < ROWS; r++) {
        double score = 2.0 * uniform(9, r) - 0.5;

        for (size_t f = 0; f < FEATURES; f++) {
            values[r * FEATURES + f] = (float)(2.0 * uniform(f, r) - 1.0);
            score += ((double)f - 1.2) * (double)values[r * FEATURES + f];
        }
        labels[r] = score < 0.0 ? 0.0f : score < 1.3 ? 1.0f : 2.0f;
        level_of[r] = (uint8_t)labels[r];
    }
}

static inline gradus_dataset dense(void)
{
    make_rows();
    return (gradus_dataset){ .arrays = { .rows = ROWS,
                                         .features = FEATURES,
                                         .values = values,
                                         .stride = FEATURES,
                                         .labels = labels,
                                         .queries = QUERIES,
                                         .query_starts = starts } };
}

static inline gr_problem problem_of(const gradus_dataset *data)
{
    return (gr_problem){ .rows = data->arrays.rows,
                         .queries = data->arrays.queries,
                         .query_starts = data->arrays.query_starts,
                         .labels = data->arrays.labels,
                         .levels = 3,
                         .level_labels = level_labels,
                         .level_of = level_of,
                         .outputs = 1,
                         .row_weights = data->arrays.row_weights };
}

static inline gr_sgd_options options_of(const char *alpha, const char *lambda, uint64_t steps)
{
    return (gr_sgd_options){ .alpha = alpha,
                             .lambda = lambda,
                             .steps = steps,
                             .step_size = 0.1,
                             .precision = GR_SGD_DOUBLE,
                             .shards = 1 };
}

static inline gr_sgd *walked(const gradus_dataset *data, const gr_problem *problem,
                             const gr_sgd_options *options, gr_sgd_loss loss, size_t threads)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_pool *pool = gr_pool_new(threads, NULL);
    const gradus_context context = { .pool = pool, .note = keep_note };
    const gr_sgd_task task = { .context = &context,
                               .data = data,
                               .problem = problem,
                               .options = options,
                               .loss = loss,
                               .seed = 7,
                               .rounds = 10 };
    gr_sgd *sgd = gr_sgd_new(&task, &err);

    for (size_t i = 0; sgd && i < 10; i++)
        if (gr_sgd_round(sgd, &err) != GRADUS_OK) {
            gr_sgd_free(sgd);
            sgd = NULL;
        }
    if (!sgd)
        print_error("%s\n", err.message);
    assert_non_null(sgd);
    gr_pool_free(pool);
    return sgd;
}

static inline void weights_of(const gr_sgd *sgd, size_t model, size_t output, double *w)
{
    gr_linear linear;

    assert_int_equal(gr_sgd_linear(sgd, model, &linear, NULL), GRADUS_OK);
    memcpy(w, linear.coefficients + output * linear.features, linear.features * sizeof *w);
    w[linear.features] = linear.bases[output];
    gr_linear_free(&linear);
}

static inline void train(const gradus_dataset *data, const gr_sgd_options *options,
                         gr_sgd_loss loss, double *w)
{
    const gr_problem problem = problem_of(data);
    gr_sgd *sgd = walked(data, &problem, options, loss, 1);

    weights_of(sgd, 0, 0, w);
    gr_sgd_free(sgd);
}

/* Feature f of row r, or of a minus b; the last feature is the constant. */
static inline double feature(size_t a, size_t b, size_t f)
{
    const double x = f < FEATURES ? (double)values[a * FEATURES + f] : 1.0;

    return b == SIZE_MAX ? x : x - (f < FEATURES ? (double)values[b * FEATURES + f] : 1.0);
}

/* Calls take for all rows and pairs with their weights in the loss. */
typedef void taker(void *to, size_t a, size_t b, double share);
static inline void go_over(double alpha, taker *take, void *to)
{
    double pairs = 0.0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t q = 0; q < QUERIES; q++)
            for (size_t a = starts[q]; a < starts[q + 1]; a++)
                for (size_t b = starts[q]; b < a; b++)
                    if (labels[a] != labels[b]) {
                        if (pass == 0)
                            pairs += 1.0;
                        else
                            take(to, a, b, (1.0 - alpha) / pairs);
                    }
    for (size_t r = 0; r < ROWS; r++)
        take(to, r, SIZE_MAX, alpha / ROWS);
}

typedef struct normal_equations {
    double products[WEIGHTS][WEIGHTS], with_target[WEIGHTS];
} normal_equations;

static inline void add_products(void *to, size_t a, size_t b, double share)
{
    normal_equations *s = to;
    const double target = (double)labels[a] - (b == SIZE_MAX ? 0.0 : (double)labels[b]);

    for (size_t i = 0; i < WEIGHTS; i++) {
        for (size_t j = 0; j < WEIGHTS; j++)
            s->products[i][j] += share * feature(a, b, i) * feature(a, b, j);
        s->with_target[i] += share * target * feature(a, b, i);
    }
}

/* The minimiser of the squared loss, by Gauss-Jordan elimination of the normal equations. */
static inline void solve_squared(double alpha, double lambda, double *w)
{
    normal_equations s = { .products = { { 0 } } };

    go_over(alpha, add_products, &s);
    for (size_t i = 0; i < WEIGHTS; i++)
        s.products[i][i] += lambda;
    for (size_t i = 0; i < WEIGHTS; i++)
        for (size_t r = 0; r < WEIGHTS; r++) {
            const double factor = s.products[r][i] / s.products[i][i];

            for (size_t j = 0; r != i && j < WEIGHTS; j++)
                s.products[r][j] -= factor * s.products[i][j];
            s.with_target[r] -= r == i ? 0.0 : factor * s.with_target[i];
        }
    for (size_t i = 0; i < WEIGHTS; i++)
        w[i] = s.with_target[i] / s.products[i][i];
}

static inline double distance(const double *a, const double *b)
{
    double sum = 0.0;

    for (size_t f = 0; f < WEIGHTS; f++)
        sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sqrt(sum);
}

#endif
