/* SPDX-License-Identifier: Apache-2.0 */
/* For every method and every learner it supports: training that is interrupted and resumed, also
 * within a round, gives a byte-identical model; and every fit checks for cancellation often enough.
 */
#include "method_pairs.h"
#include "synthetic_sets.h"

#include "base/context.h"

enum { ROUNDS = 5 };

static char folder[64], model_path[128];
static gradus_dataset *train, *valid;

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    in_folder(model_path, folder, "a.model");
    train = make_synth(1, "mcrank", PAIRS("queries", "16", "documents", "10", "features", "5"));
    valid = make_synth(1, "mcrank",
                       PAIRS("queries", "6", "documents", "10", "features", "5", "seed", "2"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    unlink(model_path);
    return rmdir(folder);
}

static void check_all_pairs(pair_check *check)
{
    const gradus_training_input input = { .train = train, .valid = valid };

    check_pairs(PAIRS_ALL, &input, check);
}

static void set(gradus_options *options, const char *name, const char *value)
{
    gradus_error err = { GRADUS_OK, "" };

    if (gradus_options_set(options, name, value, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
}

/* ---- Training ---- */

static gradus_training *start(gradus_context *context, const gradus_options *options,
                              const gradus_model *checkpoint)
{
    const gradus_training_input input = {
        .train = train, .valid = valid, .start = checkpoint, .resume = checkpoint != NULL
    };
    gradus_error err = { GRADUS_OK, "" };
    gradus_training *training = gradus_training_new(context, &input, options, &err);

    if (!training)
        fail_msg("%s", err.message);
    return training;
}

static void take_steps(gradus_training *training, size_t most)
{
    gradus_error err = { GRADUS_OK, "" };
    bool done = false;

    for (size_t i = 0; i < most && !done; i++)
        if (gradus_training_step(training, &done, &err) != GRADUS_OK)
            fail_msg("%s", err.message);
}

/* Through a file, as in the command. */
static gradus_model *checkpoint_of(const gradus_training *training)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *made = gradus_training_checkpoint(training, &err), *read;

    if (!made || gradus_model_write(made, model_path, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    gradus_model_free(made);
    read = gradus_model_read(model_path, &err);
    if (!read)
        fail_msg("%s", err.message);
    return read;
}

static char *finish(gradus_training *training, size_t *size)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_model *model = gradus_training_finish(training, &err);

    if (!model || gradus_model_write(model, model_path, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    gradus_model_free(model);
    gradus_training_free(training);
    return file_bytes(model_path, size);
}

static char *train_straight(const gradus_options *options, size_t *size)
{
    gradus_training *training = start(NULL, options, NULL);

    take_steps(training, SIZE_MAX);
    return finish(training, size);
}

static void check_same(const method_pair *p, const char *how, const char *a, size_t a_size,
                       const char *b, size_t b_size)
{
    if (a_size != b_size || memcmp(a, b, a_size) != 0)
        fail_msg("%s by %s, %s: other bytes", p->ranker->about.name, p->learner->about.name, how);
}

/* Resumes from the current state of a training, which it frees, and compares. */
static void resume_and_compare(const method_pair *p, const char *how, gradus_training *training,
                               const gradus_options *options, const char *wanted, size_t size)
{
    gradus_model *checkpoint = checkpoint_of(training);
    size_t found_size;
    char *found;

    gradus_training_free(training);
    training = start(NULL, options, checkpoint);
    take_steps(training, SIZE_MAX);
    found = finish(training, &found_size);
    check_same(p, how, wanted, size, found, found_size);
    free(found);
    gradus_model_free(checkpoint);
}

static void check_resumes(const method_pair *p)
{
    gradus_options *options = pair_options(p, "5");
    char *wanted, how[40];
    size_t size;

    if (p->learner->rounds) {
        wanted = train_straight(options, &size);
        for (size_t k = 1; k < ROUNDS; k += 2) {
            gradus_training *training = start(NULL, options, NULL);

            take_steps(training, k);
            snprintf(how, sizeof how, "resumed after round %zu", k);
            resume_and_compare(p, how, training, options, wanted, size);
        }
        free(wanted);
    }
    gradus_options_free(options);
}

static void test_stopped_and_resumed_gives_the_same_bytes(void **state)
{
    (void)state;
    check_all_pairs(check_resumes);
}

/* ---- Cancelling ---- */

typedef struct listener {
    size_t calls, last; /* cancels at call `last`; 0: never */
} listener;

static bool listen(void *user, const char *what, double done)
{
    listener *l = user;

    (void)what;
    (void)done;
    return ++l->calls != l->last;
}

static gradus_context *listening(listener *l, size_t threads)
{
    gradus_context *context = gradus_context_new(threads, NULL);

    assert_non_null(context);
    gradus_context_on_progress(context, listen, l);
    return context;
}

/* Counts the cancellation checks of the steps; each step must check before its final report. */
static size_t count_calls(const method_pair *p, const gradus_options *options)
{
    listener l = { 0, 0 };
    gradus_context *context = listening(&l, 1);
    gradus_training *training = start(context, options, NULL);
    gradus_error err = { GRADUS_OK, "" };
    size_t in_all = 0;
    bool done = false;

    while (!done) {
        l.calls = 0;
        assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_OK);
        if (l.calls < 2)
            fail_msg("%s by %s never asks within a round", p->ranker->about.name,
                     p->learner->about.name);
        in_all += l.calls;
    }
    gradus_training_free(training);
    gradus_context_free(context);
    return in_all;
}

/* Cancels at one of the checks, and resumes if a round was completed. */
static void cancel_at(const method_pair *p, const gradus_options *options, size_t call,
                      size_t threads, const char *wanted, size_t size)
{
    listener l = { 0, 0 };
    gradus_context *context = listening(&l, threads);
    gradus_training *training = start(context, options, NULL);
    gradus_error err = { GRADUS_OK, "" };
    gradus_status status = GRADUS_OK;
    gradus_training_state state;
    bool done = false;
    char how[60];

    l = (listener){ 0, call };
    while (status == GRADUS_OK && !done)
        status = gradus_training_step(training, &done, &err);
    gradus_training_get_state(training, &state);
    snprintf(how, sizeof how, "cancelled at call %zu, in round %zu", call, state.round + 1);
    if (threads == 1 && status != GRADUS_CANCELLED)
        fail_msg("%s by %s is not %s", p->ranker->about.name, p->learner->about.name, how);
    if (status == GRADUS_CANCELLED && p->learner->rounds && state.round > 0 && !done)
        resume_and_compare(p, how, training, options, wanted, size);
    else
        gradus_training_free(training);
    gradus_context_free(context);
}

static void check_cancels(const method_pair *p)
{
    gradus_options *options = pair_options(p, "5");
    const size_t calls = count_calls(p, options);
    size_t size;
    char *wanted = train_straight(options, &size);

    if (!UNDER_TSAN)
        cancel_at(p, options, 1, 1, wanted, size);
    for (size_t part = 3; part < 8 && !UNDER_TSAN; part += 2)
        cancel_at(p, options, calls * part / 8 + 1, 1, wanted, size);
    cancel_at(p, options, calls / 2, 3, wanted, size);
    free(wanted);
    gradus_options_free(options);
}

static void test_cancelled_anywhere_and_resumed_gives_the_same_bytes(void **state)
{
    (void)state;
    check_all_pairs(check_cancels);
}

/* A context can be used again after a cancellation. */
static void test_a_context_serves_after_a_cancellation(void **state)
{
    listener l = { 0, 20 };
    gradus_context *context = listening(&l, 2);
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_null(gradus_train(context, train, NULL, NULL, &err));
    assert_int_equal(err.status, GRADUS_CANCELLED);
    gradus_model *model = gradus_train(context, train, NULL, NULL, &err);

    assert_non_null(model);
    gradus_model_free(model);
    gradus_context_free(context);
}

static gradus_model *calibrate(const gradus_model *model, const char *how, listener *l,
                               gradus_error *err)
{
    gradus_context *context = listening(l, 2);
    gradus_options *options = gradus_options_new("calibrate", NULL);
    gradus_model *made;

    set(options, "how", how);
    made = gradus_calibrate(context, model, valid, options, err);
    gradus_options_free(options);
    gradus_context_free(context);
    return made;
}

static void test_every_calibration_can_be_cancelled(void **state)
{
    gradus_options *options = gradus_options_new("train", NULL);
    gradus_error err = { GRADUS_OK, "" };
    gradus_param how;

    (void)state;
    set(options, "method", "mcrank");
    set(options, "rounds", "3");
    gradus_model *model = gradus_train(NULL, train, NULL, options, &err);

    assert_non_null(model);
    assert_true(gradus_param_at("calibrate", 0, &how));
    assert_string_equal(how.name, "how");
    for (size_t i = 0; how.choices[i]; i++) {
        listener l = { 0, 0 };
        gradus_model *made = calibrate(model, how.choices[i], &l, &err);

        assert_non_null(made);
        gradus_model_free(made);
        for (size_t call = l.calls; call > 0; call = call / 2) {
            listener stops = { 0, call };

            assert_null(calibrate(model, how.choices[i], &stops, &err));
            assert_int_equal(err.status, GRADUS_CANCELLED);
        }
        assert_true(l.calls > 1);
    }
    gradus_model_free(model);
    gradus_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(test_stopped_and_resumed_gives_the_same_bytes),
        cmocka_unit_test(test_cancelled_anywhere_and_resumed_gives_the_same_bytes),
        cmocka_unit_test(test_a_context_serves_after_a_cancellation),
        cmocka_unit_test(test_every_calibration_can_be_cancelled),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
