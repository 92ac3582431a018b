/* SPDX-License-Identifier: Apache-2.0 */
/* Ordinal methods from rows to models, through the public header: every learner, identical bytes
 * for any number of threads, truncation, checkpoints, and edge cases. */
#include "train_model.h"
#include "model_bytes.h"
#include "notes.h"
#include "synthetic_sets.h"

#include "gradus.h"
#include "learners/gaussians/gaussians.h"
#include "learners/gaussians/gaussians_search.h"
#include "model/model.h"
#include "model/model_read.h"
#include "model/model_view.h"

static const char *const *const kinds[] = {
    PAIRS("method", "propodds", "leaves", "6", "min-rows", "5"),
    PAIRS("method", "orboost", "leaves", "6", "min-rows", "5"),
    PAIRS("method", "pairrank", "leaves", "6", "min-rows", "5"),
    PAIRS("method", "pairrank", "within", "all", "leaves", "6", "min-rows", "5"),
    PAIRS("method", "propodds", "learner", "gaussians"),
    PAIRS("method", "orboost", "form", "all", "learner", "gaussians", "widths", "0.5,1"),
    PAIRS("method", "pairrank", "learner", "gaussians", "centres", "20"),
    PAIRS("method", "regression", "learner", "gaussians", "row-fraction", "0.7"),
    PAIRS("method", "propodds", "learner", "gaussians", "centres", "9", "kernel-search", "exact"),
    PAIRS("method", "propodds", "learner", "linear"),
};
enum { KINDS = sizeof kinds / sizeof *kinds, LINEAR = KINDS - 1 };

static gradus_options *kind_options(size_t kind, const char *rounds)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);
    const char *const *pairs = kinds[kind];

    for (; *pairs; pairs += 2)
        if (gradus_options_set(options, pairs[0], pairs[1], &err) != GRADUS_OK)
            fail_msg("%s", err.message);
    assert_int_equal(gradus_options_set(options, "rounds", rounds, &err), GRADUS_OK);
    return options;
}

/* Trains `first` rounds to a checkpoint, then resumes; 0: without interruption. */
static gradus_model *trained(size_t threads, const gradus_dataset *data, size_t kind,
                             const char *rounds, size_t first)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = kind_options(kind, rounds);
    gradus_context *context = gradus_context_new(threads, &err);
    gradus_training_input input = { .train = data };
    gradus_training *training = gradus_training_new(context, &input, options, &err);
    gradus_model *checkpoint = NULL, *model;
    bool done = false;

    if (!training)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < first; i++)
        assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_OK);
    if (first) {
        checkpoint = gradus_training_checkpoint(training, &err);
        gradus_training_free(training);
        input.start = checkpoint;
        input.resume = true;
        training = gradus_training_new(context, &input, options, &err);
        if (!training)
            fail_msg("%s", err.message);
        done = false;
    }
    while (!done)
        if (gradus_training_step(training, &done, &err) != GRADUS_OK)
            fail_msg("%s", err.message);
    model = gradus_training_finish(training, &err);
    assert_non_null(model);
    gradus_training_free(training);
    gradus_model_free(checkpoint);
    gradus_options_free(options);
    gradus_context_free(context);
    return model;
}

static gradus_dataset *ranked_set(void)
{
    return make_synth(1, "mcrank", PAIRS("queries", "8", "documents", "12"));
}

static void test_threads_change_no_byte(void **state)
{
    gradus_dataset *data = ranked_set();
    const size_t threads[] = { 2, 3, 8 };

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        gradus_model *first = trained(1, data, k, "4", 0);

        for (size_t t = 0; t < 3; t++) {
            gradus_model *model = trained(threads[t], data, k, "4", 0);

            check_same_model(first, model);
            gradus_model_free(model);
        }
        gradus_model_free(first);
    }
    gradus_dataset_free(data);
}

static void test_checkpoints_lead_to_the_same_model(void **state)
{
    gradus_dataset *data = ranked_set();

    (void)state;
    for (size_t k = 0; k < LINEAR; k++) {
        gradus_model *whole = trained(1, data, k, "6", 0), *resumed = trained(2, data, k, "6", 3);

        check_same_model(whole, resumed);
        gradus_model_free(whole);
        gradus_model_free(resumed);
    }
    gradus_dataset_free(data);
}

/* A model truncated to N rounds equals the model trained for N rounds, including thresholds; a
 * model read from a file equals the one written. */
static void test_prefixes_and_files_are_models(void **state)
{
    gradus_dataset *data = ranked_set();
    const size_t rows = gradus_dataset_rows(data);
    double *scores[2] = { calloc(rows, sizeof(double)), calloc(rows, sizeof(double)) };

    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        gradus_model *longer = trained(1, data, k, "6", 0),
                     *short_lists = trained(1, data, k, "3", 0);
        gradus_model *view = gr_model_view(longer, NULL, k == LINEAR ? 1 : 3, NULL, NULL), *again;
        size_t size;
        char *bytes = model_bytes(longer, &size);

        assert_non_null(view);
        gradus_model_score(NULL, short_lists, data, scores[0], NULL);
        gradus_model_score(NULL, view, data, scores[1], NULL);
        assert_memory_equal(scores[0], scores[1], rows * sizeof(double));
        if (short_lists->scorer.thresholds)
            assert_memory_equal(gr_scorer_thresholds(&short_lists->scorer),
                                gr_scorer_thresholds(&view->scorer),
                                (short_lists->scorer.levels - 1) * sizeof(double));
        again = gr_model_parse(bytes, size, "it", NULL);
        assert_non_null(again);
        gradus_model_score(NULL, longer, data, scores[0], NULL);
        gradus_model_score(NULL, again, data, scores[1], NULL);
        assert_memory_equal(scores[0], scores[1], rows * sizeof(double));
        check_same_model(longer, again);
        gradus_model_free(again);
        free(bytes);
        gradus_model_free(view);
        gradus_model_free(longer);
        gradus_model_free(short_lists);
    }
    free(scores[0]);
    free(scores[1]);
    gradus_dataset_free(data);
}

enum { SMALL = 60 };

/* One feature correlated with the grade; `apart`: it separates the grades perfectly. */
static gradus_dataset *small_set(float *values, float *labels, bool apart, size_t grades)
{
    const gradus_arrays arrays = {
        .rows = SMALL, .features = 2, .values = values, .stride = 2, .labels = labels
    };

    for (size_t r = 0; r < SMALL; r++) {
        labels[r] = (float)(r % grades);
        values[2 * r] = (apart ? 10.0f : 1.0f) * labels[r] + 0.13f * (float)(r * 7 % 11);
        values[2 * r + 1] = (float)(r * 5 % 13);
    }
    return gradus_dataset_borrow(&arrays, NULL);
}

static gradus_model *train_small(const gradus_dataset *data, const char *const *pairs, notes *heard,
                                 gradus_error *err)
{
    gradus_options *options = gradus_options_new("train", err);
    gradus_context *context = gradus_context_new(1, err);
    gradus_model *model;

    *err = (gradus_error){ GRADUS_OK, "" };
    if (heard)
        gradus_context_on_note(context, take_note, heard);
    assert_int_equal(gradus_options_set(options, "one-query", "true", err), GRADUS_OK);
    for (; *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], err), GRADUS_OK);
    model = gradus_train(context, data, NULL, options, err);
    gradus_options_free(options);
    gradus_context_free(context);
    return model;
}

/* Grades that a feature separates: training stops and reports why; the model is finite. */
static void test_separable_data_end_with_a_note(void **state)
{
    const char *const *const ways[] = {
        PAIRS("method", "propodds", "rounds", "3000", "min-rows", "1", "learning-rate", "1", "l2",
              "0", "min-weight", "0", "train-eval-every", "0"),
        PAIRS("method", "orboost", "rounds", "3000", "min-rows", "1", "learning-rate", "1", "l2",
              "0", "min-weight", "0", "train-eval-every", "0"),
        PAIRS("method", "pairrank", "rounds", "3000", "min-rows", "1", "learning-rate", "1", "l2",
              "0", "min-weight", "0", "train-eval-every", "0"),
        PAIRS("method", "propodds", "learner", "linear"),
    };
    float values[2 * SMALL], labels[SMALL];

    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        /* with a grade between, the extra terms of pairrank keep its risk above 0 */
        gradus_dataset *data = small_set(values, labels, true, w == 2 ? 2 : 3);
        notes heard = { .count = 0 };
        gradus_error err;
        gradus_model *model = train_small(data, ways[w], &heard, &err);
        double scores[SMALL], auc;
        size_t size;

        if (!model)
            fail_msg("%s", err.message);
        assert_true(heard.count > 0);
        assert_non_null(strstr(heard.text, "perfectly separa"));
        assert_int_equal(gradus_model_score(NULL, model, data, scores, &err), GRADUS_OK);
        assert_int_equal(gradus_evaluate_metric(data, scores, "u-ovo", &auc, &err), GRADUS_OK);
        CHECK_NEAR(auc, 1.0, 0);
        free(model_bytes(model, &size)); /* it can be written */
        gradus_model_free(model);
        gradus_dataset_free(data);
    }
}

/* Two grades: propodds is logistic regression with a single threshold; a grade with one row counts.
 */
static void test_two_grades_and_a_lonely_one(void **state)
{
    float values[2 * SMALL], labels[SMALL];

    (void)state;
    for (size_t grades = 2; grades <= 3; grades++)
        for (size_t k = 0; k < KINDS; k++) {
            gradus_dataset *data = small_set(values, labels, false, 2);
            gradus_error err;
            gradus_model *model;
            gradus_model_info facts;
            double predicted[SMALL];

            if (grades == 3)
                labels[5] = 7.0f;
            model = train_small(data, kinds[k], NULL, &err);
            if (!model)
                fail_msg("kind %zu: %s", k, err.message);
            gradus_model_describe(model, &facts);
            if (facts.grades) {
                assert_int_equal(facts.grades, grades);
                assert_non_null(facts.thresholds);
                assert_true(facts.thresholds[grades - 2] >= facts.thresholds[0]);
                assert_int_equal(gradus_model_grades(NULL, model, data, predicted, &err),
                                 GRADUS_OK);
                for (size_t r = 0; r < SMALL; r++)
                    assert_true(predicted[r] == 0.0 || predicted[r] == 1.0 || predicted[r] == 7.0);
            } else {
                assert_int_equal(gradus_model_grades(NULL, model, data, predicted, &err),
                                 GRADUS_BAD_ARGUMENT);
            }
            gradus_model_free(model);
            gradus_dataset_free(data);
        }
}

static void test_what_cannot_be_is_refused(void **state)
{
    const struct {
        const char *const *pairs;
        const char *message;
    } cases[] = {
        { PAIRS("method", "propodds", "learner", "gaussians", "widths", "0"), "'widths'" },
        { PAIRS("method", "propodds", "learner", "gaussians", "widths", "1,nan"), "'widths'" },
        { PAIRS("method", "lambdamart", "learner", "gaussians", "kernel-search", "exact"),
          "'lambdarank' does not have: it is for regression, cocr, mcrank, mcrank-ordinal, "
          "propodds, orboost, pairrank; use 'kernel-search newton'" },
        { PAIRS("method", "propodds", "form", "all"), "'form' is for orboost" },
        { PAIRS("method", "regression", "plain", "true"), "'plain' is for pairrank" },
        { PAIRS("method", "orboost", "learner", "linear"), "squared error" },
        { PAIRS("method", "propodds", "learner", "linear", "elimination", "m5"), "'elimination'" },
        { PAIRS("method", "orboost", "cost", "squared"), "'cost' is for" },
        { PAIRS("method", "propodds", "widths", "1"), "'widths' is for the learner" },
        { PAIRS("method", "orboost", "scoring", "expected-grade"), "'scoring expected-grade'" },
    };
    float values[2 * SMALL], labels[SMALL];
    gradus_dataset *data = small_set(values, labels, false, 3);

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gradus_error err;
        gradus_model *model = train_small(data, cases[c].pairs, NULL, &err);

        assert_null(model);
        if (!strstr(err.message, cases[c].message))
            fail_msg("'%s' is not in '%s'", cases[c].message, err.message);
    }
    gradus_dataset_free(data);
}

/* Four grades with squared costs violate the condition of Theorem 3, which is noted. */
static void test_costs_that_break_the_condition_are_noted(void **state)
{
    float values[2 * SMALL], labels[SMALL];
    gradus_dataset *data = small_set(values, labels, false, 4);
    notes heard = { .count = 0 };
    gradus_error err;
    gradus_model *model = train_small(
        data, PAIRS("method", "pairrank", "cost", "squared", "rounds", "3"), &heard, &err);

    (void)state;
    assert_non_null(model);
    assert_true(heard.count == 1 && strstr(heard.text, "violates the condition of pairrank"));
    gradus_model_free(model);
    heard.count = 0;
    model = train_small(data, PAIRS("method", "pairrank", "rounds", "3"), &heard, &err);
    assert_non_null(model); /* linear costs satisfy it */
    assert_int_equal(heard.count, 0);
    gradus_model_free(model);
    gradus_dataset_free(data);
}

/* The search against all kernels tried one by one on the rows themselves. */
static void test_the_search_is_exact_with_enough_centres(void **state)
{
    float values[2 * SMALL], labels[SMALL], gradients[SMALL], hessians[SMALL];
    gradus_dataset *data = small_set(values, labels, false, 3);
    const gr_gaussian_options options = { .bandwidth = "0.7,2", .centres = 1000 };
    const gr_bin_options bin = { .bins = 255 };
    const double widths[2] = { 0.7, 2.0 };
    gr_gaussian_search search;
    gr_gaussian found;
    double best = 0.0;

    (void)state;
    for (size_t r = 0; r < SMALL; r++) {
        gradients[r] = (float)(r * 11 % 17) - 8.0f;
        hessians[r] = 0.5f + (float)(r % 3);
    }
    values[4] = NAN;
    assert_int_equal(gr_gaussian_search_new(data, &options, &bin, NULL, &search, NULL), GRADUS_OK);
    found = gr_gaussian_search_run(&search, gradients, hessians, 0.5, NULL);
    for (size_t f = 0; f < 2; f++)
        for (size_t c = 0; c < SMALL; c++)
            for (size_t w = 0; w < 2; w++) {
                double slope = 0.0, first = 0.0, second = 0.0, g = 0.0, h = 0.0;

                if (isnan(values[2 * c + f]))
                    continue;
                for (size_t r = 0; r < SMALL; r++) {
                    const double z = (double)(values[2 * r + f] - values[2 * c + f]) / widths[w];
                    const double e = isnan(z) ? 0.0 : exp(-z * z / 2.0);

                    slope += (double)gradients[r] * e;
                    first += (double)hessians[r] * e;
                    second += (double)hessians[r] * e * e;
                    g += (double)gradients[r];
                    h += (double)hessians[r];
                }
                slope -= g * first / h;
                best = fmax(best, slope * slope / (second - first * first / h + 0.5) / 2.0);
            }
    CHECK_NEAR(found.gain, best, 1e-6 * best);
    gr_gaussian_search_free(&search);
    gradus_dataset_free(data);
}

/* Kernels read from a file are validated. */
static void test_bad_kernels_are_refused(void **state)
{
    double base = 0.0;
    gr_gaussian term = { .bandwidth = 1.0 };
    const gr_gaussians g = {
        .features = 2, .outputs = 1, .terms = 1, .bases = &base, .term = &term
    };

    (void)state;
    assert_int_equal(gr_gaussians_check(&g, NULL), GRADUS_OK);
    term.feature = 2;
    assert_int_equal(gr_gaussians_check(&g, NULL), GRADUS_BAD_FORMAT);
    term = (gr_gaussian){ .bandwidth = 0.0 };
    assert_int_equal(gr_gaussians_check(&g, NULL), GRADUS_BAD_FORMAT);
    term = (gr_gaussian){ .bandwidth = 1.0, .weight = INFINITY };
    assert_int_equal(gr_gaussians_check(&g, NULL), GRADUS_BAD_FORMAT);
    term = (gr_gaussian){ .bandwidth = 1.0 };
    base = NAN;
    assert_int_equal(gr_gaussians_check(&g, NULL), GRADUS_BAD_FORMAT);
}

/* The risk of PAIRRANK with unit costs for three grades, all rows in one list: a product of sums.
 */
static double pair_risk(const gradus_model *model, const gradus_dataset *data)
{
    double scores[SMALL], down = 0.0, up = 0.0;

    assert_int_equal(gradus_model_score(NULL, model, data, scores, NULL), GRADUS_OK);
    for (size_t r = 0; r < SMALL; r++) {
        down += data->arrays.labels[r] > 0.0f ? exp(-scores[r]) : 0.0;
        up += data->arrays.labels[r] < 2.0f ? exp(scores[r]) : 0.0;
    }
    return down * up;
}

#define ONE_KERNEL                                                                                 \
    "method", "pairrank", "within", "all", "cost", "pairs", "learner", "gaussians", "widths",      \
        "0.7", "centres", "1000", "learning-rate", "1", "l2", "0"

/* The lowest risk of a kernel of a feature at a centre, by ternary search for its weight. */
static double least_risk(const float *values, const float *labels, size_t f, size_t centre)
{
    double low = -60.0, high = 60.0, risk = INFINITY;

    for (int i = 0; i < 200; i++) {
        const double weights[2] = { low + (high - low) / 3.0, high - (high - low) / 3.0 };
        double risks[2];

        for (size_t w = 0; w < 2; w++) {
            double down = 0.0, up = 0.0;

            for (size_t r = 0; r < SMALL; r++) {
                const double z = (double)(values[2 * r + f] - values[2 * centre + f]) / 0.7;
                const double score = weights[w] * exp(-z * z / 2.0);

                down += labels[r] > 0.0f ? exp(-score) : 0.0;
                up += labels[r] < 2.0f ? exp(score) : 0.0;
            }
            risks[w] = down * up;
        }
        risk = fmin(risk, fmin(risks[0], risks[1]));
        if (risks[0] < risks[1])
            high = weights[1];
        else
            low = weights[0];
    }
    return risk;
}

/* The exact search finds the kernel of lowest risk, which is not the one of the largest gain to
 * second order. */
static void test_exact_search_finds_the_lowest_loss(void **state)
{
    float values[2 * SMALL], labels[SMALL];
    gradus_dataset *data = small_set(values, labels, false, 3);
    double least = INFINITY, risks[2];
    gradus_error err;

    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        gradus_model *model =
            train_small(data,
                        exact ? PAIRS(ONE_KERNEL, "rounds", "1", "kernel-search", "exact")
                              : PAIRS(ONE_KERNEL, "rounds", "1"),
                        NULL, &err);

        if (!model)
            fail_msg("%s", err.message);
        risks[exact] = pair_risk(model, data);
        gradus_model_free(model);
    }
    for (size_t f = 0; f < 2; f++)
        for (size_t c = 0; c < SMALL; c++)
            least = fmin(least, least_risk(values, labels, f, c));
    CHECK_NEAR(risks[1], least, 1e-4 * least);
    assert_true(risks[0] > least * (1.0 + 1e-3));
    gradus_dataset_free(data);
}

/* Beyond the last row of another grade nothing bounds the scores. */
static void test_scores_that_run_away_are_noted(void **state)
{
    const char *const *const cases[] = { PAIRS(ONE_KERNEL, "rounds", "5"),
                                         PAIRS(ONE_KERNEL, "rounds", "2000") };
    float values[2 * SMALL], labels[SMALL];
    gradus_dataset *data = small_set(values, labels, false, 3);
    gradus_error err;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        notes heard = { .count = 0 };
        gradus_model *model = train_small(data, cases[i], &heard, &err);

        if (!model)
            fail_msg("%s", err.message);
        assert_true((strstr(heard.text, "nothing bounds them") != NULL) == (i == 1));
        gradus_model_free(model);
    }
    gradus_dataset_free(data);
}

/* Trees and kernels fitted to a sample of the rows are rescaled on all rows: no round increases the
 * risk. */
static void test_line_searches_count_rows_outside_the_sample(void **state)
{
    const char *const *const cases[] = {
        PAIRS("method", "pairrank", "within", "all", "cost", "pairs", "rounds", "25",
              "row-fraction", "0.3", "learning-rate", "1", "leaves", "4", "min-rows", "1", "l2",
              "0"),
        PAIRS("method", "pairrank", "within", "all", "cost", "pairs", "rounds", "25",
              "row-fraction", "0.3", "learning-rate", "1", "l2", "0", "learner", "gaussians"),
    };
    float values[2 * SMALL], labels[SMALL];
    gradus_dataset *data = small_set(values, labels, false, 3);
    gradus_error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gradus_model *model = train_small(data, cases[i], NULL, &err);
        double before = INFINITY;

        assert_non_null(model);
        for (uint64_t round = 1; round <= 25; round++) {
            gradus_model *view = gr_model_view(model, NULL, round, NULL, NULL);
            const double risk = pair_risk(view, data);

            if (!(risk <= before * (1.0 + 1e-6)))
                fail_msg("case %zu, round %d: %g after %g", i, (int)round, risk, before);
            before = risk;
            gradus_model_free(view);
        }
        gradus_model_free(model);
    }
    gradus_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_change_no_byte),
        cmocka_unit_test(test_checkpoints_lead_to_the_same_model),
        cmocka_unit_test(test_prefixes_and_files_are_models),
        cmocka_unit_test(test_separable_data_end_with_a_note),
        cmocka_unit_test(test_two_grades_and_a_lonely_one),
        cmocka_unit_test(test_what_cannot_be_is_refused),
        cmocka_unit_test(test_costs_that_break_the_condition_are_noted),
        cmocka_unit_test(test_the_search_is_exact_with_enough_centres),
        cmocka_unit_test(test_exact_search_finds_the_lowest_loss),
        cmocka_unit_test(test_scores_that_run_away_are_noted),
        cmocka_unit_test(test_line_searches_count_rows_outside_the_sample),
        cmocka_unit_test(test_bad_kernels_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
