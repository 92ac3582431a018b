/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions for code that builds on the library: options, methods, metrics, joined data,
 * split contexts and shared bins. */
#include "checks.h"

#include "gradus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gradus_dataset *web(double queries, double first)
{
    gradus_options *synth = gradus_options_new("synth web", NULL);

    assert_int_equal(gradus_options_set_number(synth, "queries", queries, NULL), GRADUS_OK);
    assert_int_equal(gradus_options_set_number(synth, "first-query", first, NULL), GRADUS_OK);
    gradus_dataset *data = gradus_synth(NULL, synth, NULL);

    gradus_options_free(synth);
    assert_non_null(data);
    return data;
}

static gradus_options *train_options(const char *method)
{
    gradus_options *options = gradus_options_new("train", NULL);

    assert_int_equal(gradus_options_set(options, "method", method, NULL), GRADUS_OK);
    return options;
}

static void test_options_know_what_was_set(void **state)
{
    gradus_options *options = train_options("lambdamart");
    gradus_options *copy = gradus_options_copy(options, NULL);

    (void)state;
    assert_string_equal(gradus_options_operation(copy), "train");
    assert_true(gradus_options_given(copy, "method"));
    assert_false(gradus_options_given(copy, "rounds"));
    assert_int_equal(gradus_options_set(copy, "rounds", "7", NULL), GRADUS_OK);
    assert_true(gradus_options_given(copy, "rounds"));
    assert_false(gradus_options_given(options, "rounds"));
    gradus_options_free(options);
    assert_string_equal(gradus_options_value(copy, "rounds"), "7");
    gradus_options_free(copy);
}

static bool accepts(const gradus_options *options, const char *name)
{
    bool found = false;

    assert_int_equal(gradus_method_accepts(options, name, &found, NULL), GRADUS_OK);
    return found;
}

static const char *range_of(const gradus_options *options, const char *name)
{
    const char *range = "";

    assert_int_equal(gradus_method_range(options, name, &range, NULL), GRADUS_OK);
    return range;
}

static void test_methods_are_described(void **state)
{
    gradus_options *lambdamart = train_options("lambdamart");
    gradus_options *svor = train_options("svor-imc");
    gradus_options *split = gradus_options_new("split", NULL);
    gradus_method_facts facts;
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_method_describe(lambdamart, &facts, &err), GRADUS_OK);
    assert_true(facts.by_rounds);
    assert_true(facts.needs_queries);
    assert_false(facts.needs_grades);
    assert_int_equal(gradus_method_describe(svor, &facts, &err), GRADUS_OK);
    assert_false(facts.by_rounds);
    assert_false(facts.needs_queries);
    assert_int_equal(gradus_method_describe(split, &facts, &err), GRADUS_BAD_ARGUMENT);
    assert_true(accepts(lambdamart, "leaves"));
    assert_true(accepts(lambdamart, "num_leaves"));
    assert_false(accepts(svor, "leaves"));
    assert_false(accepts(lambdamart, "no such option"));
    assert_string_equal(range_of(lambdamart, "leaves"), "4..64:log");
    assert_null(range_of(svor, "leaves"));
    assert_null(range_of(lambdamart, "seed"));
    gradus_options_free(lambdamart);
    gradus_options_free(svor);
    gradus_options_free(split);
}

static void test_metrics_are_described(void **state)
{
    gradus_metric_facts facts;
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_metric_describe("ndcg@10", &facts, &err), GRADUS_OK);
    assert_true(facts.uses_gains && !facts.lower_is_better && !facts.geometric);
    assert_int_equal(gradus_metric_describe("rmse", &facts, &err), GRADUS_OK);
    assert_true(!facts.uses_gains && facts.lower_is_better);
    assert_int_equal(gradus_metric_describe("gmap", &facts, &err), GRADUS_OK);
    assert_true(facts.geometric);
    assert_int_equal(gradus_metric_describe("ngcd", &facts, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_metric_describe("map,err", &facts, &err), GRADUS_BAD_ARGUMENT);
}

static void test_sets_are_joined(void **state)
{
    gradus_dataset *a = web(3, 1), *b = web(4, 4), *all = web(7, 1);
    const gradus_dataset *const parts[] = { a, b };
    /* two folds of the same data: the second adds nothing */
    const gradus_dataset *const folds[] = { a, b, b, a, NULL };
    gradus_dataset *joined = gradus_dataset_join(NULL, parts, 2, NULL);
    gradus_dataset *distinct = gradus_dataset_join_folds(NULL, folds, 2, 2, NULL);
    uint64_t first, second, other;
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_dataset_rows(joined), gradus_dataset_rows(all));
    assert_int_equal(gradus_dataset_queries(joined), 7);
    assert_int_equal(gradus_dataset_fingerprint(NULL, joined, &first, NULL), GRADUS_OK);
    assert_int_equal(gradus_dataset_fingerprint(NULL, distinct, &second, NULL), GRADUS_OK);
    assert_int_equal(gradus_dataset_fingerprint(NULL, a, &other, NULL), GRADUS_OK);
    assert_true(first == second);
    assert_true(first != other);
    assert_null(gradus_dataset_join(NULL, parts, 0, &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_null(gradus_dataset_join_folds(NULL, folds + 4, 1, 1, &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    gradus_dataset_free(joined);
    gradus_dataset_free(distinct);
    gradus_dataset_free(a);
    gradus_dataset_free(b);
    gradus_dataset_free(all);
}

static gradus_label_kind kind_of(float label, bool *has_queries)
{
    const float labels[2] = { 0.0f, label }, values[2] = { 1.0f, 2.0f };
    const gradus_arrays arrays = {
        .rows = 2, .features = 1, .values = values, .stride = 1, .labels = labels
    };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);
    gradus_label_kind kind = GRADUS_LABELS_GRADES;

    assert_int_equal(gradus_dataset_labels(NULL, data, &kind, NULL), GRADUS_OK);
    *has_queries = gradus_dataset_has_queries(data);
    gradus_dataset_free(data);
    return kind;
}

static void test_labels_have_a_kind(void **state)
{
    gradus_dataset *data = web(2, 1);
    bool has_queries;

    (void)state;
    assert_int_equal(kind_of(4.0f, &has_queries), GRADUS_LABELS_GRADES);
    assert_false(has_queries);
    assert_int_equal(kind_of(0.25f, &has_queries), GRADUS_LABELS_NUMBERS);
    assert_int_equal(kind_of(-1.0f, &has_queries), GRADUS_LABELS_OTHER);
    assert_int_equal(kind_of(1024.0f, &has_queries), GRADUS_LABELS_OTHER);
    assert_true(gradus_dataset_has_queries(data));
    gradus_dataset_free(data);
}

static void test_validation_data_need_the_same_features(void **state)
{
    const float labels[2] = { 0.0f, 1.0f }, values[2] = { 1.0f, 2.0f };
    const gradus_arrays arrays = {
        .rows = 2, .features = 1, .values = values, .stride = 1, .labels = labels
    };
    gradus_dataset *narrow = gradus_dataset_borrow(&arrays, NULL), *wide = web(2, 1);
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_dataset_check_valid(NULL, wide, wide, &err), GRADUS_OK);
    assert_int_equal(gradus_dataset_check_valid(NULL, wide, narrow, &err), GRADUS_BAD_ARGUMENT);
    gradus_dataset_free(narrow);
    gradus_dataset_free(wide);
}

static void take_note(void *user, const char *note)
{
    (void)note;
    ++*(int *)user;
}

static bool take_progress(void *user, const char *what, double done)
{
    (void)what;
    (void)done;
    ++*(int *)user;
    return true;
}

static void test_functions_of_a_context_can_be_called(void **state)
{
    gradus_context *context = gradus_context_new(1, NULL);
    int notes = 0, steps = 0;
    void *user = NULL;

    (void)state;
    assert_null(gradus_context_note(context, &user));
    assert_null(gradus_context_progress(context, &user));
    gradus_context_on_note(context, take_note, &notes);
    gradus_context_on_progress(context, take_progress, &steps);
    gradus_context_note(context, &user)(&notes, "");
    assert_ptr_equal(user, &notes);
    assert_true(gradus_context_progress(context, &user)(&steps, "", 0.5));
    assert_ptr_equal(user, &steps);
    assert_int_equal(notes, 1);
    assert_int_equal(steps, 1);
    gradus_context_free(context);
}

static void test_a_split_context_has_a_part_of_the_memory(void **state)
{
    gradus_context *context = gradus_context_new(2, NULL), *part;
    gradus_dataset *data = web(60, 1);
    gradus_options *options = train_options("lambdamart");
    gradus_error err;
    gradus_model *model;

    (void)state;
    assert_int_equal(gradus_options_set(options, "rounds", "1", NULL), GRADUS_OK);
    gradus_context_set_max_memory(context, (uint64_t)1 << 40);
    part = gradus_context_split(context, (size_t)1 << 30, 1, &err);
    assert_int_equal(gradus_context_threads(part), 1);
    assert_non_null(model = gradus_train(context, data, NULL, options, &err));
    gradus_model_free(model);
    assert_null(gradus_train(part, data, NULL, options, &err));
    assert_int_equal(err.status, GRADUS_NO_MEMORY);
    gradus_context_free(part);
    gradus_context_free(context);
    gradus_options_free(options);
    gradus_dataset_free(data);
}

static void test_shared_bins_do_not_change_the_model(void **state)
{
    gradus_context *context = gradus_context_new(1, NULL), *part;
    gradus_dataset *data = web(20, 1);
    const gradus_dataset *const sets[] = { data };
    gradus_options *options = train_options("lambdamart");
    double *scores[3];
    const size_t rows = gradus_dataset_rows(data);

    (void)state;
    assert_int_equal(gradus_options_set(options, "rounds", "3", NULL), GRADUS_OK);
    for (size_t i = 0; i < 3; i++) {
        if (i == 1)
            assert_int_equal(gradus_context_share_bins(context, sets, 1, NULL), GRADUS_OK);
        part = gradus_context_split(context, 1, 1, NULL);
        gradus_model *model = gradus_train(part, data, NULL, options, NULL);

        scores[i] = malloc(rows * sizeof *scores[i]);
        assert_int_equal(gradus_model_score(NULL, model, data, scores[i], NULL), GRADUS_OK);
        assert_memory_equal(scores[i], scores[0], rows * sizeof *scores[i]);
        gradus_model_free(model);
        gradus_context_free(part);
    }
    for (size_t i = 0; i < 3; i++)
        free(scores[i]);
    assert_int_equal(gradus_context_share_bins(context, NULL, 0, NULL), GRADUS_OK);
    gradus_context_free(context);
    gradus_options_free(options);
    gradus_dataset_free(data);
}

static void test_bins_are_counted(void **state)
{
    const float labels[4] = { 0, 1, 2, 0 }, values[8] = { 1, 5, 2, 5, 3, 5, 4, 5 };
    const gradus_arrays arrays = {
        .rows = 4, .features = 2, .values = values, .stride = 2, .labels = labels
    };
    gradus_dataset *data = gradus_dataset_borrow(&arrays, NULL);
    gradus_options *options = train_options("lambdamart");
    size_t bins[2];

    (void)state;
    assert_int_equal(gradus_dataset_bins(NULL, data, NULL, bins, NULL), GRADUS_OK);
    assert_int_equal(bins[0], 4);
    assert_int_equal(bins[1], 1);
    assert_int_equal(gradus_options_set(options, "bins", "2", NULL), GRADUS_OK);
    assert_int_equal(gradus_dataset_bins(NULL, data, options, bins, NULL), GRADUS_OK);
    assert_int_equal(bins[0], 2);
    gradus_options_free(options);
    gradus_dataset_free(data);
}

static void test_training_reports_what_it_keeps(void **state)
{
    gradus_dataset *data = web(12, 1);
    gradus_options *options = train_options("lambdamart");
    const gradus_training_input input = { .train = data, .valid = data };
    gradus_training_state now;
    bool done = false;

    (void)state;
    assert_int_equal(gradus_options_set(options, "rounds", "3", NULL), GRADUS_OK);
    gradus_training *training = gradus_training_new(NULL, &input, options, NULL);

    while (!done)
        assert_int_equal(gradus_training_step(training, &done, NULL), GRADUS_OK);
    gradus_training_get_state(training, &now);
    assert_int_equal(now.kept, now.best_round);
    assert_false(now.exhausted); /* all rounds are done */
    gradus_training_free(training);
    gradus_options_free(options);
    gradus_dataset_free(data);
}

static void test_a_file_is_read_whole(void **state)
{
    static const char text[] = "gradus\n";
    char path[64] = "/tmp/gradus-support-XXXXXX.gz";
    gradus_error err;
    char *bytes = NULL;
    size_t size = 0;
    const int made = mkstemps(path, 3);

    (void)state;
    assert_true(made >= 0);
    close(made);
    gradus_output *output = gradus_output_new(path, NULL);

    assert_int_equal(gradus_output_write(output, text, sizeof text - 1, NULL), GRADUS_OK);
    assert_int_equal(gradus_output_close(output, NULL), GRADUS_OK);
    assert_int_equal(gradus_file_read(path, 100, &bytes, &size, &err), GRADUS_OK);
    assert_int_equal(size, sizeof text - 1);
    assert_string_equal(bytes, text);
    free(bytes);
    assert_true(gradus_file_read(path, 3, &bytes, &size, &err) != GRADUS_OK);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(gradus_file_read(path, 100, &bytes, &size, &err), GRADUS_NO_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(test_options_know_what_was_set),
        one_thread_test(test_methods_are_described),
        one_thread_test(test_metrics_are_described),
        one_thread_test(test_sets_are_joined),
        one_thread_test(test_labels_have_a_kind),
        one_thread_test(test_validation_data_need_the_same_features),
        one_thread_test(test_functions_of_a_context_can_be_called),
        cmocka_unit_test(test_a_split_context_has_a_part_of_the_memory),
        one_thread_test(test_shared_bins_do_not_change_the_model),
        one_thread_test(test_bins_are_counted),
        one_thread_test(test_training_reports_what_it_keeps),
        one_thread_test(test_a_file_is_read_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
