/* SPDX-License-Identifier: Apache-2.0 */
/* Untrained methods: every entry of the table is usable, and each does what it documents. */
#include "checks.h"
#include "built_data.h"

#include "base/rng.h"
#include "data/row_names.h"
#include "pipeline/methods.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const made_row rows[] = {
    { "b", NULL, { 0.5f, 3 } },   { "a", NULL, { -1.25f, 1 } },   { "b", NULL, { NAN, 2 } },
    { "a", NULL, { 1e-30f, 4 } }, { "b", NULL, { INFINITY, 5 } },
};

enum { ROWS = 5 };

static gradus_dataset *some_data(void)
{
    gradus_error err;
    gradus_dataset *data = make_data(rows, ROWS, &err);

    assert_non_null(data);
    return data;
}

static void test_every_method_describes_itself(void **state)
{
    size_t count = 0;

    (void)state;
    for (const gr_about *about; (about = gr_methods_at(count)); count++) {
        const char *argument;

        assert_true(strlen(about->name) > 0 && strlen(about->summary) > 0);
        assert_true(strlen(about->details) > 0);
        assert_ptr_equal(&gr_method_find(about->name, &argument)->about, about);
        assert_null(argument);
    }
    assert_true(count >= 2);
}

static void test_a_feature_is_its_value(void **state)
{
    /* the dataset has the rows of b, then those of a */
    static const double wanted[] = { 0.5, -DBL_MAX, 0x1p128, -1.25, (double)1e-30f };
    gradus_dataset *data = some_data();
    double scores[ROWS];
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_scores(NULL, data, "feature:1", 0, scores, &err), GRADUS_OK);
    for (size_t r = 0; r < ROWS; r++)
        CHECK_NEAR(scores[r], wanted[r], 0.0);
    assert_int_equal(gradus_scores(NULL, data, "feature:-1", 0, scores, &err), GRADUS_OK);
    for (size_t r = 0; r < ROWS; r++)
        CHECK_NEAR(scores[r], r == 1 ? -DBL_MAX : -wanted[r], 0.0);
    assert_int_equal(gradus_scores(NULL, data, "feature:2", 0, scores, &err), GRADUS_OK);
    CHECK_NEAR(scores[4], 4.0, 0.0);
    gradus_dataset_free(data);
}

/* The message starts with the given text; the names of methods may continue it. */
static void check_refused(const gradus_dataset *data, const char *what, gradus_status wanted,
                          const char *message)
{
    double scores[ROWS];
    gradus_error err;

    assert_int_equal(gradus_scores(NULL, data, what, 0, scores, &err), wanted);
    assert_memory_equal(err.message, message, strlen(message));
}

static void test_what_is_not_there_is_said(void **state)
{
    gradus_dataset *data = some_data();

    (void)state;
    check_refused(data, "feature:3", GRADUS_BAD_ARGUMENT,
                  "unknown feature '3'; features are numbered 1 to 2");
    check_refused(data, "feature:0", GRADUS_BAD_ARGUMENT,
                  "unknown feature '0'; features are numbered 1 to 2");
    check_refused(data, "feature:-9", GRADUS_BAD_ARGUMENT,
                  "unknown feature '9'; features are numbered 1 to 2");
    check_refused(data, "feature:bm25", GRADUS_BAD_ARGUMENT,
                  "unknown feature 'bm25'; features are numbered 1 to 2");
    check_refused(data, "feature", GRADUS_BAD_ARGUMENT,
                  "method 'feature' needs an argument: write 'feature:ID'");
    check_refused(data, "feature:", GRADUS_BAD_ARGUMENT,
                  "method 'feature' needs an argument: write 'feature:ID'");
    check_refused(data, "random:3", GRADUS_BAD_ARGUMENT,
                  "method 'random' takes no argument, found '3'");
    check_refused(data, "featur:3", GRADUS_NO_FILE,
                  "'featur:3' is neither a file nor a method; did you mean 'feature'?");
    check_refused(data, "no/such.scores", GRADUS_NO_FILE,
                  "'no/such.scores' is neither a file nor a method (feature, random");
    check_refused(data, "tests", GRADUS_NO_FILE, "cannot read 'tests': is a directory");
    gradus_dataset_free(data);
}

static void test_features_are_found_by_name_before_id(void **state)
{
    static const char bytes[] = "2\0len gth";
    static const uint64_t starts[] = { 0, 2, 10 };
    gradus_dataset *data = some_data();
    gradus_error err;
    size_t feature = 9;

    (void)state;
    data->feature_names = (gr_names){ bytes, starts, 2 };
    assert_int_equal(gr_find_feature(data, "2", &feature, &err), GRADUS_OK);
    assert_int_equal(feature, 0);
    assert_int_equal(gr_find_feature(data, "len gth", &feature, &err), GRADUS_OK);
    assert_int_equal(feature, 1);
    assert_int_equal(gr_find_feature(data, "1", &feature, &err), GRADUS_OK);
    assert_int_equal(feature, 0);
    assert_int_equal(gr_find_feature(data, "lenn gth", &feature, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "unknown feature 'lenn gth'; did you mean 'len gth'?");
    gradus_dataset_free(data);
}

/* Numbered by position in the file: rows of b are 0, 2 and 4, those of a 1 and 3. */
static void test_random_scores_depend_on_seed_and_file_row_alone(void **state)
{
    static const uint64_t places[] = { 0, 2, 4, 1, 3 };
    gradus_dataset *data = some_data();
    double scores[ROWS], other[ROWS];
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_scores(NULL, data, "random", 42, scores, &err), GRADUS_OK);
    assert_int_equal(gradus_scores(NULL, data, "random", 43, other, &err), GRADUS_OK);
    for (size_t r = 0; r < ROWS; r++) {
        gr_rng rng = gr_rng_for(42, "random scores", places[r]);

        CHECK_NEAR(scores[r], gr_rng_uniform(&rng), 0.0);
        assert_true(scores[r] != other[r]);
    }
    gradus_dataset_free(data);
}

static void test_threads_do_not_change_scores(void **state)
{
    enum { MANY = 40000 };
    float *values = calloc(MANY, sizeof *values);
    double *one = calloc(MANY, sizeof *one), *four = calloc(MANY, sizeof *four);
    gradus_dataset *data = gr_dataset_new(NULL);
    gradus_context *context = gradus_context_new(4, NULL);
    double sum = 0.0;

    (void)state;
    for (size_t r = 0; r < MANY; r++)
        values[r] = (float)(r * 7 % 1001);
    data->arrays = (gradus_arrays){ .rows = MANY, .features = 1, .values = values, .stride = 1 };
    for (int i = 0; i < 2; i++) {
        const char *what = i ? "random" : "feature:1";

        assert_int_equal(gradus_scores(NULL, data, what, 1, one, NULL), GRADUS_OK);
        assert_int_equal(gradus_scores(context, data, what, 1, four, NULL), GRADUS_OK);
        assert_memory_equal(one, four, MANY * sizeof *one);
    }
    for (size_t r = 0; r < MANY; r++)
        sum += one[r];
    CHECK_NEAR(sum / MANY, 0.5, 0.006); /* 4 standard errors */
    gradus_context_free(context);
    gradus_dataset_free(data);
    free(values);
    free(one);
    free(four);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method_describes_itself),
        cmocka_unit_test(test_a_feature_is_its_value),
        cmocka_unit_test(test_what_is_not_there_is_said),
        cmocka_unit_test(test_features_are_found_by_name_before_id),
        cmocka_unit_test(test_random_scores_depend_on_seed_and_file_row_alone),
        cmocka_unit_test(test_threads_do_not_change_scores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
