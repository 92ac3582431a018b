/* SPDX-License-Identifier: Apache-2.0 */
/* Trials and cross-validation: selection, evaluation, the journal, and resuming from checkpoints.
 */
#include "small_trials.h"

#include "base/names.h"
#include "bins/bins.h"
#include "experiments/experiment.h"
#include "pipeline/train_options.h"

enum { FOLDS = 2 };

static gradus_dataset *sets[3 * FOLDS];
static gr_fold folds[FOLDS];
static const char *const fold_names[FOLDS] = { "fold 1", "fold 2" };

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3 * FOLDS; i++) {
        char first[16];

        snprintf(first, sizeof first, "%zu", 100 * i + 1);
        sets[i] = queries_from(first, i % 3 == 0 ? "12" : "6");
    }
    for (size_t f = 0; f < FOLDS; f++)
        folds[f] = (gr_fold){ fold_names[f], sets[3 * f], sets[3 * f + 1], sets[3 * f + 2] };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3 * FOLDS; i++)
        gradus_dataset_free(sets[i]);
    return 0;
}

static const char *const tree_settings[] = { "method=regression rounds=6 leaves=4",
                                             "method=regression rounds=6 leaves=2",
                                             "method=regression rounds=6 learning-rate=0.001",
                                             NULL };
static const char *const linear_settings[] = { "method=regression learner=linear", NULL };
static const gr_cv_candidate candidates[] = { { "trees", tree_settings },
                                              { "linear", linear_settings } };

static gr_crossval small_contest(void)
{
    return (gr_crossval){ .candidates = candidates,
                          .count = 2,
                          .folds = folds,
                          .fold_count = FOLDS,
                          .choose = "ndcg@5",
                          .measures = "ndcg@5,err",
                          .convention = "gradus" };
}

static gr_journal *in_memory(void)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_journal *journal = gr_journal_open(NULL, "test", "", NULL, &err);

    assert_non_null(journal);
    return journal;
}

/* By hand: trains on a fold and averages over queries. */
static double test_mean(const char *settings, size_t f, double *valid)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gr_words_options("train", settings, &err);
    double *scores = calloc(gradus_dataset_rows(folds[f].test), sizeof *scores), mean;
    gradus_model_info facts;
    size_t round;
    double train, value;

    assert_int_equal(gradus_options_set(options, "metric", "ndcg@5", &err), GRADUS_OK);
    gradus_model *model = gradus_train(NULL, folds[f].train, folds[f].valid, options, &err);

    assert_non_null(model);
    gradus_model_describe(model, &facts);
    *valid = -1.0;
    for (size_t i = 0; gradus_model_curve_at(model, i, &round, &train, &value); i++)
        *valid = value > *valid ? value : *valid;
    assert_int_equal(gradus_model_score(NULL, model, folds[f].test, scores, &err), GRADUS_OK);
    assert_int_equal(gradus_evaluate_metric(folds[f].test, scores, "ndcg@5", &mean, &err),
                     GRADUS_OK);
    gradus_model_free(model);
    gradus_options_free(options);
    free(scores);
    return mean;
}

static void test_choice(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    const gr_crossval cv = small_contest();
    gr_journal *journal = in_memory();
    gr_leaderboard_entry *leaderboard;
    double sum = 0.0;

    (void)state;
    assert_int_equal(gr_crossval_run(NULL, &cv, journal, &leaderboard, &err), GRADUS_OK);
    for (size_t f = 0; f < FOLDS; f++) {
        double best = -1.0, test = 0.0;
        size_t chosen = 0;

        for (size_t s = 0; s < 3; s++) {
            double valid, mean = test_mean(tree_settings[s], f, &valid);
            const gr_json *trial = gr_crossval_trial(&cv, journal, 0, s, f);

            CHECK_NEAR(gr_json_real(trial, "valid"), valid, 0.0);
            if (valid > best) {
                best = valid;
                test = mean;
                chosen = s;
            }
        }
        assert_int_equal(leaderboard[0].chosen[f], chosen);
        CHECK_NEAR(leaderboard[0].chosen_valid[f], best, 0.0);
        assert_true(leaderboard[0].rounds[f] >= 1 && leaderboard[0].rounds[f] <= 6);
        sum += test * 6; /* all queries of these datasets count */
    }
    assert_int_equal(leaderboard[0].queries, 12);
    assert_int_equal(leaderboard[0].measures, 2);
    CHECK_NEAR(leaderboard[0].mean[0], sum / 12.0, 1e-12);
    assert_null(gr_json_find(gr_crossval_trial(&cv, journal, 0, 0, 0), "valid_values"));
    assert_true(leaderboard[0].error[0] > 0.0 && leaderboard[0].bytes > 100.0);
    assert_int_equal(leaderboard[1].rounds[0], 1);
    gr_leaderboard_free(leaderboard, 2);
    gr_journal_close(journal);
}

/* Without test data, the values per validation query are recorded; their mean is "valid". */
static void test_valid_values(void **state)
{
    gr_fold held[FOLDS] = { folds[0], folds[1] };
    gr_crossval cv = small_contest();
    gradus_error err = { GRADUS_OK, "" };
    gr_journal *journal = in_memory();

    (void)state;
    held[0].test = held[1].test = NULL;
    cv.folds = held;
    assert_int_equal(gr_crossval_run_trials(NULL, &cv, journal, &err), GRADUS_OK);
    for (size_t f = 0; f < FOLDS; f++) {
        const gr_json *trial = gr_crossval_trial(&cv, journal, 0, 0, f);
        const gr_json *lists = gr_json_find(trial, "valid_values");
        double sum = 0.0, counted = 0.0;
        size_t count;

        assert_null(gr_json_find(trial, "values"));
        assert_non_null(lists);
        assert_int_equal(lists->count, 2);
        double *values = gr_json_numbers(gr_json_first(lists), &count);

        assert_int_equal(count, 6);
        for (size_t q = 0; q < count; q++)
            if (!isnan(values[q])) { /* NAN: the query has no relevant document */
                sum += values[q];
                counted += 1.0;
            }
        CHECK_NEAR(sum / counted, gr_json_real(trial, "valid"), 1e-12);
        free(values);
    }
    gr_journal_close(journal);
}

static void test_comparison(void **state)
{
    double a[] = { 0.5, 0.25, 0.75, 1.0 }, b[] = { 0.75, 0.5, 1.0, 1.25 };
    const gr_leaderboard_entry first = { .queries = 4, .measures = 1, .values = a };
    const gr_leaderboard_entry second = { .queries = 4, .measures = 1, .values = b };
    gradus_error err = { GRADUS_OK, "" };
    gradus_contrast contrast;

    (void)state;
    b[3] = 1.5;
    assert_int_equal(gr_leaderboard_compare(NULL, &first, &second, 0, "t", false, &contrast, &err),
                     GRADUS_OK);
    CHECK_NEAR(contrast.difference, 0.3125, 1e-15);
    /* differences 1/4 1/4 1/4 1/2: deviation 1/8, t = 0.3125 / (0.125 / 2) = 5 with 3 degrees of
     * freedom */
    CHECK_NEAR(contrast.statistic, 5.0, 1e-12);
    CHECK_NEAR(contrast.p, 0.0153924, 1e-6);
    assert_int_equal(
        gr_leaderboard_compare(NULL, &first, &second, 0, "no such", false, &contrast, &err),
        GRADUS_BAD_ARGUMENT);
}

/* Trials in the journal are not run again: their values are used, even if wrong. */
static void test_journal_is_believed(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    const gr_crossval cv = small_contest();
    gr_journal *journal = in_memory();
    gr_json_writer value = { 0 };
    gr_leaderboard_entry *leaderboard;

    (void)state;
    gr_json_open(&value, NULL, '{');
    gr_json_put_number(&value, "valid", 7.0);
    gr_json_put_count(&value, "rounds", 3);
    gr_json_put_number(&value, "seconds", 1.0);
    gr_json_open(&value, "values", '[');
    for (size_t m = 0; m < 2; m++)
        gr_json_put_numbers(&value, NULL, (const double[]){ 1, 2, 3, 4, 5, (double)NAN }, 6);
    gr_json_close(&value, ']');
    gr_json_close(&value, '}');
    assert_int_equal(gr_journal_add(journal, "trees | method=regression rounds=6 leaves=2 | fold 1",
                                    &value, &err),
                     GRADUS_OK);
    assert_int_equal(gr_crossval_run(NULL, &cv, journal, &leaderboard, &err), GRADUS_OK);
    assert_int_equal(leaderboard[0].chosen[0], 1);
    CHECK_NEAR(leaderboard[0].values[4], 5.0, 0.0);
    assert_true(isnan(leaderboard[0].values[5]));
    gr_leaderboard_free(leaderboard, 2);
    gr_json_writer_free(&value);
    gr_journal_close(journal);
}

typedef struct ended {
    size_t count, failed;
} ended;

static void count_ended(void *user, size_t candidate, size_t setting, size_t fold,
                        const gr_json *value)
{
    ended *e = user;

    assert_true(candidate < 2 && setting < 3 && fold < FOLDS && value);
    e->count++;
    e->failed += gr_json_find(value, "failed") != NULL;
}

/* Settings that cannot be trained fail the run, or are skipped if it is lenient. */
static void test_failures(void **state)
{
    static const char *const bad[] = { "method=lambdamart learner=linear",
                                       "method=lambdamart rounds=2", NULL };
    const gr_cv_candidate both[] = { { "bad", bad } };
    gr_crossval cv = small_contest();
    gradus_error err = { GRADUS_OK, "" };
    gr_journal *journal = in_memory();
    gr_leaderboard_entry *leaderboard;
    ended e = { 0 };

    (void)state;
    cv.candidates = both;
    cv.count = 1;
    assert_int_equal(gr_crossval_run(NULL, &cv, journal, &leaderboard, &err), GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "lambdamart"));
    cv.lenient = true;
    cv.ended = count_ended;
    cv.user = &e;
    assert_int_equal(gr_crossval_run(NULL, &cv, journal, &leaderboard, &err), GRADUS_OK);
    assert_int_equal(e.count, 4);
    assert_int_equal(e.failed, 2);
    assert_int_equal(leaderboard[0].chosen[0], 1);
    gr_leaderboard_free(leaderboard, 1);
    gr_journal_close(journal);
}

/* No trial starts after the time limit. */
static void test_clock(void **state)
{
    const gr_crossval_clock over = { .start = -1e9, .most = 1.0 };
    gr_crossval cv = small_contest();
    gradus_error err = { GRADUS_OK, "" };
    gr_journal *journal = in_memory();

    (void)state;
    cv.clock = &over;
    assert_int_equal(gr_crossval_run_trials(NULL, &cv, journal, &err), GRADUS_OK);
    assert_null(gr_crossval_trial(&cv, journal, 0, 0, 0));
    CHECK_NEAR(gr_journal_largest(journal, "used"), 0.0, 0.0);
    const gr_crossval_clock open = { .start = -1e9, .most = (double)INFINITY };

    cv.clock = &open;
    assert_int_equal(gr_crossval_run_trials(NULL, &cv, journal, &err), GRADUS_OK);
    assert_non_null(gr_crossval_trial(&cv, journal, 0, 0, 0));
    assert_true(gr_journal_largest(journal, "used") > 1e8);
    gr_journal_close(journal);
}

/* Partial trials that resume from one another give the same result as a full trial; learners
 * without rounds use a fraction of the queries. */
static void try_parts(const char *folder)
{
    const uint64_t thirds[] = { 3, 3, 3, 3 }, whole[] = { 1, 1, 1, 1 };
    static const char *const early[] = { "method=listmle rounds=60 patience=2 net-rate=0.1", NULL };
    static const char *const cold_only[] = { "method=adarank-ndcg rounds=6", NULL };
    const gr_cv_candidate all[] = {
        candidates[0], candidates[1], { "cannot go on", cold_only }, { "ends early", early }
    };
    gradus_error err = { GRADUS_OK, "" };
    gr_crossval cv = small_contest();
    gr_journal *checkpoints = in_memory(), *cold = in_memory();
    gr_checkpoints *left = gr_checkpoints_new(folder, &err);

    cv.candidates = all;
    cv.count = 4;
    cv.choose = "rmse"; /* detects a difference in any bit */
    cv.parts = thirds;
    cv.checkpoints = left;
    assert_int_equal(gr_crossval_run_trials(NULL, &cv, checkpoints, &err), GRADUS_OK);
    assert_int_equal((int)gr_json_real(gr_crossval_trial(&cv, checkpoints, 0, 2, 0), "rounds") <= 2,
                     1);
    assert_null(gr_json_find(gr_crossval_trial(&cv, checkpoints, 0, 0, 0), "values"));
    const double share = gr_json_real(gr_crossval_trial(&cv, checkpoints, 1, 0, 0), "valid");

    cv.parts = whole;
    if (folder) { /* as another process would */
        gr_checkpoints_free(left);
        cv.checkpoints = left = gr_checkpoints_new(folder, &err);
    }
    assert_int_equal(gr_crossval_run_trials(NULL, &cv, checkpoints, &err), GRADUS_OK);
    gradus_model *used = NULL;

    assert_int_equal(gr_checkpoints_take(
                         left, "trees | method=regression rounds=6 leaves=4 | fold 1", &used, &err),
                     GRADUS_OK);
    assert_null(used);
    cv.checkpoints = NULL;
    assert_int_equal(gr_crossval_run_trials(NULL, &cv, cold, &err), GRADUS_OK);
    for (size_t c = 0; c < 4; c++)
        for (size_t s = 0; all[c].settings[s]; s++)
            for (size_t f = 0; f < FOLDS; f++) {
                const gr_json *a = gr_crossval_trial(&cv, checkpoints, c, s, f);
                const gr_json *b = gr_crossval_trial(&cv, cold, c, s, f);
                static const char *const names[] = { "valid", "rounds", "bytes" };

                for (size_t n = 0; n < 3; n++)
                    CHECK_NEAR(gr_json_real(a, names[n]), gr_json_real(b, names[n]), 0.0);
            }
    assert_true(share != gr_json_real(gr_crossval_trial(&cv, cold, 1, 0, 0), "valid"));
    gr_checkpoints_clear(left);
    gr_checkpoints_free(left);
    gr_checkpoints_free(NULL);
    gr_journal_close(checkpoints);
    gr_journal_close(cold);
}

static void test_parts(void **state)
{
    (void)state;
    try_parts(NULL);
    try_parts(temporary_path(".checkpoints"));
    assert_int_equal(access(temporary_path(".checkpoints"), F_OK), -1);
}

/* The smallest progress fraction that was reported. */
static bool note_least(void *user, const char *what, double done)
{
    double *least = user;

    if (strcmp(what, "training") == 0 && done < *least)
        *least = done;
    return true;
}

/* Runs a trial of six rounds; returns the first progress fraction reported. */
static double first_share(uint64_t part, gr_checkpoints *checkpoints, const char *words,
                          double *rounds)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gr_words_options("train", words, &err);
    gradus_context *context = gradus_context_new(1, &err);
    const gr_trial trial = { .fold = &folds[0],
                             .options = options,
                             .measures = "rmse",
                             .convention = "gradus",
                             .part = part,
                             .checkpoints = checkpoints,
                             .key = "it",
                             .since = (double)NAN };
    gr_json_writer value = { 0 };
    double least = 2.0;

    assert_non_null(options);
    gradus_context_on_progress(context, note_least, &least);
    assert_int_equal(gr_trial_run(context, &trial, &value, &err), GRADUS_OK);
    gr_json *found = gr_json_parse(value.bytes.at, value.used, &err);

    *rounds = gr_json_real(found, "rounds");
    gr_json_free(found);
    gr_json_writer_free(&value);
    gradus_context_free(context);
    gr_options_free(options);
    return least;
}

/* Checkpoints in a folder are resumed, unless they are damaged or too far; a training that stopped
 * early is not repeated. */
static void test_files(void **state)
{
    static const char six[] = "method=regression rounds=6 metric=rmse keep=last";
    static const char patient[] = "method=regression rounds=9 metric=rmse patience=1 "
                                  "learning-rate=1 leaves=12 min-rows=1";
    char folder[96], name[160];
    gradus_error err = { GRADUS_OK, "" };
    double rounds, all;

    (void)state;
    snprintf(folder, sizeof folder, "%s", temporary_path(".files"));
    gr_checkpoints *checkpoints = gr_checkpoints_new(folder, &err);

    CHECK_NEAR(first_share(1, NULL, six, &rounds), 1.0 / 6.0, 1e-12);
    CHECK_NEAR(first_share(3, checkpoints, six, &rounds), 1.0 / 6.0, 1e-12);
    CHECK_NEAR(rounds, 2.0, 0.0);
    CHECK_NEAR(first_share(1, checkpoints, six, &rounds), 3.0 / 6.0, 1e-12);
    CHECK_NEAR(rounds, 6.0, 0.0);
    first_share(2, checkpoints, six, &rounds);
    CHECK_NEAR(first_share(6, checkpoints, six, &rounds), 1.0 / 6.0,
               1e-12); /* three rounds are too far */
    CHECK_NEAR(rounds, 1.0, 0.0);
    snprintf(name, sizeof name, "%s/%016llx.checkpoint", folder,
             (unsigned long long)gr_hash("it", 2));
    write_whole(name, "torn");
    CHECK_NEAR(first_share(1, checkpoints, six, &rounds), 1.0 / 6.0, 1e-12);
    gr_checkpoints_drop(checkpoints, "it");
    assert_int_equal(access(name, F_OK), -1);

    CHECK_NEAR(first_share(1, NULL, patient, &all), 1.0 / 9.0, 1e-12);
    assert_true(all < 3.0);
    first_share(2, checkpoints, patient, &rounds);
    assert_int_equal(access(name, F_OK), 0);
    assert_true(first_share(1, checkpoints, patient, &rounds) > all / 9.0);
    CHECK_NEAR(rounds, all, 0.0);
    gr_checkpoints_clear(checkpoints);
    assert_int_equal(access(folder, F_OK), -1);
    gr_checkpoints_free(checkpoints);
    checkpoints = gr_checkpoints_new("/proc/none/such", &err);
    gradus_model *none = NULL;

    assert_int_equal(gr_checkpoints_take(checkpoints, "it", &none, &err), GRADUS_OK);
    assert_null(none);
    gr_checkpoints_drop(checkpoints, "it");
    gr_checkpoints_clear(checkpoints);
    gr_checkpoints_free(checkpoints);
}

static void test_threads(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    const gr_crossval cv = small_contest();
    gr_leaderboard_entry *one = NULL, *other = NULL;

    (void)state;
    for (size_t threads = 1; threads <= 4; threads++) {
        gradus_context *context = gradus_context_new(threads, &err);
        gr_journal *journal = in_memory();

        assert_int_equal(gr_crossval_run(context, &cv, journal, threads == 1 ? &one : &other, &err),
                         GRADUS_OK);
        for (size_t c = 0; threads > 1 && c < 2; c++)
            assert_memory_equal(one[c].values, other[c].values, 24 * sizeof(double));
        gr_leaderboard_free(other, 2);
        other = NULL;
        gr_journal_close(journal);
        gradus_context_free(context);
    }
    gr_leaderboard_free(one, 2);
}

/* A shared bin cache gives the same bins as none; the model has the same bytes. */
static void test_shared_bins(void **state)
{
    const gradus_dataset *known[] = { sets[0] };
    const gr_bin_options options[] = { { .bins = 255 }, { .bins = 7 } };
    gradus_error err = { GRADUS_OK, "" };
    gr_bin_cache *share = gr_bin_cache_new(known, 1, &err);
    gradus_context *context = gradus_context_new(2, &err);
    size_t made, found;

    (void)state;
    for (size_t turn = 0; turn < 4; turn++)
        for (size_t i = 0; i < 2; i++)
            for (size_t s = 0; s < 2; s++) {
                const gradus_dataset *data = sets[3 * s];
                gr_bins own, shared;

                context->bins = NULL;
                assert_int_equal(gr_bins_new(data, &options[i], context, &own, &err), GRADUS_OK);
                context->bins = share;
                assert_int_equal(gr_bins_new(data, &options[i], context, &shared, &err), GRADUS_OK);
                assert_int_equal(shared.shared != NULL, s == 0); /* unknown to the cache */
                assert_int_equal(own.blocks, shared.blocks);
                assert_memory_equal(own.words.at, shared.words.at,
                                    own.blocks * own.rows * sizeof(uint64_t));
                assert_memory_equal(own.cuts.starts, shared.cuts.starts,
                                    (own.features + 1) * sizeof(uint64_t));
                gr_bins_free(&own);
                gr_bins_free(&shared);
            }
    gr_bin_cache_counts(share, &made, &found);
    assert_int_equal(made, 2);
    assert_int_equal(found, 6);
    for (uint64_t bins = 2; bins < 60; bins++) { /* unused entries are dropped in the end */
        const gr_bin_options other = { .bins = bins };
        gr_bins shared;

        assert_int_equal(gr_bins_new(sets[0], &other, context, &shared, &err), GRADUS_OK);
        gr_bins_free(&shared);
    }
    assert_int_equal(
        gr_bins_new(sets[0], &(gr_bin_options){ .bins = 1 }, context, &(gr_bins){ 0 }, &err),
        GRADUS_BAD_ARGUMENT);
    context->bins = NULL;
    gradus_context_free(context);
    gr_bin_cache_free(share);
    gr_bin_cache_free(NULL);
}

static void test_shared_training(void **state)
{
    const gradus_dataset *known[] = { sets[0], sets[3] };
    const gr_crossval cv = small_contest();
    gradus_error err = { GRADUS_OK, "" };
    gr_bin_cache *share = gr_bin_cache_new(known, 2, &err);
    gradus_context *context = gradus_context_new(3, &err);
    gr_journal *alone = in_memory(), *together = in_memory();
    gr_leaderboard_entry *a, *b;
    size_t made, found;

    (void)state;
    assert_int_equal(gr_crossval_run(context, &cv, alone, &a, &err), GRADUS_OK);
    context->bins = share;
    assert_int_equal(gr_crossval_run(context, &cv, together, &b, &err), GRADUS_OK);
    for (size_t c = 0; c < 2; c++) {
        assert_memory_equal(a[c].values, b[c].values, 24 * sizeof(double));
        CHECK_NEAR(a[c].bytes, b[c].bytes, 0.0);
    }
    gr_bin_cache_counts(share, &made, &found);
    assert_int_equal(made, 2); /* one per fold, for three settings each */
    assert_int_equal(found, 4);
    context->bins = NULL;
    gr_leaderboard_free(a, 2);
    gr_leaderboard_free(b, 2);
    gr_journal_close(alone);
    gr_journal_close(together);
    gradus_context_free(context);
    gr_bin_cache_free(share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),          cmocka_unit_test(test_valid_values),
        cmocka_unit_test(test_comparison),      cmocka_unit_test(test_journal_is_believed),
        cmocka_unit_test(test_failures),        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_parts),           cmocka_unit_test(test_files),
        cmocka_unit_test(test_threads),         cmocka_unit_test(test_shared_bins),
        cmocka_unit_test(test_shared_training),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
