/* SPDX-License-Identifier: Apache-2.0 */
/* What automatic training does with a time: fewer folds if it is short, and time for several
 * methods. */
#include "experiments/auto_run.h"
#include "small_trials.h"

static gradus_dataset *data;
static gradus_context *context;

static int set_up(void **state)
{
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    data = queries_from("1", "15");
    context = gradus_context_new(1, &err);
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(data);
    gradus_context_free(context);
    return 0;
}

static gr_auto_run begin(double seconds)
{
    static gradus_auto_result result;

    result = (gradus_auto_result){ .members = NULL };
    return (gr_auto_run){ .context = context,
                          .options = { .methods = "lambdamart,regression,listnet,mcrank",
                                       .metric = "ndcg@10",
                                       .convention = "gradus",
                                       .journal = "",
                                       .members = 12,
                                       .seed = 1 },
                          .gains = { .words = "" },
                          .budget = { .seconds = seconds },
                          .data = { .all = data, .fold_count = 1 },
                          .result = &result };
}

static size_t folds_in(double seconds, size_t settings, size_t given)
{
    gr_auto_run run = begin(seconds);
    gradus_error err = { GRADUS_OK, "" };

    run.budget.settings = settings;
    run.options.folds = given;
    assert_int_equal(gr_auto_portfolio(&run, &err), GRADUS_OK);
    assert_int_equal(gr_auto_few_folds(&run, &err), GRADUS_OK);
    assert_int_equal(run.result->facts.repeat_folds, given ? 0 : run.options.folds);
    gr_auto_entries_free(&run);
    return (size_t)run.options.folds;
}

static void test_folds(void **state)
{
    (void)state;
    assert_int_equal(folds_in(0.01, 0, 0), 2);
    assert_int_equal(folds_in(0.01, 0, 4), 4);
    assert_int_equal(folds_in((double)INFINITY, 7, 0), 0);
    assert_int_equal(folds_in(3600.0, 0, 0), 0); /* as many as usual */
    assert_in_range(folds_in(0.25, 0, 0), 0, 2); /* the speed is measured */
    gradus_dataset *few = data;

    data = queries_from("1", "600");
    assert_int_equal(folds_in(0.01, 0, 0), 1);
    gradus_dataset_free(data);
    data = few;
}

/* The first trial leaves time for others, which are tried although each takes more than 15% of the
 * time, until three have been. */
static void test_several_methods(void **state)
{
    gr_auto_run run = begin(60.0);
    gradus_error err = { GRADUS_OK, "" };
    gr_auto_trial trials[3] = { { .part = 1.0, .seconds = 13.0 },
                                { .part = 1.0, .seconds = 9.5, .entry = 1 } };
    const char *settings;
    size_t entry;

    (void)state;
    run.trials = trials;
    assert_int_equal(gr_auto_portfolio(&run, &err), GRADUS_OK);
    assert_true(gr_auto_first_seconds(&run) < 0.95 * 60.0 / 2.25 / 1.99);
    assert_int_equal(gr_auto_next(&run, &entry, &settings, &err), GRADUS_OK);
    assert_int_equal(entry, 0);
    run.entries[0].tries = 1;
    run.entries[0].best = 0.5;
    run.entries[0].seconds = run.used = trials[0].seconds;
    run.trial_count = 1;
    assert_int_equal(gr_auto_next(&run, &entry, &settings, &err), GRADUS_OK);
    assert_int_equal(entry, 1); /* expected: 9.1 of 60 seconds */
    assert_true(strstr(settings, "method=regression"));
    run.entries[1].tries = 1;
    run.entries[1].best = 0.4;
    run.entries[1].seconds = trials[1].seconds;
    run.used += trials[1].seconds;
    run.trial_count = 2;
    assert_int_equal(gr_auto_next(&run, &entry, &settings, &err), GRADUS_OK);
    assert_true(!settings || entry < 2); /* no time for other methods */
    gr_auto_entries_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_several_methods),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
