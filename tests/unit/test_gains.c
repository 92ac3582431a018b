/* SPDX-License-Identifier: Apache-2.0 */
/* Label gains as a training option: checkpoints, the parser, and the labels that they apply to. */
#include "metrics/gains.h"
#include "small_trials.h"

static gradus_training *start(const gradus_training_input *input, const char *gain,
                              gradus_error *err)
{
    gradus_options *options = gradus_options_new("train", err);
    gradus_training *training;

    assert_non_null(options);
    assert_int_equal(gradus_options_set(options, "rounds", "4", err), GRADUS_OK);
    if (gain)
        assert_int_equal(gradus_options_set(options, "gain", gain, err), GRADUS_OK);
    training = gradus_training_new(NULL, input, options, err);
    gradus_options_free(options);
    return training;
}

/* A checkpoint without gains in its recipe used the method's default gains. */
static void test_checkpoints_of_other_gains_are_not_resumed(void **state)
{
    static const char *const gains[] = { NULL, "linear" };
    gradus_dataset *train = queries_from("1", "12");
    gradus_error err = { GRADUS_OK, "" };
    bool done;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        gradus_training_input input = { .train = train };
        gradus_training *training = start(&input, gains[i], &err);

        assert_non_null(training);
        assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_OK);
        gradus_model *checkpoint = gradus_training_checkpoint(training, &err);

        assert_non_null(checkpoint);
        gradus_training_free(training);
        input.start = checkpoint;
        input.resume = true;
        assert_null(start(&input, gains[1 - i], &err));
        assert_non_null(
            strstr(err.message, i ? "'gain linear', not method" : "'gain method', not linear"));
        training = start(&input, gains[i], &err);
        assert_non_null(training);
        gradus_training_free(training);
        gradus_model_free(checkpoint);
    }
    gradus_dataset_free(train);
}

static void test_tables_are_read(void **state)
{
    static const char *const bad[] = { "",     ",",   "1,",   ",1",   "0,0",    "0,2,1",
                                       "-1,2", "0,x", "0,,1", "0 ,1", "0,1e99", "0,nan,1" };
    gradus_error err;
    double *table;
    size_t count;

    (void)state;
    assert_int_equal(gr_label_gains_parse("0,.5,3,3,1e3", &table, &count, &err), GRADUS_OK);
    assert_int_equal(count, 5);
    CHECK_NEAR(table[1], 0.5, 0.0);
    CHECK_NEAR(table[4], 1000.0, 0.0);
    free(table);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(gr_label_gains_parse(bad[i], &table, &count, &err), GRADUS_BAD_ARGUMENT);
        assert_null(table);
        assert_non_null(strstr(err.message, "--label-gain takes"));
    }
}

static void test_discounts_are_read(void **state)
{
    static const char *const bad[] = { "", ",", "1,", "0,0", "0", "1,2", "1,-1", "1,x", "1e99" };
    gradus_error err;
    double *table;
    size_t count;

    (void)state;
    assert_int_equal(gr_discounts_parse("2,1,1,0", &table, &count, &err), GRADUS_OK);
    assert_int_equal(count, 4);
    CHECK_NEAR(table[0], 2.0, 0.0);
    CHECK_NEAR(table[3], 0.0, 0.0);
    free(table);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(gr_discounts_parse(bad[i], &table, &count, &err), GRADUS_BAD_ARGUMENT);
        assert_null(table);
        assert_non_null(strstr(err.message, "--rank-discounts takes"));
    }
}

static void test_uses_of_labels(void **state)
{
    static const float grades[] = { 0, 3, 1023 }, numbers[] = { 0, 1.5f, 2000 }, large[] = { 1024 },
                       negative[] = { 0.5f, -1 };
    gradus_error err;
    bool uses;

    (void)state;
    assert_int_equal(gr_labels_use(grades, 3), GR_LABELS_ARE_GRADES);
    assert_int_equal(gr_labels_use(numbers, 3), GR_LABELS_ARE_NUMBERS);
    assert_int_equal(gr_labels_use(large, 1), GR_LABELS_ARE_OTHER);
    assert_int_equal(gr_labels_use(negative, 2), GR_LABELS_ARE_OTHER);
    assert_int_equal(gr_metric_uses_gains("map,ndcg@3", &uses, &err), GRADUS_OK);
    assert_true(uses);
    assert_int_equal(gr_metric_uses_gains("map,err", &uses, &err), GRADUS_OK);
    assert_false(uses);
    assert_int_equal(gr_metric_uses_gains("nothing", &uses, &err), GRADUS_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checkpoints_of_other_gains_are_not_resumed),
        cmocka_unit_test(test_tables_are_read),
        cmocka_unit_test(test_discounts_are_read),
        cmocka_unit_test(test_uses_of_labels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
