/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning never returns settings that are worse on validation data than the defaults. */
#include "gradus_experiments.h"
#include "small_trials.h"

#define SPACE "rounds=90, patience=0, learning-rate=0.05..1:log"

static gradus_dataset *train, *valid;

static int set_up(void **state)
{
    (void)state;
    train = queries_from("1", "15");
    valid = queries_from("101", "8");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(train);
    gradus_dataset_free(valid);
    return 0;
}

static gradus_tuning *tune(const gradus_tuning_input *input, const char *const *pairs)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("tune", &err);

    assert_non_null(options);
    for (; *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], &err), GRADUS_OK);
    gradus_tuning *tuning = gradus_tune(NULL, input, options, &err);

    if (!tuning)
        print_error("%s\n", err.message);
    assert_non_null(tuning);
    gradus_options_free(options);
    return tuning;
}

static gradus_trial trial_of(const gradus_tuning *tuning, const char *method, const char *settings)
{
    gradus_trial trial;

    for (size_t i = 0; gradus_tuning_trial_at(tuning, i, &trial); i++)
        if (strcmp(trial.method, method) == 0 && strcmp(trial.settings, settings) == 0)
            return trial;
    fail_msg("'%s %s' was not tried", method, settings);
    return trial;
}

/* High learning rates lead after a few rounds, and overfit at full length: halving used to drop the
 * defaults, and to return something worse. */
static void test_halving_keeps_the_defaults(void **state)
{
    static const char *const seeds[] = { "1", "2", "3", "4", "5", "6" };
    const gradus_tuning_input input = { .train = train, .valid = valid };
    size_t won = 0, extra = 0;

    (void)state;
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        gradus_tuning *tuning =
            tune(&input, PAIRS("method", "regression", "metric", "rmse", "space", SPACE, "budget",
                               "9", "refit", "none", "seed", seeds[i]));
        const gradus_trial defaults =
            trial_of(tuning, "regression", "rounds=90 patience=0 learning-rate=0.1");
        gradus_place place;
        gradus_trial second;

        assert_int_equal(defaults.part, 1);
        gradus_tuning_place_at(tuning, 0, &place);
        assert_true(place.best.part == 1 && place.best.valid <= defaults.valid);
        gradus_tuning_trial_at(tuning, 1, &second);
        extra += second.part == 1;
        won += second.part == 1 && strcmp(place.best.settings, defaults.settings) == 0;
        gradus_tuning_free(tuning);
    }
    assert_true(extra > 0);
    assert_true(won > 0); /* each of these returned something worse */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halving_keeps_the_defaults),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
