/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of verdicts: every branch and its boundaries, scaled-down runs, and heads of files. */
#include "checks.h"

#include "experiments/findings.h"
#include "experiments/verdicts.h"

#include <math.h>
#include <string.h>

static gr_rule rule_of(const char *text)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_rule rule;

    if (gr_rule_parse("t", text, &rule, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return rule;
}

static const char *judge(const char *text, gr_wanted wanted, gr_found found)
{
    const gr_rule rule = rule_of(text);

    return gr_verdict(&rule, wanted, false, &found);
}

#define SAME(wanted, ...)                                                                          \
    judge("# rule: same data\n# tolerance: 0.01\n", wanted, (gr_found){ .paper = 0.4, __VA_ARGS__ })
#define BY_ERRORS(wanted, ...)                                                                     \
    judge("# rule: standard errors\n# errors: e\n# largest error: 0.005\n", wanted,                \
          (gr_found){ .paper = 0.4, __VA_ARGS__ })

static void test_same_data(void **state)
{
    (void)state;
    assert_string_equal(SAME(GR_WANT_HIGHER, .ours = 0.4), "agrees");
    assert_string_equal(SAME(GR_WANT_HIGHER, .ours = 0.41), "agrees");
    assert_string_equal(SAME(GR_WANT_HIGHER, .ours = 0.39), "agrees");
    assert_string_equal(SAME(GR_WANT_HIGHER, .ours = 0.4101), "better");
    assert_string_equal(SAME(GR_WANT_HIGHER, .ours = 0.3899), "differs");
    assert_string_equal(SAME(GR_WANT_LOWER, .ours = 0.3899), "better");
    assert_string_equal(SAME(GR_WANT_LOWER, .ours = 0.4101), "differs");
    assert_string_equal(SAME(GR_WANT_NEAR, .ours = 0.3899), "differs");
    assert_string_equal(SAME(GR_WANT_NEAR, .ours = 0.4101), "differs");
    /* the standard error over queries is no excuse: the queries are the paper's */
    assert_string_equal(SAME(GR_WANT_HIGHER, .ours = 0.3562, .error = 0.0244), "differs");
    assert_string_equal(SAME(GR_WANT_NEAR, .ours = (double)NAN), "");
    assert_string_equal(SAME(GR_WANT_NEAR, .ours = 0.4, .no_verdict = true), "");
    assert_string_equal(
        judge("# rule: same data\n# tolerance: 0.01\n", GR_WANT_NEAR, (gr_found){ .ours = 0.4 }),
        "");
    assert_string_equal(judge("# rule: same data\n# tolerance: 0.005\n", GR_WANT_NEAR,
                              (gr_found){ .ours = 0.406, .paper = 0.4 }),
                        "differs");
}

static void test_standard_errors(void **state)
{
    (void)state;
    /* combined .005: two are .01 */
    assert_string_equal(
        BY_ERRORS(GR_WANT_LOWER, .ours = 0.41, .error = 0.003, .paper_error = 0.004), "agrees");
    assert_string_equal(
        BY_ERRORS(GR_WANT_LOWER, .ours = 0.39, .error = 0.003, .paper_error = 0.004), "agrees");
    assert_string_equal(
        BY_ERRORS(GR_WANT_LOWER, .ours = 0.4101, .error = 0.003, .paper_error = 0.004), "differs");
    assert_string_equal(
        BY_ERRORS(GR_WANT_LOWER, .ours = 0.3899, .error = 0.003, .paper_error = 0.004), "better");
    /* larger errors cannot show agreement, but can show a difference */
    assert_string_equal(
        BY_ERRORS(GR_WANT_LOWER, .ours = 0.4, .error = 0.0031, .paper_error = 0.004),
        "inconclusive");
    assert_string_equal(BY_ERRORS(GR_WANT_LOWER, .ours = 0.5, .error = 0.03, .paper_error = 0.004),
                        "differs");
    assert_string_equal(BY_ERRORS(GR_WANT_LOWER, .ours = 0.4, .paper_error = 0.004),
                        "inconclusive");
    assert_string_equal(BY_ERRORS(GR_WANT_LOWER, .ours = 0.4, .error = 0.003), "");
}

static void test_no_rule(void **state)
{
    (void)state;
    assert_string_equal(
        judge("# rule: none\n", GR_WANT_NEAR, (gr_found){ .ours = 0.4, .paper = 0.4 }), "");
}

static void test_scaled_down_runs_show_nothing(void **state)
{
    static const char *const rules[] = {
        "# rule: same data\n# tolerance: 0.01\n",
        "# rule: standard errors\n# errors: e\n# largest error: 0.005\n",
    };
    const gr_found near = { .ours = 0.4, .paper = 0.4, .error = 0.001, .paper_error = 0.001 };
    const gr_found far = { .ours = 0.9, .paper = 0.4, .error = 0.001, .paper_error = 0.001 };
    const gr_found alone = { .ours = 0.9 };

    (void)state;
    for (size_t r = 0; r < 2; r++) {
        const gr_rule rule = rule_of(rules[r]);

        assert_string_equal(gr_verdict(&rule, GR_WANT_HIGHER, false, &near), "agrees");
        assert_string_equal(gr_verdict(&rule, GR_WANT_HIGHER, true, &near), "inconclusive");
        assert_string_equal(gr_verdict(&rule, GR_WANT_HIGHER, true, &far), "inconclusive");
        assert_string_equal(gr_verdict(&rule, GR_WANT_HIGHER, true, &alone), "");
    }
}

static void test_heads(void **state)
{
    char text[GR_CRITERION_SIZE];
    gr_rule rule =
        rule_of("# paper: p\n# rule: same data\n# tolerance: 0.01\n# text a: b\ndata\tx\n");

    (void)state;
    CHECK_NEAR(rule.tolerance, 0.01, 0.0);
    assert_string_equal(gr_rule_name(&rule), "same data");
    gr_rule_describe(&rule, text);
    assert_string_equal(text, "the paper's data, folds and queries: values agree within 0.01");
    rule = rule_of("# tolerance: 0.0105\n# rule: same data");
    CHECK_NEAR(rule.tolerance, 0.0105, 0.0);
    rule = rule_of("# rule: standard errors\n# largest error: 0.002\n# errors: some_errors\n");
    CHECK_NEAR(rule.largest_error, 0.002, 0.0);
    assert_string_equal(rule.errors, "some_errors");
    assert_string_equal(gr_rule_name(&rule), "standard errors");
    gr_rule_describe(&rule, text);
    assert_non_null(strstr(text, "above 0.002"));
    rule = rule_of("# rule: none\n");
    assert_string_equal(gr_rule_name(&rule), "none");
    gr_rule_describe(&rule, text);
    assert_non_null(strstr(text, "without a verdict"));
}

static void test_damaged_heads_are_errors(void **state)
{
    static const char *const damaged[][2] = {
        { "", "no '# rule: '" },
        { "# tolerance: 0.01\n", "no '# rule: '" },
        { "data\tx\n# rule: none\n", "no '# rule: '" }, /* not in the head */
        { "# rule: \n", "expected 'same data'" },
        { "# rule: same\n", "expected 'same data'" },
        { "# rule: same data \n", "expected 'same data'" },
        { "# rule: same data\n", "needs '# tolerance: '" },
        { "# rule: none\n# rule: same data\n", "a second line" },
        { "# rule: same data\n# tolerance: \n", "a positive number" },
        { "# rule: same data\n# tolerance: 0\n", "a positive number" },
        { "# rule: same data\n# tolerance: -0.01\n", "a positive number" },
        { "# rule: same data\n# tolerance: nan\n", "a positive number" },
        { "# rule: same data\n# tolerance: inf\n", "a positive number" },
        { "# rule: same data\n# tolerance: 0.01 or so\n", "a positive number" },
        { "# rule: same data\n# tolerance: 0.01\n# tolerance: 0.02\n", "a second line" },
        { "# rule: none\n# tolerance: 0.01\n", "belongs to the rule 'same data'" },
        { "# rule: same data\n# errors: e\n", "belongs to the rule 'standard errors'" },
        { "# rule: none\n# largest error: 1\n", "belongs to the rule 'standard errors'" },
        { "# rule: standard errors\n", "needs" },
        { "# rule: standard errors\n# errors: e\n", "needs" },
        { "# rule: standard errors\n# largest error: 1\n", "needs" },
        { "# rule: standard errors\n# largest error: x\n# errors: e\n", "a positive number" },
        { "# rule: standard errors\n# largest error: 1\n# errors: \n", "the name of a file" },
        { "# rule: standard errors\n# largest error: 1\n# errors: "
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
          "the name of a file" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        gradus_error err = { GRADUS_OK, "" };
        gr_rule rule;

        assert_int_equal(gr_rule_parse("t", damaged[i][0], &rule, &err), GRADUS_BAD_FORMAT);
        if (!strstr(err.message, damaged[i][1]) || strncmp(err.message, "t: ", 3) != 0)
            fail_msg("case %zu: '%s'", i, err.message);
    }
}

/* A table of values whose file is damaged or absent: the run fails, with a message. */
static void test_results_report_a_damaged_file(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_results *results = gr_results_new(&err);

    (void)state;
    gr_results_table(results, "a", GR_WANT_NEAR, "crr_table2", 3);
    assert_int_equal(gr_results_done(results, &err), GRADUS_OK);
    gr_results_table(results, "b", GR_WANT_NEAR, "no_such_table", 3);
    gr_results_table(results, "c", GR_WANT_NEAR, "another", 3);
    assert_int_equal(gr_results_done(results, &err), GRADUS_BAD_FORMAT);
    assert_string_equal(err.message, "no_such_table: no '# rule: '");
    gr_results_free(results);
}

static void test_claims_of_scaled_down_runs(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_results *results = gr_results_new(&err);

    (void)state;
    gr_results_claim(results, true, "a", "b");
    gr_results_claim(results, false, "a", "b");
    results->trial = true;
    gr_results_claim(results, true, "a", "b");
    assert_string_equal(results->claims[0].verdict, "confirmed");
    assert_string_equal(results->claims[1].verdict, "not confirmed");
    assert_string_equal(results->claims[2].verdict, "inconclusive");
    gr_results_free(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_data),
        cmocka_unit_test(test_standard_errors),
        cmocka_unit_test(test_no_rule),
        cmocka_unit_test(test_scaled_down_runs_show_nothing),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_damaged_heads_are_errors),
        cmocka_unit_test(test_results_report_a_damaged_file),
        cmocka_unit_test(test_claims_of_scaled_down_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
