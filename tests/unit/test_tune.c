/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning through the public header: identical results for any number of threads and after any
 * interruption, the leaderboard, tests, refits, and rejected inputs. */
#include "gradus_experiments.h"
#include "small_trials.h"

#include <sys/stat.h>

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

static gradus_options *tune_options(const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("tune", &err);

    assert_non_null(options);
    assert_int_equal(gradus_options_set(options, "metric", "ndcg@5", &err), GRADUS_OK);
    for (; *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], &err), GRADUS_OK);
    return options;
}

static gradus_tuning *tune_with(size_t threads, const gradus_tuning_input *input,
                                const char *const *pairs, gradus_error *err)
{
    gradus_options *options = tune_options(pairs);
    gradus_context *context = threads ? gradus_context_new(threads, err) : NULL;
    gradus_tuning *tuning = gradus_tune(context, input, options, err);

    gradus_context_free(context);
    gradus_options_free(options);
    return tuning;
}

static gradus_tuning *tune(size_t threads, const gradus_tuning_input *input,
                           const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_tuning *tuning = tune_with(threads, input, pairs, &err);

    if (!tuning)
        print_error("%s\n", err.message);
    assert_non_null(tuning);
    return tuning;
}

static void check_same_trial(const gradus_trial *a, const gradus_trial *b)
{
    assert_string_equal(a->method, b->method);
    assert_string_equal(a->settings, b->settings);
    assert_string_equal(a->failed, b->failed);
    CHECK_NEAR(a->valid, b->valid, 0.0);
    CHECK_NEAR(a->error, b->error, 0.0);
    CHECK_NEAR(a->rounds, b->rounds, 0.0);
    assert_int_equal(a->part, b->part);
}

/* Everything except times. */
static void check_same(const gradus_tuning *a, const gradus_tuning *b)
{
    gradus_trial trial, other;
    gradus_place place, another;
    size_t i;

    for (i = 0; gradus_tuning_trial_at(a, i, &trial); i++) {
        assert_true(gradus_tuning_trial_at(b, i, &other));
        check_same_trial(&trial, &other);
    }
    assert_false(gradus_tuning_trial_at(b, i, &other));
    for (i = 0; gradus_tuning_place_at(a, i, &place); i++) {
        assert_true(gradus_tuning_place_at(b, i, &another));
        check_same_trial(&place.best, &another.best);
        CHECK_NEAR(place.test, another.test, 0.0);
        CHECK_NEAR(place.test_low, another.test_low, 0.0);
        CHECK_NEAR(place.p_adjusted, another.p_adjusted, 0.0);
        CHECK_NEAR(place.bytes, another.bytes, 0.0);
        CHECK_NEAR(place.prob_best, another.prob_best, 0.0);
        assert_int_equal(place.contender, another.contender);
    }
    assert_false(gradus_tuning_place_at(b, i, &another));
}

#define SMALL "space", "rounds=9, leaves=2..8, learning-rate=0.05..0.5:log"

static void test_halving(void **state)
{
    const gradus_tuning_input input = { .train = train, .valid = valid, .test = test };
    gradus_tuning *tuning = tune(2, &input, PAIRS("method", "regression", SMALL, "budget", "9"));
    gradus_tuning_facts facts;
    gradus_trial trial;
    gradus_place place;
    size_t parts[10] = { 0 }, count = 0;
    double before = 2.0;
    uint64_t size;

    (void)state;
    for (; gradus_tuning_trial_at(tuning, count, &trial); count++) {
        if (parts[trial.part]++ == 0)
            before = 2.0; /* sorted among trials of equal length */
        assert_true(trial.valid <= before);
        assert_true(isnan(trial.error) && trial.seconds > 0.0);
        before = trial.valid;
    }
    assert_int_equal(count, 9);
    assert_int_equal(parts[1], 2); /* the best, and the defaults */
    assert_int_equal(parts[3], 1);
    assert_int_equal(parts[9], 6);
    assert_true(gradus_tuning_place_at(tuning, 0, &place));
    assert_false(gradus_tuning_place_at(tuning, 1, &place));
    gradus_tuning_trial_at(tuning, 0, &trial);
    check_same_trial(&trial, &place.best);
    assert_int_equal(place.trials, 9);
    assert_int_equal(place.queries, 8);
    assert_true(place.test_low < place.test && place.test < place.test_high);
    assert_true(isnan(place.p) && isnan(place.prob_best) && !place.contender);
    gradus_tuning_describe(tuning, &facts);
    assert_string_equal(facts.best_on, ""); /* one method */
    assert_string_equal(facts.metric, "ndcg@5");
    assert_int_equal(facts.folds, 1);
    assert_int_equal(facts.refit_queries, 15);
    assert_false(facts.lower_is_better || facts.out_of_time);
    /* the model is that of the best trial: it has the same value on the test set */
    double scores[64], mean;
    gradus_error err;
    const gradus_model *model = gradus_tuning_model(tuning);

    assert_int_equal(gradus_model_score(NULL, model, test, scores, &err), GRADUS_OK);
    assert_int_equal(gradus_evaluate_metric(test, scores, "ndcg@5", &mean, &err), GRADUS_OK);
    CHECK_NEAR(mean, place.test, 1e-12);
    assert_int_equal(gradus_model_size(model, &size, &err), GRADUS_OK);
    assert_int_equal(gradus_model_write(model, temporary_path(".model"), &err), GRADUS_OK);
    struct stat found;

    assert_int_equal(stat(temporary_path(".model"), &found), 0);
    assert_int_equal(found.st_size, size);
    unlink(temporary_path(".model"));
    gradus_tuning_free(tuning);
    gradus_tuning_free(NULL);
}

static void test_random_and_grid(void **state)
{
    const gradus_tuning_input input = { .train = train, .valid = valid };
    gradus_tuning *tuning =
        tune(0, &input, PAIRS("method", "regression", SMALL, "budget", "4", "search", "random"));
    gradus_trial trial;
    gradus_place place;
    size_t count = 0;

    (void)state;
    for (; gradus_tuning_trial_at(tuning, count, &trial); count++)
        assert_int_equal(trial.part, 1);
    assert_int_equal(count, 4);
    gradus_tuning_place_at(tuning, 0, &place);
    assert_true(isnan(place.test) && place.queries == 0);
    gradus_tuning_free(tuning);
    tuning = tune(2, &input,
                  PAIRS("method", "regression", "budget", "7", "search", "grid", "refit", "none",
                        "space", "rounds=3, leaves=2..8, target=grade|gain"));
    for (count = 0; gradus_tuning_trial_at(tuning, count, &trial);)
        count++;
    assert_int_equal(count, 6); /* 3 points of the range: 4 would be 8 in total */
    assert_null(gradus_tuning_model(tuning));
    gradus_tuning_free(tuning);
}

static void test_errors_are_lower(void **state)
{
    const gradus_tuning_input input = { .train = train, .valid = valid };
    gradus_tuning *tuning =
        tune(2, &input,
             PAIRS("method", "regression", "metric", "rmse", "search", "random", "budget", "3",
                   "space", "learning-rate=0.001|0.3|0.1", "refit", "none"));
    gradus_tuning_facts facts;
    gradus_trial first, last;

    (void)state;
    gradus_tuning_describe(tuning, &facts);
    assert_true(facts.lower_is_better);
    assert_true(gradus_tuning_trial_at(tuning, 0, &first));
    assert_true(gradus_tuning_trial_at(tuning, 2, &last));
    assert_true(first.valid < last.valid);
    assert_string_equal(last.settings, "learning-rate=0.001");
    gradus_tuning_free(tuning);
}

#define CUP                                                                                        \
    PAIRS("method", "regression,lambdamart,coordinate-ascent", "folds", "3", "budget", "3",        \
          "space", "rounds=6")

static void test_tournament(void **state)
{
    const gradus_tuning_input input = { .train = train };
    gradus_tuning *one = tune(1, &input, CUP);
    gradus_place place, first;

    (void)state;
    for (size_t threads = 2; threads <= 4; threads++) {
        gradus_tuning *other = tune(threads, &input, CUP);

        check_same(one, other);
        gradus_tuning_free(other);
    }
    assert_true(gradus_tuning_place_at(one, 0, &first));
    assert_true(isnan(first.p_adjusted));
    for (size_t i = 0; gradus_tuning_place_at(one, i, &place); i++) {
        assert_true(place.best.valid <= first.best.valid);
        assert_int_equal(place.queries, 15); /* each tested once */
        assert_true(place.bytes > 100.0);
        if (i > 0)
            assert_true(place.p >= 0.0 && place.p <= place.p_adjusted && place.p_adjusted <= 1.0);
        assert_int_equal(place.trials, 3);
    }
    gradus_tuning_free(one);
}

/* Checks that the probabilities add up to 1, and what they are of. */
static void check_probabilities(const gradus_tuning *tuning, const char *on, size_t queries)
{
    double sum = 0.0, of_contenders = 0.0;
    gradus_tuning_facts facts;
    gradus_place place;

    for (size_t i = 0; gradus_tuning_place_at(tuning, i, &place); i++) {
        assert_true(place.prob_best >= 0.0 && place.prob_best <= 1.0);
        sum += place.prob_best;
        of_contenders += place.contender ? place.prob_best : 0.0;
    }
    CHECK_NEAR(sum, 1.0, 1e-9);
    assert_true(of_contenders >= 0.949);
    gradus_tuning_describe(tuning, &facts);
    assert_string_equal(facts.best_on, on);
    assert_int_equal(facts.best_queries, queries);
}

static void test_best_on(void **state)
{
    const gradus_tuning_input cross = { .train = train }, both = { .train = train, .test = test };
    const gradus_tuning_input held = { .train = train, .valid = valid };
    gradus_tuning *tuning = tune(1, &cross, CUP);

    (void)state;
    check_probabilities(tuning, "test", 15);
    gradus_tuning_free(tuning);
    tuning = tune(1, &both, CUP);
    check_probabilities(tuning, "test", 8);
    gradus_tuning_free(tuning);
    tuning =
        tune(1, &held, PAIRS("method", "regression,ranksvm", "budget", "1", "space", "rounds=6"));
    check_probabilities(tuning, "validation", 7); /* one query has no relevant document */
    gradus_tuning_free(tuning);
}

/* Rewrites the journal with the name of a member changed, as if it had not been recorded. */
static void hide(const char *path, const char *member)
{
    static char content[1 << 16];
    FILE *file = fopen(path, "r+");
    const size_t size = file ? fread(content, 1, sizeof content - 1, file) : 0;

    assert_true(size > 0 && size < sizeof content - 1);
    content[size] = '\0';
    assert_non_null(strstr(content, member));
    for (char *at = content; (at = strstr(at, member));)
        *at = 'x';
    rewind(file);
    assert_int_equal(fwrite(content, 1, size, file), size);
    fclose(file);
}

/* A journal of a version that did not record values per validation query. */
static void test_older_journal(void **state)
{
    const gradus_tuning_input input = { .train = train, .valid = valid };
    const char *path = temporary_path(".jsonl");
    const char *const *pairs = PAIRS("method", "regression,ranksvm", "budget", "1", "space",
                                     "rounds=6", "refit", "none", "journal", path);
    gradus_tuning *tuning = tune(1, &input, pairs);
    gradus_tuning_facts facts;
    gradus_place place;
    double before;

    (void)state;
    gradus_tuning_place_at(tuning, 0, &place);
    before = place.best.valid;
    gradus_tuning_free(tuning);
    hide(path, "valid_values");
    tuning = tune(1, &input, pairs);
    gradus_tuning_place_at(tuning, 0, &place);
    CHECK_NEAR(place.best.valid, before, 0.0);
    assert_true(isnan(place.prob_best) && !place.contender);
    gradus_tuning_describe(tuning, &facts);
    assert_string_equal(facts.best_on, "");
    gradus_tuning_free(tuning);
    unlink(path);
}

/* With a separate test set the best of each method is retrained on all folds. */
static void test_folds_with_test(void **state)
{
    const gradus_tuning_input input = { .train = train, .test = test };
    gradus_tuning *tuning = tune(2, &input, CUP);
    gradus_place place;
    gradus_tuning_facts facts;

    (void)state;
    for (size_t i = 0; gradus_tuning_place_at(tuning, i, &place); i++)
        assert_int_equal(place.queries, 8);
    gradus_tuning_describe(tuning, &facts);
    assert_int_equal(facts.refit_queries, 15);
    gradus_tuning_free(tuning);
}

static void test_refit_all(void **state)
{
    const gradus_tuning_input input = { .train = train, .valid = valid };
    gradus_tuning *tuning =
        tune(2, &input, PAIRS("method", "regression", SMALL, "budget", "3", "refit", "all"));
    gradus_tuning_facts facts;
    gradus_model_info model;
    gradus_place place;

    (void)state;
    gradus_tuning_describe(tuning, &facts);
    assert_int_equal(facts.refit_queries, 23);
    gradus_tuning_place_at(tuning, 0, &place);
    gradus_model_describe(gradus_tuning_model(tuning), &model);
    assert_int_equal(model.rounds, (size_t)place.best.rounds);
    assert_int_equal(model.train_queries, 23);
    gradus_tuning_free(tuning);
}

/* A method that cannot be trained is reported, and the others continue. */
static void test_methods_that_fail(void **state)
{
    const gradus_tuning_input input = { .train = train, .valid = valid };
    gradus_error err = { GRADUS_OK, "" };
    gradus_tuning *tuning = tune(
        2, &input,
        PAIRS("method", "lambdamart,ranksvm,regression", "budget", "2", "space", "learner=linear"));
    gradus_place place;

    (void)state;
    assert_true(gradus_tuning_place_at(tuning, 0, &place));
    assert_true(strcmp(place.best.method, "lambdamart") != 0);
    assert_true(gradus_tuning_place_at(tuning, 2, &place));
    assert_string_equal(place.best.method, "lambdamart");
    assert_non_null(strstr(place.best.failed, "squared error"));
    assert_true(isnan(place.best.valid));
    gradus_tuning_free(tuning);
    assert_null(
        tune_with(1, &input, PAIRS("method", "lambdamart", "space", "learner=linear"), &err));
    assert_int_equal(err.status, GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "squared error"));
    assert_null(tune_with(1, &input, PAIRS("method", "lambdamart", "space", "learner=net"), &err));
    assert_non_null(strstr(err.message, "net"));
}

typedef struct stopper {
    size_t calls, stop_after;
} stopper;

static bool stop(void *user, const char *what, double done)
{
    stopper *s = user;

    assert_true(done >= 0.0 && done <= 1.0 && what);
    return ++s->calls <= s->stop_after;
}

/* Interrupted repeatedly, at later and later moments, it gives the same result. */
static void test_stopped_and_gone_on(void **state)
{
    const char *path = temporary_path(".jsonl");
    const gradus_tuning_input input = { .train = train };
    gradus_tuning *whole = tune(2, &input, CUP), *pieces = NULL;
    gradus_options *options = tune_options(CUP);
    gradus_error err = { GRADUS_OK, "" };
    size_t stops = 0;

    (void)state;
    unlink(path);
    assert_int_equal(gradus_options_set(options, "journal", path, &err), GRADUS_OK);
    for (size_t after = 1; !pieces && stops < 200; after += 1 + after, stops++) {
        gradus_context *context = gradus_context_new(2, &err);
        stopper s = { .stop_after = after };

        gradus_context_on_progress(context, stop, &s);
        pieces = gradus_tune(context, &input, options, &err);
        if (!pieces)
            assert_int_equal(err.status, GRADUS_CANCELLED);
        gradus_context_free(context);
    }
    assert_true(stops > 3);
    check_same(whole, pieces);
    gradus_tuning_free(pieces);
    /* a larger budget continues from the existing trials */
    assert_int_equal(gradus_options_set(options, "budget", "4", &err), GRADUS_OK);
    pieces = gradus_tune(NULL, &input, options, &err);
    assert_non_null(pieces);
    gradus_tuning_free(pieces);
    /* other data, or another seed, do not */
    const gradus_tuning_input other = { .train = valid };

    assert_null(gradus_tune(NULL, &other, options, &err));
    assert_non_null(strstr(err.message, "a different run"));
    assert_int_equal(gradus_options_set(options, "seed", "2", &err), GRADUS_OK);
    assert_null(gradus_tune(NULL, &input, options, &err));
    assert_non_null(strstr(err.message, "a different run"));
    gradus_options_free(options);
    gradus_tuning_free(whole);
    unlink(path);
}

typedef struct watched {
    size_t calls, done, planned;
    double best;
} watched;

static void watch(void *user, const gradus_tuning_state *s)
{
    watched *w = user;

    w->calls++;
    assert_int_equal(s->done, w->done + 1);
    assert_true(s->done <= s->planned && s->fold >= 1 && s->fold <= s->folds);
    assert_string_equal(s->metric, "ndcg@5");
    w->done = s->done;
    w->planned = s->planned;
    if (*s->best_method) {
        assert_true(!(s->best < w->best));
        w->best = s->best;
    }
}

static void test_watch(void **state)
{
    watched w = { .best = -1.0 };
    const gradus_tuning_input input = { .train = train, .watch = watch, .user = &w };
    gradus_tuning *tuning =
        tune(2, &input,
             PAIRS("method", "regression", SMALL, "budget", "9", "folds", "3", "refit", "none"));
    gradus_place place;

    (void)state;
    assert_int_equal(w.calls, w.planned);
    assert_int_equal(w.calls, 3 * (9 + 3 + 2)); /* the defaults, beside the best, to the end */
    gradus_tuning_place_at(tuning, 0, &place);
    assert_true(w.best >= place.best.valid);
    gradus_tuning_free(tuning);
}

/* A time limit ends the search; finished trials count. */
static void test_time(void **state)
{
    const gradus_tuning_input input = { .train = train, .valid = valid, .test = test };
    gradus_tuning *tuning =
        tune(2, &input, PAIRS("method", "regression", SMALL, "budget", "0.3s", "search", "random"));
    gradus_tuning_facts facts;
    gradus_trial trial;
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    gradus_tuning_describe(tuning, &facts);
    assert_true(facts.out_of_time);
    assert_true(gradus_tuning_trial_at(tuning, 0, &trial));
    gradus_tuning_free(tuning);
    assert_null(
        tune_with(1, &input, PAIRS("method", "regression", SMALL, "budget", "1e-9s"), &err));
    assert_non_null(strstr(err.message, "time budget"));
    /* a small space ends it too */
    tuning =
        tune(1, &input,
             PAIRS("method", "regression", "budget", "1h", "space", "rounds=2, target=grade|gain"));
    gradus_tuning_describe(tuning, &facts);
    assert_false(facts.out_of_time);
    gradus_tuning_free(tuning);
}

typedef struct slow_end {
    size_t calls, first, last; /* reports of progress that are slow */
} slow_end;

static bool slow_down(void *user, const char *what, double done)
{
    slow_end *end = user;

    (void)what;
    (void)done;
    if (++end->calls > end->first && end->calls <= end->last)
        usleep(20000);
    return true;
}

static gradus_tuning *tune_slowed(const gradus_tuning_input *input, slow_end *end,
                                  const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = tune_options(pairs);
    gradus_context *context = gradus_context_new(1, &err);

    gradus_context_on_progress(context, slow_down, end);
    gradus_tuning *tuning = gradus_tune(context, input, options, &err);

    assert_non_null(tuning);
    gradus_context_free(context);
    gradus_options_free(options);
    return tuning;
}

/* A trial that runs when the time is over does not count. */
static void test_running_trials_are_dropped(void **state)
{
    const gradus_tuning_input input = { .train = train, .valid = valid };
    slow_end end = { .first = SIZE_MAX };
    gradus_tuning_facts facts;
    gradus_trial trial;

    (void)state;
    gradus_tuning_free(tune_slowed(&input, &end,
                                   PAIRS("method", "regression", "space", "rounds=60", "budget",
                                         "1", "search", "random", "refit", "none")));
    end = (slow_end){ .first = end.calls + 5, .last = end.calls + 50 };
    gradus_tuning *tuning = tune_slowed(
        &input, &end,
        PAIRS("method", "regression", "space", "rounds=60", "budget", "0.5s", "search", "random"));

    gradus_tuning_describe(tuning, &facts);
    assert_true(facts.out_of_time);
    assert_true(gradus_tuning_trial_at(tuning, 0, &trial));
    assert_false(gradus_tuning_trial_at(tuning, 1, &trial));
    assert_non_null(gradus_tuning_model(tuning));
    gradus_tuning_free(tuning);
}

/* The length of the first trials, and when progress becomes slow. */
typedef struct timed_order {
    size_t done, parts[4], slow_after;
    char methods[4][32];
} timed_order;

static void note_order(void *user, const gradus_tuning_state *s)
{
    timed_order *order = user;

    if (order->done < 4) {
        order->parts[order->done] = s->part;
        snprintf(order->methods[order->done], sizeof order->methods[0], "%s", s->method);
    }
    order->done++;
}

static bool slow_after(void *user, const char *what, double done)
{
    const timed_order *order = user;

    (void)what;
    (void)done;
    if (order->done >= order->slow_after)
        usleep(20000);
    return true;
}

/* If the time ends before any further setting is trained to the end, the defaults have been: a
 * method with a single setting must not win because the others were stopped early. */
static void test_timed_tournament(void **state)
{
    timed_order order = { .slow_after = 6 };
    const gradus_tuning_input input = {
        .train = train, .valid = valid, .test = test, .watch = note_order, .user = &order
    };
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(1, &err);
    gradus_options *options = tune_options(
        PAIRS("method", "rankboost,lambdamart,mcrank", "space", "rounds=18", "budget", "1.5s"));
    gradus_tuning_facts facts;
    gradus_trial trial;
    gradus_place place;
    double before = 2.0;
    size_t partial = 0;

    (void)state;
    gradus_context_on_progress(context, slow_after, &order);
    gradus_tuning *tuning = gradus_tune(context, &input, options, &err);

    assert_non_null(tuning);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(order.parts[i], 1);
    assert_string_equal(order.methods[0], "rankboost");
    assert_string_equal(order.methods[1], "lambdamart");
    assert_string_equal(order.methods[2], "mcrank");
    assert_int_equal(order.parts[3], 9); /* then the settings of the best one */
    for (size_t i = 0; i < 3; i++) {
        assert_true(gradus_tuning_place_at(tuning, i, &place));
        assert_int_equal(place.best.part, 1);
        assert_true(place.best.valid <= before);
        assert_true(place.prob_best >= 0.0);
        before = place.best.valid;
    }
    for (size_t i = 0; gradus_tuning_trial_at(tuning, i, &trial); i++)
        partial += trial.part > 1;
    assert_true(partial >= 3);
    gradus_tuning_describe(tuning, &facts);
    assert_true(facts.out_of_time);
    gradus_tuning_free(tuning);
    gradus_options_free(options);
    gradus_context_free(context);
}

static void check_refused(const gradus_tuning_input *input, const char *const *pairs,
                          const char *words)
{
    gradus_error err = { GRADUS_OK, "" };

    assert_null(tune_with(1, input, pairs, &err));
    if (!strstr(err.message, words))
        print_error("'%s' lacks '%s'\n", err.message, words);
    assert_non_null(strstr(err.message, words));
}

static void test_bad_inputs(void **state)
{
    const gradus_tuning_input none = { .train = NULL }, alone = { .train = train },
                              both = { .train = train, .valid = valid };

    (void)state;
    check_refused(NULL, PAIRS("budget", "3"), "'input'");
    check_refused(&none, PAIRS("budget", "3"), "training data");
    check_refused(&alone, PAIRS("budget", "3"), "validation data");
    check_refused(&alone, PAIRS("folds", "2"), "at least 3");
    check_refused(&alone, PAIRS("folds", "16"), "15");
    check_refused(&both, PAIRS("folds", "3"), "remove the validation data");
    check_refused(&both, PAIRS("fold-dirs", "a"), "remove the other");
    check_refused(&none, PAIRS("fold-dirs", "/no/such"), "/no/such");
    check_refused(&none, PAIRS("fold-dirs", ",a"), "empty");
    check_refused(&both, PAIRS("method", "lambdamrat"), "lambdamart");
    check_refused(&both, PAIRS("method", "cocr,cocr"), "twice");
    check_refused(&both, PAIRS("method", "cocr,"), "method");
    check_refused(&both, PAIRS("metric", "ndgc"), "ndcg");
    check_refused(&both, PAIRS("metric", "ndcg,err"), "one metric");
    check_refused(&both, PAIRS("budget", "soon"), "'budget'");
    check_refused(&both, PAIRS("space", "leafs=3"), "leaves");
    check_refused(&both, PAIRS("method", "ranksvm", "space", "leaves=3..8"),
                  "is not used by any method");
    check_refused(&both, PAIRS("search", "grid", "budget", "3"), "grid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halving),
        cmocka_unit_test(test_random_and_grid),
        cmocka_unit_test(test_errors_are_lower),
        cmocka_unit_test(test_tournament),
        cmocka_unit_test(test_best_on),
        cmocka_unit_test(test_older_journal),
        cmocka_unit_test(test_folds_with_test),
        cmocka_unit_test(test_refit_all),
        cmocka_unit_test(test_methods_that_fail),
        cmocka_unit_test(test_stopped_and_gone_on),
        cmocka_unit_test(test_watch),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_running_trials_are_dropped),
        cmocka_unit_test(test_timed_tournament),
        cmocka_unit_test(test_bad_inputs),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
