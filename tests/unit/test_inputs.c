/* SPDX-License-Identifier: Apache-2.0 */
/* Data that cannot be learned from, or hardly: every method rejects them before training, with a
 * reason, or trains after a note. */
#include "checks.h"
#include "notes.h"

#include "pipeline/learner.h"
#include "pipeline/ranker.h"
#include "pipeline/train_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUERIES = 6, ROWS_PER_QUERY = 5, ROWS = QUERIES * ROWS_PER_QUERY, FEATURES = 3 };

typedef struct rows {
    float values[ROWS * FEATURES], labels[ROWS];
    uint64_t starts[QUERIES + 1];
    gradus_arrays arrays;
} rows;

/* Grades 0 to 2, correlated with the first feature. */
static void fill_rows(rows *r)
{
    for (size_t i = 0; i < ROWS; i++) {
        r->labels[i] = (float)(i % 3);
        r->values[i * FEATURES] = r->labels[i] + 0.31f * (float)(i * 7 % 11);
        r->values[i * FEATURES + 1] = (float)(i * 5 % 13);
        r->values[i * FEATURES + 2] = (float)(i % 7) * 0.5f;
    }
    for (size_t q = 0; q <= QUERIES; q++)
        r->starts[q] = q * ROWS_PER_QUERY;
    r->arrays = (gradus_arrays){ .rows = ROWS,
                                 .features = FEATURES,
                                 .values = r->values,
                                 .stride = FEATURES,
                                 .labels = r->labels,
                                 .queries = QUERIES,
                                 .query_starts = r->starts };
}

typedef enum outcome { REFUSED, TRAINED, FAILED_LATE } outcome;

typedef struct trial {
    rows train, valid;
    const char *option, *value; /* NULL: none */
    uint64_t max_memory;        /* 0: no limit */
    notes heard;
    gradus_error err;
} trial;

static void start_trial(trial *t)
{
    fill_rows(&t->train);
    fill_rows(&t->valid);
    t->option = t->value = NULL;
    t->max_memory = 0;
}

static gradus_options *options_for(const gr_ranker *ranker, const trial *t)
{
    const bool grid = strcmp(ranker->about.name, "calibrated") == 0;
    gradus_options *options = gradus_options_new("train", NULL);

    assert_int_equal(gradus_options_set(options, "method", ranker->about.name, NULL), GRADUS_OK);
    assert_int_equal(gradus_options_set(options, "rounds", "2", NULL), GRADUS_OK);
    if (grid) {
        gradus_options_set(options, "leaves-grid", "2", NULL);
        gradus_options_set(options, "terms-grid", "2", NULL);
    }
    if (ranker->own_learners && ranker->own_learners[0] == &gr_learner_sgd)
        gradus_options_set(options, "steps", "100", NULL);
    if (t->option)
        assert_int_equal(gradus_options_set(options, t->option, t->value, NULL), GRADUS_OK);
    return options;
}

static outcome finish_training(gradus_training *training, gradus_error *err)
{
    char path[] = "/tmp/gradus-inputs-XXXXXX";
    gradus_status status = GRADUS_OK;
    gradus_model *model = NULL;
    bool done = false;

    while (status == GRADUS_OK && !done)
        status = gradus_training_step(training, &done, err);
    if (status == GRADUS_OK)
        model = gradus_training_finish(training, err);
    close(mkstemp(path));
    const bool written = model && gradus_model_write(model, path, err) == GRADUS_OK;

    unlink(path);
    gradus_model_free(model);
    return written ? TRAINED : FAILED_LATE;
}

static outcome attempt(const gr_ranker *ranker, trial *t)
{
    gradus_options *options = options_for(ranker, t);
    gradus_dataset *train = gradus_dataset_borrow(&t->train.arrays, &t->err);
    gradus_dataset *valid = gradus_dataset_borrow(&t->valid.arrays, &t->err);
    const gradus_training_input input = { .train = train, .valid = valid };

    assert_true(train && valid);
    start_notes(&t->heard);
    gradus_context_set_max_memory(&t->heard.context, t->max_memory);
    t->err = (gradus_error){ GRADUS_OK, "" };
    gradus_training *training = gradus_training_new(&t->heard.context, &input, options, &t->err);
    const outcome found = training ? finish_training(training, &t->err) : REFUSED;

    gradus_training_free(training);
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    gradus_options_free(options);
    return found;
}

static bool noted(const trial *t, const char *words)
{
    return strstr(t->heard.text, words);
}

static bool needs_queries(const gr_ranker *ranker)
{
    gradus_options *options = gradus_options_new("train", NULL);
    bool needs;

    gradus_options_set(options, "method", ranker->about.name, NULL);
    needs = gr_needs_queries(ranker, gr_train_view(options, NULL));
    gradus_options_free(options);
    return needs;
}

#define EACH_METHOD(ranker)                                                                        \
    const gr_ranker *(ranker);                                                                     \
    for (size_t m = 0; ((ranker) = gr_ranker_number(m)); m++)

static void explain(const gr_ranker *ranker, const trial *t, outcome found)
{
    fail_msg("%s: outcome %d, error '%s', notes '%s'", ranker->about.name, (int)found,
             t->err.message, t->heard.text);
}

static void test_good_data_train_without_a_note(void **state)
{
    trial *t = *state;

    EACH_METHOD(ranker)
    {
        start_trial(t);
        const outcome found = attempt(ranker, t);

        if (found != TRAINED || noted(t, "data") || noted(t, "every feature") ||
            noted(t, "all rows"))
            explain(ranker, t, found);
    }
}

static void test_data_without_query_ids(void **state)
{
    trial *t = *state;

    EACH_METHOD(ranker)
    {
        start_trial(t);
        t->train.arrays.queries = 0;
        t->train.arrays.query_starts = NULL;
        const outcome found = attempt(ranker, t);
        const bool needs = needs_queries(ranker);

        if (needs ? found != REFUSED || !strstr(t->err.message, "'one-query'")
                  : !noted(t, "have no query ids"))
            explain(ranker, t, found);
        if (!needs)
            continue;
        t->option = "one-query";
        t->value = "true";
        const outcome again = attempt(ranker, t);

        if (again != TRAINED || noted(t, "query ids"))
            explain(ranker, t, again);
    }
}

static void test_pairs_of_all_rows_need_no_query_ids(void **state)
{
    trial *t = *state;

    start_trial(t);
    t->train.arrays.queries = 0;
    t->train.arrays.query_starts = NULL;
    t->option = "within";
    t->value = "all";
    assert_int_equal(attempt(&gr_ranker_pairrank, t), TRAINED);
    t->option = "alpha";
    t->value = "1";
    assert_int_equal(attempt(&gr_ranker_crr, t), TRAINED);
    t->value = "1,0.5";
    assert_int_equal(attempt(&gr_ranker_crr, t), REFUSED);
}

static void test_one_label_is_refused_or_noted(void **state)
{
    trial *t = *state;

    EACH_METHOD(ranker)
    {
        start_trial(t);
        for (size_t i = 0; i < ROWS; i++)
            t->train.labels[i] = 1.0f;
        const outcome found = attempt(ranker, t);

        if (found == FAILED_LATE || (found == TRAINED && !noted(t, "will be constant")) ||
            (found == TRAINED && needs_queries(ranker)))
            explain(ranker, t, found);
    }
}

static void test_one_label_per_query_is_refused_for_pairs(void **state)
{
    trial *t = *state;

    EACH_METHOD(ranker)
    {
        start_trial(t);
        for (size_t i = 0; i < ROWS; i++)
            t->train.labels[i] = (float)(i / ROWS_PER_QUERY % 3);
        const outcome found = attempt(ranker, t);

        if (found == FAILED_LATE || (found == REFUSED) != needs_queries(ranker))
            explain(ranker, t, found);
    }
}

static void test_huge_labels_are_refused(void **state)
{
    static const float huge[] = { 1e16f, 3e38f, -1e30f };
    trial *t = *state;

    for (size_t h = 0; h < sizeof huge / sizeof *huge; h++) {
        EACH_METHOD(ranker)
        {
            start_trial(t);
            t->train.labels[3] = huge[h];
            const outcome found = attempt(ranker, t);

            if (found != REFUSED || t->err.status != GRADUS_BAD_NUMBER ||
                !strstr(t->err.message, "row 4"))
                explain(ranker, t, found);
        }
    }
}

static void test_gains_that_overflow_do_not_fail_late(void **state)
{
    trial *t = *state;

    EACH_METHOD(ranker)
    {
        start_trial(t);
        for (size_t i = 0; i < ROWS; i++)
            if (t->train.labels[i] > 1.0f)
                t->train.labels[i] = t->valid.labels[i] = 2000.0f;
        const outcome found = attempt(ranker, t);

        if (found == FAILED_LATE || (found == REFUSED && !strstr(t->err.message, "1023")))
            explain(ranker, t, found);
    }
}

static void test_features_that_are_constant_or_missing_are_noted(void **state)
{
    static const float values[] = { 2.5f, NAN };
    trial *t = *state;

    for (size_t v = 0; v < 2; v++) {
        EACH_METHOD(ranker)
        {
            start_trial(t);
            for (size_t i = 0; i < ROWS * FEATURES; i++)
                t->train.values[i] = values[v];
            const outcome found = attempt(ranker, t);

            if (found == FAILED_LATE ||
                !noted(t, v ? "every feature is missing" : "every feature has the same value"))
                explain(ranker, t, found);
        }
    }
}

static void test_features_of_queries_are_noted_for_pairs(void **state)
{
    trial *t = *state;

    EACH_METHOD(ranker)
    {
        start_trial(t);
        for (size_t i = 0; i < ROWS * FEATURES; i++)
            t->train.values[i] = (float)(i / FEATURES / ROWS_PER_QUERY);
        const outcome found = attempt(ranker, t);

        if (found == FAILED_LATE || noted(t, "in all rows of a query") != needs_queries(ranker))
            explain(ranker, t, found);
    }
}

static void test_a_single_query_is_noted_for_pairs(void **state)
{
    trial *t = *state;

    EACH_METHOD(ranker)
    {
        start_trial(t);
        t->train.arrays.queries = 1;
        t->train.starts[1] = ROWS;
        const outcome found = attempt(ranker, t);

        if (found == FAILED_LATE || noted(t, "a single query") != needs_queries(ranker))
            explain(ranker, t, found);
    }
}

static void test_valid_without_relevant_rows_is_noted(void **state)
{
    trial *t = *state;

    EACH_METHOD(ranker)
    {
        start_trial(t);
        memset(t->valid.labels, 0, sizeof t->valid.labels);
        const outcome found = attempt(ranker, t);

        if (found == FAILED_LATE || !noted(t, "cannot select a round"))
            explain(ranker, t, found);
    }
}

static void test_valid_with_fewer_features_is_refused(void **state)
{
    trial *t = *state;

    EACH_METHOD(ranker)
    {
        start_trial(t);
        t->valid.arrays.features = FEATURES - 1;
        const outcome found = attempt(ranker, t);

        if (found != REFUSED || !strstr(t->err.message, "3 features, the validation data 2"))
            explain(ranker, t, found);
    }
}

static void test_monotone_both_ways_is_refused(void **state)
{
    trial *t = *state;

    start_trial(t);
    t->option = "monotone";
    t->value = "3:+,1:-,3:-";
    assert_int_equal(attempt(&gr_ranker_lambdamart, t), REFUSED);
    assert_int_equal(t->err.status, GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(t->err.message, "feature '3' cannot be both + and -"));
    t->value = "3:+,1:-,3:+";
    assert_int_equal(attempt(&gr_ranker_lambdamart, t), TRAINED);
}

static void test_labels_of_arrays_must_be_finite(void **state)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY };
    trial *t = *state;

    for (size_t b = 0; b < 3; b++) {
        start_trial(t);
        t->train.labels[6] = bad[b];
        assert_null(gradus_dataset_borrow(&t->train.arrays, &t->err));
        assert_int_equal(t->err.status, GRADUS_BAD_NUMBER);
        if (!strstr(t->err.message, "label") || !strpbrk(t->err.message, "67"))
            fail_msg("'%s'", t->err.message);
    }
}

static void test_memory_is_estimated_before_training(void **state)
{
    trial *t = *state;

    EACH_METHOD(ranker)
    {
        start_trial(t);
        t->max_memory = 50;
        const outcome found = attempt(ranker, t);

        if (found != REFUSED || t->err.status != GRADUS_NO_MEMORY ||
            !strstr(t->err.message, "3 features needs about"))
            explain(ranker, t, found);
    }
}

static int set_up(void **state)
{
    *state = calloc(1, sizeof(trial));
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_data_train_without_a_note),
        cmocka_unit_test(test_data_without_query_ids),
        cmocka_unit_test(test_pairs_of_all_rows_need_no_query_ids),
        cmocka_unit_test(test_one_label_is_refused_or_noted),
        cmocka_unit_test(test_one_label_per_query_is_refused_for_pairs),
        cmocka_unit_test(test_huge_labels_are_refused),
        cmocka_unit_test(test_gains_that_overflow_do_not_fail_late),
        cmocka_unit_test(test_features_that_are_constant_or_missing_are_noted),
        cmocka_unit_test(test_features_of_queries_are_noted_for_pairs),
        cmocka_unit_test(test_a_single_query_is_noted_for_pairs),
        cmocka_unit_test(test_valid_without_relevant_rows_is_noted),
        cmocka_unit_test(test_valid_with_fewer_features_is_refused),
        cmocka_unit_test(test_monotone_both_ways_is_refused),
        cmocka_unit_test(test_labels_of_arrays_must_be_finite),
        cmocka_unit_test(test_memory_is_estimated_before_training),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
