/* SPDX-License-Identifier: Apache-2.0 */
/* Several models trained together: the alpha and lambda that a model reports are those it was
 * trained with, whichever round it is from. */
#include "synthetic_sets.h"

#include "gradus.h"
#include "model/model.h"

enum { ROUNDS = 20, ROUND_STEPS = 50 };

static gradus_model *train(const gradus_dataset *data, const gradus_dataset *valid,
                           const char *alpha, const char *lambda, uint64_t rounds, uint64_t seed,
                           const char *keep)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);
    const gradus_training_input input = { .train = data, .valid = valid };
    char text[3][24];
    const char *const pairs[] = {
        "method",    "crr",    "alpha",   alpha,   "lambda",    lambda, "steps",     text[0],
        "rounds",    text[1],  "seed",    text[2], "keep",      keep,   "metric",    "rmse",
        "precision", "double", "average", "false", "transform", "none", "step-rule", "pegasos"
    };
    gradus_training *training;
    gradus_model *model;
    bool done = false;

    snprintf(text[0], sizeof text[0], "%d", (int)rounds * ROUND_STEPS);
    snprintf(text[1], sizeof text[1], "%d", (int)rounds);
    snprintf(text[2], sizeof text[2], "%d", (int)seed);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i += 2)
        assert_int_equal(gradus_options_set(options, pairs[i], pairs[i + 1], &err), GRADUS_OK);
    training = gradus_training_new(NULL, &input, options, &err);
    assert_non_null(training);
    while (!done)
        assert_int_equal(gradus_training_step(training, &done, &err), GRADUS_OK);
    model = gradus_training_finish(training, &err);
    assert_non_null(model);
    gradus_training_free(training);
    gradus_options_free(options);
    return model;
}

static double told(const gradus_model *model, const char *name)
{
    for (size_t i = 0; i < model->result_count; i++)
        if (strcmp(model->results[i].name, name) == 0)
            return model->results[i].value;
    fail_msg("the model does not tell its %s", name);
    return 0.0;
}

static void check_same_equation(const gradus_model *a, const gradus_model *b, size_t features)
{
    const double *coefficients[2];
    double intercepts[2];

    assert_true(gradus_model_equation(a, 0, &intercepts[0], &coefficients[0], NULL, NULL));
    assert_true(gradus_model_equation(b, 0, &intercepts[1], &coefficients[1], NULL, NULL));
    assert_memory_equal(&intercepts[0], &intercepts[1], sizeof(double));
    assert_memory_equal(coefficients[0], coefficients[1], features * sizeof(double));
}

/* A model trained alone with the reported settings, for the same rounds, is identical. */
static void what_is_told_is_what_was_trained(void **state)
{
    static const char *const keeps[] = { "best", "last" };
    gradus_dataset *train_set =
        make_synth(1, "mcrank", PAIRS("queries", "20", "documents", "10", "features", "5"));
    gradus_dataset *valid_set = make_synth(
        1, "mcrank",
        PAIRS("queries", "20", "documents", "10", "features", "5", "first-query", "1000"));
    size_t before_the_end = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (size_t k = 0; k < 2; k++) {
            gradus_model *one,
                *all = train(train_set, valid_set, "0.2,0.5,1", "0.3,3,30", ROUNDS, seed, keeps[k]);
            gradus_model_facts facts;
            char alpha[32], lambda[32];
            uint64_t rounds;

            gradus_model_describe(all, &facts);
            rounds = k == 0 ? facts.best_round : ROUNDS;
            before_the_end += rounds < ROUNDS;
            snprintf(alpha, sizeof alpha, "%g", told(all, "alpha"));
            snprintf(lambda, sizeof lambda, "%g", told(all, "lambda"));
            one = train(train_set, NULL, alpha, lambda, rounds, seed, "last");
            check_same_equation(all, one, facts.features);
            gradus_model_free(one);
            gradus_model_free(all);
        }
    assert_true(before_the_end > 0);
    gradus_dataset_free(train_set);
    gradus_dataset_free(valid_set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_told_is_what_was_trained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
