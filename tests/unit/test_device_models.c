/* SPDX-License-Identifier: Apache-2.0 */
/* Models trained on the emulated device have the bytes of those trained without one, whether the
 * device has the scores or only the trees. */
#include "emulated_boosting.h"
#include "emulated_device.h"
#include "query_sets.h"
#include "synthetic_sets.h"
#include "thread_order.h"
#include "train_model.h"

static const gradus_device *used = &emulated_device;

/* Trains with the device, and resumes from a checkpoint after two rounds if asked to. */
static gradus_model *train_there(const gradus_dataset *train, const gradus_dataset *valid,
                                 const char *const *pairs, bool resume)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = gradus_context_new(1, &err);
    gradus_options *options = train_options(pairs);
    gradus_training_input input = { .train = train, .valid = valid };
    gradus_model *checkpoint = NULL, *model = NULL;

    gradus_context_set_device(context, used);
    gradus_training *training = gradus_training_new(context, &input, options, &err);
    bool done = false;

    for (size_t round = 1; training && !done; round++) {
        if (gradus_training_step(training, &done, &err) != GRADUS_OK)
            break;
        if (resume && round == 2 && !done) {
            checkpoint = gradus_training_checkpoint(training, &err);
            gradus_training_free(training);
            input.start = checkpoint;
            input.resume = true;
            training = gradus_training_new(context, &input, options, &err);
        }
    }
    if (training && done)
        model = gradus_training_finish(training, &err);
    if (!model)
        fail_msg("%s: %s", pairs[1], err.message);
    gradus_training_free(training);
    gradus_model_free(checkpoint);
    gradus_options_free(options);
    gradus_context_free(context);
    return model;
}

/* there: whether the device computes the gradients. */
static void compare(const gradus_dataset *train, const gradus_dataset *valid,
                    const char *const *pairs, bool there)
{
    gradus_model *wanted = train_model(1, train, valid, pairs);

    for (int resume = 0; resume < 2; resume++) {
        (void)emulated_boosting_calls();
        gradus_model *model = train_there(train, valid, pairs, resume == 1);
        const emulated_calls calls = emulated_boosting_calls();

        if ((calls.gradients > 0) != there || (calls.added > 0) != there)
            fail_msg("%s: %zu gradients, %zu trees", pairs[1], calls.gradients, calls.added);
        check_same_model(wanted, model);
        gradus_model_free(model);
    }
    gradus_model_free(wanted);
}

typedef struct recipe {
    bool there;
    const char *pairs[18];
} recipe;

#define ROUNDS "rounds", "5", "leaves", "8"

static const recipe recipes[] = {
    { true, { "method", "regression", ROUNDS } },
    { true, { "method", "regression", ROUNDS, "row-fraction", "0.6", "l2", "3" } },
    { true, { "method", "lambdamart", ROUNDS } },
    { true, { "method", "lambdamart", ROUNDS, "lambda-metric", "err", "min-rows", "4" } },
    { true, { "method", "lambdamart", ROUNDS, "lambda-metric", "map", "normalise", "none" } },
    { true, { "method", "lambdamart", ROUNDS, "truncation", "3", "sigma", "2" } },
    { true,
      { "method", "lambdamart", ROUNDS, "query-fraction", "0.5", "row-fraction", "0.8",
        "feature-fraction", "0.7" } },
    { true, { "method", "lambdamart", ROUNDS, "monotone", "1:+,2:-", "grow", "level" } },
    { true, { "method", "lambdamart", ROUNDS, "bins", "1000", "train-eval-every", "2" } },
    { true, { "method", "cocr", ROUNDS } },
    { true, { "method", "mcrank", ROUNDS } },
    { true, { "method", "mcrank", ROUNDS, "class-updates", "true", "row-fraction", "0.7" } },
    { true, { "method", "mcrank", ROUNDS, "boost-from-average", "true" } },
    { true, { "method", "mcrank-ordinal", ROUNDS } },
    { true, { "method", "regression", ROUNDS, "loss", "absolute" } },
    { true, { "method", "regression", ROUNDS, "loss", "huber", "row-fraction", "0.8" } },
    { true, { "method", "regression", ROUNDS, "loss", "quantile" } },
    { true, { "method", "regression", ROUNDS, "loss", "huber", "delta", "0.4" } },
    { true,
      { "method", "regression", ROUNDS, "loss", "quantile", "quantile", "0.3", "monotone", "1:+",
        "query-fraction", "0.7" } },
    { true, { "method", "propodds", ROUNDS } },
    { true, { "method", "propodds", ROUNDS, "row-fraction", "0.7" } },
    { true, { "method", "orboost", ROUNDS } },
    { true, { "method", "orboost", ROUNDS, "form", "all" } },
    { false, { "method", "pairrank", ROUNDS, "query-fraction", "0.7" } },
};

static void test_methods(void **state)
{
    query_set train = make_query_set(40, 11, true), valid = make_query_set(15, 12, true);

    (void)state;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        compare(train.data, i % 2 ? valid.data : NULL, recipes[i].pairs, recipes[i].there);
    end_query_set(&train);
    end_query_set(&valid);
}

static void test_weights(void **state)
{
    const set_kind kind = {
        .rows = 600, .features = 30, .queries = 50, .row_weights = true, .query_weights = true
    };
    gradus_dataset *train = random_set(&kind, 3);

    (void)state;
    compare(train, NULL, PAIRS("method", "regression", ROUNDS), true);
    compare(train, NULL, PAIRS("method", "regression", ROUNDS, "query-fraction", "0.6"), true);
    compare(train, NULL, PAIRS("method", "regression", ROUNDS, "loss", "huber"), true);
    gradus_dataset_free(train);
}

/* Enough rows for least squares on a grid (boost/leaf_grid.h). */
static void test_many_rows(void **state)
{
    query_set train = make_query_set(6800, 21, true);

    (void)state;
    compare(train.data, NULL, PAIRS("method", "regression", "rounds", "4", "leaves", "8"), true);
    end_query_set(&train);
}

/* Queries of all size classes, the largest of more documents than fit into shared memory. */
static void test_long_queries(void **state)
{
    gradus_dataset *train = make_synth(1, "web", PAIRS("queries", "12", "documents", "900"));

    (void)state;
    compare(train, NULL, PAIRS("method", "lambdamart", "rounds", "2", "leaves", "6"), true);
    compare(train, NULL,
            PAIRS("method", "lambdamart", "rounds", "2", "leaves", "6", "lambda-metric", "err"),
            true);
    gradus_dataset_free(train);
}

/* Scores are copied only when something needs them: NDCG of the training rows does not. */
static void test_fetches(void **state)
{
    query_set train = make_query_set(30, 4, false), valid = make_query_set(15, 12, true);
    gradus_model *model;

    (void)state;
    (void)emulated_boosting_calls();
    model = train_there(train.data, valid.data,
                        PAIRS("method", "lambdamart", ROUNDS, "train-eval-every", "0"), false);
    const emulated_calls none = emulated_boosting_calls();

    assert_int_equal(none.fetched, 0);
    assert_int_equal(none.listed, 0);
    assert_int_equal(none.gradients, 5);
    assert_int_equal(none.added, 5);
    gradus_model_free(model);
    model = train_there(train.data, valid.data,
                        PAIRS("method", "lambdamart", ROUNDS, "train-eval-every", "2"), false);
    const emulated_calls ndcg = emulated_boosting_calls();

    assert_int_equal(ndcg.fetched, 0);
    assert_int_equal(ndcg.listed, 1);
    assert_int_equal(ndcg.ranked, 3); /* after rounds 2, 4 and 5 */
    gradus_model_free(model);
    model = train_there(
        train.data, valid.data,
        PAIRS("method", "lambdamart", ROUNDS, "train-eval-every", "2", "metric", "map"), false);
    const emulated_calls map = emulated_boosting_calls();

    assert_int_equal(map.fetched, 3);
    assert_int_equal(map.listed + map.ranked, 0);
    gradus_model_free(model);
    end_query_set(&train);
    end_query_set(&valid);
}

static uint64_t little_memory(const gradus_device *device)
{
    (void)device;
    return 365000; /* trees and scores need 360000 */
}

/* Without memory for the lists of the training rows, or less than twice as much as they need, the
 * processor ranks them. */
static void test_lists_without_memory(void **state)
{
    const set_kind kind = { .rows = 5000, .features = 4, .queries = 500 };
    gradus_dataset *train = random_set(&kind, 3);
    const char *const *pairs = PAIRS("method", "regression", ROUNDS, "metric", "ndcg", "gain",
                                     "linear", "train-eval-every", "2");
    gradus_model *wanted = train_model(1, train, NULL, pairs);
    gradus_device device = emulated_device;

    (void)state;
    used = &device;
    for (int known = 0; known < 2; known++) {
        device.free_memory = known ? little_memory : emulated_device.free_memory;
        emulated_boosting_refuse_lists(!known);
        (void)emulated_boosting_calls();
        gradus_model *model = train_there(train, NULL, pairs, false);
        const emulated_calls calls = emulated_boosting_calls();

        assert_int_equal(calls.ranked, 0);
        assert_int_equal(calls.fetched, 3);
        check_same_model(wanted, model);
        gradus_model_free(model);
    }
    emulated_boosting_refuse_lists(false);
    used = &emulated_device;
    gradus_model_free(wanted);
    gradus_dataset_free(train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),   cmocka_unit_test(test_weights),
        cmocka_unit_test(test_many_rows), cmocka_unit_test(test_long_queries),
        cmocka_unit_test(test_fetches),   cmocka_unit_test(test_lists_without_memory),
    };
    int failed = 0;

    for (int order = 0; order < THREAD_ORDERS; order++) {
        emulated_order_use((thread_order)order);
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
