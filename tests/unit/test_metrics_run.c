/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions: evaluation of a dataset, and of TREC runs as in trec_eval. */
#include "checks.h"

#include "base/param.h"
#include "data/dataset.h"
#include "metrics/evaluate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Topic 3 is not in the run, 9 not in the judgements. d5 of topic 1 is in the pool but not judged;
 * x1 and x2 are not in the pool. */
static const char qrels[] = "1 0 d1 2\n1 0 d2 0\n1 0 d3 1\n1 0 d4 1\n1 0 d5 -1\n1 0 d6 0\n"
                            "2 0 d1 0\n2 0 d2 0\n"
                            "3 0 d1 1\n";
static const char run[] = "1 Q0 d2 1 3.0 t\n1 Q0 d3 2 3.0 t\n1 Q0 x1 3 2.5 t\n1 Q0 d5 4 2 t\n"
                          "1 Q0 d1 5 1 t\n1 Q0 x2 6 0.5 t\n"
                          "2 Q0 d1 1 1 t\n9 Q0 d1 1 1 t\n";

typedef struct files {
    char qrels[40], run[40];
} files;

static void write_file(char path[40], const char *text)
{
    strcpy(path, "/tmp/gradus_run_XXXXXX");
    const int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

static files write_files(const char *judgements, const char *ranking)
{
    files made;

    write_file(made.qrels, judgements);
    write_file(made.run, ranking);
    return made;
}

static void remove_files(const files *made)
{
    unlink(made->qrels);
    unlink(made->run);
}

static gradus_options *options_of(const char *const *pairs)
{
    gradus_options *options = gr_options_new(&gr_operation_evaluate, NULL);

    for (; *pairs; pairs += 2)
        assert_int_equal(gr_options_set(options, pairs[0], pairs[1], NULL), GRADUS_OK);
    return options;
}

static gradus_evaluation *evaluate_run(const char *const *pairs, gradus_context *context)
{
    const files made = write_files(qrels, run);
    gradus_options *options = options_of(pairs);
    gradus_error err = { GRADUS_OK, "" };
    gradus_evaluation *found = gradus_evaluate_run(context, made.qrels, made.run, options, &err);

    if (!found)
        fail_msg("%s", err.message);
    gr_options_free(options);
    remove_files(&made);
    return found;
}

static void check_value(const gradus_evaluation *found, size_t index, const char *metric,
                        double topic1, double mean, size_t counted)
{
    gradus_result result;

    assert_true(gradus_evaluation_at(found, index, &result));
    assert_string_equal(result.metric, metric);
    CHECK_NEAR(result.by_query[0], topic1, 1e-15);
    CHECK_NEAR(result.mean, mean, 1e-15);
    assert_int_equal(result.counted, counted);
}

/* Ties by id: d3 before d2. Topic 1 ranks d3(1) d2(0) x1 d5 d1(2) x2; judged 2 1 1 0 0. */
static void test_a_run_is_evaluated_as_trec_eval_does(void **state)
{
    const char *const pairs[] = { "metric", "ndcg,ndcg@3,map,p@5,recall@3,mrr,bpref,p@10,map@2",
                                  "convention", "trec", NULL };
    gradus_evaluation *found = evaluate_run(pairs, NULL);
    const double dcg = 1 + 2 / log2(6), ideal = 2 + 1 / log2(3) + 0.5;

    (void)state;
    check_value(found, 0, "ndcg", dcg / ideal, dcg / ideal / 2, 2);
    check_value(found, 1, "ndcg@3", 1 / ideal, 1 / ideal / 2, 2);
    check_value(found, 2, "map", (1 + 2.0 / 5) / 3, (1 + 2.0 / 5) / 6, 2);
    check_value(found, 3, "p@5", 0.4, 0.2, 2);
    check_value(found, 4, "recall@3", 1.0 / 3, 1.0 / 6, 2);
    check_value(found, 5, "mrr", 1, 0.5, 2);
    /* d3: nothing ahead, 1; d1: one irrelevant (d2) of min(3, 2) ahead, 1/2; d4 is missing */
    check_value(found, 6, "bpref", 1.5 / 3, 0.25, 2);
    check_value(found, 7, "p@10", 0.2, 0.1, 2);
    check_value(found, 8, "map@2", 1.0 / 3, 1.0 / 6, 2);
    assert_int_equal(gradus_evaluation_queries(found), 3);
    assert_string_equal(gradus_evaluation_query_name(found, 2), "3");
    assert_string_equal(gradus_evaluation_query_name(found, 3), "");
    gradus_evaluation_free(found);
}

typedef struct heard {
    int count;
    char last[200];
} heard;

static void listen(void *user, const char *note)
{
    heard *notes = user;

    notes->count++;
    snprintf(notes->last, sizeof notes->last, "%s", note);
}

static void test_complete_counts_missing_topics(void **state)
{
    const char *const pairs[] = { "metric",   "map,p@5", "convention", "trec",
                                  "complete", "true",    NULL };
    gradus_context *context = gradus_context_new(2, NULL);
    heard notes = { 0, "" };
    gradus_evaluation *found;
    gradus_result result;

    (void)state;
    gradus_context_on_note(context, listen, &notes);
    found = evaluate_run(pairs, context);
    check_value(found, 0, "map", (1 + 2.0 / 5) / 3, (1 + 2.0 / 5) / 9, 3);
    assert_true(gradus_evaluation_at(found, 0, &result));
    CHECK_NEAR(result.by_query[2], 0.0, 0.0);
    assert_int_equal(result.empty, 1);
    assert_int_equal(notes.count, 2);
    assert_string_equal(notes.last, "1 topic of the run has no judgements; not evaluated");
    gradus_evaluation_free(found);
    gradus_context_free(context);
}

static void test_condensed_lists_leave_out_what_was_not_judged(void **state)
{
    const char *const pairs[] = { "metric",   "ndcg,map,p@5,bpref", "convention", "trec",
                                  "unjudged", "condensed",          NULL };
    gradus_evaluation *found = evaluate_run(pairs, NULL);
    const double dcg = 1 + 2 / log2(4), ideal = 2 + 1 / log2(3) + 0.5; /* d3 d2 d1 */

    (void)state;
    check_value(found, 0, "ndcg", dcg / ideal, dcg / ideal / 2, 2);
    check_value(found, 1, "map", (1 + 2.0 / 3) / 3, (1 + 2.0 / 3) / 6, 2);
    check_value(found, 2, "p@5", 0.4, 0.2, 2);
    check_value(found, 3, "bpref", 0.5, 0.25, 2);
    gradus_evaluation_free(found);
}

static void test_expected_ties_of_a_run(void **state)
{
    const char *const pairs[] = { "metric", "mrr,bpref", NULL };
    gradus_evaluation *found = evaluate_run(pairs, NULL);

    (void)state;
    check_value(found, 0, "mrr", 0.75, 0.75, 1);
    /* d3: half of 1 and half of 1 - 1/2; d1: 1/2 */
    check_value(found, 1, "bpref", (0.75 + 0.5) / 3, (0.75 + 0.5) / 3, 1);
    gradus_evaluation_free(found);
}

static void check_run_refused(const char *judgements, const char *const *pairs, const char *message)
{
    const files made = write_files(judgements, run);
    gradus_options *options = options_of(pairs);
    gradus_error err = { GRADUS_OK, "" };

    assert_null(gradus_evaluate_run(NULL, made.qrels, made.run, options, &err));
    assert_string_equal(err.message, message);
    gr_options_free(options);
    remove_files(&made);
}

static void test_wrong_judgements_are_refused(void **state)
{
    const char *const gain[] = { "metric", "ndcg", NULL };
    const char *const within[] = { "within", "all", NULL };
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    check_run_refused("1 0 d1 1\n1 0 d2 2000\n", gain,
                      "judgements, line 2: label 2000 is not a grade: exponential gain takes "
                      "whole numbers from 0 to 1023");
    check_run_refused(qrels, within,
                      "'within all' is for data files: each topic of a run is ranked separately");
    assert_null(gradus_evaluate_run(NULL, NULL, "x", NULL, &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_null(gradus_evaluate_run(NULL, "/no/such/qrels", "x", NULL, &err));
    assert_int_equal(err.status, GRADUS_NO_FILE);
}

/* ---- datasets ---- */

static const float labels[5] = { 0, 2, 1, 1, 0 };
static const double scores[5] = { 3, 2, 1, 0, 1 };
static const uint64_t starts[3] = { 0, 3, 5 }, names[3] = { 0, 6, 13 };

static gradus_dataset *small_dataset(void)
{
    gradus_dataset *data = gr_dataset_new(NULL);

    data->arrays.rows = 5;
    data->arrays.labels = labels;
    data->arrays.queries = 2;
    data->arrays.query_starts = starts;
    data->query_names = (gr_names){ "first\0second", names, 2 };
    return data;
}

static void test_a_dataset_is_evaluated(void **state)
{
    gradus_dataset *data = small_dataset();
    const char *const pairs[] = { "metric", "mrr,mse", NULL };
    gradus_options *options = options_of(pairs);
    gradus_evaluation *found = gradus_evaluate(NULL, data, scores, options, NULL);
    gradus_result result;
    double mean = 0.0;

    (void)state;
    assert_non_null(found);
    assert_true(gradus_evaluation_at(found, 0, &result));
    CHECK_NEAR(result.mean, 0.5, 0.0);
    assert_false(result.lower_is_better);
    assert_true(gradus_evaluation_at(found, 1, &result));
    CHECK_NEAR(result.mean, (9 + 0 + 0 + 1 + 1) / 5.0, 1e-15);
    CHECK_NEAR(result.by_query[1], 1.0, 0.0);
    assert_true(result.lower_is_better);
    assert_false(gradus_evaluation_at(found, 2, &result));
    assert_string_equal(gradus_evaluation_query_name(found, 1), "second");
    assert_string_equal(gradus_evaluation_convention(found), "gradus");
    assert_string_equal(gradus_evaluation_switches(found),
                        "gain exp, discount log2, empty skip, short pad, ties expected, relevant "
                        "1, max-grade 2, map-divisor relevant");
    gradus_evaluation_free(found);
    gr_options_free(options);
    assert_int_equal(gradus_evaluate_metric(data, scores, "mrr", &mean, NULL), GRADUS_OK);
    CHECK_NEAR(mean, 0.5, 0.0);
    gradus_dataset_free(data);
}

static void test_the_defaults_are_five_metrics(void **state)
{
    static const char *const wanted[] = { "ndcg@10", "err@10", "map", "p@10", "mrr" };
    gradus_dataset *data = small_dataset();
    gradus_evaluation *found = gradus_evaluate(NULL, data, scores, NULL, NULL);
    gradus_result result;

    (void)state;
    for (size_t m = 0; m < 5; m++) {
        assert_true(gradus_evaluation_at(found, m, &result));
        assert_string_equal(result.metric, wanted[m]);
    }
    gradus_evaluation_free(found);
    gradus_dataset_free(data);
}

static void test_wrong_calls_are_refused(void **state)
{
    gradus_dataset *data = small_dataset();
    gradus_error err = { GRADUS_OK, "" };
    double mean;

    (void)state;
    assert_null(gradus_evaluate(NULL, NULL, scores, NULL, &err));
    assert_string_equal(err.message, "the argument 'data' of gradus_evaluate is NULL");
    assert_null(gradus_evaluate(NULL, data, NULL, NULL, NULL));
    assert_int_equal(gradus_evaluate_metric(data, scores, "map,mrr", &mean, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "'map,mrr' is more than one metric");
    assert_int_equal(gradus_evaluate_metric(data, scores, "nmap", &mean, &err),
                     GRADUS_BAD_ARGUMENT);
    data->arrays.labels = NULL;
    assert_int_equal(gradus_evaluate_metric(data, scores, "map", &mean, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "the data have no labels to evaluate with");
    gradus_evaluation_free(NULL);
    gradus_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_is_evaluated_as_trec_eval_does),
        cmocka_unit_test(test_complete_counts_missing_topics),
        cmocka_unit_test(test_condensed_lists_leave_out_what_was_not_judged),
        cmocka_unit_test(test_expected_ties_of_a_run),
        cmocka_unit_test(test_wrong_judgements_are_refused),
        cmocka_unit_test(test_a_dataset_is_evaluated),
        cmocka_unit_test(test_the_defaults_are_five_metrics),
        cmocka_unit_test(test_wrong_calls_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
