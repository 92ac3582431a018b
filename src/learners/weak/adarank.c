/* SPDX-License-Identifier: Apache-2.0 */
/* AdaRank. The metric of each feature alone is computed once per query at the start, so that a
 * round only sums it under the current query weights. */
#include "learners/weak/weak.h"

#include "base/context.h"
#include "base/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gr_adarank {
    gr_weak_task task;
    gr_weak_columns columns;
    float *values;  /* features x queries: metric of each feature alone; NAN: undefined */
    double *shares; /* query weights, summing to 1 */
    double *weights, *scores, *room;
    size_t last;      /* the feature of the previous round */
    uint64_t repeats; /* consecutive rounds that used it */
    uint64_t rounds;
    gr_arena arena; /* owns the arrays */
};

void gr_adarank_free(gr_adarank *a)
{
    if (!a)
        return;
    gr_weak_columns_free(&a->columns);
    gr_arena_free(&a->arena);
    free(a);
}

/* Computes the metric of each feature alone. */
static gradus_status rank_by_features(gr_adarank *a, gradus_error *err)
{
    const size_t rows = a->columns.rows, queries = a->task.problem->queries;
    double mean;

    for (size_t f = 0; f < a->columns.features; f++) {
        GR_TRY(gr_pool_check(gr_pool_of(a->task.context), err));
        for (size_t r = 0; r < rows; r++)
            a->scores[r] = (double)a->columns.values[f * rows + r];
        GR_TRY(a->task.metric(a->task.user, a->scores, &mean, a->room, err));
        for (size_t q = 0; q < queries; q++)
            a->values[f * queries + q] = (float)a->room[q];
    }
    memset(a->scores, 0, rows * sizeof *a->scores);
    return GRADUS_OK;
}

static double weight_of(const gr_problem *problem, size_t q)
{
    const uint64_t first = problem->query_starts[q], end = problem->query_starts[q + 1];
    double sum = 0.0;

    for (uint64_t r = first; r < end; r++)
        sum += gr_problem_weight(problem, 0, (size_t)r);
    return end > first ? sum / (double)(end - first) : 0.0;
}

/* Sets the query weights to e^-value (values NULL: 1) times the mean row weight, normalised. */
static gradus_status share_out(gr_adarank *a, const double *values, gradus_error *err)
{
    const size_t queries = a->task.problem->queries;
    double sum = 0.0;

    for (size_t q = 0; q < queries; q++) {
        const bool counts = !isnan(a->values[q]) && gr_weak_has_orders(a->task.problem, q);

        a->shares[q] =
            counts ? weight_of(a->task.problem, q) * (values ? gr_exp(-values[q]) : 1.0) : 0.0;
        sum += a->shares[q];
    }
    if (!(sum > 0.0))
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "the metric is undefined or constant in all %zu queries: there is nothing "
                       "to learn from",
                       queries);
    for (size_t q = 0; q < queries; q++)
        a->shares[q] /= sum;
    return GRADUS_OK;
}

static gradus_status set_up(gr_adarank *a, gradus_error *err)
{
    const size_t rows = a->task.problem->rows, queries = a->task.problem->queries;
    const size_t features = a->task.data->arrays.features;
    size_t cells;

    GR_TRY(gr_weak_columns_make(a->task.data, &a->columns, err));
    if (!gr_size_times(features, queries, &cells))
        return gr_fail_memory(err, "metrics of features");
    a->values = gr_arena_array(&a->arena, cells, sizeof *a->values);
    a->shares = gr_arena_array(&a->arena, queries, sizeof *a->shares);
    a->room = gr_arena_array(&a->arena, queries, sizeof *a->room);
    a->weights = gr_arena_array(&a->arena, features, sizeof *a->weights);
    a->scores = gr_arena_array(&a->arena, rows, sizeof *a->scores);
    if (a->arena.failed)
        return gr_fail_memory(err, "metrics of features");
    GR_TRY(rank_by_features(a, err));
    return share_out(a, NULL, err);
}

gr_adarank *gr_adarank_new(const gr_weak_task *task, gradus_error *err)
{
    gr_adarank *a = calloc(1, sizeof *a);

    if (!a) {
        gr_fail_memory(err, "training");
        return NULL;
    }
    a->task = *task;
    a->last = SIZE_MAX;
    if (set_up(a, err) != GRADUS_OK) {
        gr_adarank_free(a);
        return NULL;
    }
    return a;
}

/* The feature with the largest weighted metric, and that metric in *value. */
static size_t best_feature(const gr_adarank *a, double *value)
{
    const size_t queries = a->task.problem->queries;
    size_t best = SIZE_MAX;

    for (size_t f = 0; f < a->columns.features; f++) {
        double sum = 0.0;

        if (f == a->last && a->repeats >= a->task.options->repeats && a->columns.features > 1)
            continue;
        for (size_t q = 0; q < queries; q++)
            if (a->shares[q] > 0.0)
                sum += a->shares[q] * (double)a->values[f * queries + q];
        if (best == SIZE_MAX || sum > *value) {
            best = f;
            *value = sum;
        }
    }
    return best;
}

gradus_status gr_adarank_round(gr_adarank *a, bool *grew, gradus_error *err)
{
    const size_t rows = a->columns.rows;
    double value = 0.0, mean;

    GR_TRY(gr_pool_check(gr_pool_of(a->task.context), err));
    const size_t f = best_feature(a, &value);

    a->rounds++;
    *grew = value > 0.0 && value < 1.0;
    if (!(value > 0.0))
        return GRADUS_OK;
    /* A feature that ranks every query perfectly would get an infinite weight; it ends training. */
    const double alpha = value < 1.0 ? 0.5 * (gr_log(1.0 + value) - gr_log(1.0 - value)) : 1.0;

    a->repeats = f == a->last ? a->repeats + 1 : 1;
    a->last = f;
    a->weights[f] += alpha;
    for (size_t r = 0; r < rows; r++)
        a->scores[r] += alpha * (double)a->columns.values[f * rows + r];
    GR_TRY(a->task.metric(a->task.user, a->scores, &mean, a->room, err));
    return share_out(a, a->room, err);
}

uint64_t gr_adarank_rounds(const gr_adarank *a)
{
    return a->rounds;
}

const double *gr_adarank_weights(const gr_adarank *a)
{
    return a->weights;
}

const double *gr_adarank_scores(const gr_adarank *a)
{
    return a->scores;
}

const double *gr_adarank_shares(const gr_adarank *a)
{
    return a->shares;
}
