/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the members of an ensemble on held-out scores, and estimates what to expect of it by
 * cross-fitting: for each group of queries the members are selected on the other groups. */
#include "base/memory.h"
#include "base/special.h"
#include "experiments/auto_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OF_EACH_METHOD = 3, MAX_POOL = 30 };
static const double least_weight = 0.01;

bool gr_auto_better(const gr_auto_run *run, double value, double than)
{
    if (isnan(value) || isnan(than))
        return !isnan(value);
    return run->lower_is_better ? value < than : value > than;
}

/* Which held-out queries are used: those outside a group; group SIZE_MAX: all. */
static bool is_used(const gr_auto_run *run, size_t query, size_t group)
{
    return run->data.group_of[query] != group;
}

/* The mean of the metric of a trial over the used queries. */
static double mean_of(const gr_auto_run *run, const gr_auto_trial *trial, size_t group)
{
    const size_t queries = gradus_dataset_queries(run->data.held);
    double sum = 0.0;
    size_t counted = 0;

    for (size_t q = 0; q < queries; q++)
        if (is_used(run, q, group) && !isnan(trial->by_query[q])) {
            sum += trial->by_query[q];
            counted++;
        }
    return counted ? sum / (double)counted : (double)NAN;
}

/* Candidates for the ensemble, best first: the best settings of each method. */
typedef struct pool {
    size_t count;
    size_t trials[MAX_POOL];
    double values[MAX_POOL];
} pool;

/* How many candidates of the same method come before position `at`. */
static size_t same_before(const gr_auto_run *run, const pool *p, size_t at, size_t trial)
{
    size_t same = 0;

    for (size_t i = 0; i < at; i++)
        same += run->trials[p->trials[i]].entry == run->trials[trial].entry;
    return same;
}

static void remove_at(pool *p, size_t at)
{
    for (p->count--; at < p->count; at++) {
        p->trials[at] = p->trials[at + 1];
        p->values[at] = p->values[at + 1];
    }
}

/* Inserts a trial at its rank and drops what becomes superfluous. */
static void insert(const gr_auto_run *run, pool *p, size_t trial, double value)
{
    size_t at = 0, extra;

    while (at < p->count && !gr_auto_better(run, value, p->values[at]))
        at++;
    if (at == MAX_POOL || same_before(run, p, at, trial) >= OF_EACH_METHOD)
        return;
    if (p->count == MAX_POOL)
        p->count--;
    for (size_t i = p->count; i > at; i--) {
        p->trials[i] = p->trials[i - 1];
        p->values[i] = p->values[i - 1];
    }
    p->trials[at] = trial;
    p->values[at] = value;
    p->count++;
    for (extra = at + 1; extra < p->count; extra++)
        if (run->trials[p->trials[extra]].entry == run->trials[trial].entry &&
            same_before(run, p, extra, trial) >= OF_EACH_METHOD) {
            remove_at(p, extra);
            return;
        }
}

static void take_pool(const gr_auto_run *run, size_t group, pool *p)
{
    p->count = 0;
    for (size_t t = 0; t < run->trial_count; t++)
        if (!run->trials[t].failed)
            insert(run, p, t, mean_of(run, &run->trials[t], group));
}

/* Labels and scores of the used queries. */
typedef struct subset {
    gradus_dataset *data;
    float *labels, *zeros, *weights;
    uint64_t *starts;
    double *scores; /* candidates x rows */
    const double *columns[MAX_POOL];
} subset;

static void end_subset(subset *s)
{
    gradus_dataset_free(s->data);
    free(s->labels);
    free(s->zeros);
    free(s->weights);
    free(s->starts);
    free(s->scores);
}

/* Adds the scaled scores of some rows, times a weight, to `sum`. */
static void add_scores(const gr_auto_trial *trial, double weight, size_t from, size_t rows,
                       double *sum)
{
    for (size_t r = 0; weight > 0.0 && r < rows; r++)
        sum[r] += weight * trial->scale * trial->scores[from + r];
}

/* Copies the used queries; features do not matter. */
static gradus_status take_subset(const gr_auto_run *run, const pool *p, size_t group, subset *s,
                                 gradus_error *err)
{
    const gradus_arrays held = gr_arrays_of(run->data.held);
    size_t rows = 0, queries = 0;

    *s = (subset){ .labels = gr_new_array(held.rows, sizeof *s->labels),
                   .zeros = gr_new_array(held.rows, sizeof *s->zeros),
                   .weights = gr_new_array(held.queries, sizeof *s->weights),
                   .starts = gr_new_array(held.queries + 1, sizeof *s->starts),
                   .scores = gr_new_array(held.rows * p->count, sizeof *s->scores) };
    if (!s->labels || !s->zeros || !s->weights || !s->starts || !s->scores)
        return gr_fail_memory(err, "held-out queries");
    for (size_t q = 0; q < held.queries; q++) {
        const size_t from = (size_t)held.query_starts[q];
        const size_t count = (size_t)held.query_starts[q + 1] - from;

        if (!is_used(run, q, group))
            continue;
        memcpy(s->labels + rows, held.labels + from, count * sizeof *s->labels);
        for (size_t i = 0; i < p->count; i++)
            add_scores(&run->trials[p->trials[i]], 1.0, from, count,
                       s->scores + i * held.rows + rows);
        s->weights[queries] = held.query_weights ? held.query_weights[q] : 1.0F;
        s->starts[queries++] = rows;
        rows += count;
    }
    s->starts[queries] = rows;
    for (size_t i = 0; i < p->count; i++)
        s->columns[i] = s->scores + i * held.rows;
    const gradus_arrays arrays = { .rows = rows,
                                   .features = 1,
                                   .values = s->zeros,
                                   .stride = 1,
                                   .labels = s->labels,
                                   .queries = queries,
                                   .query_starts = s->starts,
                                   .query_weights = held.query_weights ? s->weights : NULL };

    s->data = gradus_dataset_borrow(&arrays, err);
    return s->data ? GRADUS_OK : err->status;
}

/* Keeps the largest weights and lets them sum to one. */
static void limit_members(const gr_auto_run *run, size_t count, double *weights)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++) {
        size_t larger = 0;

        for (size_t j = 0; j < count; j++)
            larger += fabs(weights[j]) > fabs(weights[i]) ||
                      (fabs(weights[j]) == fabs(weights[i]) && j < i);
        if (larger >= run->options.members || weights[i] < least_weight)
            weights[i] = -weights[i]; /* marked, so that later ones still compare with it */
    }
    for (size_t i = 0; i < count; i++) {
        weights[i] = weights[i] > 0.0 ? weights[i] : 0.0;
        sum += weights[i];
    }
    for (size_t i = 0; i < count; i++)
        weights[i] /= sum;
}

/* Weights of the candidates, selected on the used queries. */
static gradus_status find_weights(const gr_auto_run *run, const pool *p, size_t group,
                                  double *weights, gradus_error *err)
{
    subset s = { .data = NULL };
    char words[200];

    memset(weights, 0, p->count * sizeof *weights);
    weights[0] = 1.0;
    if (p->count == 1 || run->options.members == 1)
        return GRADUS_OK;
    snprintf(words, sizeof words, "raw=true way=selection seed=%llu convention=%.40s metric=%.60s",
             (unsigned long long)run->options.seed, run->options.convention, run->options.metric);
    gradus_options *options = gr_words_options("ensemble", words, err);
    gradus_status status = options ? take_subset(run, p, group, &s, err) : err->status;

    if (status == GRADUS_OK)
        status = gr_words_set(options, run->gains.words, err);
    if (status == GRADUS_OK)
        status = gradus_ensemble_select(run->context, s.data, s.columns, p->count, options, weights,
                                        err);
    if (status == GRADUS_OK)
        limit_members(run, p->count, weights);
    gradus_options_free(options);
    end_subset(&s);
    return status;
}

/* Cross-fitted results: per held-out query the scores of an ensemble and the metric of a single
 * setting, both selected on other groups. */
typedef struct crossfit {
    double *scores, *single;
} crossfit;

static void score_group(const gr_auto_run *run, const pool *p, size_t group, const double *weights,
                        crossfit *c)
{
    const gradus_arrays held = gr_arrays_of(run->data.held);

    for (size_t q = 0; q < held.queries; q++) {
        const size_t from = (size_t)held.query_starts[q];
        const size_t rows = (size_t)held.query_starts[q + 1] - from;

        if (is_used(run, q, group))
            continue;
        for (size_t i = 0; i < p->count; i++)
            add_scores(&run->trials[p->trials[i]], weights[i], from, rows, c->scores + from);
        c->single[q] = run->trials[p->trials[0]].by_query[q];
    }
}

/* The mean of values over queries with its confidence interval, within the metric's range. */
static gradus_interval interval_of(const gr_auto_run *run, const double *values, size_t queries)
{
    double sum = 0.0, squares = 0.0;
    size_t count = 0;

    for (size_t q = 0; q < queries; q++)
        if (!isnan(values[q])) {
            sum += values[q];
            count++;
        }
    const double mean = sum / (double)count;

    for (size_t q = 0; q < queries; q++)
        squares += isnan(values[q]) ? 0.0 : (values[q] - mean) * (values[q] - mean);
    if (count < 2)
        return (gradus_interval){ mean, (double)NAN, (double)NAN };
    const double reach = gr_student_quantile(0.975, (double)(count - 1)) *
                         sqrt(squares / (double)(count - 1) / (double)count);

    if (run->is_fraction)
        return (gradus_interval){ mean, fmax(mean - reach, 0.0), fmin(mean + reach, 1.0) };
    return (gradus_interval){ mean, mean - reach, mean + reach };
}

gradus_status gr_auto_compare(const gr_auto_run *run, const double *single, const double *ensemble,
                              size_t queries, gr_auto_contrast *contrast, gradus_error *err)
{
    const double *const values[] = { single, ensemble };
    gradus_options *options = gr_words_options("compare", "test=t", err);
    gradus_comparison *comparison =
        options ? gradus_compare(run->context, 2, queries, values, options, err) : NULL;
    gradus_contrast found = { .p = (double)NAN };

    gradus_options_free(options);
    if (!comparison)
        return err->status;
    gradus_comparison_at(comparison, 0, &found);
    gradus_comparison_free(comparison);
    *contrast = (gr_auto_contrast){ .single = interval_of(run, single, queries),
                                    .ensemble = interval_of(run, ensemble, queries),
                                    .difference = found.difference,
                                    .p = found.p,
                                    .queries = found.queries };
    return GRADUS_OK;
}

static gradus_status estimate(gr_auto_run *run, const crossfit *c, gradus_error *err)
{
    const size_t queries = gradus_dataset_queries(run->data.held);
    gradus_auto_facts *facts = &run->result->facts;
    gr_auto_contrast contrast = { .queries = 0 };
    gradus_evaluation *evaluation;
    gradus_result result = { .by_query = NULL };

    GR_TRY(gr_auto_evaluate(run, run->data.held, c->scores, &evaluation, err));
    gradus_evaluation_at(evaluation, 0, &result);
    const gradus_status status =
        gr_auto_compare(run, c->single, result.by_query, queries, &contrast, err);

    gradus_evaluation_free(evaluation);
    GR_TRY(status);
    facts->expected = contrast.ensemble;
    facts->single = contrast.single;
    facts->difference = contrast.difference;
    facts->p = contrast.p;
    facts->held_queries = contrast.queries;
    return GRADUS_OK;
}

static gradus_status cross_fit(gr_auto_run *run, gradus_error *err)
{
    const size_t queries = gradus_dataset_queries(run->data.held);
    const size_t groups = run->data.groups;
    crossfit c = { .scores = gr_new_array(gradus_dataset_rows(run->data.held), sizeof(double)),
                   .single = gr_new_array(queries, sizeof(double)) };
    gradus_status status = c.scores && c.single ? GRADUS_OK : gr_fail_memory(err, "scores");

    for (size_t g = 0; status == GRADUS_OK && g < groups; g++) {
        double weights[MAX_POOL] = { 0.0 };
        pool p = { .count = 0 };

        take_pool(run, g, &p);
        status = find_weights(run, &p, g, weights, err);
        if (status == GRADUS_OK)
            score_group(run, &p, g, weights, &c);
        if (status == GRADUS_OK)
            status = gr_send_progress(run->context, "selecting",
                                      (double)(g + 1) / (double)(groups + 1), err);
    }
    if (status == GRADUS_OK)
        status = estimate(run, &c, err);
    free(c.scores);
    free(c.single);
    return status;
}

/* Whether the ensemble is worse than the best single model by more than a standard error of the
 * difference: then the single one is used. */
static bool is_worse(const gr_auto_run *run)
{
    const gradus_auto_facts *facts = &run->result->facts;
    const double gain = run->lower_is_better ? -facts->difference : facts->difference;

    return gain < 0.0 && facts->p < 0.32;
}

gradus_status gr_auto_select(gr_auto_run *run, gradus_error *err)
{
    gradus_auto_facts *facts = &run->result->facts;
    double weights[MAX_POOL] = { 0.0 };
    pool p = { .count = 0 };

    GR_TRY(cross_fit(run, err));
    take_pool(run, SIZE_MAX, &p);
    facts->fell_back = is_worse(run);
    if (facts->fell_back) {
        facts->expected = facts->single;
        weights[0] = 1.0;
    } else {
        GR_TRY(find_weights(run, &p, SIZE_MAX, weights, err));
    }
    for (size_t i = 0; i < p.count; i++) {
        run->trials[p.trials[i]].weight = weights[i];
        facts->members += weights[i] > 0.0;
    }
    run->best = p.trials[0];
    const gr_auto_trial *best = &run->trials[run->best];

    facts->single_method = gr_auto_keep(run->result, run->entries[best->entry].name);
    facts->single_settings = gr_auto_keep(run->result, gr_setting_words(best->settings));
    return facts->single_method && facts->single_settings ? GRADUS_OK
                                                          : gr_fail_memory(err, "results");
}
