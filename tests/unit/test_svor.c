/* SPDX-License-Identifier: Apache-2.0 */
/* Support vector ordinal regression: worked cases, optimality conditions, and bad input. */
#include "model_bytes.h"
#include "checks.h"

#include "base/rng.h"
#include "learners/svor/svor.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct set {
    size_t rows, features;
    float *values, *labels, *weights;
} set;

static set make_set(size_t rows, size_t features, size_t grades, uint64_t seed)
{
    gr_rng rng = gr_rng_for(seed, "svor", 0);
    set s = { rows, features, calloc(rows * features, sizeof(float)), calloc(rows, sizeof(float)),
              calloc(rows, sizeof(float)) };

    for (size_t r = 0; r < rows; r++) {
        double sum = 0.8 * gr_rng_normal(&rng);

        for (size_t f = 0; f < features; f++) {
            const double value = (r + f) % 3 ? gr_rng_normal(&rng) : 0.0;

            s.values[r * features + f] = (float)value;
            sum += f < 2 ? value : 0.0;
        }
        sum = sum * 0.4 * (double)grades + 0.5 * (double)grades;
        s.labels[r] = (float)(sum < 0.0                   ? 0
                              : sum >= (double)grades - 1 ? (int)grades - 1
                                                          : (int)sum);
        s.weights[r] = (float)gr_rng_below(&rng, 4);
    }
    return s;
}

static void end_set(set *s)
{
    free(s->values);
    free(s->labels);
    free(s->weights);
}

static gradus_dataset *dense_of(const set *s, bool weighted)
{
    const gradus_arrays arrays = { .rows = s->rows,
                                   .features = s->features,
                                   .values = s->values,
                                   .stride = s->features,
                                   .labels = s->labels,
                                   .row_weights = weighted ? s->weights : NULL };

    return gradus_dataset_borrow(&arrays, NULL);
}

/* "method=svor-imc penalty=2 ..." */
static gradus_model *train(gradus_context *context, const gradus_dataset *data, const char *words,
                           gradus_error *err)
{
    gradus_options *options = gradus_options_new("train", NULL);
    char copy[300], *left = copy, *word;
    gradus_model *model;

    snprintf(copy, sizeof copy, "%s", words);
    while ((word = strsep(&left, " "))) {
        char *value = strchr(word, '=');

        *value++ = '\0';
        if (gradus_options_set(options, word, value, err) != GRADUS_OK) {
            gradus_options_free(options);
            return NULL;
        }
    }
    gradus_options_set(options, "train-eval-every", "0", NULL);
    model = gradus_train(context, data, NULL, options, err);
    gradus_options_free(options);
    return model;
}

static gradus_model *trained(const gradus_dataset *data, const char *words)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = train(NULL, data, words, &err);

    if (!model)
        fail_msg("%s: %s", words, err.message);
    return model;
}

static double result_of(const gradus_model *model, const char *name)
{
    const char *found;
    double value;

    for (size_t i = 0; gradus_model_result_at(model, i, &found, &value); i++)
        if (strcmp(found, name) == 0)
            return value;
    fail_msg("no result '%s'", name);
    return NAN;
}

/* The objective of a model without |w|^2 / 2: the errors of scores at its thresholds. */
static double errors_of(const gradus_model *model, const set *s, bool weighted, const char *loss,
                        double c)
{
    gradus_dataset *data = dense_of(s, weighted);
    double *scores = calloc(s->rows, sizeof *scores), sum = 0.0;
    gradus_model_facts facts;

    gradus_model_describe(model, &facts);
    assert_int_equal(gradus_model_score(NULL, model, data, scores, NULL), GRADUS_OK);
    for (size_t r = 0; r < s->rows; r++)
        for (size_t k = 0; k + 1 < facts.grades; k++) {
            size_t level = 0;

            while (facts.grade_values[level] != (double)s->labels[r])
                level++;
            const double over = scores[r] - facts.thresholds[k];
            const double error = fmax(0.0, 1.0 - (level > k ? over : -over));

            if (strcmp(loss, "imc") == 0 || k == level || k + 1 == level)
                sum += c * (weighted ? (double)s->weights[r] : 1.0) * error;
        }
    free(scores);
    gradus_dataset_free(data);
    return sum;
}

static void check_worked(const gradus_dataset *data, const char *words, double objective,
                         const double *thresholds, size_t count)
{
    static const char *const learners[] = { "kernel", "linear" };
    char all[300];
    gradus_model_facts facts;

    for (size_t l = 0; l < 2; l++) {
        snprintf(all, sizeof all, "%s learner=%s tolerance=1e-9%s", words, learners[l],
                 l ? "" : " kernel=linear");
        gradus_model *model = trained(data, all);

        gradus_model_describe(model, &facts);
        CHECK_NEAR(result_of(model, "objective"), objective, 1e-6 * objective);
        for (size_t k = 0; k < count; k++)
            CHECK_NEAR(facts.thresholds[k], thresholds[k], 1e-4);
        gradus_model_free(model);
    }
}

static void test_two_rows_by_hand(void **state)
{
    float values[] = { 0, 2 }, labels[] = { 0, 1 };
    const set s = { 2, 1, values, labels, NULL };
    gradus_dataset *data = dense_of(&s, false);
    static const char *const methods[] = { "svor-imc", "svor-exc", "svor-sl" };
    char words[100];

    (void)state;
    for (size_t m = 0; m < 3; m++) {
        /* wide margins: w = 1, f = 0 and 2 up to a constant, the threshold half-way */
        gradus_model *model;
        gradus_model_facts facts;
        double scores[2];

        snprintf(words, sizeof words, "method=%s kernel=linear penalty=10 tolerance=1e-9",
                 methods[m]);
        model = trained(data, words);
        gradus_model_describe(model, &facts);
        gradus_model_score(NULL, model, data, scores, NULL);
        CHECK_NEAR(result_of(model, "objective"), 0.5, 1e-8);
        CHECK_NEAR(scores[1] - scores[0], 2.0, 1e-6);
        CHECK_NEAR(facts.thresholds[0] - scores[0], 1.0, 1e-6);
        gradus_model_free(model);
        /* both variables at C = 0.1: w = 0.2, errors 2 - 0.4 */
        snprintf(words, sizeof words, "method=%s penalty=0.1", methods[m]);
        check_worked(data, words, 0.02 + 0.1 * 1.6, NULL, 0);
    }
    gradus_dataset_free(data);
}

/* Uninformative features: thresholds depend only on the counts, 3, 1 and 3 rows of three grades. */
static void test_constant_features_by_hand(void **state)
{
    float values[] = { 5, 5, 5, 5, 5, 5, 5 }, labels[] = { 0, 0, 0, 1, 2, 2, 2 };
    const set s = { 7, 1, values, labels, NULL };
    gradus_dataset *data = dense_of(&s, false);

    (void)state;
    check_worked(data, "method=svor-imc penalty=2", 24.0, (double[]){ -1, 1 }, 2);
    check_worked(data, "method=svor-exc penalty=2", 16.0, (double[]){ 0, 0 }, 2);
    check_worked(data, "method=svor-sl penalty=2", 8.0, (double[]){ 1, -1 }, 2);
    gradus_dataset_free(data);
}

static void test_thresholds_that_are_best_for_given_values(void **state)
{
    static const uint8_t levels[] = { 0, 0, 1, 1, 2 };
    double prices[] = { 1, 1, 1, 1, 1 }, thresholds[2], loss;
    const double f[] = { -3, -1, 0, 1, 4 };
    const gr_svor_task task = {
        .loss = GR_SVOR_SL, .rows = 5, .cuts = 2, .level_of = levels, .prices = prices
    };

    (void)state;
    assert_int_equal(gr_svor_cut_best(&task, f, thresholds, &loss, NULL), GRADUS_OK);
    /* between the first two: kinks at -2, 0 (below), -1, 0 (above): minimum on [-1, 0], errors 1 */
    CHECK_NEAR(thresholds[0], -0.5, 1e-12);
    CHECK_NEAR(thresholds[1], 2.5, 1e-12); /* [2, 3] */
    CHECK_NEAR(loss, 1.0, 1e-12);
    prices[2] = 0.0; /* and without the row at 0 */
    assert_int_equal(gr_svor_cut_best(&task, f, thresholds, &loss, NULL), GRADUS_OK);
    CHECK_NEAR(thresholds[0], 0.0, 1e-12);
    CHECK_NEAR(loss, 0.0, 1e-12);
}

static void test_the_gap_closes_and_the_objective_is_what_it_says(void **state)
{
    static const char *const losses[] = { "imc", "exc", "sl" };
    static const char *const fits[] = { "kernel=gaussian bandwidth=1", "kernel=polynomial degree=2",
                                        "kernel=linear", "learner=linear passes=20000" };
    set s = make_set(90, 3, 4, 7);

    (void)state;
    for (size_t weighted = 0; weighted < 2; weighted++)
        for (size_t l = 0; l < 3; l++) {
            gradus_dataset *data = dense_of(&s, weighted);
            double linear = 0.0;

            for (size_t k = 0; k < 4; k++) {
                char words[200];
                gradus_model *model;
                gradus_model_facts facts;

                snprintf(words, sizeof words, "method=svor-%s penalty=0.7 tolerance=1e-5 %s",
                         losses[l], fits[k]);
                model = trained(data, words);
                const double objective = result_of(model, "objective");
                const double gap = result_of(model, "duality gap");
                const double errors = errors_of(model, &s, weighted, losses[l], 0.7);

                gradus_model_describe(model, &facts);
                assert_true(gap <= 1e-5 * objective && gap > -1e-7 * objective);
                assert_true(objective > errors && objective < 2.5 * errors);
                for (size_t t = 1; l < 2 && t + 1 < facts.grades; t++)
                    assert_true(facts.thresholds[t] >= facts.thresholds[t - 1]);
                if (k == 2)
                    linear = objective;
                if (k == 3) { /* two solvers, one optimum; w is available here */
                    const double *w;
                    double square = 0.0;

                    CHECK_NEAR(objective, linear, 3e-5 * linear);
                    assert_true(gradus_model_equation(model, 0, NULL, &w, NULL, NULL));
                    for (size_t f = 0; f < 3; f++)
                        square += w[f] * w[f];
                    CHECK_NEAR(square / 2.0 + errors, objective, 1e-6 * objective);
                }
                gradus_model_free(model);
            }
            gradus_dataset_free(data);
        }
    end_set(&s);
}

static void test_weights_are_repeated_rows(void **state)
{
    set s = make_set(40, 2, 3, 3), twice = { 0, 2, NULL, NULL, NULL };

    (void)state;
    twice.values = calloc(40 * 4 * 2, sizeof(float));
    twice.labels = calloc(40 * 4, sizeof(float));
    for (size_t r = 0; r < 40; r++)
        for (size_t i = 0; i < (size_t)s.weights[r]; i++, twice.rows++) {
            memcpy(twice.values + twice.rows * 2, s.values + r * 2, 2 * sizeof(float));
            twice.labels[twice.rows] = s.labels[r];
        }
    gradus_dataset *weighted = dense_of(&s, true), *repeated = dense_of(&twice, false);

    for (size_t l = 0; l < 2; l++) {
        const char *words =
            l ? "method=svor-imc learner=linear transform=none tolerance=1e-7 passes=100000"
              : "method=svor-imc bandwidth=1 transform=none tolerance=1e-7";
        gradus_model *a = trained(weighted, words), *b = trained(repeated, words);

        CHECK_NEAR(result_of(a, "objective"), result_of(b, "objective"),
                   1e-6 * result_of(b, "objective"));
        gradus_model_free(a);
        gradus_model_free(b);
    }
    gradus_dataset_free(weighted);
    gradus_dataset_free(repeated);
    end_set(&s);
    end_set(&twice);
}

/* Enough rows for several threads; shrinking sets in. */
static void test_threads_change_no_byte_and_files_no_score(void **state)
{
    static const size_t threads[] = { 1, 2, 3, 8 };
    static const char *const words[] = { "method=svor-imc penalty=0.3",
                                         "method=svor-exc learner=linear" };
    set s = make_set(560, 120, 4, 11);
    gradus_dataset *data = dense_of(&s, true);
    double *scores = calloc(2 * s.rows, sizeof *scores);

    (void)state;
    for (size_t w = 0; w < 2; w++) {
        char *first = NULL;
        size_t first_size = 0;

        for (size_t t = 0; t < 4; t++) {
            gradus_context *context = gradus_context_new(threads[t], NULL);
            gradus_model *model = train(context, data, words[w], NULL);
            size_t size;
            char *bytes = model_bytes(model, &size);

            if (first) {
                assert_int_equal(size, first_size);
                assert_memory_equal(bytes, first, size);
                free(bytes);
            } else {
                gradus_model *again = gr_model_parse(bytes, size, "it", NULL);

                assert_non_null(again);
                gradus_model_score(NULL, model, data, scores, NULL);
                gradus_model_score(context, again, data, scores + s.rows, NULL);
                assert_memory_equal(scores, scores + s.rows, s.rows * sizeof *scores);
                gradus_model_free(again);
                first = bytes;
                first_size = size;
            }
            gradus_model_free(model);
            gradus_context_free(context);
        }
        free(first);
    }
    free(scores);
    gradus_dataset_free(data);
    end_set(&s);
}

/* A cache of 1 MB does not hold the kernel rows of 600: they are recomputed, with the same bits. */
static void test_the_bound_of_the_cache_changes_no_score(void **state)
{
    set s = make_set(600, 2, 3, 19);
    gradus_dataset *data = dense_of(&s, false);
    gradus_model *small = trained(data, "method=svor-sl bandwidth=0.5 cache=1 penalty=5");
    gradus_model *large = trained(data, "method=svor-sl bandwidth=0.5 penalty=5");
    double *scores = calloc(2 * s.rows, sizeof *scores);

    (void)state;
    assert_true(result_of(small, "steps") > 2000); /* rows were shrunk away, and reactivated */
    gradus_model_score(NULL, small, data, scores, NULL);
    gradus_model_score(NULL, large, data, scores + s.rows, NULL);
    assert_memory_equal(scores, scores + s.rows, s.rows * sizeof *scores);
    gradus_model_free(small);
    gradus_model_free(large);
    free(scores);
    gradus_dataset_free(data);
    end_set(&s);
}

static void test_sparse_rows_are_dense_ones(void **state)
{
    set s = make_set(100, 6, 3, 23);
    uint64_t starts[101] = { 0 };
    uint32_t *columns = calloc(600, sizeof *columns);
    float *entries = calloc(600, sizeof *entries);
    double scores[2][100];

    (void)state;
    for (size_t r = 0; r < 100; r++) {
        starts[r + 1] = starts[r];
        for (size_t f = 0; f < 6; f++)
            if (s.values[r * 6 + f] != 0.0f) {
                columns[starts[r + 1]] = (uint32_t)f;
                entries[starts[r + 1]++] = s.values[r * 6 + f];
            }
    }
    const gradus_arrays arrays = { .rows = 100,
                                   .features = 6,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .entries = entries,
                                   .labels = s.labels };
    gradus_dataset *dense = dense_of(&s, false), *sparse = gradus_dataset_borrow(&arrays, NULL);

    for (size_t k = 0; k < 3; k++) {
        static const char *const words[] = {
            "method=svor-imc transform=none bandwidth=1.5",
            "method=svor-exc transform=none kernel=polynomial degree=2 penalty=0.1",
            "method=svor-imc transform=none learner=linear tolerance=1e-8"
        };
        gradus_model *a = trained(dense, words[k]), *b = trained(sparse, words[k]);

        gradus_model_score(NULL, a, dense, scores[0], NULL);
        gradus_model_score(NULL, b, sparse, scores[1], NULL);
        for (size_t r = 0; r < 100; r++)
            CHECK_NEAR(scores[1][r], scores[0][r], k < 2 ? 0.0 : 1e-3);
        CHECK_NEAR(result_of(b, "objective"), result_of(a, "objective"), 1e-5);
        gradus_model_free(a);
        gradus_model_free(b);
    }
    gradus_dataset_free(dense);
    gradus_dataset_free(sparse);
    free(columns);
    free(entries);
    end_set(&s);
}

/* A grade with one row, duplicate rows with different grades, missing values. */
static void test_odd_rows_are_fitted(void **state)
{
    float values[] = { 0, 1, 1, 1, NAN, 2, 2, 2, 3, NAN, 3, 1 };
    float labels[] = { 0, 0, 1, 4, 0, 4 };
    const set s = { 6, 2, values, labels, NULL };
    gradus_dataset *data = dense_of(&s, false);
    double grades[6];

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        static const char *const words[] = {
            "method=svor-imc penalty=3",      "method=svor-exc penalty=3",
            "method=svor-sl penalty=3",       "method=svor-imc learner=linear",
            "method=svor-exc learner=linear", "method=svor-sl learner=linear"
        };
        gradus_model *model = trained(data, words[i]);

        assert_true(isfinite(result_of(model, "objective")));
        assert_int_equal(gradus_model_grades(NULL, model, data, grades, NULL), GRADUS_OK);
        for (size_t r = 0; r < 6; r++)
            assert_true(grades[r] == 0.0 || grades[r] == 1.0 || grades[r] == 4.0);
        gradus_model_free(model);
    }
    gradus_dataset_free(data);
}

static void test_what_cannot_be_is_refused(void **state)
{
    static const char *const cases[][2] = {
        { "method=svor-imc bandwidth=0", "'bandwidth' must be a number above 0" },
        { "method=svor-imc bandwidth=wide", "'bandwidth' must be a number above 0" },
        { "method=svor-imc penalty=0", "penalty" },
        { "method=svor-imc penalty=-1", "penalty" },
        { "method=svor-imc learner=gbrt", "fitted by kernel or linear" },
        { "method=regression learner=kernel", "the learner 'kernel' is not for 'regression'" },
        { "method=svor-imc learner=linear ridge=1", "'ridge' is for the learner 'linear'" },
        { "method=svor-imc passes=3", "'passes' is for the learner 'linear'" },
        { "method=svor-imc learner=linear cache=3", "'cache' is for the learner 'kernel'" },
        { "method=lambdamart penalty=3", "'penalty' is for svor-imc" },
        { "method=svor-imc kernel=polynomial degree=32 coef0=1e9", "scale the features" },
    };
    set s = make_set(20, 2, 3, 2);
    gradus_dataset *data = dense_of(&s, false);
    gradus_error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gradus_model *model = train(NULL, data, cases[i][0], &err);

        if (model || !strstr(err.message, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], model ? "accepted" : err.message);
    }
    memset(s.labels, 0, s.rows * sizeof(float));
    assert_null(train(NULL, data, "method=svor-imc", &err));
    assert_non_null(strstr(err.message, "needs rows of at least 2 grades"));
    gradus_dataset_free(data);
    end_set(&s);
}

static bool listen(void *user, const char *what, double done)
{
    size_t *calls = user;

    return strcmp(what, "solving") != 0 || done < 0.0 || done >= 1.0 || ++*calls < 3;
}

static void test_solving_tells_how_far_it_is_and_can_be_cancelled(void **state)
{
    static const char *const words[] = {
        "method=svor-imc penalty=100 bandwidth=0.3 tolerance=1e-6",
        "method=svor-imc learner=linear penalty=100 tolerance=1e-9",
    };
    set s = make_set(300, 2, 4, 5);
    gradus_dataset *data = dense_of(&s, false);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        gradus_context *context = gradus_context_new(2, NULL);
        gradus_error err = { GRADUS_OK, "" };
        size_t calls = 0;

        gradus_context_on_progress(context, listen, &calls);
        assert_null(train(context, data, words[i], &err));
        assert_int_equal(err.status, GRADUS_CANCELLED);
        assert_int_equal(calls, 3);
        gradus_context_free(context);
    }
    gradus_dataset_free(data);
    end_set(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_rows_by_hand),
        cmocka_unit_test(test_constant_features_by_hand),
        cmocka_unit_test(test_thresholds_that_are_best_for_given_values),
        cmocka_unit_test(test_the_gap_closes_and_the_objective_is_what_it_says),
        cmocka_unit_test(test_weights_are_repeated_rows),
        cmocka_unit_test(test_threads_change_no_byte_and_files_no_score),
        cmocka_unit_test(test_the_bound_of_the_cache_changes_no_score),
        cmocka_unit_test(test_sparse_rows_are_dense_ones),
        cmocka_unit_test(test_odd_rows_are_fitted),
        cmocka_unit_test(test_what_cannot_be_is_refused),
        cmocka_unit_test(test_solving_tells_how_far_it_is_and_can_be_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
