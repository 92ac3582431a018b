/* SPDX-License-Identifier: Apache-2.0 */
/* Shapley values by evaluating combinations of two rows. */
#include "explain/shap_sample.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 128, MAX_CELLS = 1 << 20, MAX_LISTED = 12, LEAST_COST = 64, LEAST_PAIRS = 2 };
#define NO_COLUMN UINT32_MAX

struct gr_sampler {
    gr_arena arena;
    gr_sample_plan plan;
    size_t capacity, filled, done; /* rows of a block; waiting; evaluated */
    uint32_t **columns;            /* [node][used feature]: the node's column, or NO_COLUMN */
    float **now;                   /* [node]: the current combination */
    float **block;                 /* [node]: rows to evaluate */
    const float **a, **b;          /* [node]: the row and the reference */
    double *outputs;               /* of a block */
    double *values;                /* [target][evaluated row] */
    size_t pitch;                  /* of values */
    size_t *order, *differing;
    double *pair, *mean, *spread; /* [target][used] */
    void *scratch;
};

static void map_columns(gr_sampler *s, size_t n)
{
    const gr_node *node = &s->plan.model->nodes[n];
    const size_t features = gr_node_features(s->plan.model, node);
    size_t c = 0;

    for (size_t i = 0; i < s->plan.used; i++) {
        const uint32_t f = s->plan.features[i];

        while (node->columns && c < features && node->columns[c] < f)
            c++;
        if (!node->columns)
            s->columns[n][i] = f;
        else
            s->columns[n][i] = c < features && node->columns[c] == f ? (uint32_t)c : NO_COLUMN;
    }
}

static void reserve_nodes(gr_sampler *s)
{
    const gradus_model *model = s->plan.model;

    for (size_t n = 0; !s->arena.failed && n < model->node_count; n++) {
        const size_t features = gr_node_features(model, &model->nodes[n]);

        if (!gr_node_takes_rows(&model->nodes[n]))
            continue;
        s->columns[n] = gr_arena_array(&s->arena, s->plan.used + 1, sizeof **s->columns);
        s->now[n] = gr_arena_array(&s->arena, features, sizeof **s->now);
        s->block[n] = gr_arena_array(&s->arena, s->capacity * features, sizeof **s->block);
        if (s->columns[n])
            map_columns(s, n);
    }
}

gr_sampler *gr_sampler_new(const gr_sample_plan *plan, gradus_error *err)
{
    gr_sampler *s = gr_new_array(1, sizeof *s);
    const gradus_model *model = plan->model;
    const size_t nodes = model->node_count, cells = plan->target_count * (plan->used + 1);

    if (!s) {
        gr_fail_memory(err, "explanations");
        return NULL;
    }
    s->plan = *plan;
    s->capacity = MAX_CELLS / (model->features + 1);
    s->capacity = s->capacity < 1 ? 1 : s->capacity > MAX_ROWS ? MAX_ROWS : s->capacity;
    s->pitch = plan->used + 1 > (1 << MAX_LISTED) ? plan->used + 1 : (1 << MAX_LISTED);
    s->columns = gr_arena_array(&s->arena, nodes, sizeof *s->columns);
    s->now = gr_arena_array(&s->arena, nodes, sizeof *s->now);
    s->block = gr_arena_array(&s->arena, nodes, sizeof *s->block);
    s->a = gr_arena_array(&s->arena, nodes, sizeof *s->a);
    s->b = gr_arena_array(&s->arena, nodes, sizeof *s->b);
    s->outputs =
        gr_arena_array(&s->arena, s->capacity * gr_explain_columns(model), sizeof *s->outputs);
    s->values = gr_arena_array(&s->arena, plan->target_count * s->pitch, sizeof *s->values);
    s->order = gr_arena_array(&s->arena, plan->used + 1, sizeof *s->order);
    s->differing = gr_arena_array(&s->arena, plan->used + 1, sizeof *s->differing);
    s->pair = gr_arena_array(&s->arena, cells, sizeof *s->pair);
    s->mean = gr_arena_array(&s->arena, cells, sizeof *s->mean);
    s->spread = gr_arena_array(&s->arena, cells, sizeof *s->spread);
    s->scratch = aligned_alloc(64, gr_explain_scratch(model, s->capacity));
    reserve_nodes(s);
    if (!s->arena.failed && s->scratch)
        return s;
    gr_sampler_free(s);
    gr_fail_memory(err, "explanations");
    return NULL;
}

void gr_sampler_free(gr_sampler *s)
{
    if (!s)
        return;
    gr_arena_free(&s->arena);
    free(s->scratch);
    free(s);
}

/* Evaluates the rows that wait. */
static void flush(gr_sampler *s)
{
    const gradus_model *model = s->plan.model;

    if (s->filled == 0)
        return;
    gr_explain_run(model, (const float *const *)s->block, s->filled, s->outputs, s->scratch);
    for (size_t t = 0; t < s->plan.target_count; t++)
        for (size_t r = 0; r < s->filled; r++)
            s->values[t * s->pitch + s->done + r] =
                gr_explain_value(model, &s->plan.targets[t], s->outputs + r, s->filled);
    s->done += s->filled;
    s->filled = 0;
}

/* Adds the current combination to the rows to evaluate. */
static void push(gr_sampler *s)
{
    const gradus_model *model = s->plan.model;

    for (size_t n = 0; n < model->node_count; n++) {
        const size_t features = gr_node_features(model, &model->nodes[n]);

        if (s->now[n])
            memcpy(s->block[n] + s->filled * features, s->now[n], features * sizeof **s->now);
    }
    if (++s->filled == s->capacity)
        flush(s);
}

/* Sets the current combination to the reference. */
static void restart(gr_sampler *s)
{
    const gradus_model *model = s->plan.model;

    for (size_t n = 0; n < model->node_count; n++)
        if (s->now[n])
            memcpy(s->now[n], s->b[n], gr_node_features(model, &model->nodes[n]) * sizeof **s->now);
    s->done = s->filled = 0;
}

static void set_feature(gr_sampler *s, size_t i, bool to_row)
{
    for (size_t n = 0; n < s->plan.model->node_count; n++) {
        const uint32_t c = s->now[n] ? s->columns[n][i] : NO_COLUMN;

        if (c != NO_COLUMN)
            s->now[n][c] = to_row ? s->a[n][c] : s->b[n][c];
    }
}

static bool differs(const gr_sampler *s, size_t i)
{
    for (size_t n = 0; n < s->plan.model->node_count; n++) {
        const uint32_t c = s->now[n] ? s->columns[n][i] : NO_COLUMN;

        if (c != NO_COLUMN && s->a[n][c] != s->b[n][c] && !(isnan(s->a[n][c]) && isnan(s->b[n][c])))
            return true;
    }
    return false;
}

/* Adds half the changes of the scores along an order to `pair`. */
static void follow(gr_sampler *s, size_t count, bool backwards)
{
    restart(s);
    push(s);
    for (size_t j = 0; j < count; j++) {
        set_feature(s, s->order[backwards ? count - 1 - j : j], true);
        push(s);
    }
    flush(s);
    for (size_t t = 0; t < s->plan.target_count; t++)
        for (size_t j = 0; j < count; j++) {
            const double *value = s->values + t * s->pitch + j;

            s->pair[t * s->plan.used + s->order[backwards ? count - 1 - j : j]] +=
                0.5 * (value[1] - value[0]);
        }
}

/* Mean and variance over pairs of orders (Welford's method). */
static void estimate(gr_sampler *s, size_t count, size_t pairs, gr_rng *rng)
{
    const size_t cells = s->plan.target_count * s->plan.used;

    memcpy(s->order, s->differing, count * sizeof *s->order);
    for (size_t p = 0; p < pairs; p++) {
        memset(s->pair, 0, cells * sizeof *s->pair);
        gr_shuffle(rng, s->order, count);
        follow(s, count, false);
        follow(s, count, true);
        for (size_t i = 0; i < cells; i++) {
            const double change = s->pair[i] - s->mean[i];

            s->mean[i] += change / (double)(p + 1);
            s->spread[i] += change * (s->pair[i] - s->mean[i]);
        }
    }
    for (size_t i = 0; i < cells; i++)
        s->spread[i] /= (double)(pairs - 1) * (double)pairs;
}

/* s! (d - 1 - s)! / d! */
static double coalition_weight(size_t size, size_t count)
{
    double weight = 1.0 / (double)count;

    for (size_t i = 1; i <= size; i++)
        weight *= (double)i / (double)(count - i);
    return weight;
}

/* Evaluates all combinations, in an order where neighbours differ in one feature. */
static void list_all(gr_sampler *s, size_t count)
{
    const size_t all = (size_t)1 << count;

    restart(s);
    push(s);
    for (size_t m = 1; m < all; m++) {
        const size_t bit = (size_t)__builtin_ctzll(m);

        set_feature(s, s->differing[bit], (m ^ m >> 1) >> bit & 1);
        push(s);
    }
    flush(s);
    for (size_t t = 0; t < s->plan.target_count; t++) {
        double *mean = s->mean + t * s->plan.used;

        for (size_t m = 0; m < all; m++) {
            const size_t set = m ^ m >> 1, size = (size_t)__builtin_popcountll(set);
            const double value = s->values[t * s->pitch + m];

            for (size_t i = 0; i < count; i++)
                mean[s->differing[i]] += set >> i & 1 ? value * coalition_weight(size - 1, count)
                                                      : -value * coalition_weight(size, count);
        }
    }
}

void gr_sampler_run(gr_sampler *s, const gr_explain_rows *rows, size_t row,
                    const gr_explain_rows *references, const size_t *which, size_t count,
                    uint64_t stream, double *contributions, double *errors)
{
    const size_t cells = s->plan.target_count * s->plan.used, nodes = s->plan.model->node_count;
    const size_t shared = (size_t)((s->plan.pairs + count - 1) / count);
    const size_t pairs = shared < LEAST_PAIRS ? LEAST_PAIRS : shared;
    gr_rng rng = gr_rng_for(s->plan.seed, "explain", stream);

    memset(contributions, 0, cells * sizeof *contributions);
    memset(errors, 0, cells * sizeof *errors);
    for (size_t r = 0; r < count; r++) {
        size_t d = 0, cost;

        for (size_t n = 0; n < nodes; n++)
            if (s->now[n]) {
                s->a[n] = gr_explain_row(rows, n, row);
                s->b[n] = gr_explain_row(references, n, which[r]);
            }
        for (size_t i = 0; i < s->plan.used; i++)
            if (differs(s, i))
                s->differing[d++] = i;
        if (d == 0)
            continue;
        memset(s->mean, 0, cells * sizeof *s->mean);
        memset(s->spread, 0, cells * sizeof *s->spread);
        cost = 2 * pairs * (d + 1) > LEAST_COST ? 2 * pairs * (d + 1) : LEAST_COST;
        if (d <= MAX_LISTED && (size_t)1 << d <= cost)
            list_all(s, d);
        else
            estimate(s, d, pairs, &rng);
        for (size_t i = 0; i < cells; i++) {
            contributions[i] += s->mean[i] / (double)count;
            errors[i] += s->spread[i];
        }
    }
    for (size_t i = 0; i < cells; i++)
        errors[i] = sqrt(errors[i]) / (double)count;
}
