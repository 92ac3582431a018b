/* SPDX-License-Identifier: Apache-2.0 */
/* Search spaces: parsed from text, sampled, cut into grids. */
#include "small_trials.h"

#include "experiments/space.h"
#include "experiments/tuning.h"
#include "pipeline/train.h"

static void check_refused(const char *text, const char *words)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_space space;

    assert_int_equal(gr_space_parse(text, &space, &err), GRADUS_BAD_ARGUMENT);
    if (!strstr(err.message, words))
        print_error("'%s': '%s' lacks '%s'\n", text, err.message, words);
    assert_non_null(strstr(err.message, words));
    assert_non_null(strstr(err.message, "'space'"));
    assert_int_equal(space.count, 0);
}

static void test_bad_spaces(void **state)
{
    (void)state;
    check_refused("leafs=3..8", "leaves");
    check_refused("leaves", "name=values");
    check_refused("=3..8", "name=values");
    check_refused("leaves=", "no values");
    check_refused("leaves=8..256:log,", "after the last");
    check_refused(",", "name=values");
    check_refused("leaves=8..256:lgo", ":log");
    check_refused("leaves=8..256:1", "points");
    check_refused("leaves=8..256:2000", "points");
    check_refused("leaves=256..8", "lower");
    check_refused("leaves=8..8", "lower");
    check_refused("leaves=8..x", "two numbers");
    check_refused("leaves=..8", "two numbers");
    check_refused("leaves=8..", "two numbers");
    check_refused("learning-rate=1..inf", "two numbers");
    check_refused("l2=0..10:log", "above 0");
    check_refused("leaves=1.5..8", "whole");
    check_refused("leaves=8..100000", "65536");
    check_refused("learning-rate=0..1", "learning-rate");
    check_refused("learning-rate=0.1|x", "learning-rate");
    check_refused("target=1..2", "no range");
    check_refused("average=0..1", "true|false");
    check_refused("target=grade|gains", "gain");
    check_refused("target=grade||gain", "separated by '|'");
    check_refused("target=grade|grade", "duplicate");
    check_refused("leaves=3..8, leaves=4..9", "duplicate");
    check_refused("method=cocr|mcrank", "'method'");
    check_refused("metric=err", "'metric'");
    check_refused("seed=1..3", "'seed'");
}

static void test_good_spaces(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_space space;

    (void)state;
    assert_int_equal(gr_space_parse("", &space, &err), GRADUS_OK);
    assert_int_equal(space.count, 0);
    gr_space_free(&space);
    assert_int_equal(gr_space_parse("  leaves=8..256:log , learning-rate=.02..0.2:log:5,\n"
                                    "cost=absolute|squared|oerr,alpha=0..1, rounds=500",
                                    &space, &err),
                     GRADUS_OK);
    assert_int_equal(space.count, 5);
    assert_true(space.dimensions[0].log);
    CHECK_NEAR(space.dimensions[0].low, 8.0, 0.0);
    CHECK_NEAR(space.dimensions[0].high, 256.0, 0.0);
    assert_int_equal(space.dimensions[0].points, 0);
    CHECK_NEAR(space.dimensions[1].low, 0.02, 0.0);
    assert_int_equal(space.dimensions[1].points, 5);
    assert_int_equal(space.dimensions[2].count, 3);
    assert_string_equal(space.dimensions[2].choices[2], "oerr");
    assert_false(space.dimensions[3].log);
    assert_int_equal(space.dimensions[4].count, 1);
    assert_true(gr_space_has(&space, "alpha") && !gr_space_has(&space, "l2"));
    gr_space_free(&space);
}

/* The value of a name in settings, as a number; NAN: none. */
static double number_in(const char *settings, const char *name)
{
    char key[40];

    snprintf(key, sizeof key, " %s=", name);
    const char *at = strstr(settings, key);

    return at ? strtod(at + strlen(key), NULL) : (double)NAN;
}

static void test_draws(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_setting_list drawn = { 0 }, again = { 0 }, more = { 0 };
    gr_space given, space;
    uint64_t next = 0;
    size_t low = 0, oerr = 0;

    (void)state;
    assert_int_equal(gr_space_parse("leaves=4..64:log, learning-rate=0.05..0.2, "
                                    "cost=absolute|squared|oerr, rounds=7",
                                    &given, &err),
                     GRADUS_OK);
    assert_int_equal(gr_space_for(&given, "cocr", &space, &err), GRADUS_OK);
    assert_int_equal(gr_setting_list_draw(&space, "cocr", 1, 400, &next, &drawn, &err), GRADUS_OK);
    assert_int_equal(drawn.count, 400);
    /* the defaults come first: leaves are unset, since training derives them from the data */
    assert_string_equal(drawn.list[0], "method=cocr learning-rate=0.1 cost=absolute rounds=7");
    for (size_t i = 1; i < 400; i++) {
        const double leaves = number_in(drawn.list[i], "leaves");
        const double rate = number_in(drawn.list[i], "learning-rate");

        assert_true(leaves >= 4 && leaves <= 64 && leaves == floor(leaves));
        assert_true(rate >= 0.05 && rate <= 0.2);
        CHECK_NEAR(number_in(drawn.list[i], "rounds"), 7, 0);
        low += leaves < 16;
        oerr += strstr(drawn.list[i], "cost=oerr") != NULL;
        assert_true(strlen(strstr(drawn.list[i], "learning-rate=")) < 60); /* few digits */
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(drawn.list[i], drawn.list[k]);
    }
    assert_true(low > 160 && low < 240); /* half of the logarithmic range */
    assert_true(oerr > 100 && oerr < 170);
    /* the same again in two calls; different with another seed */
    next = 0;
    assert_int_equal(gr_setting_list_draw(&space, "cocr", 1, 10, &next, &again, &err), GRADUS_OK);
    assert_int_equal(gr_setting_list_draw(&space, "cocr", 1, 10, &next, &again, &err), GRADUS_OK);
    for (size_t i = 0; i < 20; i++)
        assert_string_equal(again.list[i], drawn.list[i]);
    next = 1;
    assert_int_equal(gr_setting_list_draw(&space, "cocr", 2, 3, &next, &more, &err), GRADUS_OK);
    assert_string_not_equal(more.list[0], drawn.list[1]);
    gr_setting_list_free(&drawn);
    gr_setting_list_free(&again);
    gr_setting_list_free(&more);
    gr_space_free(&space);
    gr_space_free(&given);
}

static void test_small_space_is_used_up(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_setting_list drawn = { 0 };
    gr_space given, space;
    uint64_t next = 0;

    (void)state;
    assert_int_equal(gr_space_parse("cost=absolute|squared, leaves=4..6", &given, &err), GRADUS_OK);
    assert_int_equal(gr_space_for(&given, "cocr", &space, &err), GRADUS_OK);
    assert_int_equal(gr_setting_list_draw(&space, "cocr", 1, 100, &next, &drawn, &err), GRADUS_OK);
    assert_int_equal(drawn.count, 6);
    assert_null(drawn.list[6]);
    assert_string_equal(gr_setting_words(drawn.list[0]), "cost=absolute leaves=5");
    gr_setting_list_free(&drawn);
    gr_space_free(&space);
    gr_space_free(&given);
}

static void test_grid(void **state)
{
    static const char *const wanted[] = {
        "leaves=4 target=grade", "leaves=4 target=gain",   "leaves=16 target=grade",
        "leaves=16 target=gain", "leaves=64 target=grade", "leaves=64 target=gain",
    };
    gradus_error err = { GRADUS_OK, "" };
    gr_setting_list points = { 0 };
    gr_space given, space;
    uint64_t next = 0;

    (void)state;
    assert_int_equal(gr_space_parse("leaves=4..64:log:3, target=grade|gain", &given, &err),
                     GRADUS_OK);
    assert_int_equal(gr_space_for(&given, "regression", &space, &err), GRADUS_OK);
    assert_int_equal(gr_space_grid(&space, 9), 6);
    assert_int_equal(gr_setting_list_grid(&space, "regression", 9, 4, &next, &points, &err),
                     GRADUS_OK);
    assert_int_equal(points.count, 4);
    assert_int_equal(gr_setting_list_grid(&space, "regression", 9, 100, &next, &points, &err),
                     GRADUS_OK);
    assert_int_equal(points.count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(gr_setting_words(points.list[i]), wanted[i]);
    gr_setting_list_free(&points);
    gr_space_free(&space);
    gr_space_free(&given);
    assert_int_equal(
        gr_space_parse("leaves=4..64:1000, min-rows=4..64:1000, l2=1..2:1000", &given, &err),
        GRADUS_OK);
    assert_int_equal(gr_space_grid(&given, 2), GR_MAX_GRID + 1);
    gr_space_free(&given);
}

/* Every method has a space that its training accepts, of options that it reads and does not fix. */
static void test_usual_spaces(void **state)
{
    const gr_space none = { .count = 0 };
    gr_param param;
    size_t tuned = 0;

    (void)state;
    for (size_t m = 0; gr_ranker_names[m]; m++) {
        gradus_error err = { GRADUS_OK, "" };
        gr_setting_list drawn = { 0 };
        gr_space space;
        uint64_t next = 0;

        assert_int_equal(gr_space_for(&none, gr_ranker_names[m], &space, &err), GRADUS_OK);
        assert_int_equal(
            gr_setting_list_draw(&space, gr_ranker_names[m], 1, 5, &next, &drawn, &err), GRADUS_OK);
        assert_true(drawn.count >= 1);
        assert_int_equal(gr_space_has(&space, "cost"), strcmp(gr_ranker_names[m], "cocr") == 0);
        assert_int_equal(gr_space_has(&space, "alpha"), strcmp(gr_ranker_names[m], "crr") == 0);
        assert_int_equal(gr_space_has(&space, "target"),
                         strcmp(gr_ranker_names[m], "regression") == 0);
        gr_setting_list_free(&drawn);
        gr_space_free(&space);
    }
    for (size_t i = 0; gr_param_number(&gr_operation_train, i, &param); i++)
        tuned += param.tuned != NULL;
    assert_true(tuned >= 15);
}

/* Given dimensions replace the default ones if they vary an option that the method reads. */
static void test_space_of_method(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_space given, space;

    (void)state;
    assert_int_equal(gr_space_parse("leaves=4..8, rounds=5", &given, &err), GRADUS_OK);
    assert_int_equal(gr_space_for(&given, "lambdamart", &space, &err), GRADUS_OK);
    assert_int_equal(space.count, 2);
    gr_space_free(&space);
    assert_int_equal(gr_space_for(&given, "ranksvm", &space, &err), GRADUS_OK);
    assert_true(gr_space_has(&space, "lambda") && gr_space_has(&space, "rounds"));
    assert_false(gr_space_has(&space, "leaves"));
    gr_space_free(&space);
    gr_space_free(&given);
    /* several learners contribute the options that each of them reads */
    assert_int_equal(gr_space_parse("learner=gbrt|linear", &given, &err), GRADUS_OK);
    assert_int_equal(gr_space_for(&given, "regression", &space, &err), GRADUS_OK);
    assert_true(gr_space_has(&space, "leaves") && gr_space_has(&space, "ridge"));
    gr_setting_list drawn = { 0 };
    uint64_t next = 0;
    size_t linear = 0;

    assert_int_equal(gr_setting_list_draw(&space, "regression", 1, 50, &next, &drawn, &err),
                     GRADUS_OK);
    for (size_t i = 1; i < drawn.count; i++) { /* 0: the defaults */
        const bool is_linear = strstr(drawn.list[i], "learner=linear") != NULL;

        linear += is_linear;
        assert_int_equal(isnan(number_in(drawn.list[i], "leaves")), is_linear);
        assert_int_equal(isnan(number_in(drawn.list[i], "ridge")), !is_linear);
    }
    assert_true(linear > 10 && linear < 40);
    gr_setting_list_free(&drawn);
    gr_space_free(&space);
    assert_int_equal(gr_space_for(&given, "ranksvm", &space, &err), GRADUS_BAD_ARGUMENT);
    gr_space_free(&given);
}

static void test_halving(void **state)
{
    static const struct {
        size_t settings, rungs, sizes[5];
        uint64_t parts[5];
    } plans[] = {
        { 1, 1, { 1 }, { 1 } },
        { 2, 1, { 2 }, { 1 } },
        { 3, 2, { 3, 1 }, { 3, 1 } },
        { 9, 3, { 9, 3, 1 }, { 9, 3, 1 } },
        { 40, 4, { 40, 13, 4, 1 }, { 27, 9, 3, 1 } },
        { 1000, 5, { 1000, 333, 111, 37, 12 }, { 81, 27, 9, 3, 1 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        const gr_halving plan = gr_halving_plan(plans[i].settings);

        assert_int_equal(plan.rungs, plans[i].rungs);
        for (size_t r = 0; r < plan.rungs; r++) {
            assert_int_equal(plan.sizes[r], plans[i].sizes[r]);
            assert_int_equal(plan.parts[r], plans[i].parts[r]);
        }
    }
}

static void test_budgets(void **state)
{
    static const char *const bad[] = { "",    "0",  "-3",   "ten",   "10 min", "5m",
                                       "min", "0s", "1e9h", "10001", "nan s",  "3.5" };
    gradus_error err = { GRADUS_OK, "" };
    gr_budget budget;

    (void)state;
    assert_int_equal(gr_budget_parse("40", &budget, &err), GRADUS_OK);
    assert_int_equal(budget.settings, 40);
    assert_true(isinf(budget.seconds));
    assert_int_equal(gr_budget_parse("10min", &budget, &err), GRADUS_OK);
    assert_int_equal(budget.settings, 0);
    CHECK_NEAR(budget.seconds, 600.0, 0.0);
    assert_int_equal(gr_budget_parse("1.5h", &budget, &err), GRADUS_OK);
    CHECK_NEAR(budget.seconds, 5400.0, 0.0);
    assert_int_equal(gr_budget_parse("90s", &budget, &err), GRADUS_OK);
    CHECK_NEAR(budget.seconds, 90.0, 0.0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(gr_budget_parse(bad[i], &budget, &err), GRADUS_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_spaces),
        cmocka_unit_test(test_good_spaces),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_small_space_is_used_up),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_usual_spaces),
        cmocka_unit_test(test_space_of_method),
        cmocka_unit_test(test_halving),
        cmocka_unit_test(test_budgets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
