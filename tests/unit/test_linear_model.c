/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models from rows to a file, through the public header. */
#include "model_bytes.h"
#include "linear_rows.h"

#include "learners/linear/linear.h"
#include "model/model.h"

#include <string.h>
#include <unistd.h>

static gradus_model *trained(size_t threads, const gradus_dataset *data, const char *method,
                             const char *cost)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);
    gradus_context *context = gradus_context_new(threads, &err);
    gradus_model *model;

    gradus_options_set(options, "learner", "linear", &err);
    gradus_options_set(options, "method", method, &err);
    gradus_options_set(options, "cost", cost, &err);
    model = gradus_train(context, data, NULL, options, &err);
    if (!model)
        print_error("%s\n", err.message);
    assert_non_null(model);
    gradus_options_free(options);
    gradus_context_free(context);
    return model;
}

/* Grades 0, 1, 3, 4; enough rows for several chunks; some values are missing. */
static linear_rows make_grades(size_t count)
{
    static const float grades[] = { 0, 1, 3, 4 };
    linear_rows made = make_linear_rows(count, 5, 32);

    for (size_t r = 0; r < count; r++) {
        const float label = made.labels[r] / 8.0f + 2.0f;

        made.labels[r] = grades[label < 0 ? 0 : label > 3 ? 3 : (size_t)label];
        if (r % 9 == 0)
            made.values[r * 5 + r % 5] = NAN;
    }
    return made;
}

/* Targets of the absolute cost sum to the grade, and fits are linear in the targets. */
static void test_cocr_with_absolute_cost_is_direct_regression(void **state)
{
    linear_rows made = make_grades(2000);
    gradus_dataset *data = dataset_of(&made, true);
    gradus_model *direct = trained(1, data, "regression", "absolute");
    gradus_model *cocr = trained(1, data, "cocr", "absolute");
    gradus_model *other = trained(1, data, "cocr", "squared");
    double scores[3][2000], most = 0.0;

    (void)state;
    gradus_model_score(NULL, direct, data, scores[0], NULL);
    gradus_model_score(NULL, cocr, data, scores[1], NULL);
    gradus_model_score(NULL, other, data, scores[2], NULL);
    for (size_t r = 0; r < 2000; r++) {
        CHECK_NEAR(scores[1][r], scores[0][r], 1e-11);
        most = fmax(most, fabs(scores[2][r] - scores[0][r]));
    }
    assert_true(most > 1e-3);
    gradus_model_free(direct);
    gradus_model_free(cocr);
    gradus_model_free(other);
    gradus_dataset_free(data);
    end_linear_rows(&made);
}

static void test_threads_change_no_byte_and_files_no_score(void **state)
{
    static const size_t threads[] = { 1, 2, 3, 8 };
    linear_rows made = make_grades(30000);
    gradus_dataset *data = dataset_of(&made, true);
    double *scores[2] = { calloc(30000, sizeof(double)), calloc(30000, sizeof(double)) };
    char *first = NULL;
    size_t first_size = 0;

    (void)state;
    for (size_t t = 0; t < 4; t++) {
        gradus_model *model = trained(threads[t], data, "cocr", "oerr");
        size_t size;
        char *bytes = model_bytes(model, &size);

        if (t == 0) {
            gradus_model *again = gr_model_parse(bytes, size, "it", NULL);

            assert_non_null(again);
            gradus_model_score(NULL, model, data, scores[0], NULL);
            gradus_model_score(NULL, again, data, scores[1], NULL);
            assert_memory_equal(scores[0], scores[1], 30000 * sizeof(double));
            gradus_model_free(again);
            first = bytes;
            first_size = size;
        } else {
            assert_int_equal(size, first_size);
            assert_memory_equal(bytes, first, size);
            free(bytes);
        }
        gradus_model_free(model);
    }
    free(first);
    free(scores[0]);
    free(scores[1]);
    gradus_dataset_free(data);
    end_linear_rows(&made);
}

static void test_what_a_model_says_of_itself(void **state)
{
    linear_rows made = make_grades(500);
    gradus_dataset *data = dataset_of(&made, false);
    gradus_model *model = trained(1, data, "cocr", "absolute");
    gradus_model_facts facts;
    double gains[5], intercept;
    uint64_t used[5];
    const double *coefficients, *means, *spreads;
    float row[5] = { 1, 2, NAN, 4, 5 };
    double sum = 0.0, score;
    static const double steps[] = { 1, 2, 1 }; /* between grades 0, 1, 3, 4 */

    (void)state;
    gradus_model_describe(model, &facts);
    assert_int_equal(facts.equations, 3);
    assert_int_equal(facts.trees, 0);
    assert_int_equal(facts.rounds, 1);
    assert_int_equal(gradus_model_importance(model, gains, used, NULL), GRADUS_OK);
    for (size_t k = 0; k < 3; k++) {
        assert_true(gradus_model_equation(model, k, &intercept, &coefficients, &means, &spreads));
        sum += steps[k] * intercept;
        for (size_t f = 0; f < 5; f++) {
            sum += steps[k] * coefficients[f] * (f == 2 ? means[2] : (double)row[f]);
            gains[f] -= fabs(coefficients[f]) * spreads[f];
            used[f] -= coefficients[f] != 0.0;
        }
    }
    assert_false(gradus_model_equation(model, 3, NULL, NULL, NULL, NULL));
    assert_int_equal(gr_model_run_rows(model, row, 1, 5, &score, NULL, NULL), GRADUS_OK);
    CHECK_NEAR(score, sum, 1e-12);
    for (size_t f = 0; f < 5; f++) {
        CHECK_NEAR(gains[f], 0.0, 1e-13);
        assert_int_equal(used[f], 0);
    }
    gradus_model_free(model);
    gradus_dataset_free(data);
    end_linear_rows(&made);
}

static void test_numbers_that_are_not_finite_are_no_model(void **state)
{
    double numbers[] = { 1, 2, 3, 4, 5, 6, 7 };
    gr_linear linear = { .features = 2,
                         .outputs = 1,
                         .means = numbers,
                         .spreads = numbers + 2,
                         .bases = numbers + 4,
                         .coefficients = numbers + 5 };
    gradus_error err;

    (void)state;
    assert_int_equal(gr_linear_check(&linear, &err), GRADUS_OK);
    for (size_t i = 0; i < 7; i++) {
        const double kept = numbers[i];

        numbers[i] = NAN;
        assert_int_equal(gr_linear_check(&linear, &err), GRADUS_BAD_FORMAT);
        numbers[i] = -INFINITY;
        assert_int_equal(gr_linear_check(&linear, &err), GRADUS_BAD_FORMAT);
        numbers[i] = kept;
    }
    numbers[3] = -1.0;
    assert_int_equal(gr_linear_check(&linear, &err), GRADUS_BAD_FORMAT);
    assert_string_equal(err.message, "a standard deviation is below 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cocr_with_absolute_cost_is_direct_regression),
        cmocka_unit_test(test_threads_change_no_byte_and_files_no_score),
        cmocka_unit_test(test_what_a_model_says_of_itself),
        cmocka_unit_test(test_numbers_that_are_not_finite_are_no_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
