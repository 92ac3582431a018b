/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinate ascent on the weights of a linear ranker. */
#include "learners/weak/weak.h"

#include "base/context.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MAX_SUM = 1e9;

struct gr_ascent {
    gr_weak_task task;
    gr_weak_columns columns;
    double *weights, *best;
    double *scores, *tried; /* per row: at the current weights, and at the weights being tried */
    size_t *turns;          /* the order of the features in a pass */
    double value, best_value, pass_value; /* metric: now, of the best, before the last pass */
    uint64_t restart, rounds;
    gr_arena arena; /* owns the arrays */
};

void gr_ascent_free(gr_ascent *a)
{
    if (!a)
        return;
    gr_weak_columns_free(&a->columns);
    gr_arena_free(&a->arena);
    free(a);
}

/* Recomputes scores and metric from the weights, so that rounding errors do not accumulate. */
static gradus_status score_anew(gr_ascent *a, gradus_error *err)
{
    const size_t rows = a->columns.rows;

    memset(a->scores, 0, rows * sizeof *a->scores);
    for (size_t f = 0; f < a->columns.features; f++)
        for (size_t r = 0; r < rows && a->weights[f] != 0.0; r++)
            a->scores[r] += a->weights[f] * (double)a->columns.values[f * rows + r];
    return a->task.metric(a->task.user, a->scores, &a->value, NULL, err);
}

/* The first search starts from equal weights, the others from random ones; weights sum to 1. */
static gradus_status begin_search(gr_ascent *a, gradus_error *err)
{
    gr_rng rng = gr_rng_for(a->task.seed, "coordinate ascent", a->restart);
    double sum = 0.0;

    for (size_t f = 0; f < a->columns.features; f++) {
        a->weights[f] = a->restart ? gr_rng_uniform(&rng) : 1.0;
        sum += a->weights[f];
    }
    for (size_t f = 0; f < a->columns.features; f++)
        a->weights[f] /= sum;
    GR_TRY(score_anew(a, err));
    if (isnan(a->value))
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "the metric is undefined for every query: there is nothing to learn from");
    a->pass_value = a->value;
    return GRADUS_OK;
}

static void keep_best(gr_ascent *a)
{
    if (!(a->value > a->best_value))
        return;
    a->best_value = a->value;
    memcpy(a->best, a->weights, a->columns.features * sizeof *a->best);
}

static gradus_status set_up(gr_ascent *a, gradus_error *err)
{
    const size_t rows = a->task.problem->rows, features = a->task.data->arrays.features;

    GR_TRY(gr_weak_columns_make(a->task.data, &a->columns, err));
    a->weights = gr_arena_array(&a->arena, features, sizeof *a->weights);
    a->best = gr_arena_array(&a->arena, features, sizeof *a->best);
    a->turns = gr_arena_array(&a->arena, features, sizeof *a->turns);
    a->scores = gr_arena_array(&a->arena, rows, sizeof *a->scores);
    a->tried = gr_arena_array(&a->arena, rows, sizeof *a->tried);
    if (a->arena.failed)
        return gr_fail_memory(err, "training");
    a->best_value = -INFINITY;
    GR_TRY(begin_search(a, err));
    keep_best(a);
    return GRADUS_OK;
}

gr_ascent *gr_ascent_new(const gr_weak_task *task, gradus_error *err)
{
    gr_ascent *a = calloc(1, sizeof *a);

    if (!a) {
        gr_fail_memory(err, "training");
        return NULL;
    }
    a->task = *task;
    if (set_up(a, err) != GRADUS_OK) {
        gr_ascent_free(a);
        return NULL;
    }
    return a;
}

/* Whether the weight of a feature changes any score. */
static bool matters(const gr_ascent *a, size_t f)
{
    const float *column = a->columns.values + f * a->columns.rows;

    for (size_t r = 0; r < a->columns.rows; r++)
        if (column[r] != 0.0f)
            return true;
    return false;
}

/* Changes a weight by the step that raises the metric most. Candidates are steps up and down that
 * double in size, setting the weight to 0, and no change. */
static gradus_status search_weight(gr_ascent *a, size_t f, gradus_error *err)
{
    const gr_weak_options *options = a->task.options;
    const size_t rows = a->columns.rows;
    const float *column = a->columns.values + f * rows;
    const double weight = a->weights[f];
    double best = 0.0, found = a->value;

    for (uint64_t i = 0; i <= 2 * options->tries; i++) {
        const double size = (weight != 0.0 ? fabs(weight) : 1.0 / (double)a->columns.features) *
                            ldexp(options->first_step, (int)(i / 2));
        const double change = i == 2 * options->tries ? -weight : i % 2 ? -size : size;
        double value;

        if (change == 0.0)
            continue;
        GR_TRY(gr_pool_check(gr_pool_of(a->task.context), err));
        for (size_t r = 0; r < rows; r++)
            a->tried[r] = a->scores[r] + change * (double)column[r];
        GR_TRY(a->task.metric(a->task.user, a->tried, &value, NULL, err));
        if (value > found) {
            found = value;
            best = change;
        }
    }
    if (best == 0.0)
        return GRADUS_OK;
    a->weights[f] = weight + best;
    a->value = found;
    for (size_t r = 0; r < rows; r++)
        a->scores[r] += best * (double)column[r];
    return GRADUS_OK;
}

/* Steps are relative to the weight, so weights can grow without bound. Scaling them down does not
 * change the ranking. */
static void scale(gr_ascent *a)
{
    double sum = 0.0;

    for (size_t f = 0; f < a->columns.features; f++)
        sum += fabs(a->weights[f]);
    for (size_t f = 0; f < a->columns.features && sum > MAX_SUM; f++)
        a->weights[f] /= sum;
}

gradus_status gr_ascent_round(gr_ascent *a, bool *grew, gradus_error *err)
{
    gr_rng rng = gr_rng_for(a->task.seed, "coordinate turns", a->rounds);

    *grew = true;
    if (a->rounds > 0 && !(a->value > a->pass_value + a->task.options->least_gain)) {
        a->restart++;
        GR_TRY(begin_search(a, err));
    }
    a->pass_value = a->value;
    for (size_t f = 0; f < a->columns.features; f++)
        a->turns[f] = f;
    gr_shuffle(&rng, a->turns, a->columns.features);
    for (size_t i = 0; i < a->columns.features; i++)
        if (matters(a, a->turns[i]))
            GR_TRY(search_weight(a, a->turns[i], err));
    scale(a);
    GR_TRY(score_anew(a, err));
    keep_best(a);
    a->rounds++;
    *grew = a->restart + 1 < a->task.options->restarts ||
            a->value > a->pass_value + a->task.options->least_gain;
    return GRADUS_OK;
}

uint64_t gr_ascent_rounds(const gr_ascent *a)
{
    return a->rounds;
}

const double *gr_ascent_weights(const gr_ascent *a)
{
    return a->weights;
}

const double *gr_ascent_best(const gr_ascent *a)
{
    return a->best;
}

const double *gr_ascent_scores(const gr_ascent *a)
{
    return a->scores;
}

double gr_ascent_value(const gr_ascent *a)
{
    return a->best_value;
}
