/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing systems: properties of every test, whatever its formula, and hostile input. */
#include "checks.h"

#include "base/context.h"
#include "base/rng.h"
#include "sample_systems.h"
#include "statistics/compare.h"

static gradus_options *options_with(const char *test, const char *sided)
{
    gradus_options *options = gr_options_new(&gr_operation_compare, NULL);

    assert_non_null(options);
    assert_int_equal(gr_options_set(options, "test", test, NULL), GRADUS_OK);
    assert_int_equal(gr_options_set(options, "sided", sided, NULL), GRADUS_OK);
    assert_int_equal(gr_options_set(options, "resamples", "2000", NULL), GRADUS_OK);
    return options;
}

static gradus_contrast compare_two(gradus_context *context, const double *a, const double *b,
                                   size_t n, const char *test, const char *sided)
{
    const double *values[] = { a, b };
    gradus_options *options = options_with(test, sided);
    gradus_error err = { GRADUS_OK, "" };
    gradus_comparison *comparison = gradus_compare(context, 2, n, values, options, &err);
    gradus_contrast contrast;

    assert_non_null(comparison);
    assert_true(gradus_comparison_at(comparison, 0, &contrast));
    assert_false(gradus_comparison_at(comparison, 1, &contrast));
    gradus_comparison_free(comparison);
    gr_options_free(options);
    return contrast;
}

static void test_catalogue_is_complete(void **state)
{
    size_t count = 0;

    (void)state;
    for (const gr_about *about; (about = gr_tests_at(count)); count++) {
        assert_string_equal(about->name, gr_test_names[count]);
        assert_ptr_equal(about, &gr_tests[count]->about);
        assert_true(strlen(about->summary) > 10 && strlen(about->summary) < 80);
        assert_true(strlen(about->details) > 100);
    }
    assert_int_equal(count, 5);
    assert_null(gr_test_names[count]);
    assert_null(gr_tests_at(count + 1000));
}

static void test_swapping_the_systems_mirrors_the_result(void **state)
{
    systems s;

    (void)state;
    make_far(&s, 60);
    for (size_t t = 0; gr_tests[t]; t++) {
        const char *name = gr_test_names[t];
        const gradus_contrast ab = compare_two(NULL, s.a, s.b, s.count, name, "2");
        const gradus_contrast ba = compare_two(NULL, s.b, s.a, s.count, name, "2");

        CHECK_NEAR(ab.p, ba.p, 1e-14);
        CHECK_NEAR(ab.difference, -ba.difference, 0.0);
        CHECK_NEAR(ab.low, -ba.high, 1e-15);
        CHECK_NEAR(ab.high, -ba.low, 1e-15);
        assert_int_equal(ab.wins, ba.losses);
        assert_int_equal(ab.losses, ba.wins);
        assert_true(ab.low <= ab.difference && ab.difference <= ab.high);
        assert_int_equal(ab.wins + ab.ties + ab.losses, 60);
    }
}

static void test_one_sided_asks_whether_the_later_is_better(void **state)
{
    systems s;

    (void)state;
    make_far(&s, 60);
    for (size_t t = 0; gr_tests[t]; t++) {
        const char *name = gr_test_names[t];
        const double two = compare_two(NULL, s.a, s.b, s.count, name, "2").p;
        const double better = compare_two(NULL, s.a, s.b, s.count, name, "1").p;
        const double worse = compare_two(NULL, s.b, s.a, s.count, name, "1").p;

        assert_true(better < 0.01 && worse > 0.99);
        assert_true(better < two + 1e-3 && two <= 2.0 * better + 2e-3);
    }
}

static void test_threads_do_not_change_the_result(void **state)
{
    systems s;

    (void)state;
    make_far(&s, 777);
    for (size_t i = 0; i < 777; i++)
        s.b[i] -= 0.22;
    for (size_t t = 0; gr_tests[t]; t++)
        for (size_t n = 15; n <= 777; n += 762) {
            gradus_context *four = gradus_context_new(4, NULL);
            const gradus_contrast one = compare_two(NULL, s.a, s.b, n, gr_test_names[t], "2");
            const gradus_contrast many = compare_two(four, s.a, s.b, n, gr_test_names[t], "2");

            assert_memory_equal(&one, &many, sizeof one);
            gradus_context_free(four);
        }
}

static void test_seed_changes_only_what_is_drawn(void **state)
{
    systems s;
    const double *values[] = { s.a, s.b };

    (void)state;
    make_far(&s, 100);
    for (size_t i = 0; i < 100; i++)
        s.b[i] -= 0.2;
    for (size_t t = 0; gr_tests[t]; t++) {
        const bool drawn = strcmp(gr_test_names[t], "randomization") == 0 ||
                           strcmp(gr_test_names[t], "bootstrap") == 0;
        gradus_options *options = options_with(gr_test_names[t], "2");
        gradus_contrast first, second;
        gradus_comparison *c = gradus_compare(NULL, 2, 100, values, options, NULL);

        assert_true(gradus_comparison_at(c, 0, &first));
        gradus_comparison_free(c);
        assert_int_equal(gr_options_set(options, "seed", "99", NULL), GRADUS_OK);
        c = gradus_compare(NULL, 2, 100, values, options, NULL);
        assert_true(gradus_comparison_at(c, 0, &second));
        gradus_comparison_free(c);
        gr_options_free(options);
        assert_int_equal(first.low != second.low, drawn);
        CHECK_NEAR(first.p, second.p, 0.05);
    }
}

/* Under the null hypothesis, p < x occurs with probability about x. */
static void test_p_is_uniform_under_the_null(void **state)
{
    enum { TRIALS = 1000, N = 40 };

    (void)state;
    for (size_t t = 0; gr_tests[t]; t++) {
        gr_test_settings settings = { false, 0.95, 400, 3, NULL };
        size_t below[3] = { 0, 0, 0 }, covered = 0;

        for (uint64_t trial = 0; trial < TRIALS; trial++) {
            gr_rng rng = gr_rng_for(11, "null", trial);
            systems s = { .count = N };

            for (size_t i = 0; i < N; i++) {
                s.a[i] = gr_rng_normal(&rng);
                s.b[i] = gr_rng_normal(&rng);
            }
            const gr_verdict v = run_with(gr_tests[t], &s, &settings);
            below[0] += v.p <= 0.05;
            below[1] += v.p <= 0.3;
            below[2] += v.p <= 0.8;
            covered += v.low <= 0.0 && 0.0 <= v.high;
        }
        /* five standard errors around the expected fraction, and a little for n = 40 */
        CHECK_NEAR((double)below[0] / TRIALS, 0.05, 0.045);
        CHECK_NEAR((double)below[1] / TRIALS, 0.3, 0.08);
        CHECK_NEAR((double)below[2] / TRIALS, 0.8, 0.07);
        CHECK_NEAR((double)covered / TRIALS, 0.95, 0.045);
    }
}

static void test_equal_systems_have_p_one(void **state)
{
    systems s;

    (void)state;
    make_smooth(&s, 30);
    for (size_t t = 0; gr_tests[t]; t++) {
        const gradus_contrast c = compare_two(NULL, s.a, s.a, 30, gr_test_names[t], "2");

        CHECK_NEAR(c.p, 1.0, 0.0);
        CHECK_NEAR(c.p_adjusted, 1.0, 0.0);
        assert_int_equal(c.ties, 30);
        if (strcmp(gr_test_names[t], "welch") != 0) {
            CHECK_NEAR(c.low, 0.0, 0.0);
            CHECK_NEAR(c.high, 0.0, 0.0);
            CHECK_NEAR(compare_two(NULL, s.a, s.a, 30, gr_test_names[t], "1").p, 1.0, 0.0);
        }
    }
}

static void test_constant_values_are_handled(void **state)
{
    const double one[] = { 1, 1, 1 }, three[] = { 3, 3, 3 };
    gradus_contrast c;

    (void)state;
    c = compare_two(NULL, one, three, 3, "t", "2");
    assert_true(isinf(c.statistic) && c.statistic > 0);
    CHECK_NEAR(c.p, 0.0, 0.0);
    CHECK_NEAR(c.low, 2.0, 0.0);
    CHECK_NEAR(c.high, 2.0, 0.0);
    CHECK_NEAR(compare_two(NULL, three, one, 3, "t", "1").p, 1.0, 0.0);
    CHECK_NEAR(compare_two(NULL, one, three, 3, "welch", "2").p, 0.0, 0.0);
    CHECK_NEAR(compare_two(NULL, one, one, 3, "welch", "1").p, 1.0, 0.0);
    /* wilcox.test(c(2,2,2), rep(0,3), paired=TRUE) */
    CHECK_NEAR(compare_two(NULL, one, three, 3, "wilcoxon", "2").p, 0.14891467317876567, 1e-12);
    CHECK_NEAR(compare_two(NULL, one, three, 3, "randomization", "2").p, 0.25, 0.0);
}

static void test_one_query_is_enough_only_where_signs_are_counted(void **state)
{
    const double a[] = { 0.25 }, b[] = { 0.75 };

    (void)state;
    assert_true(isnan(compare_two(NULL, a, b, 1, "t", "2").p));
    assert_true(isnan(compare_two(NULL, a, b, 1, "t", "2").p_adjusted));
    assert_true(isnan(compare_two(NULL, a, b, 1, "welch", "2").p));
    assert_true(isnan(compare_two(NULL, a, b, 1, "bootstrap", "2").p));
    assert_true(isnan(compare_two(NULL, a, b, 1, "bootstrap", "2").low));
    CHECK_NEAR(compare_two(NULL, a, b, 1, "wilcoxon", "2").p, 1.0, 0.0);
    CHECK_NEAR(compare_two(NULL, a, b, 1, "wilcoxon", "1").p, 0.5, 0.0);
    CHECK_NEAR(compare_two(NULL, a, b, 1, "randomization", "2").p, 1.0, 0.0);
    CHECK_NEAR(compare_two(NULL, a, b, 1, "randomization", "1").p, 0.5, 0.0);
    CHECK_NEAR(compare_two(NULL, a, b, 1, "t", "2").difference, 0.5, 0.0);
}

static void test_nan_leaves_a_query_out(void **state)
{
    const double nan = (double)NAN;
    const double a[] = { 0.1, nan, 0.4, 0.3, 0.9, 0.2 }, b[] = { 0.3, 0.5, 0.7, nan, 0.8, 0.2 };
    const double short_a[] = { 0.1, 0.4, 0.9, 0.2 }, short_b[] = { 0.3, 0.7, 0.8, 0.2 };

    (void)state;
    for (size_t t = 0; gr_tests[t]; t++) {
        const gradus_contrast gap = compare_two(NULL, a, b, 6, gr_test_names[t], "2");
        const gradus_contrast whole = compare_two(NULL, short_a, short_b, 4, gr_test_names[t], "2");

        assert_memory_equal(&gap, &whole, sizeof gap);
        assert_int_equal(gap.queries, 4);
        assert_int_equal(gap.wins, 2);
        assert_int_equal(gap.ties, 1);
        assert_int_equal(gap.losses, 1);
        CHECK_NEAR(gap.mean_a, 0.4, 1e-16);
        CHECK_NEAR(gap.mean_b, 0.5, 1e-16);
        CHECK_NEAR(gap.difference, 0.1, 1e-16);
    }
}

static void test_all_pairs_are_compared_and_corrected(void **state)
{
    systems s;
    double c_values[50];
    const double *values[] = { s.a, s.b, c_values, s.a };
    double p[6], adjusted[6];
    gradus_comparison *comparison;
    gradus_contrast c;
    size_t index = 0;

    (void)state;
    make_far(&s, 50);
    for (size_t i = 0; i < 50; i++)
        c_values[i] = s.b[i] - 0.2 + 0.01 * (double)(i % 9);
    comparison =
        gradus_compare(NULL, 4, 50, values, NULL, NULL); /* NULL options: two-sided t-test */
    assert_non_null(comparison);
    for (size_t a = 0; a < 4; a++)
        for (size_t b = a + 1; b < 4; b++, index++) {
            assert_true(gradus_comparison_at(comparison, index, &c));
            assert_int_equal(c.a, a);
            assert_int_equal(c.b, b);
            p[index] = c.p;
        }
    assert_int_equal(gradus_adjust_p(p, 6, adjusted, NULL), GRADUS_OK);
    for (index = 0; index < 6; index++) {
        assert_true(gradus_comparison_at(comparison, index, &c));
        CHECK_NEAR(c.p_adjusted, adjusted[index], 0.0);
        assert_true(c.p_adjusted >= c.p);
    }
    assert_false(gradus_comparison_at(comparison, 6, &c));
    gradus_comparison_free(comparison);
}

static void check_refused(size_t count, size_t queries, const double *const *values,
                          gradus_status status, const char *message)
{
    gradus_error err = { GRADUS_OK, "" };

    assert_null(gradus_compare(NULL, count, queries, values, NULL, &err));
    assert_int_equal(err.status, status);
    assert_string_equal(err.message, message);
    assert_null(gradus_compare(NULL, count, queries, values, NULL, NULL));
}

static void test_bad_values_are_refused(void **state)
{
    const double good[] = { 1, 2, 3 }, bad[] = { 1, -(double)INFINITY, 3 };
    const double none[] = { (double)NAN, (double)NAN, (double)NAN };
    const double huge[] = { 1, 1.7e308, 3 };
    const double *values[3] = { good, bad, NULL };

    (void)state;
    check_refused(0, 3, values, GRADUS_BAD_ARGUMENT,
                  "a comparison needs at least 2 systems, found 0");
    check_refused(1, 3, values, GRADUS_BAD_ARGUMENT,
                  "a comparison needs at least 2 systems, found 1");
    check_refused(2, 3, values, GRADUS_BAD_NUMBER,
                  "the value of system 1 on query 1 is -inf, not from -1e+300 to 1e+300");
    check_refused(3, 3, values, GRADUS_BAD_ARGUMENT, "the values of system 2 are NULL");
    check_refused(2, 3, NULL, GRADUS_BAD_ARGUMENT,
                  "the argument 'values' of gradus_compare is NULL");
    values[1] = none;
    check_refused(2, 3, values, GRADUS_BAD_ARGUMENT,
                  "systems 0 and 1 have no query with a value in both");
    values[1] = good;
    check_refused(2, 0, values, GRADUS_BAD_ARGUMENT,
                  "systems 0 and 1 have no query with a value in both");
    values[1] = huge;
    check_refused(2, 3, values, GRADUS_BAD_NUMBER,
                  "the value of system 1 on query 1 is 1.7e+308, not from -1e+300 to 1e+300");
    gradus_comparison_free(NULL);
    assert_false(gradus_comparison_at(NULL, 0, NULL));
}

static void test_bad_p_values_are_refused(void **state)
{
    const double high[] = { 0.5, 1.5 }, low[] = { -0.1 }, nan[] = { 0.1, (double)NAN };
    double out[2] = { 0, 0 };
    gradus_error err;

    (void)state;
    assert_int_equal(gradus_combine_p(high, 2, out, out + 1, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "p-value 1 is 1.5, not from 0 to 1");
    assert_int_equal(gradus_combine_p(low, 1, out, out + 1, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_combine_p(nan, 2, out, out + 1, &err), GRADUS_BAD_NUMBER);
    assert_int_equal(gradus_combine_p(low, 0, out, out + 1, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_combine_p(NULL, 2, out, out + 1, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_adjust_p(high, 2, out, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_adjust_p(NULL, 2, out, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_adjust_p(low, 1, NULL, &err), GRADUS_BAD_ARGUMENT);
    assert_int_equal(gradus_combine_p(high, 1, NULL, NULL, &err), GRADUS_OK);
}

static void test_scale_of_the_values_does_not_matter(void **state)
{
    const double scales[] = { 0x1p-900, 0x1p-500, 0x1p-3, 0x1p500, 0x1p990 };
    systems s;

    (void)state;
    for (size_t t = 0; gr_tests[t]; t++) {
        make_far(&s, 25);
        const gradus_contrast plain = compare_two(NULL, s.a, s.b, 25, gr_test_names[t], "2");

        for (size_t k = 0; k < 5; k++) {
            make_far(&s, 25);
            for (size_t i = 0; i < 25; i++) {
                s.a[i] *= scales[k];
                s.b[i] *= scales[k];
            }
            const gradus_contrast c = compare_two(NULL, s.a, s.b, 25, gr_test_names[t], "2");
            CHECK_NEAR(c.p, plain.p, 1e-13 * plain.p);
            CHECK_NEAR(c.low / scales[k], plain.low, 1e-14);
            CHECK_NEAR(c.high / scales[k], plain.high, 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(test_catalogue_is_complete),
        one_thread_test(test_swapping_the_systems_mirrors_the_result),
        one_thread_test(test_one_sided_asks_whether_the_later_is_better),
        cmocka_unit_test(test_threads_do_not_change_the_result),
        one_thread_test(test_seed_changes_only_what_is_drawn),
        one_thread_test(test_p_is_uniform_under_the_null),
        one_thread_test(test_equal_systems_have_p_one),
        one_thread_test(test_constant_values_are_handled),
        one_thread_test(test_one_query_is_enough_only_where_signs_are_counted),
        one_thread_test(test_nan_leaves_a_query_out),
        one_thread_test(test_all_pairs_are_compared_and_corrected),
        one_thread_test(test_bad_values_are_refused),
        one_thread_test(test_bad_p_values_are_refused),
        one_thread_test(test_scale_of_the_values_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
