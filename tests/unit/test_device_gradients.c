/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of plugins/cuda that compute gradients, run as C: the bits of the processor's
 * objectives, over random problems. */
#include "checks.h"
#include "emulated_boosting.h"
#include "thread_order.h" /* before the bodies */

#include "backend/tree_device.h"
#include "base/rng.h"
#include "objectives/objective.h"
#include "objectives/objective_lambdarank.h"
#include "plugins/cuda/lambdas_body.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 5, THREADS = 32 };

typedef struct sample {
    gr_problem problem;
    uint64_t *starts;
    float *labels, *row_weights;
    uint8_t *level_of;
    bool *passed_over;
    double *scores, targets[LEVELS * LEVELS], weights[LEVELS * LEVELS], level_labels[LEVELS];
    float *gradients, *hessians, *wanted_gradients, *wanted_hessians;
} sample;

/* How a problem is drawn. */
typedef struct shape {
    const char *name;
    size_t queries, longest; /* query sizes are 0, 1, 2, longest, and random up to longest */
    double grid;             /* scores are multiples, so that there are ties; 0: any number */
    bool row_weights, level_weights, passes_over;
} shape;

static const shape shapes[] = {
    { "distinct scores", 40, 150, 0.0, false, false, false },
    { "tied scores", 40, 60, 0.5, false, false, false },
    { "all scores equal", 12, 40, 100.0, false, false, false },
    { "row weights", 30, 50, 0.25, true, false, false },
    { "level weights", 30, 50, 0.0, false, true, false },
    { "both weights", 30, 50, 0.1, true, true, false },
    { "sampled queries", 60, 40, 0.1, true, false, true },
    { "long queries", 6, 2100, 0.01, false, false, false },
};

static size_t size_of_query(const shape *form, size_t q, gr_rng *rng)
{
    return q < 3 ? q : q == 3 ? form->longest : 1 + (size_t)gr_rng_below(rng, form->longest);
}

static void *take(size_t count, size_t size)
{
    void *made = calloc(count ? count : 1, size);

    assert_non_null(made);
    return made;
}

static void draw_rows(sample *s, const shape *form, gr_rng *rng)
{
    const size_t rows = s->problem.rows, queries = s->problem.queries;

    for (size_t r = 0; r < rows; r++) {
        s->level_of[r] = (uint8_t)gr_rng_below(rng, LEVELS);
        s->row_weights[r] = 0.5f * (float)gr_rng_below(rng, 4);
    }
    for (uint64_t r = s->starts[queries - 1]; r < rows; r++)
        s->level_of[r] = 0; /* a query without relevant documents */
    for (size_t r = 0; r < rows; r++)
        s->labels[r] = (float)s->level_of[r];
    for (size_t i = 0; i < LEVELS * rows; i++) {
        const double score = 3.0 * gr_rng_normal(rng);

        s->scores[i] = form->grid > 0.0 ? form->grid * floor(score / form->grid) : score;
        if (gr_rng_below(rng, 200) == 0)
            s->scores[i] *= 1e3; /* beyond the limits of exponentials */
    }
    if (rows > 10)
        s->scores[rows - 1] = -0.0;
    for (size_t q = 0; q < queries; q++)
        s->passed_over[q] = gr_rng_below(rng, 2) == 0;
}

static sample draw(const shape *form, uint64_t seed)
{
    gr_rng rng = gr_rng_for(seed, "device gradients", 0);
    sample s = { .starts = take(form->queries + 1, sizeof *s.starts) };
    size_t rows = 0;

    for (size_t q = 0; q < form->queries; q++)
        s.starts[q + 1] = rows += size_of_query(form, q, &rng);
    s.labels = take(rows, sizeof *s.labels);
    s.row_weights = take(rows, sizeof *s.row_weights);
    s.level_of = take(rows, 1);
    s.passed_over = take(form->queries, sizeof *s.passed_over);
    s.scores = take(LEVELS * rows, sizeof *s.scores);
    s.gradients = take(LEVELS * rows, sizeof *s.gradients);
    s.hessians = take(LEVELS * rows, sizeof *s.hessians);
    s.wanted_gradients = take(LEVELS * rows, sizeof *s.gradients);
    s.wanted_hessians = take(LEVELS * rows, sizeof *s.hessians);
    s.problem = (gr_problem){ .rows = rows,
                              .queries = form->queries,
                              .query_starts = s.starts,
                              .labels = s.labels,
                              .levels = LEVELS,
                              .level_of = s.level_of,
                              .outputs = 1,
                              .row_weights = form->row_weights ? s.row_weights : NULL,
                              .passed_over = form->passes_over ? s.passed_over : NULL };
    draw_rows(&s, form, &rng);
    for (size_t i = 0; i < LEVELS * LEVELS; i++)
        s.weights[i] = 0.3 + 0.7 * (double)(i % 7);
    return s;
}

static void free_sample(sample *s)
{
    free(s->starts);
    free(s->labels);
    free(s->row_weights);
    free(s->level_of);
    free(s->passed_over);
    free(s->scores);
    free(s->gradients);
    free(s->hessians);
    free(s->wanted_gradients);
    free(s->wanted_hessians);
}

static gr_row_losses losses_of(sample *s, int loss, double number)
{
    static const double numbers[LEVELS * GR_DEVICE_LEVEL_NUMBERS]; /* without thresholds */

    return (gr_row_losses){ .loss = loss,
                            .number = number,
                            .rows = s->problem.rows,
                            .outputs = s->problem.outputs,
                            .levels = s->problem.levels,
                            .labels = s->labels,
                            .level_of = s->level_of,
                            .targets = s->problem.targets,
                            .weights = s->problem.weights,
                            .row_weights = s->problem.row_weights,
                            .numbers = numbers,
                            .scores = s->scores,
                            .gradients = s->gradients,
                            .hessians = s->hessians };
}

static void expect_bits(const sample *s, const char *what, const char *of)
{
    const size_t cells = s->problem.rows * s->problem.outputs;

    for (size_t i = 0; i < cells; i++)
        if (gr_bits_of_float(s->gradients[i]) != gr_bits_of_float(s->wanted_gradients[i]) ||
            gr_bits_of_float(s->hessians[i]) != gr_bits_of_float(s->wanted_hessians[i]))
            fail_msg("%s, %s: cell %zu is %a, %a, not %a, %a", what, of, i, (double)s->gradients[i],
                     (double)s->hessians[i], (double)s->wanted_gradients[i],
                     (double)s->wanted_hessians[i]);
}

static void *want(sample *s, const gr_objective *objective, const gr_objective_options *options)
{
    gradus_error err = { GRADUS_OK, "" };
    void *state = NULL;

    if (objective->begin(&s->problem, options, NULL, &state, &err) != GRADUS_OK)
        fail_msg("%s: %s", objective->about.name, err.message);
    assert_int_equal(objective->gradients(state, &s->problem, s->scores, s->wanted_gradients,
                                          s->wanted_hessians, NULL, &err),
                     GRADUS_OK);
    return state;
}

typedef struct row_case {
    int loss;
    const gr_objective *objective;
    size_t outputs;
} row_case;

static const row_case row_cases[] = {
    { GR_DEVICE_SQUARED, &gr_objective_squared, 1 },
    { GR_DEVICE_SQUARED, &gr_objective_squared, 3 },
    { GR_DEVICE_ABSOLUTE, &gr_objective_absolute, 1 },
    { GR_DEVICE_HUBER, &gr_objective_huber, 1 },
    { GR_DEVICE_QUANTILE, &gr_objective_quantile, 2 },
    { GR_DEVICE_LOGISTIC, &gr_objective_logistic, 4 },
    { GR_DEVICE_SOFTMAX, &gr_objective_softmax, LEVELS },
};

/* Targets of thresholds: [grade > k]; of classes: [grade = k]. */
static void pose(sample *s, const row_case *c, bool level_weights)
{
    for (size_t k = 0; k < c->outputs; k++)
        for (size_t l = 0; l < LEVELS; l++)
            s->targets[k * LEVELS + l] = c->loss == GR_DEVICE_SOFTMAX ? l == k : l > k;
    s->problem.outputs = c->outputs;
    s->problem.targets = c->outputs > 1 ? s->targets : NULL;
    s->problem.weights = level_weights ? s->weights : NULL;
}

static void test_row_losses(void **unused)
{
    const gr_objective_options options = { .loss = { .delta = 0.7, .quantile = 0.3 } };

    (void)unused;
    for (size_t f = 0; f < sizeof shapes / sizeof *shapes; f++)
        for (size_t i = 0; i < sizeof row_cases / sizeof *row_cases; i++) {
            const row_case *c = &row_cases[i];
            sample s = draw(&shapes[f], 7 * f + i);

            pose(&s, c, shapes[f].level_weights);
            void *state = want(&s, c->objective, &options);
            const gr_row_losses losses =
                losses_of(&s, c->loss, c->loss == GR_DEVICE_HUBER ? 0.7 : 0.3);

            for (size_t r = 0; r < s.problem.rows; r++)
                gr_row_gradients(&losses, r);
            expect_bits(&s, shapes[f].name, c->objective->about.name);
            if (c->objective->end)
                c->objective->end(state);
            free_sample(&s);
        }
}

/* Leaf values are added to the scores, and the gradients of the new scores computed at once. */
static void test_row_add(void **unused)
{
    const double values[3] = { 0.125, -1e-3, 7.0 };
    sample s = draw(&shapes[3], 5);
    const gr_row_losses losses = losses_of(&s, GR_DEVICE_SQUARED, 0.0);
    uint32_t *leaf_of = take(s.problem.rows, sizeof *leaf_of);
    double *sums = take(s.problem.rows, sizeof *sums);

    (void)unused;
    for (size_t r = 0; r < s.problem.rows; r++) {
        leaf_of[r] = (uint32_t)(r * r % 3);
        sums[r] = s.scores[r] + values[leaf_of[r]];
    }
    for (size_t r = 0; r < s.problem.rows; r++)
        gr_row_add(&losses, 0, r, leaf_of, values, true);
    assert_memory_equal(s.scores, sums, s.problem.rows * sizeof *sums);
    assert_null(want(&s, &gr_objective_squared, &(gr_objective_options){ 0 }));
    expect_bits(&s, "after a tree", "squared");
    free(leaf_of);
    free(sums);
    free_sample(&s);
}

static void run_lambdas(sample *s, const gr_lambda_state *state, uint32_t threads)
{
    const gr_objective_options *options = &state->options;
    const gr_lambda_losses losses = {
        .rows = losses_of(s, GR_DEVICE_LAMBDARANK, 0.0),
        .query_starts = s->starts,
        .skipped = (const uint8_t *)s->problem.passed_over,
        .metric = options->lambda_metric,
        .by_query = options->normalise == GR_LAMBDA_BY_QUERY,
        .sigma = (float)options->sigma,
        .truncation = options->truncation,
        .depth = options->lambda_depth,
        .discounts = state->discounts,
        .values = state->values,
    };
    const size_t room = (state->largest + 1) / 2 * 2;
    void *memory = take(room, GR_LAMBDA_RANK_BYTES);
    gr_lambda_tile *tile = take(1, sizeof *tile);
    gr_lambda_chunk *pairs = take(1, sizeof *pairs);

    for (uint32_t q = 0; q < s->problem.queries; q++) {
        memset(memory, 0xa5, room * GR_LAMBDA_RANK_BYTES); /* shared memory is not cleared */
        memset(tile, 0xa5, sizeof *tile);
        memset(pairs, 0xa5, sizeof *pairs);
        emulated_order_use((thread_order)(q % THREAD_ORDERS));
        if (state->matters[q])
            gr_lambda_query_block(&losses, q, threads, gr_lambda_lay_out(memory, room), tile,
                                  pairs);
    }
    free(memory);
    free(tile);
    free(pairs);
}

typedef struct lambda_case {
    const char *name;
    int metric, normalise;
    uint64_t truncation, depth;
    double sigma;
} lambda_case;

static const lambda_case lambda_cases[] = {
    { "ndcg", GR_LAMBDA_NDCG, GR_LAMBDA_BY_QUERY, 30, 0, 1.0 },
    { "ndcg, plain", GR_LAMBDA_NDCG, GR_LAMBDA_PLAIN, 30, 10, 2.0 },
    { "ndcg, few pairs", GR_LAMBDA_NDCG, GR_LAMBDA_BY_QUERY, 1, 0, 0.3 },
    { "ndcg, all pairs", GR_LAMBDA_NDCG, GR_LAMBDA_BY_QUERY, 0, 0, 1.0 },
    { "err", GR_LAMBDA_ERR, GR_LAMBDA_BY_QUERY, 40, 0, 1.0 },
    { "err, all pairs", GR_LAMBDA_ERR, GR_LAMBDA_PLAIN, 0, 0, 1.0 },
    { "map", GR_LAMBDA_MAP, GR_LAMBDA_BY_QUERY, 33, 0, 1.0 },
    { "map, all pairs", GR_LAMBDA_MAP, GR_LAMBDA_PLAIN, 0, 20, 1.5 },
};

static void compare_lambdas(const shape *form, const lambda_case *c, uint32_t threads)
{
    const gr_objective_options options = { .lambda_metric = c->metric,
                                           .lambda_depth = c->depth,
                                           .truncation = c->truncation,
                                           .sigma = c->sigma,
                                           .normalise = c->normalise,
                                           .max_grade = LEVELS - 1 };
    sample s = draw(form, c->truncation + threads);

    s.problem.weights = form->level_weights ? s.weights : NULL;
    void *state = want(&s, &gr_objective_lambdarank, &options);

    run_lambdas(&s, state, threads);
    expect_bits(&s, form->name, c->name);
    gr_objective_lambdarank.end(state);
    free_sample(&s);
}

/* Some queries are longer than a block has threads, and than a chunk of columns. */
static void test_lambdarank(void **unused)
{
    (void)unused;
    for (size_t f = 0; f < sizeof shapes / sizeof *shapes; f++)
        for (size_t i = 0; i < sizeof lambda_cases / sizeof *lambda_cases; i++)
            if (shapes[f].longest < 1000 || lambda_cases[i].truncation > 0)
                compare_lambdas(&shapes[f], &lambda_cases[i], THREADS);
}

static void test_lambdarank_threads(void **unused)
{
    static const uint32_t threads[] = { 1, 7, 128, 256 };

    (void)unused;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        for (size_t c = 0; c < sizeof lambda_cases / sizeof *lambda_cases; c++)
            compare_lambdas(&shapes[1], &lambda_cases[c], threads[i]);
}

/* Thresholds fitted from sums that the device computes, and the gradients at them although the scores are
 * the same. Some samples have
 * several blocks of rows. */
static void compare_thresholds(const shape *form, const gr_objective *objective, int variant)
{
    const gr_objective_options options = { .orboost = { .form = variant } };
    sample s = draw(form, 40 + (uint64_t)variant);
    gradus_error err = { GRADUS_OK, "" };
    const gr_device_rows rows = { .gradients = s.gradients, .hessians = s.hessians };
    double numbers[LEVELS * GR_DEVICE_LEVEL_NUMBERS], wanted[LEVELS - 1];
    gr_device_problem described;
    bool separated[2];

    emulated_order_use(variant ? THREADS_BY_LANES : THREADS_DESCENDING);
    s.problem.weights = form->level_weights ? s.weights : NULL;
    for (size_t r = 0; r < s.problem.rows; r++)
        s.scores[r] = fmod(s.scores[r], 4.0); /* so that thresholds can be fitted */
    void *state = want(&s, objective, &options), *there = NULL;

    assert_true(objective->describe(state, &s.problem, &described));
    assert_int_equal(emulated_boosting.open(NULL, &described, &rows, s.scores, &there, &err),
                     GRADUS_OK);
    gr_problem moved = s.problem;

    moved.device = &emulated_boosting;
    moved.boosting = there;
    objective->fit_thresholds(state, &s.problem, s.scores, NULL, &separated[0], &err);
    memcpy(wanted, objective->thresholds(state), sizeof wanted);
    objective->end(state);
    state = want(&s, objective, &options); /* at the first thresholds again */
    objective->level_numbers(state, numbers);
    assert_int_equal(emulated_boosting.gradients(there, NULL, numbers, &err), GRADUS_OK);
    expect_bits(&s, form->name, objective->about.name);
    objective->fit_thresholds(state, &moved, NULL, NULL, &separated[1], &err);
    assert_memory_equal(objective->thresholds(state), wanted, sizeof wanted);
    assert_int_equal(separated[0], separated[1]);
    assert_int_equal(objective->gradients(state, &s.problem, s.scores, s.wanted_gradients,
                                          s.wanted_hessians, NULL, &err),
                     GRADUS_OK);
    objective->level_numbers(state, numbers);
    assert_int_equal(emulated_boosting.gradients(there, NULL, numbers, &err), GRADUS_OK);
    expect_bits(&s, form->name, objective->about.name);
    emulated_boosting.close(there);
    objective->end(state);
    free_sample(&s);
}

static void test_thresholds(void **unused)
{
    static const shape large = { "blocks", 30, 2000, 0.0, true, true, false };

    (void)unused;
    for (size_t f = 0; f <= sizeof shapes / sizeof *shapes; f++)
        for (int variant = 0; variant < 2; variant++) {
            const shape *form = f < sizeof shapes / sizeof *shapes ? &shapes[f] : &large;

            compare_thresholds(form, &gr_objective_propodds, variant);
            compare_thresholds(form, &gr_objective_orboost, variant);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_losses),         cmocka_unit_test(test_row_add),
        cmocka_unit_test(test_thresholds),         cmocka_unit_test(test_lambdarank),
        cmocka_unit_test(test_lambdarank_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
