/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic training through the public header: identical models for any number of threads, after
 * interruptions and in repetition of a timed run; the model is what its description says; estimates
 * are not optimistic; warnings and rejected inputs. */
#include "gradus_experiments.h"
#include "small_trials.h"
#include "train_model.h"

#include <dirent.h>
#include <sys/stat.h>

#define QUICK "methods", "regression,mcrank,listnet"

static gradus_dataset *train, *valid, *test;

static int set_up(void **state)
{
    (void)state;
    train = queries_from("1", "15");
    valid = queries_from("101", "8");
    test = queries_from("201", "8");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    gradus_dataset_free(test);
    return 0;
}

static gradus_auto_result *run_with(gradus_context *context, const gradus_tuning_input *input,
                                    const char *const *pairs, gradus_error *err)
{
    gradus_options *options = gradus_options_new("auto", err);

    assert_non_null(options);
    assert_int_equal(gradus_options_set(options, "metric", "ndcg@5", err), GRADUS_OK);
    assert_int_equal(gradus_options_set(options, "folds", "3", err), GRADUS_OK);
    for (; *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], err), GRADUS_OK);
    gradus_auto_result *result = gradus_auto(context, input, options, err);

    gradus_options_free(options);
    return result;
}

static gradus_auto_result *run(size_t threads, const gradus_tuning_input *input,
                               const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(threads, &err);
    gradus_auto_result *result = run_with(context, input, pairs, &err);

    if (!result)
        print_error("%s\n", err.message);
    assert_non_null(result);
    gradus_context_free(context);
    return result;
}

static void check_same(const gradus_auto_result *a, const gradus_auto_result *b)
{
    gradus_auto_facts of_a, of_b;
    gradus_auto_member member, other;

    check_same_model(gradus_auto_model(a), gradus_auto_model(b));
    gradus_auto_describe(a, &of_a);
    gradus_auto_describe(b, &of_b);
    CHECK_NEAR(of_a.expected.mean, of_b.expected.mean, 0.0);
    CHECK_NEAR(of_a.single.mean, of_b.single.mean, 0.0);
    assert_string_equal(of_a.methods, of_b.methods);
    for (size_t i = 0; gradus_auto_member_at(a, i, &member); i++) {
        assert_true(gradus_auto_member_at(b, i, &other));
        assert_string_equal(member.method, other.method);
        assert_string_equal(member.settings, other.settings);
        assert_string_equal(member.chosen, other.chosen);
        CHECK_NEAR(member.weight, other.weight, 0.0);
        CHECK_NEAR(member.value, other.value, 0.0);
    }
}

static void test_threads_do_not_matter(void **state)
{
    const gradus_tuning_input input = { .train = train, .valid = valid, .test = test };
    gradus_auto_result *one = run(1, &input, PAIRS(QUICK, "budget", "5"));
    gradus_auto_result *three = run(3, &input, PAIRS(QUICK, "budget", "5"));
    gradus_auto_facts facts;

    (void)state;
    check_same(one, three);
    gradus_auto_describe(one, &facts);
    assert_int_equal(facts.trials, 5);
    assert_int_equal(facts.folds, 3);
    assert_true(facts.held_queries <= 23 && facts.held_queries > 15);
    assert_true(facts.expected.low < facts.expected.mean && facts.expected.mean < 1.0);
    gradus_auto_free(one);
    gradus_auto_free(three);
}

/* Adds the weighted scores of a member. */
static void add_member(const gradus_auto_member *m, const gradus_dataset *all, double *sum)
{
    char words[512], *at = words;
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);
    const size_t rows = gradus_dataset_rows(test);
    double *scores = test_calloc(rows, sizeof *scores);

    snprintf(words, sizeof words,
             "method=%s %s %s seed=1 patience=0 keep=last train-eval-every=0 metric=ndcg@5",
             m->method, m->settings, m->chosen);
    for (char *word; (word = strsep(&at, " "));) {
        char *equals = strchr(word, '=');

        if (!*word)
            continue;
        *equals = '\0';
        assert_int_equal(gradus_options_set(options, word, equals + 1, &err), GRADUS_OK);
    }
    gradus_model *model = train_by_options(1, all, NULL, options);

    assert_int_equal(gradus_model_score(NULL, model, test, scores, &err), GRADUS_OK);
    for (size_t r = 0; r < rows; r++)
        sum[r] += m->weight * m->scale * scores[r];
    gradus_model_free(model);
    test_free(scores);
}

static void test_the_model_is_what_is_described(void **state)
{
    const gradus_tuning_input input = { .train = train, .valid = valid };
    const gradus_dataset *both[] = { train, valid };
    gradus_error err = { GRADUS_OK, "" };
    gradus_dataset *all = gradus_dataset_join(NULL, both, 2, &err);
    gradus_auto_result *result = run(2, &input, PAIRS(QUICK, "budget", "6"));
    const size_t rows = gradus_dataset_rows(test);
    double *sum = test_calloc(rows, sizeof *sum), *scores = test_calloc(rows, sizeof *scores);
    double weights = 0.0, before = 1.0, factors = 0.0;
    gradus_auto_facts facts;
    gradus_auto_member m;
    size_t members = 0;

    (void)state;
    for (size_t i = 0; gradus_auto_member_at(result, i, &m); i++) {
        assert_string_equal(m.failed, "");
        assert_true(m.weight <= before);
        before = m.weight;
        weights += m.weight;
        members += m.weight > 0.0;
        factors += m.weight * m.scale;
        if (m.weight > 0.0)
            add_member(&m, all, sum);
    }
    CHECK_NEAR(weights, 1.0, 1e-12);
    gradus_auto_describe(result, &facts);
    assert_int_equal(facts.members, members);
    assert_true(members > 1);
    assert_int_equal(gradus_model_score(NULL, gradus_auto_model(result), test, scores, &err),
                     GRADUS_OK);
    for (size_t r = 0; r < rows; r++)
        CHECK_NEAR(scores[r], sum[r] / factors, 1e-9); /* weights sum to 1 */
    test_free(sum);
    test_free(scores);
    gradus_auto_free(result);
    gradus_dataset_free(all);
}

static void remove_scores(const char *journal, bool only_one)
{
    char folder[4096], path[8192];
    DIR *list;

    snprintf(folder, sizeof folder, "%s.scores", journal);
    list = opendir(folder);
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        if (!strstr(entry->d_name, ".f64"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
        if (only_one)
            break;
    }
    if (list)
        closedir(list);
    if (!only_one)
        rmdir(folder);
}

static bool stop_later(void *user, const char *what, double done)
{
    (void)what;
    return done < *(const double *)user;
}

/* Cancelled, resumed with a larger budget, and with scores lost: always the same model. */
static void test_resuming(void **state)
{
    const gradus_tuning_input input = { .train = train, .test = test };
    const char *journal = temporary_path(".jsonl");
    gradus_auto_result *whole = run(2, &input, PAIRS(QUICK, "budget", "5"));
    double most = 0.5;

    (void)state;
    for (int i = 0; i < 3; i++, most += 0.2) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_context *context = gradus_context_new(2, &err);

        gradus_context_on_progress(context, stop_later, &most);
        assert_null(
            run_with(context, &input, PAIRS(QUICK, "budget", "5", "journal", journal), &err));
        assert_int_equal(err.status, GRADUS_CANCELLED);
        gradus_context_free(context);
    }
    remove_scores(journal, true);
    gradus_auto_result *resumed = run(2, &input, PAIRS(QUICK, "budget", "5", "journal", journal));

    check_same(whole, resumed);
    gradus_auto_free(resumed);
    gradus_auto_free(whole);
    remove_scores(journal, false);
    unlink(journal);
}

typedef struct resumed_progress {
    double first;
    size_t first_trial, trials;
} resumed_progress;

static bool note_first(void *user, const char *what, double done)
{
    resumed_progress *seen = user;

    if (strcmp(what, "tuning") == 0 && seen->first < 0.0)
        seen->first = done;
    return true;
}

static void note_trial(void *user, const gradus_tuning_state *state)
{
    resumed_progress *seen = user;

    if (seen->trials++ == 0)
        seen->first_trial = state->done;
}

/* Trials of the earlier run are neither reported nor counted as progress of this one. */
static void test_progress_after_resuming(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    resumed_progress seen = { .first = -1.0 };
    const gradus_tuning_input input = { .train = train, .watch = note_trial, .user = &seen };
    const char *journal = temporary_path(".jsonl");
    gradus_context *context = gradus_context_new(2, &err);

    (void)state;
    gradus_context_on_progress(context, note_first, &seen);
    gradus_auto_free(
        run_with(context, &input, PAIRS(QUICK, "budget", "3", "journal", journal), &err));
    assert_int_equal(seen.first_trial, 1);
    assert_int_equal(seen.trials, 3);
    assert_true(seen.first < 0.25);
    seen = (resumed_progress){ .first = -1.0 };
    gradus_auto_free(
        run_with(context, &input, PAIRS(QUICK, "budget", "5", "journal", journal), &err));
    assert_int_equal(err.status, GRADUS_OK);
    assert_int_equal(seen.first_trial, 4);
    assert_int_equal(seen.trials, 2);
    /* the search is three quarters of a run */
    assert_true(seen.first >= 0.75 * 3.0 / 5.0 - 1e-12 && seen.first <= 0.75 * 4.0 / 5.0 + 1e-12);
    gradus_context_free(context);
    remove_scores(journal, false);
    unlink(journal);
}

/* Repeats a run that was limited by time with a budget of trials. */
static void check_repetition(const gradus_tuning_input *input, const gradus_auto_result *timed)
{
    gradus_auto_facts facts;
    char budget[32], methods[512], rounds[32];

    gradus_auto_describe(timed, &facts);
    snprintf(budget, sizeof budget, "%zu", facts.trials);
    snprintf(methods, sizeof methods, "%s", facts.methods);
    snprintf(rounds, sizeof rounds, "%zu", facts.max_rounds);
    gradus_auto_result *again =
        run(1, input, PAIRS("budget", budget, "methods", methods, "max-rounds", rounds));

    check_same(timed, again);
    gradus_auto_free(again);
}

static void test_a_timed_run_can_be_repeated(void **state)
{
    const gradus_tuning_input input = { .train = train };
    gradus_auto_result *timed = run(2, &input, PAIRS("budget", "0.6s"));
    gradus_auto_facts facts;

    (void)state;
    gradus_auto_describe(timed, &facts);
    assert_true(facts.trials >= 1);
    check_repetition(&input, timed);
    gradus_auto_free(timed);
}

static void test_max_rounds(void **state)
{
    const gradus_tuning_input input = { .train = train };
    gradus_auto_result *result = run(2, &input, PAIRS(QUICK, "budget", "4", "max-rounds", "3"));
    gradus_auto_member m;
    gradus_auto_facts facts;

    (void)state;
    gradus_auto_describe(result, &facts);
    assert_int_equal(facts.max_rounds, 3);
    for (size_t i = 0; gradus_auto_member_at(result, i, &m); i++) {
        const char *rounds = strstr(m.chosen, "rounds=");

        assert_non_null(rounds);
        assert_in_range(strtoul(rounds + strlen("rounds="), NULL, 10), 1, 3);
    }
    gradus_auto_free(result);
}

static size_t file_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t lines = 0;

    assert_non_null(file);
    for (int c; (c = getc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    return lines;
}

/* A time that is not enough for the first trial: one round, which the journal records. */
static void test_no_time(void **state)
{
    static const char *const methods[] = { "regression", "listnet" };
    const gradus_tuning_input input = { .train = train };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *journal = temporary_path(".jsonl");
        const char *const *pairs =
            PAIRS("methods", methods[i], "budget", "1e-6s", "journal", journal);
        gradus_auto_result *timed = run(2, &input, pairs), *resumed = run(2, &input, pairs);
        gradus_auto_result *counted =
            run(2, &input,
                PAIRS("methods", methods[i], "budget", "1", "max-rounds", "1", "journal", journal));
        gradus_auto_facts facts;

        gradus_auto_describe(timed, &facts);
        assert_int_equal(facts.max_rounds, 1);
        assert_int_equal(facts.trials, 1);
        check_same(timed, resumed);
        check_same(timed, counted);
        assert_int_equal(file_lines(journal), 2); /* the header and one trial */
        check_repetition(&input, timed);
        gradus_auto_free(timed);
        gradus_auto_free(resumed);
        gradus_auto_free(counted);
        remove_scores(journal, false);
        unlink(journal);
    }
}

/* Slows down some reports of progress. */
typedef struct slow_part {
    size_t calls, first, last;
    double search; /* fraction at which the search ends */
    size_t searching;
} slow_part;

static bool slow_down(void *user, const char *what, double done)
{
    slow_part *part = user;

    (void)what;
    part->searching += done < part->search;
    if (++part->calls > part->first && part->calls <= part->last)
        usleep(20000);
    return true;
}

static gradus_auto_result *run_slowed(const gradus_tuning_input *input, slow_part *part,
                                      const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(1, &err);

    gradus_context_on_progress(context, slow_down, part);
    gradus_auto_result *result = run_with(context, input, pairs, &err);

    assert_non_null(result);
    gradus_context_free(context);
    return result;
}

/* The second fold of the first trial is slow: the first one, which had more rounds, and the third
 * one use only as many. */
static void test_a_slow_fold(void **state)
{
    const gradus_tuning_input input = { .train = train };
    slow_part part = { .first = SIZE_MAX, .search = 0.75 };
    gradus_auto_facts facts;

    (void)state;
    gradus_auto_free(run_slowed(&input, &part, PAIRS("methods", "lambdamart", "budget", "1")));
    part = (slow_part){ .first = part.searching / 2, .last = part.searching / 2 + 30 };
    gradus_auto_result *timed =
        run_slowed(&input, &part, PAIRS("methods", "lambdamart", "budget", "0.8s"));

    gradus_auto_describe(timed, &facts);
    assert_true(facts.max_rounds > 0);
    check_repetition(&input, timed);
    gradus_auto_free(timed);
}

/* Trials after the first one are dropped if they take too long, and do not count. */
static void test_slow_trials_are_dropped(void **state)
{
    const gradus_tuning_input input = { .train = train };
    slow_part part = { .first = SIZE_MAX, .search = 0.75 };
    gradus_auto_facts facts;

    (void)state;
    gradus_auto_free(run_slowed(&input, &part, PAIRS("methods", "regression", "budget", "1")));
    part = (slow_part){ .first = part.searching + 5, .last = part.searching + 60 };
    gradus_auto_result *timed =
        run_slowed(&input, &part, PAIRS("methods", "regression,mcrank", "budget", "1s"));

    gradus_auto_describe(timed, &facts);
    assert_true(facts.out_of_time);
    assert_string_equal(facts.methods, "regression");
    assert_string_equal(facts.skipped, "mcrank");
    assert_int_equal(facts.trials, 1);
    check_repetition(&input, timed);
    gradus_auto_free(timed);
}

/* If labels have nothing to do with features, held-out queries are ranked at random, however many
 * settings are tried: the estimates must not exceed that. */
static void test_estimates_are_not_optimistic(void **state)
{
    gradus_dataset *data = queries_from("1", "60");
    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays a;

    (void)state;
    assert_int_equal(gradus_dataset_arrays(NULL, data, &a, &err), GRADUS_OK);
    float *labels = test_malloc(a.rows * sizeof *labels);
    double *constant = test_calloc(a.rows, sizeof *constant);
    uint64_t random = 88172645463325252u;

    for (size_t r = 0; r < a.rows; r++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        labels[r] = (float)(random >> 40 & 3);
    }
    a.labels = labels;
    gradus_dataset *shuffled = gradus_dataset_borrow(&a, &err);
    const gradus_tuning_input input = { .train = shuffled };
    gradus_auto_result *result =
        run(2, &input, PAIRS("methods", "regression,lambdamart,listnet", "budget", "12"));
    gradus_options *options = gradus_options_new("evaluate", &err);
    gradus_auto_facts facts;
    gradus_result chance;

    assert_int_equal(gradus_options_set(options, "metric", "ndcg@5", &err), GRADUS_OK);
    gradus_evaluation *evaluation = gradus_evaluate(NULL, shuffled, constant, options, &err);

    assert_true(gradus_evaluation_at(evaluation, 0, &chance));
    gradus_auto_describe(result, &facts);
    assert_true(facts.expected.low < chance.mean);
    assert_true(facts.single.low < chance.mean);
    gradus_evaluation_free(evaluation);
    gradus_options_free(options);
    gradus_auto_free(result);
    gradus_dataset_free(shuffled);
    gradus_dataset_free(data);
    test_free(labels);
    test_free(constant);
}

static void test_probabilities(void **state)
{
    const gradus_tuning_input input = { .train = train, .test = test };
    gradus_auto_result *result = run(2, &input, PAIRS("probabilities", "true", "budget", "3"));
    gradus_auto_facts facts;
    gradus_auto_member m;

    (void)state;
    gradus_auto_describe(result, &facts);
    assert_true(facts.probabilities);
    assert_string_equal(facts.methods, "mcrank,cocr,propodds");
    assert_true(gradus_auto_member_at(result, 0, &m));
    assert_string_equal(m.family, "trees");
    gradus_auto_free(result);
}

static void test_one_member(void **state)
{
    const gradus_tuning_input input = { .train = train, .test = test };
    gradus_auto_result *result = run(1, &input, PAIRS(QUICK, "budget", "3", "members", "1"));
    gradus_auto_facts facts;

    (void)state;
    gradus_auto_describe(result, &facts);
    assert_int_equal(facts.members, 1);
    assert_ptr_equal(gradus_auto_model(result), gradus_auto_single(result));
    CHECK_NEAR(facts.test.mean, facts.single_test.mean, 0.0);
    CHECK_NEAR(facts.expected.mean, facts.single.mean, 0.0);
    gradus_auto_free(result);
}

static void test_held_out_fifth(void **state)
{
    const gradus_tuning_input input = { .train = train };
    gradus_auto_result *result = run(1, &input, PAIRS(QUICK, "budget", "3", "folds", "1"));
    gradus_auto_facts facts;

    (void)state;
    gradus_auto_describe(result, &facts);
    assert_int_equal(facts.folds, 1);
    assert_true(facts.held_queries <= 3);
    gradus_auto_free(result);
}

static bool has_warning(const gradus_auto_result *result, const char *words)
{
    const char *warning;

    for (size_t i = 0; (warning = gradus_auto_warning_at(result, i)); i++)
        if (strstr(warning, words))
            return true;
    return false;
}

static void test_warnings(void **state)
{
    const gradus_tuning_input leaking = { .train = train, .valid = valid, .test = train };
    const gradus_tuning_input clean = { .train = train, .valid = valid, .test = test };
    gradus_auto_result *a = run(1, &leaking, PAIRS("methods", "regression", "budget", "1"));
    gradus_auto_result *b = run(1, &clean, PAIRS("methods", "regression", "budget", "1"));

    (void)state;
    assert_true(has_warning(a, "15 of 15 test queries"));
    assert_true(has_warning(a, "1 of 23 queries has only one label and does not affect"));
    assert_true(has_warning(a, "only 22 queries with several labels"));
    assert_false(has_warning(b, "test queries"));
    gradus_auto_free(a);
    gradus_auto_free(b);
}

/* Labels that are not whole numbers have linear gains, also in the selection; equal ones are an
 * error. */
static void test_labels(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_arrays a;

    (void)state;
    assert_int_equal(gradus_dataset_arrays(NULL, train, &a, &err), GRADUS_OK);
    float *labels = test_malloc(a.rows * sizeof *labels);

    for (size_t r = 0; r < a.rows; r++)
        labels[r] = a.labels[r] / 2.0F;
    a.labels = labels;
    gradus_dataset *halves = gradus_dataset_borrow(&a, &err);
    const gradus_tuning_input input = { .train = halves };
    gradus_auto_result *result =
        run(1, &input, PAIRS("methods", "regression,lambdamart,listnet", "budget", "3"));

    gradus_auto_free(result);
    for (size_t r = 0; r < a.rows; r++)
        labels[r] = 1.0F;
    assert_null(run_with(NULL, &input, PAIRS("budget", "1"), &err));
    assert_non_null(strstr(err.message, "nothing to rank"));
    gradus_dataset_free(halves);
    test_free(labels);
}

static void test_refused(void **state)
{
    static const struct {
        const char *name, *value, *message;
    } rows[] = {
        { "methods", "regression,x", "unknown method 'x'" },
        { "methods", "cocr,cocr", "names 'cocr' twice" },
        { "budget", "never", "'budget' takes" },
        { "folds", "99", "only 15 queries" },
        { "metric", "ndcg@5,map", "one metric" },
        { "metric", "gmap", "geometric" },
        { "metric", "rmse", "scale of scores" },
    };
    const gradus_tuning_input input = { .train = train }, none = { .train = NULL };
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(run_with(NULL, &input, PAIRS(rows[i].name, rows[i].value), &err));
        if (!strstr(err.message, rows[i].message))
            print_error("%s: %s\n", rows[i].value, err.message);
        assert_non_null(strstr(err.message, rows[i].message));
    }
    const gradus_tuning_input twice = { .train = train, .valid = train };

    assert_null(run_with(NULL, &twice, PAIRS("budget", "1"), &err));
    assert_non_null(strstr(err.message, "in the training and in the validation data"));
    assert_null(run_with(NULL, &none, PAIRS("budget", "1"), &err));
    assert_non_null(strstr(err.message, "needs training data"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_do_not_matter),
        one_thread_test(test_the_model_is_what_is_described),
        cmocka_unit_test(test_resuming),
        cmocka_unit_test(test_progress_after_resuming),
        one_thread_test(test_a_timed_run_can_be_repeated),
        cmocka_unit_test(test_max_rounds),
        cmocka_unit_test(test_no_time),
        cmocka_unit_test(test_a_slow_fold),
        cmocka_unit_test(test_slow_trials_are_dropped),
        one_thread_test(test_estimates_are_not_optimistic),
        one_thread_test(test_probabilities),
        one_thread_test(test_one_member),
        one_thread_test(test_held_out_fifth),
        one_thread_test(test_warnings),
        one_thread_test(test_labels),
        one_thread_test(test_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
