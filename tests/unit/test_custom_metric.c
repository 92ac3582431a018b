/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of the caller: the datasets that they receive, and resuming after one has failed. */
#include "train_model.h"
#include "synthetic_sets.h"

#include "gradus.h"

typedef struct sets {
    gradus_dataset *train, *valid, *other;
} sets;

static gradus_dataset *make_set(const char *first)
{
    return make_synth(1, "mcrank", PAIRS("queries", "15", "documents", "20", "first-query", first));
}

typedef struct caller {
    const sets *sets;
    size_t calls[3]; /* with train, valid and other */
    size_t fails_at; /* this call with valid fails; 0: none */
} caller;

/* Minus the mean squared error: higher is better. */
static gradus_status minus_mse(void *user, const gradus_dataset *data, const double *scores,
                               double *value)
{
    caller *c = user;
    const size_t set = data == c->sets->train ? 0 : data == c->sets->valid ? 1 : 2;
    gradus_arrays arrays;

    assert_true(set < 2 || data == c->sets->other);
    if (++c->calls[set] == c->fails_at && set == 1)
        return GRADUS_BAD_NUMBER;
    assert_int_equal(gradus_dataset_arrays(NULL, data, &arrays, NULL), GRADUS_OK);
    *value = 0.0;
    for (size_t r = 0; r < arrays.rows; r++)
        *value -= (scores[r] - (double)arrays.labels[r]) * (scores[r] - (double)arrays.labels[r]) /
                  (double)arrays.rows;
    return GRADUS_OK;
}

/* Trains to the end or to a failure. Returns the model or, after a failure, a checkpoint. */
static gradus_model *train_until(const gradus_training_input *input, const char *const *pairs,
                                 gradus_status expected)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = train_options(pairs);
    gradus_training *training = gradus_training_new(NULL, input, options, &err);
    gradus_status status = training ? GRADUS_OK : err.status;
    gradus_model *model;
    bool done = false;

    while (status == GRADUS_OK && !done)
        status = gradus_training_step(training, &done, &err);
    if (status != expected)
        print_error("%s\n", err.message);
    assert_int_equal(status, expected);
    model = status == GRADUS_OK ? gradus_training_finish(training, &err)
                                : gradus_training_checkpoint(training, &err);
    assert_non_null(model);
    gradus_training_free(training);
    gradus_options_free(options);
    return model;
}

static void check_same(const gradus_model *a, const gradus_model *b)
{
    void *bytes[2];
    size_t size[2];

    assert_int_equal(gradus_model_to_bytes(a, &bytes[0], &size[0], NULL), GRADUS_OK);
    assert_int_equal(gradus_model_to_bytes(b, &bytes[1], &size[1], NULL), GRADUS_OK);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
}

#define SHORT "rounds", "6", "eval-every", "1", "train-eval-every", "2"

static const char *const *const methods[] = {
    PAIRS(SHORT, "method", "regression"),
    PAIRS(SHORT, "method", "regression", "transform", "standardise"),
    PAIRS(SHORT, "method", "cocr", "leaves", "4"),
    PAIRS(SHORT, "method", "lambdamart", "leaves", "4"),
    PAIRS(SHORT, "method", "mcrank", "leaves", "4"),
    PAIRS(SHORT, "method", "listnet", "transform", "standardise"),
    PAIRS(SHORT, "method", "listnet", "transform", "auto"),
    PAIRS(SHORT, "method", "rankboost"),
    PAIRS(SHORT, "method", "orboost", "leaves", "4"),
};

/* The metric receives the caller's datasets, also if training uses transformed copies. If it fails,
 * the checkpoint resumes to the model of the uninterrupted training. */
static void test_failed_metrics_can_be_resumed(void **state)
{
    const sets s = { make_set("1"), make_set("1001"), make_set("2001") };
    const gradus_dataset *const others[] = { s.other };

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        caller whole = { .sets = &s }, stopped = { .sets = &s };
        gradus_training_input input = { .train = s.train,
                                        .valid = s.valid,
                                        .others = others,
                                        .other_count = 1,
                                        .metric = minus_mse,
                                        .user = &whole };
        gradus_model *model = train_until(&input, methods[m], GRADUS_OK), *checkpoint, *resumed;

        assert_true(whole.calls[0] > 0 && whole.calls[1] > 3 && whole.calls[2] > 3);
        stopped.fails_at = whole.calls[1] - 2;
        input.user = &stopped;
        checkpoint = train_until(&input, methods[m], GRADUS_CANCELLED);
        stopped.fails_at = 0;
        input.start = checkpoint;
        input.resume = true;
        resumed = train_until(&input, methods[m], GRADUS_OK);
        check_same(model, resumed);
        gradus_model_free(resumed);
        gradus_model_free(checkpoint);
        gradus_model_free(model);
    }
    gradus_dataset_free(s.train);
    gradus_dataset_free(s.valid);
    gradus_dataset_free(s.other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failed_metrics_can_be_resumed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
