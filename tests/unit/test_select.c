/* SPDX-License-Identifier: Apache-2.0 */
/* Features selected on reading, file order of rows, and additional validation sets, through the
 * public interface. */
#include "random_sets.h"

static char folder[64], path[128];

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    in_folder(path, folder, "data");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static gradus_dataset *read_with(const char *text, const char *const *settings, gradus_error *err)
{
    FILE *file = fopen(path, "wb");
    gradus_options *options = gradus_options_new("read", NULL);

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    for (; settings && *settings; settings += 2)
        assert_int_equal(gradus_options_set(options, settings[0], settings[1], err), GRADUS_OK);
    gradus_dataset *data = gradus_dataset_read(NULL, path, options, err);

    gradus_options_free(options);
    return data;
}

static void test_unused_features_are_zero(void **state)
{
    static const char *const storages[] = { "dense", "sparse" };
    const char *text = "1 qid:1 1:5 2:6 3:7\n0 qid:1 1:8 3:9\n";
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const settings[] = { "storage", storages[i],       "use-features",
                                         "1-2",     "ignore-features", "2",
                                         NULL };
        gradus_dataset *data = read_with(text, settings, &err);
        gradus_arrays a;
        float sum = 0.0f;

        assert_non_null(data);
        assert_int_equal(gradus_dataset_arrays(NULL, data, &a, &err), GRADUS_OK);
        assert_int_equal(a.features, 3);
        for (size_t r = 0; a.values && r < a.rows; r++)
            for (size_t f = 0; f < a.features; f++)
                sum += a.values[r * a.stride + f];
        for (uint64_t e = 0; !a.values && e < a.row_starts[a.rows]; e++) {
            assert_int_equal(a.columns[e], 0);
            sum += a.entries[e];
        }
        assert_true(sum == 13.0f);
        gradus_dataset_free(data);
    }
}

static void test_unknown_features_are_refused(void **state)
{
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_null(read_with("1 qid:1 1:5 2:6\n",
                          (const char *const[]){ "ignore-features", "1,x", NULL }, &err));
    assert_string_equal(err.message, "unknown feature 'x': the data have features 1 to 2");
    assert_null(read_with("label,qid,age,size\n1,1,2,3\n",
                          (const char *const[]){ "use-features", "aeg", NULL }, &err));
    assert_string_equal(err.message, "unknown feature 'aeg'; did you mean 'age'?");
    assert_null(read_with("label,qid,age,size\n1,1,2,3\n",
                          (const char *const[]){ "ignore-features", "1-2", NULL }, &err));
    assert_string_equal(err.message, "'use-features' and 'ignore-features' exclude every feature");
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
}

static void test_rows_in_the_order_of_the_file(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *data =
        read_with("0 qid:1 1:1\n0 qid:2 1:2\n1 qid:1 1:3\n1 qid:2 1:4\n", NULL, &err);
    gradus_arrays a;
    size_t order[4];

    (void)state;
    assert_non_null(data);
    assert_int_equal(gradus_dataset_arrays(NULL, data, &a, &err), GRADUS_OK);
    assert_int_equal(gradus_dataset_file_order(data, order, &err), GRADUS_OK);
    for (size_t i = 0; i < 4; i++)
        assert_true(a.values[order[i] * a.stride] == (float)(i + 1));
    gradus_dataset_free(data);
}

static gradus_dataset *make_rows(const char *seed)
{
    gradus_options *options = gradus_options_new("synth mcrank", NULL);
    gradus_dataset *data;

    gradus_options_set(options, "queries", "20", NULL);
    gradus_options_set(options, "documents", "20", NULL);
    gradus_options_set(options, "first-query", seed, NULL);
    data = gradus_synth(NULL, options, NULL);
    gradus_options_free(options);
    assert_non_null(data);
    return data;
}

static void test_other_sets_are_measured(void **state)
{
    gradus_dataset *train = make_rows("1"), *valid = make_rows("101");
    const gradus_dataset *const others[] = { train, valid };
    const gradus_training_input input = {
        .train = train, .valid = valid, .others = others, .other_count = 2
    };
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);
    gradus_training_state now;
    bool done = false;

    (void)state;
    gradus_options_set(options, "method", "regression", NULL);
    gradus_options_set(options, "train-eval-every", "1", NULL);
    gradus_options_set(options, "rounds", "4", NULL);
    gradus_training *training = gradus_training_new(NULL, &input, options, &err);

    assert_non_null(training);
    assert_true(isnan(gradus_training_other(training, 0)));
    while (!done) {
        assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_OK);
        gradus_training_get_state(training, &now);
        assert_true(gradus_training_other(training, 1) == now.valid);
        CHECK_NEAR(gradus_training_other(training, 0), now.train, 1e-6);
    }
    assert_true(isnan(gradus_training_other(training, 2)));
    gradus_training_free(training);
    gradus_options_free(options);
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
}

/* The gradient of the third row is NAN. */
static gradus_status broken(void *user, const gradus_dataset *data, const double *scores,
                            float *gradients, float *hessians)
{
    (void)user;
    (void)scores;
    for (size_t r = 0; r < gradus_dataset_rows(data); r++) {
        gradients[r] = r == 2 ? NAN : 0.5f;
        hessians[r] = 1.0f;
    }
    return GRADUS_OK;
}

static void test_rows_are_counted_from_1(void **state)
{
    gradus_dataset *train = make_rows("1");
    const gradus_training_input input = { .train = train, .objective = broken };
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);
    bool done = false;

    (void)state;
    gradus_options_set(options, "method", "regression", NULL);
    gradus_training *training = gradus_training_new(NULL, &input, options, &err);

    assert_non_null(training);
    assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_BAD_NUMBER);
    assert_string_equal(err.message, "the gradient of row 3 is not finite");
    gradus_training_free(training);
    gradus_options_free(options);
    gradus_dataset_free(train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unused_features_are_zero),
        cmocka_unit_test(test_unknown_features_are_refused),
        cmocka_unit_test(test_rows_in_the_order_of_the_file),
        cmocka_unit_test(test_other_sets_are_measured),
        cmocka_unit_test(test_rows_are_counted_from_1),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
