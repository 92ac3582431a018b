/* SPDX-License-Identifier: Apache-2.0 */
/* Greedy forward selection of ensemble members with replacement, bagged (Caruana, Niculescu-Mizil,
 * Crew and Ksikes, ICML 2004). Each bag uses a random half of the members and a bootstrap sample of
 * the queries. It starts with its two best members and adds, again and again, the member that
 * improves the metric of the summed scores most; what counts is the best of these sums. The weight
 * of a member is its fraction in this sum, averaged over bags.
 *
 * Bags are independent tasks, each with its own random stream, and are averaged in order. */
#include "ensembles/selection.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/rng.h"
#include "ensembles/standardise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A bag has at least this many members, if there are as many: in a smaller one poor members would get
 * weight for want of others. */
enum { MIN_MEMBERS = 5 };

/* A bag draws at most this many queries and stops drawing at this many rows: more would cost time
 * without changing the weights much. */
enum { MAX_QUERIES = 2000, MAX_ROWS = 120000 };

const gr_param gr_selection_params[] = {
    GR_PARAM_COUNT(gr_selection_options, bags, "bags", "N", 15, 1, 1000,
                   "selection: number of bags, each with half of the members and a bootstrap "
                   "sample of the queries"),
    GR_PARAM_COUNT(gr_selection_options, steps, "steps", "N", 12, 2, 1000,
                   "selection: members that a bag adds, with replacement"),
    GR_PARAM_COUNT(gr_selection_options, seed, "seed", "N", 1, 0, 18446744073709551615.0,
                   "selection: random seed"),
    GR_PARAM_END,
};

typedef struct bag {
    const gr_selection *from;
    size_t *members; /* ascending */
    size_t member_count;
    gr_lists lists;  /* the queries that were drawn, each once, weighted by how often */
    size_t *queries; /* their numbers in the data */
    size_t rows;
    double *scores;        /* member_count x rows */
    double *sum, *tried;   /* scores of the members added so far, and with one more */
    size_t *counts, *kept; /* how often each member was added: now, and in the best sum */
    double sign;           /* -1: a lower metric is better */
    gr_arena arena;
} bag;

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Half of the members, in order. */
static void draw_members(bag *b, gr_rng *rng)
{
    const size_t count = b->from->count;

    for (size_t m = 0; m < count; m++)
        b->members[m] = m;
    b->member_count = count > 2 * MIN_MEMBERS ? (count + 1) / 2 : gr_least(count, MIN_MEMBERS);
    gr_shuffle(rng, b->members, count);
    qsort(b->members, b->member_count, sizeof *b->members, compare_sizes);
}

/* Draws queries with replacement. times: how often each was drawn; they are listed in order. */
static void draw_queries(bag *b, gr_rng *rng, uint32_t *times)
{
    const gr_lists *all = b->from->lists;
    const size_t draws = all->queries < MAX_QUERIES ? all->queries : MAX_QUERIES;

    for (size_t i = 0; i < draws && b->rows < MAX_ROWS; i++) {
        const size_t q = (size_t)gr_rng_below(rng, all->queries);

        if (times[q]++ == 0)
            b->rows += (size_t)(all->starts[q + 1] - all->starts[q]);
    }
    for (size_t q = 0; q < all->queries; q++)
        if (times[q])
            b->queries[b->lists.queries++] = q;
}

static bool allocate_rows(bag *b, const gr_lists *all)
{
    gr_lists *own = &b->lists;
    size_t cells;

    own->starts = gr_arena_array(&b->arena, own->queries + 1, sizeof *own->starts);
    own->labels = gr_arena_array(&b->arena, b->rows, sizeof *own->labels);
    own->query_weights = gr_arena_array(&b->arena, own->queries, sizeof *own->query_weights);
    own->file_rows = gr_arena_array(&b->arena, b->rows, sizeof *own->file_rows);
    own->name_bytes = all->name_bytes;
    if (all->name_starts)
        own->name_starts = gr_arena_array(&b->arena, b->rows, sizeof *own->name_starts);
    if (all->row_weights)
        own->row_weights = gr_arena_array(&b->arena, b->rows, sizeof *own->row_weights);
    b->sum = gr_arena_array(&b->arena, b->rows, sizeof *b->sum);
    b->tried = gr_arena_array(&b->arena, b->rows, sizeof *b->tried);
    if (!gr_size_times(b->rows, b->member_count, &cells))
        return false;
    b->scores = gr_arena_array(&b->arena, cells, sizeof *b->scores);
    return !b->arena.failed;
}

/* The arrays of a bag's lists are its own, and const only for readers. */
#define OWN(type, array) ((type *)(uintptr_t)(array))

static void copy_row(bag *b, const gr_lists *all, size_t from, size_t to)
{
    OWN(float, b->lists.labels)[to] = all->labels[from];
    OWN(uint64_t, b->lists.file_rows)[to] = all->file_rows ? all->file_rows[from] : from;
    if (all->name_starts)
        OWN(uint64_t, b->lists.name_starts)[to] = all->name_starts[from];
    if (all->row_weights)
        OWN(float, b->lists.row_weights)[to] = all->row_weights[from];
}

static void copy_scores(bag *b, size_t first, size_t count, size_t to)
{
    for (size_t m = 0; m < b->member_count; m++) {
        const double *scores = b->from->scores[b->members[m]] + first;
        double *own = b->scores + m * b->rows + to;

        memcpy(own, scores, count * sizeof *own);
        if (!b->from->standardise)
            continue;
        const gr_standard s = gr_standard_fit(scores, count);

        for (size_t r = 0; r < count; r++)
            own[r] = gr_standardised(&s, scores[r]);
    }
}

static void copy_queries(bag *b, const uint32_t *times)
{
    const gr_lists *all = b->from->lists;
    size_t at = 0;

    for (size_t i = 0; i < b->lists.queries; i++) {
        const size_t q = b->queries[i], first = (size_t)all->starts[q];
        const size_t count = (size_t)all->starts[q + 1] - first;
        const float weight = all->query_weights ? all->query_weights[q] : 1.0f;

        OWN(float, b->lists.query_weights)[i] = (float)times[q] * weight;
        OWN(uint64_t, b->lists.starts)[i] = at;
        for (size_t r = 0; r < count; r++)
            copy_row(b, all, first + r, at + r);
        copy_scores(b, first, count, at);
        at += count;
    }
    OWN(uint64_t, b->lists.starts)[b->lists.queries] = at;
}

static gradus_status fill(bag *b, size_t index, gradus_error *err)
{
    const gr_selection *from = b->from;
    gr_rng rng = gr_rng_for(from->options->seed, "ensemble bag", index);
    uint32_t *times = gr_arena_array(&b->arena, from->lists->queries, sizeof *times);

    b->members = gr_arena_array(&b->arena, from->count, sizeof *b->members);
    b->counts = gr_arena_array(&b->arena, from->count, sizeof *b->counts);
    b->kept = gr_arena_array(&b->arena, from->count, sizeof *b->kept);
    b->queries = gr_arena_array(&b->arena, from->lists->queries, sizeof *b->queries);
    if (b->arena.failed)
        return gr_fail_memory(err, "an ensemble");
    draw_members(b, &rng);
    draw_queries(b, &rng, times);
    if (!allocate_rows(b, from->lists))
        return gr_fail_memory(err, "an ensemble");
    copy_queries(b, times);
    return GRADUS_OK;
}

/* The metric of scores, larger is better. */
static gradus_status measure(bag *b, const double *scores, double *value, gradus_error *err)
{
    gr_evaluation evaluation = { .queries = 0 };

    GR_TRY(gr_pool_check(b->from->pool, err));
    b->lists.scores = scores;
    GR_TRY(gr_evaluate(&b->lists, b->from->measuring, NULL, &evaluation, err));
    b->sign = evaluation.measures.at[0].metric->lower_is_better ? -1.0 : 1.0;
    *value = b->sign * evaluation.values[0].mean;
    gr_evaluation_end(&evaluation);
    return GRADUS_OK;
}

static bool is_better(double value, double best)
{
    return value > best || (isnan(best) && !isnan(value));
}

static void add_member(bag *b, size_t m)
{
    const double *scores = b->scores + m * b->rows;

    for (size_t r = 0; r < b->rows; r++)
        b->sum[r] += scores[r];
    b->counts[m]++;
}

/* Adds the two best members; ties go to the earlier one. */
static gradus_status start(bag *b, gradus_error *err)
{
    size_t best[2] = { 0, 0 };
    double values[2] = { NAN, NAN }, value;

    for (size_t m = 0; m < b->member_count; m++) {
        GR_TRY(measure(b, b->scores + m * b->rows, &value, err));
        if (m == 0 || is_better(value, values[0])) {
            best[1] = best[0];
            values[1] = values[0];
            best[0] = m;
            values[0] = value;
        } else if (m == 1 || is_better(value, values[1])) {
            best[1] = m;
            values[1] = value;
        }
    }
    add_member(b, best[0]);
    add_member(b, best[1]);
    return GRADUS_OK;
}

/* Adds the member that gives the best sum. */
static gradus_status add_best(bag *b, double *best, gradus_error *err)
{
    size_t chosen = 0;
    double value;

    *best = NAN;
    for (size_t m = 0; m < b->member_count; m++) {
        const double *scores = b->scores + m * b->rows;

        for (size_t r = 0; r < b->rows; r++)
            b->tried[r] = b->sum[r] + scores[r];
        GR_TRY(measure(b, b->tried, &value, err));
        if (is_better(value, *best)) {
            *best = value;
            chosen = m;
        }
    }
    add_member(b, chosen);
    return GRADUS_OK;
}

/* fractions: of each member of the ensemble in the bag's best sum. */
static gradus_status run(bag *b, double *fractions, gradus_error *err)
{
    const uint64_t steps = b->from->options->steps;
    double best, value;
    size_t total = 0;

    GR_TRY(start(b, err));
    GR_TRY(measure(b, b->sum, &best, err));
    memcpy(b->kept, b->counts, b->member_count * sizeof *b->kept);
    for (uint64_t step = 2; step < steps; step++) {
        GR_TRY(add_best(b, &value, err));
        if (!is_better(value, best))
            continue;
        best = value;
        memcpy(b->kept, b->counts, b->member_count * sizeof *b->kept);
    }
    for (size_t m = 0; m < b->member_count; m++)
        total += b->kept[m];
    for (size_t m = 0; m < b->member_count; m++)
        fractions[b->members[m]] = (double)b->kept[m] / (double)total;
    return GRADUS_OK;
}

typedef struct bagging {
    const gr_selection *selection;
    double *fractions; /* bags x members */
    gradus_status *statuses;
    gradus_error *errors;
} bagging;

static void run_bag(void *argument, size_t index, size_t worker)
{
    const bagging *all = argument;
    bag b = { .from = all->selection };
    gradus_error *err = &all->errors[index];

    (void)worker;
    all->statuses[index] = fill(&b, index, err);
    if (all->statuses[index] == GRADUS_OK)
        all->statuses[index] = run(&b, all->fractions + index * b.from->count, err);
    gr_arena_free(&b.arena);
}

static gradus_status run_bags(const bagging *all, double *weights, gradus_error *err)
{
    const gr_selection *s = all->selection;
    const size_t bags = (size_t)s->options->bags;

    GR_TRY(gr_pool_try(s->pool, bags, run_bag, (void *)(uintptr_t)all, err));
    for (size_t i = 0; i < bags; i++)
        if (all->statuses[i] != GRADUS_OK)
            return gr_fail(err, all->statuses[i], "%s", all->errors[i].message);
    for (size_t m = 0; m < s->count; m++) {
        weights[m] = 0.0;
        for (size_t i = 0; i < bags; i++)
            weights[m] += all->fractions[i * s->count + m];
        weights[m] /= (double)bags;
    }
    return GRADUS_OK;
}

gradus_status gr_select_members(const gr_selection *selection, double *weights, gradus_error *err)
{
    const size_t bags = (size_t)selection->options->bags;
    gr_arena arena = { .failed = false };
    const bagging all = {
        .selection = selection,
        .fractions = gr_arena_array(&arena, bags * selection->count, sizeof(double)),
        .statuses = gr_arena_array(&arena, bags, sizeof(gradus_status)),
        .errors = gr_arena_array(&arena, bags, sizeof(gradus_error)),
    };
    gradus_status status =
        arena.failed ? gr_fail_memory(err, "an ensemble") : run_bags(&all, weights, err);

    gr_arena_free(&arena);
    return status;
}
