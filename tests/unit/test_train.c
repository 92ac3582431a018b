/* SPDX-License-Identifier: Apache-2.0 */
/* Training through the public header: every method, reproducible bytes, callbacks, initial scores,
 * warm starts and checkpoints, and data that cannot be learnt from. */
#include "train_model.h"
#include "synthetic_sets.h"

#include "gradus.h"

typedef struct bytes {
    char *at;
    size_t size;
} bytes;

static bytes whole_file(const char *path)
{
    bytes b;

    b.at = file_bytes(path, &b.size);
    return b;
}

static const char *temporary(void)
{
    static char path[64];

    snprintf(path, sizeof path, "/tmp/test_train_%d.model", (int)getpid());
    return path;
}

static bytes model_bytes(const gradus_model *model)
{
    gradus_error err;
    bytes b;

    assert_int_equal(gradus_model_write(model, temporary(), &err), GRADUS_OK);
    b = whole_file(temporary());
    unlink(temporary());
    return b;
}

static void check_same(bytes a, bytes b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.at, b.at, a.size);
    free(a.at);
    free(b.at);
}

static gradus_model *train_with(size_t threads, const gradus_training_input *input,
                                const char *const *pairs, gradus_error *err)
{
    gradus_options *options = train_options(pairs);
    gradus_context *context = gradus_context_new(threads, err);
    gradus_training *training = gradus_training_new(context, input, options, err);
    gradus_model *model = NULL;
    gradus_status status = training ? GRADUS_OK : GRADUS_BAD_ARGUMENT;
    bool done = false;

    gradus_options_free(options); /* training copies what it needs of them */
    while (status == GRADUS_OK && !done)
        status = gradus_training_step(training, &done, err);
    if (status == GRADUS_OK)
        model = gradus_training_finish(training, err);
    gradus_training_free(training);
    gradus_context_free(context);
    return model;
}

static double *scores_of(const gradus_model *model, const gradus_dataset *data)
{
    double *scores = calloc(gradus_dataset_rows(data), sizeof *scores);
    gradus_error err = { GRADUS_OK, "" };

    assert_int_equal(gradus_model_score(NULL, model, data, scores, &err), GRADUS_OK);
    return scores;
}

static double ndcg_of(const gradus_model *model, const gradus_dataset *data)
{
    double *scores = scores_of(model, data), value;
    gradus_error err;

    assert_int_equal(gradus_evaluate_metric(data, scores, "ndcg@10", &value, &err), GRADUS_OK);
    free(scores);
    return value;
}

typedef struct sets {
    gradus_dataset *train, *valid;
} sets;

static sets make_sets(void)
{
    return (sets){ make_synth(1, "mcrank", PAIRS("queries", "40", "documents", "30")),
                   make_synth(1, "mcrank",
                              PAIRS("queries", "20", "documents", "30", "first-query", "1001")) };
}

static void end_sets(sets s)
{
    gradus_dataset_free(s.train);
    gradus_dataset_free(s.valid);
}

/* A race shows in the first rounds. */
#define QUICK "rounds", UNDER_TSAN ? "5" : "25", "leaves", "8", "min-rows", "5"

static const char *const *const methods[] = {
    PAIRS(QUICK, "method", "regression"),
    PAIRS(QUICK, "method", "regression", "target", "gain"),
    PAIRS(QUICK, "method", "regression", "loss", "absolute"),
    PAIRS(QUICK, "method", "cocr"),
    PAIRS(QUICK, "method", "cocr", "cost", "oerr"),
    PAIRS(QUICK, "method", "mcrank"),
    PAIRS(QUICK, "method", "mcrank-ordinal"),
    PAIRS(QUICK, "method", "lambdamart"),
    PAIRS(QUICK, "method", "lambdamart", "lambda-metric", "err"),
    PAIRS(QUICK, "method", "lambdamart", "lambda-metric", "map"),
    PAIRS(QUICK, "method", "regression", "row-fraction", "0.5", "feature-fraction", "0.5"),
    PAIRS(QUICK, "method", "lambdamart", "query-fraction", "0.5", "grow", "level", "depth", "3"),
    PAIRS(QUICK, "method", "mcrank", "bins", "1000", "transform", "standardise"),
};

enum { METHODS = sizeof methods / sizeof *methods };

/* Random ranking gives about .5 on these datasets. */
static void test_every_method_learns(void **state)
{
    const sets s = make_sets();

    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        gradus_model *model = train_model(1, s.train, NULL, methods[m]);
        const double ndcg = ndcg_of(model, s.train);

        if (ndcg < 0.7)
            print_error("method %zu: %g\n", m, ndcg);
        assert_true(ndcg > 0.7);
        gradus_model_free(model);
    }
    end_sets(s);
}

static void test_models_are_the_same_bytes_for_any_threads(void **state)
{
    static const size_t threads[] = { 2, 3, 8 };
    const sets s = make_sets();

    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        gradus_model *one = train_model(1, s.train, s.valid, methods[m]);

        for (size_t t = 0; t < 3; t++) {
            gradus_model *other = train_model(threads[t], s.train, s.valid, methods[m]);

            check_same(model_bytes(one), model_bytes(other));
            gradus_model_free(other);
        }
        gradus_model_free(one);
    }
    end_sets(s);
}

/* A checkpoint after `stop` rounds, written and read again, resumes to the same model. */
static void check_resume(const sets *s, const char *const *pairs, size_t stop)
{
    gradus_training_input input = { .train = s->train, .valid = s->valid };
    gradus_model *whole = train_model(1, s->train, s->valid, pairs), *checkpoint, *resumed;
    gradus_options *options = train_options(pairs);
    gradus_error err = { GRADUS_OK, "" };
    gradus_training *training = gradus_training_new(NULL, &input, options, &err);
    gradus_model_info facts;
    bool done;

    assert_non_null(training);
    for (size_t r = 0; r < stop; r++)
        assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_OK);
    checkpoint = gradus_training_checkpoint(training, &err);
    assert_non_null(checkpoint);
    assert_int_equal(gradus_model_write(checkpoint, temporary(), &err), GRADUS_OK);
    gradus_model_free(checkpoint);
    gradus_training_free(training);
    gradus_options_free(options);

    checkpoint = gradus_model_read(temporary(), &err);
    assert_non_null(checkpoint);
    gradus_model_describe(checkpoint, &facts);
    assert_false(facts.finished);
    assert_int_equal(facts.rounds, stop);
    input.start = checkpoint;
    input.resume = true;
    resumed = train_with(2, &input, pairs, &err);
    if (!resumed)
        print_error("%s\n", err.message);
    assert_non_null(resumed);
    unlink(temporary());
    check_same(model_bytes(whole), model_bytes(resumed));
    gradus_model_free(whole);
    gradus_model_free(resumed);
    gradus_model_free(checkpoint);
}

static void test_resumed_training_gives_the_same_bytes(void **state)
{
    const sets s = make_sets();

    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        check_resume(&s, methods[m], 1 + m % (UNDER_TSAN ? 4 : 11));
    end_sets(s);
}

static void test_checkpoints_of_other_trainings_are_refused(void **state)
{
    const sets s = make_sets();
    gradus_training_input input = { .train = s.train, .resume = true };
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *start = train_model(1, s.train, NULL, PAIRS(QUICK, "method", "regression"));

    (void)state;
    assert_null(train_with(1, &input, PAIRS(QUICK), &err));
    assert_non_null(strstr(err.message, "no checkpoint"));
    input.start = start;
    assert_null(train_with(1, &input, PAIRS(QUICK, "method", "regression", "l2", "0.5"), &err));
    assert_non_null(strstr(err.message, "'l2 "));
    input.train = s.valid;
    assert_null(train_with(1, &input, PAIRS(QUICK, "method", "regression"), &err));
    assert_non_null(strstr(err.message, "different training data"));
    assert_null(train_with(1, &input, PAIRS(QUICK, "method", "mcrank"), &err));
    assert_non_null(strstr(err.message, "'regression'"));
    gradus_model_free(start);
    end_sets(s);
}

static void test_a_model_can_be_started_from(void **state)
{
    const sets s = make_sets();
    gradus_training_input input = { .train = s.train };
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *start = train_model(1, s.train, NULL, PAIRS(QUICK, "method", "regression"));
    gradus_model *longer =
        train_model(1, s.train, NULL,
                    PAIRS("method", "regression", "rounds", "40", "leaves", "8", "min-rows", "5"));
    gradus_model_info facts;

    (void)state;
    input.start = start;
    gradus_model *warm = train_with(
        1, &input, PAIRS("method", "regression", "rounds", "15", "leaves", "8", "min-rows", "5"),
        &err);
    assert_non_null(warm);
    gradus_model_describe(warm, &facts);
    assert_int_equal(facts.rounds, 40);
    double *a = scores_of(longer, s.valid), *b = scores_of(warm, s.valid);

    assert_memory_equal(a, b, gradus_dataset_rows(s.valid) * sizeof *a);
    free(a);
    free(b);
    gradus_model_free(start);
    gradus_model_free(longer);
    gradus_model_free(warm);
    end_sets(s);
}

/* Squared error by hand. */
static gradus_status squared(void *user, const gradus_dataset *data, const double *scores,
                             float *gradients, float *hessians)
{
    gradus_arrays arrays;

    (void)user;
    if (gradus_dataset_arrays(NULL, data, &arrays, NULL) != GRADUS_OK)
        return GRADUS_BAD_ARGUMENT;
    for (size_t r = 0; r < arrays.rows; r++) {
        gradients[r] = (float)(scores[r] - (double)arrays.labels[r]);
        hessians[r] = 1.0f;
    }
    return GRADUS_OK;
}

/* Minus the mean squared error: higher is better. */
static gradus_status minus_mse(void *user, const gradus_dataset *data, const double *scores,
                               double *value)
{
    gradus_arrays arrays;

    ++*(int *)user;
    if (gradus_dataset_arrays(NULL, data, &arrays, NULL) != GRADUS_OK)
        return GRADUS_BAD_ARGUMENT;
    *value = 0.0;
    for (size_t r = 0; r < arrays.rows; r++)
        *value -= (scores[r] - (double)arrays.labels[r]) * (scores[r] - (double)arrays.labels[r]) /
                  (double)arrays.rows;
    return GRADUS_OK;
}

static void test_objectives_and_metrics_of_the_caller(void **state)
{
    const sets s = make_sets();
    int calls = 0;
    const size_t rows = gradus_dataset_rows(s.train);
    double *zeros = calloc(rows, sizeof *zeros), *zeros_valid = calloc(rows, sizeof *zeros);
    const gradus_training_input ours = { .train = s.train,
                                         .valid = s.valid,
                                         .initial = zeros,
                                         .initial_valid = zeros_valid,
                                         .metric = minus_mse,
                                         .user = &calls };
    gradus_training_input theirs = ours;
    gradus_error err = { GRADUS_OK, "" };
    const char *const *pairs = PAIRS(QUICK, "method", "regression", "train-eval-every", "0");
    gradus_model *built_in = train_with(1, &ours, pairs, &err), *custom;
    size_t round;
    double train, valid, before = -INFINITY;

    (void)state;
    assert_non_null(built_in);
    assert_int_equal(calls, 25);
    theirs.objective = squared;
    custom = train_with(1, &theirs, pairs, &err);
    assert_non_null(custom);
    double *a = scores_of(built_in, s.valid), *b = scores_of(custom, s.valid);

    for (size_t r = 0; r < gradus_dataset_rows(s.valid); r++)
        CHECK_NEAR(a[r], b[r],
                   0.05); /* stochastic rounding at other scales: hessians, not counts */
    for (size_t i = 0; i < 5 && gradus_model_curve_at(custom, i, &round, &train, &valid); i++) {
        assert_true(isnan(train) && valid > before);
        before = valid;
    }
    free(a);
    free(b);
    free(zeros);
    free(zeros_valid);
    gradus_model_free(built_in);
    gradus_model_free(custom);
    end_sets(s);
}

/* Validation scores during training equal the model's scores, including the base score. */
static void test_curve_is_of_the_model(void **state)
{
    static const char *const names[] = { "regression", "mcrank", "cocr" };
    const sets s = make_sets();

    (void)state;
    for (size_t m = 0; m < 3; m++) {
        gradus_model *model =
            train_model(2, s.train, s.valid,
                        PAIRS("method", names[m], "rounds", "3", "metric", "rmse", "keep", "last"));
        double *scores = scores_of(model, s.valid), value, train, valid = 0.0;
        gradus_error err;
        size_t round;

        assert_int_equal(gradus_evaluate_metric(s.valid, scores, "rmse", &value, &err), GRADUS_OK);
        for (size_t i = 0; gradus_model_curve_at(model, i, &round, &train, &valid); i++)
            ;
        CHECK_NEAR(valid, value, 1e-6);
        free(scores);
        gradus_model_free(model);
    }
    gradus_dataset_free(s.train);
    gradus_dataset_free(s.valid);
}

static void test_early_stopping_keeps_the_best_round(void **state)
{
    const sets s = make_sets();
    gradus_model *best =
        train_model(1, s.train, s.valid,
                    PAIRS("rounds", "400", "leaves", "16", "min-rows", "2", "patience", "10",
                          "learning-rate", "0.5", "method", "regression"));
    gradus_model_info facts;
    size_t round, at = 0;
    double train, valid, largest = -1.0;

    (void)state;
    gradus_model_describe(best, &facts);
    assert_true(facts.finished && facts.rounds_done < 400);
    for (size_t i = 0; gradus_model_curve_at(best, i, &round, &train, &valid); i++)
        if (valid > largest) {
            largest = valid;
            at = round;
        }
    assert_int_equal(facts.best_round, at);
    assert_int_equal(facts.rounds, at);
    assert_int_equal(facts.rounds_done, at + 10);
    CHECK_NEAR(ndcg_of(best, s.valid), largest, 0.0);
    gradus_model_free(best);
    end_sets(s);
}

static void test_probabilities_add_up(void **state)
{
    const char *const *const kinds[] = { PAIRS(QUICK, "method", "mcrank"),
                                         PAIRS(QUICK, "method", "mcrank-ordinal"),
                                         PAIRS(QUICK, "method", "cocr"),
                                         PAIRS(QUICK, "method", "cocr", "cost", "oerr") };
    const sets s = make_sets();
    const size_t rows = gradus_dataset_rows(s.valid);
    double *p = calloc(rows * 5, sizeof *p);
    gradus_error err;

    (void)state;
    for (size_t m = 0; m < 4; m++) {
        gradus_model *model = train_model(1, s.train, NULL, kinds[m]);

        assert_int_equal(gradus_model_probabilities(NULL, model, s.valid, p, &err), GRADUS_OK);
        for (size_t r = 0; r < rows; r++) {
            double sum = 0.0;

            for (size_t k = 0; k < 5; k++) {
                assert_true(p[5 * r + k] >= 0.0);
                sum += p[5 * r + k];
            }
            CHECK_NEAR(sum, 1.0, 1e-12);
        }
        gradus_model_free(model);
    }
    gradus_model *score = train_model(1, s.train, NULL, PAIRS(QUICK));

    assert_int_equal(gradus_model_probabilities(NULL, score, s.valid, p, &err),
                     GRADUS_BAD_ARGUMENT);
    gradus_model_free(score);
    free(p);
    end_sets(s);
}

/* The first round of McRank, worked: every P is 1 / K, so a leaf of n rows, c of them of the class,
 * has the value K c / n - 1, and the row-wise sum over a tree is K times the rows of the class
 * minus all rows. */
static void test_first_leaves_of_mcrank(void **state)
{
    enum { K = 5 };
    const sets s = make_sets();
    gradus_model *model = train_model(
        1, s.train, NULL,
        PAIRS("method", "mcrank", "rounds", "1", "learning-rate", "1", "l2", "0", "leaves", "6"));
    gradus_arrays arrays;
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_dataset_arrays(NULL, s.train, &arrays, &err), GRADUS_OK);
    for (size_t k = 0; k < K; k++) {
        gradus_tree_node node;
        double sum = 0.0, of_class = 0.0;

        for (size_t r = 0; r < arrays.rows; r++)
            of_class += (double)arrays.labels[r] == (double)k;
        for (size_t i = 0; gradus_model_tree_at(model, k, i, &node); i++)
            sum += node.is_leaf ? (double)node.rows * node.value : 0.0;
        CHECK_NEAR(sum, K * of_class - (double)arrays.rows, 1e-3);
    }
    gradus_model_free(model);
    end_sets(s);
}

/* A score that increases with feature 0 and decreases with feature 1, whatever the others are. */
static void test_monotone_features(void **state)
{
    enum { STEPS = 21 };
    const sets s = make_sets();
    gradus_model *model = train_model(1, s.train, NULL,
                                      PAIRS("method", "regression", "rounds", "40", "min-rows", "2",
                                            "leaves", "16", "monotone", "1:+,2:-"));
    gr_rng rng = gr_rng_for(2, "rows", 0);
    gradus_error err;

    (void)state;
    for (int turn = 0; turn < 50; turn++) {
        float rows[STEPS][50];
        double scores[STEPS];

        for (size_t which = 0; which < 2; which++) {
            for (size_t f = 0; f < 50; f++)
                rows[0][f] = (float)(2.0 * gr_rng_uniform(&rng) - 1.0);
            for (size_t i = 0; i < STEPS; i++) {
                memcpy(rows[i], rows[0], sizeof rows[0]);
                rows[i][which] = (float)i / 10.0f - 1.0f;
            }
            assert_int_equal(
                gradus_model_score_rows(model, rows[0], STEPS, 50, 50, scores, NULL, &err),
                GRADUS_OK);
            for (size_t i = 1; i < STEPS; i++)
                assert_true(which == 0 ? scores[i] >= scores[i - 1] : scores[i] <= scores[i - 1]);
        }
    }
    gradus_model_free(model);
    end_sets(s);
}

/* Rows of weight 0 have no influence. */
static void test_rows_without_weight_teach_nothing(void **state)
{
    const sets s = make_sets();
    gradus_arrays arrays;
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_int_equal(gradus_dataset_arrays(NULL, s.train, &arrays, &err), GRADUS_OK);
    float *weights = calloc(arrays.rows, sizeof *weights);
    float *labels = calloc(arrays.rows, sizeof *labels);
    gradus_model *models[2];

    for (int other = 0; other < 2; other++) {
        for (size_t r = 0; r < arrays.rows; r++) {
            weights[r] = r % 3 == 0 ? 0.0f : 2.0f;
            labels[r] = r % 3 == 0 && other ? 4.0f - arrays.labels[r] : arrays.labels[r];
        }
        gradus_arrays mine = arrays;

        mine.labels = labels;
        mine.row_weights = weights;
        gradus_dataset *data = gradus_dataset_borrow(&mine, &err);
        const gradus_training_input input = { .train = data };

        models[other] = train_with(1, &input, PAIRS(QUICK, "method", "regression"), &err);
        assert_non_null(models[other]);
        gradus_dataset_free(data);
    }
    double *a = scores_of(models[0], s.valid), *b = scores_of(models[1], s.valid);

    assert_memory_equal(a, b, gradus_dataset_rows(s.valid) * sizeof *a);
    free(a);
    free(b);
    free(weights);
    free(labels);
    gradus_model_free(models[0]);
    gradus_model_free(models[1]);
    end_sets(s);
}

/* Four rows, two features, and a message or a model. */
static gradus_model *train_small(float labels[4], float *weights, const char *const *pairs,
                                 gradus_error *err)
{
    static const float values[] = { 1, 5, 2, 5, 3, 5, 4, 5 }; /* the second feature is constant */
    static const uint64_t starts[] = { 0, 4 };
    const gradus_arrays arrays = { .rows = 4,
                                   .features = 2,
                                   .queries = 1,
                                   .query_starts = starts,
                                   .values = values,
                                   .stride = 2,
                                   .labels = labels,
                                   .row_weights = weights };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, err);
    const gradus_training_input input = { .train = data };
    gradus_model *model = data ? train_with(1, &input, pairs, err) : NULL;

    gradus_dataset_free(data);
    return model;
}

static void test_small_and_odd_data(void **state)
{
    static const char *const names[] = { "regression", "cocr", "mcrank", "mcrank-ordinal",
                                         "lambdamart" };
    float same[] = { 2, 2, 2, 2 }, graded[] = { 0, 1, 1, 2 }, real[] = { 0.5, -1, 2, 2 };
    float none[] = { 0, 0, 0, 0 };
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (size_t m = 0; m < 5; m++) {
        const char *const *pairs =
            PAIRS("method", names[m], "min-rows", "1", "leaves", "64", "rounds", "5");
        gradus_model *model = train_small(same, NULL, pairs, &err);

        assert_true((model != NULL) == (m == 0)); /* the others need two grades */
        gradus_model_free(model);
        model = train_small(graded, NULL, pairs, &err);
        assert_non_null(model);
        gradus_model_free(model);
        model = train_small(real, NULL, pairs, &err);
        if ((model != NULL) != (m == 0))
            print_error("%s: %s\n", names[m], err.message);
        assert_true((model != NULL) == (m == 0));
        gradus_model_free(model);
        assert_null(train_small(graded, none, pairs, &err));
        assert_non_null(strstr(err.message, "weights"));
    }
}

static void test_options_that_do_not_fit_are_refused(void **state)
{
    const char *const *const wrong[] = {
        PAIRS("method", "mcrank", "target", "gain"),
        PAIRS("method", "cocr", "loss", "absolute"),
        PAIRS("method", "regression", "cost", "oerr"),
        PAIRS("method", "cocr", "cost", "ovo"),
        PAIRS("method", "regression", "learner", "linear", "leaves", "7"),
        PAIRS("method", "regression", "ridge", "0.5"),
        PAIRS("method", "lambdamart", "learner", "linear"),
        PAIRS("method", "regression", "scoring", "expected-gain"),
        PAIRS("metric", "ndgc@10"),
        PAIRS("monotone", "99:+"),
        PAIRS("method", "cocr", "cost", "orr"),
    };
    const sets s = make_sets();
    const gradus_training_input input = { .train = s.train };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gradus_error err = { GRADUS_OK, "" };

        assert_null(train_with(1, &input, wrong[i], &err));
        assert_true(err.status == GRADUS_BAD_ARGUMENT || err.status == GRADUS_NO_FILE);
        assert_true(strlen(err.message) > 10);
    }
    end_sets(s);
}

static void test_presets_yield_to_what_is_set(void **state)
{
    gradus_options *options =
        train_options(PAIRS("leaves", "12", "preset", "paper-artificial", "rounds", "7"));

    (void)state;
    assert_string_equal(gradus_options_value(options, "leaves"), "12");
    assert_string_equal(gradus_options_value(options, "rounds"), "7");
    assert_string_equal(gradus_options_value(options, "learning-rate"), "0.05");
    assert_string_equal(gradus_options_value(options, "binning"), "adaptive");
    gradus_options_free(options);
    gradus_entry entry; /* every preset can be set */
    for (size_t i = 0; gradus_entry_at("presets", i, &entry); i++)
        gradus_options_free(train_options(PAIRS("preset", entry.name)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(test_every_method_learns),
        cmocka_unit_test(test_models_are_the_same_bytes_for_any_threads),
        cmocka_unit_test(test_resumed_training_gives_the_same_bytes),
        one_thread_test(test_checkpoints_of_other_trainings_are_refused),
        one_thread_test(test_a_model_can_be_started_from),
        one_thread_test(test_objectives_and_metrics_of_the_caller),
        cmocka_unit_test(test_curve_is_of_the_model),
        one_thread_test(test_early_stopping_keeps_the_best_round),
        one_thread_test(test_probabilities_add_up),
        one_thread_test(test_first_leaves_of_mcrank),
        one_thread_test(test_monotone_features),
        one_thread_test(test_rows_without_weight_teach_nothing),
        one_thread_test(test_small_and_odd_data),
        one_thread_test(test_options_that_do_not_fit_are_refused),
        one_thread_test(test_presets_yield_to_what_is_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
