/* SPDX-License-Identifier: Apache-2.0 */
/* Validation on a device, and the metric of the training rows: the bodies of the kernels against the
 * processor, bit for bit; trainings that are evaluated there, and what the processor does if they are not. */
#include "emulated_boosting.h"
#include "emulated_device.h"
#include "emulated_validation.h"
#include "query_sets.h"
#include "random_forest.h"
#include "synthetic_sets.h"
#include "thread_order.h"
#include "train_model.h"

#include "learners/forest/score_forest.h"
#include "metrics/dcg_plan.h"
#include "pipeline/dataset_lists.h"

enum { ROWS = 333, MOST_POINTS = 40 };

/* ---- sums ---- */

/* A dataset of one query, with `stride` features per row, over its own copy of the values. */
static gradus_dataset *data_of(const float *values, size_t rows, size_t stride)
{
    float *labels = calloc(rows, sizeof *labels);
    const uint64_t starts[2] = { 0, rows };
    const gradus_arrays arrays = { .rows = rows,
                                   .features = stride,
                                   .queries = 1,
                                   .values = values,
                                   .stride = stride,
                                   .labels = labels,
                                   .query_starts = starts };
    gradus_dataset *data = gradus_dataset_copy(NULL, &arrays, NULL);

    assert_non_null(data);
    free(labels);
    return data;
}

static void load(gr_valid_run *run, const float *rows, size_t features, size_t batch)
{
    for (size_t first = 0; first < ROWS; first += batch) {
        const size_t count = ROWS - first < batch ? ROWS - first : batch;

        memcpy(emulated_validation.room(run), rows + first * features,
               count * features * sizeof *rows);
        assert_int_equal(emulated_validation.load(run, first, count, NULL), GRADUS_OK);
    }
}

/* Adds the rounds of a forest, `together` at a time, there and on the processor. */
static void compare_sums(const gr_forest *forest, const float *rows, size_t batch, size_t together)
{
    const size_t features = forest->features, cells = forest->outputs * ROWS;
    double *start = calloc(cells, sizeof *start), *found = calloc(cells, sizeof *found);
    gradus_dataset *data = data_of(rows, ROWS, features);
    const gr_device_set set = { .rows = ROWS,
                                .features = features,
                                .outputs = forest->outputs,
                                .batch = batch,
                                .sums = start };
    gr_valid_run *run;

    for (size_t i = 0; i < cells; i++)
        start[i] = i % 3 ? (double)i / 7.0 : -0.0;
    assert_int_equal(emulated_validation.open(NULL, &set, &run, NULL), GRADUS_OK);
    load(run, rows, features, batch);
    for (size_t round = 0; round < gr_forest_rounds(forest); round += together) {
        const size_t end = gr_least(round + together, gr_forest_rounds(forest));
        gr_score_forest described;

        assert_int_equal(gr_score_forest_make(forest, round, end, &described, NULL), GRADUS_OK);
        if (round > 0)
            described.trees.bases = NULL;
        assert_int_equal(emulated_validation.add(run, &described.trees, NULL), GRADUS_OK);
        gr_score_forest_free(&described);
        for (size_t k = 0; round == 0 && k < forest->outputs; k++)
            for (size_t r = 0; r < ROWS; r++)
                start[k * ROWS + r] += forest->bases[k];
        assert_int_equal(gr_forest_add_scores(forest, round, end, data, start, NULL, NULL),
                         GRADUS_OK);
        assert_int_equal(emulated_validation.fetch(run, found, NULL), GRADUS_OK);
        assert_memory_equal(found, start, cells * sizeof *start);
    }
    emulated_validation.close(run);
    gradus_dataset_free(data);
    free(start);
    free(found);
}

static void test_sums_have_the_bits_of_the_processor(void **state)
{
    static const forest_plan plans[] = {
        { .features = 5, .outputs = 1, .rounds = 23, .leaves = 31, .grid = 9 },
        { .features = 33, .outputs = 4, .rounds = 6, .leaves = 64, .exactly = true, .grid = 0 },
        { .features = 7, .outputs = 2, .rounds = 9, .leaves = 300, .shape = SHAPE_CHAIN },
        { .features = 2, .outputs = 3, .rounds = 5, .leaves = 2, .grid = 3 },
        { .features = 1, .outputs = 1, .rounds = 1, .leaves = 1 },
    };
    gr_rng rng = gr_rng_for(1, "validation", 31);

    (void)state;
    for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) {
        gr_forest forest;

        random_forest(&rng, &plans[p], &forest);
        float *rows = random_rows(&rng, &plans[p], &forest, ROWS, plans[p].features);

        for (uint32_t threads = 32; threads <= 256; threads *= 8) {
            emulated_validation_use((emulated_valid_plan){ .threads = threads });
            compare_sums(&forest, rows, ROWS, 1);
            compare_sums(&forest, rows, 70, 3);
            compare_sums(&forest, rows, 32, 100);
        }
        free(rows);
        gr_forest_free(&forest);
    }
    emulated_validation_use((emulated_valid_plan){ .threads = 0 });
}

/* ---- NDCG ---- */

enum { QUERIES = 24 };

typedef struct ranked_set {
    uint64_t starts[QUERIES + 1];
    size_t rows;
    float *labels;
    double *scores;
    float weights[QUERIES];
} ranked_set;

/* Queries of one document, of none that is relevant, with equal scores, and of up to `largest`
 * documents. distinct: the number of scores; 0: any numbers. */
static ranked_set make_ranked(size_t largest, size_t distinct, bool whole, uint64_t seed)
{
    static const size_t sizes[] = { 1, 2, 3, 7, 31, 32, 33, 64, 100, 129 };
    gr_rng rng = gr_rng_for(seed, "ranked", largest);
    ranked_set set = { .rows = 0 };

    for (size_t q = 0; q < QUERIES; q++) {
        const size_t size = q == 5 ? largest : sizes[gr_rng_below(&rng, 10)];

        set.starts[q + 1] = set.starts[q] + size;
        set.weights[q] = (float)(1 + q % 3);
    }
    set.rows = (size_t)set.starts[QUERIES];
    set.labels = calloc(set.rows, sizeof *set.labels);
    set.scores = calloc(set.rows, sizeof *set.scores);
    for (size_t q = 0; q < QUERIES; q++)
        for (uint64_t r = set.starts[q]; r < set.starts[q + 1]; r++) {
            const double u = gr_rng_uniform(&rng);

            set.labels[r] = q % 6 == 2 ? 0.0f
                            : whole    ? (float)gr_rng_below(&rng, 5)
                                       : (float)gr_rng_uniform(&rng) * 3.0f;
            set.scores[r] = q % 6 == 3    ? 1.5
                            : distinct    ? floor(u * (double)distinct) - 2.0
                            : r % 11 == 0 ? -0.0
                                          : u * 4.0 - 2.0;
        }
    return set;
}

static void end_ranked(ranked_set *set)
{
    free(set->labels);
    free(set->scores);
}

/* Computes the DCGs there; the rows have no features. */
static void find_dcgs(const gr_lists *lists, const gr_dcg_plan *plan, double *dcgs)
{
    const size_t rows = (size_t)lists->starts[lists->queries];
    const gr_device_lists described = { .queries = lists->queries,
                                        .largest = plan->largest,
                                        .starts = lists->starts,
                                        .gains = plan->gains,
                                        .discounts = plan->discounts,
                                        .depth = plan->depth };
    const gr_device_set set = {
        .rows = rows, .outputs = 1, .batch = 1, .sums = lists->scores, .lists = &described
    };
    gr_valid_run *run;

    assert_int_equal(emulated_validation.open(NULL, &set, &run, NULL), GRADUS_OK);
    assert_int_equal(emulated_validation.dcgs(run, dcgs, NULL), GRADUS_OK);
    emulated_validation.close(run);
}

/* fits: whether the device computes the metric. */
static void compare_metric(const gr_lists *lists, const char *const *pairs, bool fits)
{
    gradus_options *options = gr_options_new(&gr_operation_evaluate, NULL);
    double dcgs[QUERIES];
    gr_evaluate_options chosen;
    gr_evaluation wanted;
    gr_dcg_plan plan;
    bool found;

    for (; *pairs; pairs += 2)
        assert_int_equal(gr_options_set(options, pairs[0], pairs[1], NULL), GRADUS_OK);
    assert_int_equal(gr_options_get(options, &gr_operation_evaluate, &chosen, NULL), GRADUS_OK);
    assert_int_equal(gr_dcg_plan_make(lists, &chosen, NULL, &plan, &found, NULL), GRADUS_OK);
    assert_int_equal(found, fits);
    if (fits) {
        assert_int_equal(gr_evaluate(lists, &chosen, NULL, &wanted, NULL), GRADUS_OK);
        find_dcgs(lists, &plan, dcgs);
        const double mean = gr_dcg_plan_mean(&plan, lists, dcgs);

        assert_memory_equal(plan.evaluation.values->by_query, wanted.values->by_query,
                            QUERIES * sizeof mean);
        assert_memory_equal(&mean, &wanted.values->mean, sizeof mean);
        gr_evaluation_end(&wanted);
    }
    gr_dcg_plan_free(&plan);
    gr_options_free(options);
}

static const char *const ndcgs[][5] = {
    { "metric", "ndcg" },
    { "metric", "ndcg@1" },
    { "metric", "ndcg@10" },
    { "metric", "ndcg@10", "gain", "linear" },
    { "metric", "ndcg@5", "empty", "one" },
    { "metric", "ndcg@20", "short", "zero" },
    { "metric", "ndcg@20", "short", "drop" },
    { "metric", "ndcg@100", "discount", "letor" },
    { "metric", "ndcg", "discount", "none" },
    { "metric", "ndcg", "rank-discounts", "1,0.7,0.1" },
    { "metric", "ndcg@9", "label-gain", "0,0,2,5.5,5.5" },
    { "metric", "ndcg", "gain", "letor" },
    { "metric", "ndcg@30", "label-gain", "0.1,0.3,0.7,1.9,3.3" }, /* sums are rounded */
};

static void test_ndcg_has_the_bits_of_the_processor(void **state)
{
    static const size_t largest[] = { 40, 1025, 3000 }, distinct[] = { 0, 3, 17 };

    (void)state;
    for (size_t i = 0; i < 9; i++) {
        ranked_set set = make_ranked(largest[i % 3], distinct[i / 3], true, i);
        gr_lists lists = {
            .queries = QUERIES, .starts = set.starts, .labels = set.labels, .scores = set.scores
        };

        emulated_validation_use((emulated_valid_plan){ .threads = i % 2 ? 128 : 32 });
        for (size_t n = 0; n < sizeof ndcgs / sizeof *ndcgs; n++)
            compare_metric(&lists, ndcgs[n], true);
        lists.query_weights = set.weights;
        compare_metric(&lists, ndcgs[2], true);
        end_ranked(&set);
    }
    emulated_validation_use((emulated_valid_plan){ .threads = 0 });
}

/* Grades near 1023, whose gains are scaled, and labels that are no grades. */
static void test_ndcg_of_unusual_labels(void **state)
{
    ranked_set set = make_ranked(200, 5, true, 77), real = make_ranked(200, 5, false, 78);
    gr_lists lists = {
        .queries = QUERIES, .starts = set.starts, .labels = set.labels, .scores = set.scores
    };

    (void)state;
    for (size_t r = 0; r < set.rows; r++)
        set.labels[r] *= 250.0f;
    compare_metric(&lists, PAIRS("metric", "ndcg"), true);
    lists = (gr_lists){
        .queries = QUERIES, .starts = real.starts, .labels = real.labels, .scores = real.scores
    };
    compare_metric(&lists, PAIRS("metric", "ndcg@10", "gain", "linear"), true);
    compare_metric(&lists, PAIRS("metric", "ndcg@10"), false); /* not grades */
    end_ranked(&set);
    end_ranked(&real);
}

static void test_what_the_processor_evaluates(void **state)
{
    ranked_set set = make_ranked(20, 5, true, 3);
    const gr_lists lists = {
        .queries = QUERIES, .starts = set.starts, .labels = set.labels, .scores = set.scores
    };

    (void)state;
    compare_metric(&lists, PAIRS("metric", "map"), false);
    compare_metric(&lists, PAIRS("metric", "dcg@10"), false);
    compare_metric(&lists, PAIRS("metric", "ndcg,err"), false);
    compare_metric(&lists, PAIRS("metric", "ndcg", "ties", "input"), false);
    compare_metric(&lists, PAIRS("metric", "ndcg", "ties", "pessimistic"), false);
    compare_metric(&lists, PAIRS("metric", "ndcg", "convention", "letor4"), false);
    compare_metric(&lists, PAIRS("metric", "ndcg", "within", "all"), false);
    end_ranked(&set);
}

/* A score that is not a number is reported for its list only. */
static void test_scores_that_are_not_finite(void **state)
{
    ranked_set set = make_ranked(200, 0, true, 5);
    const gr_lists lists = {
        .queries = QUERIES, .starts = set.starts, .labels = set.labels, .scores = set.scores
    };
    const gr_evaluate_options options = { .metric = "ndcg" };
    gr_dcg_plan plan;
    double dcgs[QUERIES];
    bool fits;

    (void)state;
    assert_int_equal(gr_dcg_plan_make(&lists, &options, NULL, &plan, &fits, NULL), GRADUS_OK);
    assert_true(fits);
    set.scores[set.starts[4]] = NAN;
    set.scores[set.starts[5] + 130] = -INFINITY;
    find_dcgs(&lists, &plan, dcgs);
    for (size_t q = 0; q < QUERIES; q++)
        assert_int_equal(dcgs[q] < 0.0, q == 4 || q == 5);
    gr_dcg_plan_free(&plan);
    end_ranked(&set);
}

/* ---- training ---- */

/* The values of the metric after each round: of the training rows, the validation set, and another set. */
typedef struct curve {
    gradus_model *model;
    size_t count;
    double train[MOST_POINTS], valid[MOST_POINTS], other[MOST_POINTS];
    char metric[40];
} curve;

typedef struct sets {
    query_set train, valid, other;
    const gradus_dataset *others[1];
    gradus_training_input input;
} sets;

static sets make_sets(void)
{
    sets made = { .train = make_query_set(40, 11, true),
                  .valid = make_query_set(25, 12, true),
                  .other = make_query_set(15, 13, true) };

    made.others[0] = made.other.data;
    made.input = (gradus_training_input){ .train = made.train.data, .valid = made.valid.data };
    return made;
}

static void end_sets(sets *made)
{
    end_query_set(&made->train);
    end_query_set(&made->valid);
    end_query_set(&made->other);
}

static void note_round(const gradus_training *training, curve *to)
{
    gradus_training_state state;

    assert_true(to->count < MOST_POINTS);
    gradus_training_get_state(training, &state);
    snprintf(to->metric, sizeof to->metric, "%s", state.metric);
    to->train[to->count] = state.train;
    to->valid[to->count] = state.valid;
    to->other[to->count++] = gradus_training_other(training, 0);
}

/* Trains, and resumes from a checkpoint after two rounds if asked to. */
static curve train_with(const gradus_device *device, const gradus_training_input *given,
                        const char *const *pairs, bool resume)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(1, &err);
    gradus_options *options = train_options(pairs);
    gradus_training_input input = *given;
    gradus_model *checkpoint = NULL;
    curve found = { .count = 0 };
    bool done = false;

    gradus_context_set_device(context, device);
    gradus_training *training = gradus_training_new(context, &input, options, &err);

    while (training && !done) {
        if (gradus_training_step(training, &done, &err) != GRADUS_OK)
            break;
        note_round(training, &found);
        if (resume && found.count == 2 && !done) {
            checkpoint = gradus_training_checkpoint(training, &err);
            gradus_training_free(training);
            input.start = checkpoint;
            input.resume = true;
            training = gradus_training_new(context, &input, options, &err);
        }
    }
    if (training && done)
        found.model = gradus_training_finish(training, &err);
    if (!found.model)
        fail_msg("%s: %s", pairs[1], err.message);
    gradus_training_free(training);
    gradus_model_free(checkpoint);
    gradus_options_free(options);
    gradus_context_free(context);
    return found;
}

static void check_same_curve(const curve *a, const curve *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->train, b->train, a->count * sizeof *a->train);
    assert_memory_equal(a->valid, b->valid, a->count * sizeof *a->valid);
    assert_memory_equal(a->other, b->other, a->count * sizeof *a->other);
    assert_string_equal(a->metric, b->metric);
    check_same_model(a->model, b->model);
}

/* The metric of the training rows: on the device if it ranks validation sets and has the scores. */
static void check_train_calls(const char *const *pairs, bool ranked)
{
    const emulated_calls calls = emulated_boosting_calls();
    const bool there = ranked && calls.added > 0;

    if ((calls.listed > 0) != there || (calls.ranked > 0) != there || (there && calls.fetched > 0))
        fail_msg("%s: %zu lists, %zu ranked, %zu fetched", pairs[1], calls.listed, calls.ranked,
                 calls.fetched);
}

/* ranked: whether the device computes the metric; else it has the outputs fetched. */
static void compare_training(const gradus_training_input *input, const char *const *pairs,
                             bool ranked)
{
    for (int resume = 0; resume < 2; resume++) {
        curve wanted = train_with(NULL, input, pairs, resume == 1);

        (void)emulated_validation_calls();
        (void)emulated_boosting_calls();
        curve found = train_with(&emulated_device, input, pairs, resume == 1);
        const emulated_valid_calls calls = emulated_validation_calls();

        if (calls.opened == 0 || calls.added < found.count || (calls.ranked > 0) != ranked ||
            (calls.fetched > 0) == ranked)
            fail_msg("%s: %zu sets, %zu added, %zu ranked, %zu fetched", pairs[1], calls.opened,
                     calls.added, calls.ranked, calls.fetched);
        check_train_calls(pairs, ranked);
        check_same_curve(&wanted, &found);
        gradus_model_free(wanted.model);
        gradus_model_free(found.model);
    }
}

typedef struct recipe {
    bool ranked;
    const char *pairs[18];
} recipe;

#define ROUNDS "rounds", "5", "leaves", "8"

static const recipe recipes[] = {
    { true, { "method", "lambdamart", ROUNDS } },
    { true, { "method", "lambdamart", ROUNDS, "metric", "ndcg@3,map" } },
    { true, { "method", "lambdamart", ROUNDS, "metric", "ndcg", "gain", "linear" } },
    { true, { "method", "lambdamart", ROUNDS, "eval-every", "2", "train-eval-every", "1" } },
    { true,
      { "method", "lambdamart", ROUNDS, "query-fraction", "0.5", "row-fraction", "0.8",
        "train-eval-every", "2" } },
    { true, { "method", "regression", ROUNDS, "train-eval-every", "1", "metric", "ndcg@5" } },
    { true, { "method", "propodds", ROUNDS, "scoring", "output", "train-eval-every", "2" } },
    { true,
      { "method", "lambdamart", "rounds", "30", "patience", "3", "leaves", "6", "train-eval-every",
        "2" } },
    { true, { "method", "lambdamart", ROUNDS, "transform", "minmax" } },
    { true, { "method", "regression", ROUNDS, "loss", "absolute", "train-eval-every", "2" } },
    { false, { "method", "lambdamart", ROUNDS, "metric", "map", "train-eval-every", "1" } },
    { false, { "method", "lambdamart", "rounds", "30", "patience", "3", "metric", "err@5" } },
    { false, { "method", "lambdamart", ROUNDS, "convention", "letor4" } },
    { false, { "method", "regression", ROUNDS, "metric", "rmse", "eval-every", "3" } },
    { false, { "method", "mcrank", ROUNDS, "class-updates", "true" } },
    { false, { "method", "cocr", ROUNDS } },
};

static void test_trainings_have_the_bytes_of_the_processor(void **state)
{
    sets made = make_sets();

    (void)state;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        made.input.others = i % 2 ? made.others : NULL;
        made.input.other_count = i % 2;
        compare_training(&made.input, recipes[i].pairs, recipes[i].ranked);
    }
    end_sets(&made);
}

/* Initial scores, to which the model of each round is added. */
static void test_initial_scores(void **state)
{
    sets made = make_sets();
    double *initial = calloc(made.train.rows, sizeof *initial);
    double *initial_valid = calloc(made.valid.rows, sizeof *initial_valid);

    (void)state;
    for (size_t r = 0; r < made.train.rows; r++)
        initial[r] = (double)(r % 5) / 3.0;
    for (size_t r = 0; r < made.valid.rows; r++)
        initial_valid[r] = (double)(r % 4) / 7.0;
    made.input.initial = initial;
    made.input.initial_valid = initial_valid;
    compare_training(&made.input, PAIRS("method", "lambdamart", ROUNDS), true);
    compare_training(&made.input, PAIRS("method", "lambdamart", ROUNDS, "metric", "mrr"), false);
    end_sets(&made);
    free(initial);
    free(initial_valid);
}

/* A model to start from is evaluated on the processor; its outputs are then copied. */
static void test_warm_start(void **state)
{
    sets made = make_sets();
    gradus_model *start = train_model(1, made.train.data, NULL, PAIRS("method", "mcrank", ROUNDS));

    (void)state;
    made.input.start = start;
    curve wanted = train_with(NULL, &made.input, PAIRS("method", "mcrank", ROUNDS), false);
    curve found =
        train_with(&emulated_device, &made.input, PAIRS("method", "mcrank", ROUNDS), false);

    check_same_curve(&wanted, &found);
    gradus_model_free(wanted.model);
    gradus_model_free(found.model);
    gradus_model_free(start);
    end_sets(&made);
}

/* Minus the mean distance of scores and labels. */
static gradus_status minus_distance(void *user, const gradus_dataset *data, const double *scores,
                                    double *value)
{
    (void)user;
    *value = 0.0;
    for (size_t r = 0; r < data->arrays.rows; r++)
        *value -= fabs(scores[r] - (double)data->arrays.labels[r]) / (double)data->arrays.rows;
    return GRADUS_OK;
}

static void test_metrics_of_the_caller(void **state)
{
    sets made = make_sets();

    (void)state;
    made.input.metric = minus_distance;
    compare_training(&made.input, PAIRS("method", "lambdamart", ROUNDS), false);
    end_sets(&made);
}

/* Sparse rows, dense ones for a model of sparse rows, and queries larger than a block. */
static void test_sets_of_other_shapes(void **state)
{
    const set_kind sparse = { .rows = 500, .features = 20, .queries = 30, .sparse = true };
    const set_kind dense = { .rows = 300, .features = 20, .queries = 20, .query_weights = true };
    gradus_dataset *train = random_set(&sparse, 3), *valid = random_set(&dense, 4);
    gradus_dataset *web = make_synth(1, "web", PAIRS("queries", "6", "documents", "300"));
    gradus_dataset *large =
        make_synth(1, "web", PAIRS("queries", "4", "documents", "900", "first-query", "50"));
    gradus_training_input input = { .train = train, .valid = train };

    (void)state;
    compare_training(&input, PAIRS("method", "regression", ROUNDS, "metric", "mse"), false);
    input.valid = valid;
    compare_training(&input, PAIRS("method", "regression", ROUNDS, "metric", "mse"), false);
    input = (gradus_training_input){ .train = web, .valid = large };
    compare_training(&input, PAIRS("method", "lambdamart", "rounds", "3", "leaves", "6"), true);
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    gradus_dataset_free(web);
    gradus_dataset_free(large);
}

/* Query weights, which are those of the mean. */
static void test_weighted_queries(void **state)
{
    const set_kind kind = {
        .rows = 600, .features = 30, .queries = 50, .row_weights = true, .query_weights = true
    };
    gradus_dataset *data = random_set(&kind, 3);
    const gradus_training_input input = { .train = data, .valid = data };

    (void)state;
    compare_training(&input,
                     PAIRS("method", "regression", ROUNDS, "metric", "ndcg@7", "gain", "linear",
                           "train-eval-every", "1"),
                     true);
    gradus_dataset_free(data);
}

static uint64_t little_memory(const gradus_device *device)
{
    (void)device;
    return 1 << 20;
}

/* Whether a set that does not fit is known before or after it is allocated, the processor validates. */
static void test_devices_without_memory(void **state)
{
    sets made = make_sets();
    gradus_device device = emulated_device;
    curve wanted = train_with(NULL, &made.input, PAIRS("method", "lambdamart", ROUNDS), false);

    (void)state;
    for (int known = 0; known < 2; known++) {
        if (known)
            device.free_memory = little_memory;
        emulated_validation_use((emulated_valid_plan){ .full = !known });
        (void)emulated_validation_calls();
        curve found =
            train_with(&device, &made.input, PAIRS("method", "lambdamart", ROUNDS), false);
        const emulated_valid_calls calls = emulated_validation_calls();

        assert_int_equal(calls.opened + calls.added, 0);
        check_same_curve(&wanted, &found);
        gradus_model_free(found.model);
    }
    emulated_validation_use((emulated_valid_plan){ .full = false });
    gradus_model_free(wanted.model);
    end_sets(&made);
}

/* A device that is lost while it validates ends the training; a checkpoint from before is resumed
 * without it. */
static void test_devices_that_are_lost(void **state)
{
    sets made = make_sets();
    const char *const *pairs = PAIRS("method", "lambdamart", ROUNDS);
    gradus_model *wanted = train_model(1, made.train.data, made.valid.data, pairs);
    gradus_context *context = gradus_context_new(1, NULL);
    gradus_options *options = train_options(pairs);
    gradus_error err = { GRADUS_OK, "" };
    bool done = false;

    (void)state;
    (void)emulated_validation_calls();
    emulated_validation_use((emulated_valid_plan){ .good = 2 });
    gradus_context_set_device(context, &emulated_device);
    gradus_training *training = gradus_training_new(context, &made.input, options, &err);

    assert_non_null(training);
    assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_OK);
    assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_OK);
    gradus_model *checkpoint = gradus_training_checkpoint(training, &err);

    assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_LOST);
    assert_non_null(strstr(err.message, "the GPU has failed while computing validation scores"));
    gradus_training_free(training);
    emulated_validation_use((emulated_valid_plan){ .good = 0 });
    made.input.start = checkpoint;
    made.input.resume = true;
    curve found = train_with(NULL, &made.input, pairs, false);

    check_same_model(wanted, found.model);
    gradus_model_free(wanted);
    gradus_model_free(found.model);
    gradus_model_free(checkpoint);
    gradus_options_free(options);
    gradus_context_free(context);
    end_sets(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_have_the_bits_of_the_processor),
        cmocka_unit_test(test_ndcg_has_the_bits_of_the_processor),
        cmocka_unit_test(test_ndcg_of_unusual_labels),
        cmocka_unit_test(test_what_the_processor_evaluates),
        cmocka_unit_test(test_scores_that_are_not_finite),
        cmocka_unit_test(test_trainings_have_the_bytes_of_the_processor),
        cmocka_unit_test(test_initial_scores),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_metrics_of_the_caller),
        cmocka_unit_test(test_sets_of_other_shapes),
        cmocka_unit_test(test_weighted_queries),
        cmocka_unit_test(test_devices_without_memory),
        cmocka_unit_test(test_devices_that_are_lost),
    };
    int failed = 0;

    for (int order = 0; order < THREAD_ORDERS; order++) {
        emulated_order_use((thread_order)order);
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
