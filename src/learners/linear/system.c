/* SPDX-License-Identifier: Apache-2.0 */
/* Pivoted Cholesky solver for the scaled normal equations. */
#include "learners/linear/system.h"

#include "base/memory.h"
#include "base/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gradus_status gr_system_new(gr_system *s, const gr_linear_moments *moments, size_t most,
                            double ridge, gradus_error *err)
{
    const size_t stride = (most + GR_STRIP - 1) / GR_STRIP * GR_STRIP;

    *s = (gr_system){ .moments = moments,
                      .dot = gr_gram_here()->dot,
                      .ridge = moments->weight > 0.0 ? ridge / moments->weight : 0.0,
                      .stride = stride };
    s->features = gr_arena_array(&s->arena, most, sizeof *s->features);
    s->order = gr_arena_array(&s->arena, most, sizeof *s->order);
    s->scales = gr_arena_array(&s->arena, most, sizeof *s->scales);
    s->targets = gr_arena_array(&s->arena, most, sizeof *s->targets);
    s->solution = gr_arena_array(&s->arena, most, sizeof *s->solution);
    s->left = gr_arena_array(&s->arena, most, sizeof *s->left);
    s->factor = gr_arena_array(&s->arena, most * stride, sizeof *s->factor);
    if (s->arena.failed)
        return gr_fail_memory(err, "the equations of least squares");
    return GRADUS_OK;
}

void gr_system_free(gr_system *s)
{
    gr_arena_free(&s->arena);
}

static double product(const gr_linear_moments *m, size_t i, size_t j)
{
    return i >= j ? m->products[i * m->stride + j] : m->products[j * m->stride + i];
}

static double *row_of(const gr_system *s, size_t i)
{
    return s->factor + i * s->stride;
}

/* Moves the feature with the largest pivot, the first of equal ones, to position k; returns the
 * pivot. */
static double choose(gr_system *s, size_t k)
{
    size_t best = k;

    for (size_t i = k + 1; i < s->size; i++)
        if (s->left[s->order[i]] > s->left[s->order[best]] ||
            (s->left[s->order[i]] == s->left[s->order[best]] && s->order[i] < s->order[best]))
            best = i;
    const size_t chosen = s->order[best];

    s->order[best] = s->order[k];
    s->order[k] = chosen;
    return s->left[chosen];
}

/* A tiny ridge, there only against rounding, leaves about itself of a linear combination and must
 * not rescue it; with a ridge that is meant as a penalty, identical features share. */
static double least_pivot(const gr_system *s)
{
    return s->ridge < GR_MEANT_RIDGE ? GR_LEAST_PIVOT + 10.0 * s->ridge : GR_LEAST_PIVOT;
}

static void factor(gr_system *s)
{
    const double least = least_pivot(s);

    for (size_t i = 0; i < s->size; i++) {
        s->order[i] = i;
        s->left[i] = 1.0 + s->ridge;
    }
    s->least_pivot = 1.0;
    for (s->rank = 0; s->rank < s->size; s->rank++) {
        const size_t k = s->rank;
        const double pivot = choose(s, k);
        const size_t p = s->order[k];
        const double *taken = row_of(s, p);
        const double root = sqrt(pivot);

        if (pivot < least || gr_pool_cancelled(s->asked))
            return;
        s->least_pivot = pivot < s->least_pivot ? pivot : s->least_pivot;
        row_of(s, p)[k] = root;
        for (size_t at = k + 1; at < s->size; at++) {
            const size_t i = s->order[at];
            double *row = row_of(s, i);
            const double correlation =
                product(s->moments, s->features[i], s->features[p]) * s->scales[i] * s->scales[p];

            row[k] = (correlation - s->dot(row, taken, k)) / root;
            s->left[i] -= row[k] * row[k];
        }
    }
}

/* Solves L L' x = x in place, in pivot order. */
static void substitute(const gr_system *s, double *x)
{
    for (size_t k = 0; k < s->rank; k++) {
        const double *row = row_of(s, s->order[k]);

        x[k] = (x[k] - s->dot(row, x, k)) / row[k];
    }
    for (size_t k = s->rank; k-- > 0;) {
        const double *row = row_of(s, s->order[k]);

        x[k] /= row[k];
        for (size_t i = 0; i < k; i++)
            x[i] -= x[k] * row[i];
    }
}

void gr_system_solve(gr_system *s, const size_t *features, size_t count)
{
    double *x = s->left; /* free after factoring */

    s->size = count;
    for (size_t i = 0; i < count; i++) {
        s->features[i] = features[i];
        s->scales[i] = 1.0 / sqrt(product(s->moments, features[i], features[i]));
        s->targets[i] = s->moments->with_target[features[i]] * s->scales[i];
        s->solution[i] = 0.0;
    }
    factor(s);
    for (size_t k = 0; k < s->rank; k++)
        x[k] = s->targets[s->order[k]];
    substitute(s, x);
    for (size_t k = 0; k < s->rank; k++)
        s->solution[s->order[k]] = x[k];
}

void gr_system_invert(const gr_system *s, double *inverse)
{
    memset(inverse, 0, s->rank * s->rank * sizeof *inverse);
    for (size_t k = 0; k < s->rank && !gr_pool_cancelled(s->asked); k++) {
        inverse[k * s->rank + k] = 1.0;
        substitute(s, inverse + k * s->rank);
    }
}

double gr_system_rss(const gr_system *s)
{
    double rss = s->moments->target_square;

    for (size_t i = 0; i < s->size; i++)
        rss -= s->solution[i] * (s->targets[i] + s->ridge * s->solution[i]);
    return rss > 0.0 ? rss : 0.0;
}
