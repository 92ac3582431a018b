/* SPDX-License-Identifier: Apache-2.0 */
/* Significance tests against R 4.2.2, scipy 1.10.1 and brute force. The data are those of
 * sample_systems.h; every value is followed by the call that produced it. */
#include "checks.h"

#include "sample_systems.h"
#include "statistics/compare.h"

#define CHECK_TIGHT(found, wanted) CHECK_NEAR(found, wanted, 1e-10 * fabs(wanted))

static void test_paired_t_matches_r_and_scipy(void **state)
{
    systems s;
    gr_verdict v;

    (void)state;
    make_smooth(&s, 12);
    v = run_one(&gr_test_t, &s, false); /* t.test(b(12), a(12), paired=TRUE) */
    CHECK_TIGHT(v.statistic, 0.33468545845657866);
    CHECK_NEAR(v.df, 11.0, 0.0);
    CHECK_TIGHT(v.p, 0.74415723681645995); /* scipy.stats.ttest_rel(b(12), a(12)): ...646 */
    CHECK_TIGHT(v.low, -0.18825706694314714);
    CHECK_TIGHT(v.high, 0.2557777365358796);
    v = run_one(&gr_test_t, &s, true); /* alternative="greater" */
    CHECK_TIGHT(v.p, 0.37207861840822998);
    CHECK_TIGHT(v.low, -0.18825706694314714); /* the interval stays two-sided */
    make_smooth(&s, 300);
    CHECK_TIGHT(run_one(&gr_test_t, &s, false).p, 0.94519456440902072); /* n = 300 */
    CHECK_TIGHT(run_one(&gr_test_t, &s, true).p, 0.52740271779548964);
}

static void test_paired_t_keeps_its_digits_in_the_far_tail(void **state)
{
    systems s;
    gr_verdict v;

    (void)state;
    make_far(&s, 2000);
    v = run_one(&gr_test_t, &s, false); /* t.test(far(2000), a(2000), paired=TRUE) */
    CHECK_TIGHT(v.statistic, 37.874800566468735);
    CHECK_TIGHT(v.p, 4.3036274294270818e-237);
    CHECK_TIGHT(v.low, 0.23179094981199685);
    CHECK_TIGHT(v.high, 0.25710595740449799);
}

static void test_confidence_is_used(void **state)
{
    gr_test_settings settings = settings_of(false);
    systems s;
    gr_verdict v;

    (void)state;
    make_smooth(&s, 49);
    settings.confidence = 0.99;
    v = run_with(&gr_test_t, &s, &settings); /* t.test(..., paired=TRUE, conf.level=.99) */
    CHECK_TIGHT(v.low, -0.13239389186999423);
    CHECK_TIGHT(v.high, 0.13746416536062964);
    settings.confidence = 0.5;
    CHECK_NEAR(run_with(&gr_test_bootstrap, &s, &settings).high, 0.0361, 0.003);
}

static void test_welch_matches_r(void **state)
{
    systems s;
    gr_verdict v;

    (void)state;
    make_smooth(&s, 12);
    v = run_one(&gr_test_welch, &s, false); /* t.test(b(12), a(12)) */
    CHECK_TIGHT(v.statistic, 0.28552944015698623);
    CHECK_TIGHT(v.df, 21.99557908646014);
    CHECK_TIGHT(v.p, 0.77791011401533527);
    CHECK_TIGHT(v.low, -0.21145243545614031);
    CHECK_TIGHT(v.high, 0.27897310504887285);
    CHECK_TIGHT(run_one(&gr_test_welch, &s, true).p, 0.38895505700766764); /* "greater" */
    make_smooth(&s, 300);
    CHECK_TIGHT(run_one(&gr_test_welch, &s, true).p, 0.52762547846282992);
}

/* n values with the given mean and standard deviation (n even). */
static void fill_moments(double *values, size_t n, double mean, double deviation)
{
    const double step = deviation * sqrt(((double)n - 1.0) / (double)n);

    for (size_t i = 0; i < n; i++)
        values[i] = mean + (i % 2 ? step : -step);
}

/* Web-2 of McRank's table 1: classification 75.8 (23.8), regression 74.7 (24.4), 3,800 queries;
 * printed p = .023. scipy.stats.ttest_ind_from_stats(75.8, 23.8, 3800, 74.7, 24.4, 3800,
 * equal_var=False, alternative='greater') */
static void test_welch_gives_the_p_values_of_mcrank(void **state)
{
    systems s = { .count = 3800 };

    (void)state;
    fill_moments(s.a, 3800, 74.7, 24.4);
    fill_moments(s.b, 3800, 75.8, 23.8);
    CHECK_NEAR(run_one(&gr_test_welch, &s, true).statistic, 1.989384809290379, 1e-10);
    CHECK_NEAR(run_one(&gr_test_welch, &s, true).p, 0.023347280529549017, 1e-11);
}

/* Web-1, 10,000 queries: ordinal 72.4 (24.1) against regression 71.7 (24.4), printed .021, and
 * LambdaRank 71.2 (24.5), printed .0002. */
static void test_welch_gives_the_p_values_of_mcrank_through_compare(void **state)
{
    enum { N = 10000 };
    static double ordinal[N], regression[N], lambdarank[N];
    const double *values[] = { regression, lambdarank, ordinal };
    gradus_options *options;
    gradus_comparison *comparison;
    gradus_contrast c;

    (void)state;
    fill_moments(ordinal, N, 72.4, 24.1);
    fill_moments(regression, N, 71.7, 24.4);
    fill_moments(lambdarank, N, 71.2, 24.5);
    options = gr_options_new(&gr_operation_compare, NULL);
    assert_int_equal(gr_options_set(options, "test", "welch", NULL), GRADUS_OK);
    assert_int_equal(gr_options_set(options, "sided", "1", NULL), GRADUS_OK);
    comparison = gradus_compare(NULL, 3, N, values, options, NULL);
    assert_non_null(comparison);
    assert_true(gradus_comparison_at(comparison, 1, &c)); /* regression, ordinal */
    CHECK_NEAR(c.p, 0.02062729695380015, 1e-11);
    assert_true(gradus_comparison_at(comparison, 2, &c)); /* lambdarank, ordinal */
    CHECK_NEAR(c.p, 0.00024043596366306463, 1e-13);
    assert_false(gradus_comparison_at(comparison, 3, &c));
    gradus_comparison_free(comparison);
    gr_options_free(options);
}

static void test_wilcoxon_is_exact_below_50(void **state)
{
    systems s;
    gr_verdict v;

    (void)state;
    make_smooth(&s, 12);
    v = run_one(&gr_test_wilcoxon, &s, false); /* wilcox.test(b(12), a(12), paired=TRUE) */
    CHECK_NEAR(v.statistic, 45.0, 0.0);
    assert_true(isnan(v.df));
    CHECK_TIGHT(v.p, 0.67724609375000022);
    CHECK_TIGHT(v.low, -0.18825706694314714); /* the t interval */
    /* alternative="greater"; scipy.stats.wilcoxon(b, a, alternative='greater', mode='exact') */
    CHECK_TIGHT(run_one(&gr_test_wilcoxon, &s, true).p, 0.338623046875);
    make_smooth(&s, 49);
    v = run_one(&gr_test_wilcoxon, &s, false);
    CHECK_NEAR(v.statistic, 623.0, 0.0);
    CHECK_TIGHT(v.p, 0.92148147183250739);
    CHECK_TIGHT(run_one(&gr_test_wilcoxon, &s, true).p, 0.4607407359162537);
}

static void test_wilcoxon_is_corrected_normal_from_50(void **state)
{
    systems s;
    gr_verdict v;

    (void)state;
    make_smooth(&s, 50);
    v = run_one(&gr_test_wilcoxon, &s, false); /* wilcox.test(b(50), a(50), paired=TRUE) */
    CHECK_NEAR(v.statistic, 654.0, 0.0);
    /* also scipy.stats.wilcoxon(b(50), a(50), correction=True, mode='approx') */
    CHECK_TIGHT(v.p, 0.87725299371581522);
    CHECK_TIGHT(run_one(&gr_test_wilcoxon, &s, true).p, 0.43862649685790761);
    make_smooth(&s, 300);
    CHECK_TIGHT(run_one(&gr_test_wilcoxon, &s, false).p, 0.9102539372606312);
    CHECK_TIGHT(run_one(&gr_test_wilcoxon, &s, true).p, 0.54513663981730387);
    make_far(&s, 2000); /* wilcox.test(far(2000), a(2000), paired=TRUE) */
    CHECK_NEAR(run_one(&gr_test_wilcoxon, &s, false).statistic, 1739671.0, 0.0);
    CHECK_TIGHT(run_one(&gr_test_wilcoxon, &s, false).p, 4.0933378113124528e-180);
}

static void check_wilcoxon(const systems *s, double statistic, double two_sided, double one_sided)
{
    const gr_verdict v = run_one(&gr_test_wilcoxon, s, false);

    CHECK_NEAR(v.statistic, statistic, 0.0);
    CHECK_TIGHT(v.p, two_sided);
    CHECK_TIGHT(run_one(&gr_test_wilcoxon, s, true).p, one_sided);
}

static void test_wilcoxon_with_ties_and_zeros_matches_r(void **state)
{
    const double ties[] = { 0.25, -0.25, 0.5, 0.75, -0.5, 1.25, 1.5, 1.75 };
    const double zeros[] = { 0, 0.25, -0.5, 0.75, 1, 1.25, 1.5, -1.75, 0, 2 };
    systems s;

    (void)state;
    make_tied(&s, 10); /* wilcox.test(tb(10), ta(10), paired=TRUE): ties, 1 zero */
    check_wilcoxon(&s, 32.0, 0.28547383069858606, 0.14273691534929303);
    make_tied(&s, 30); /* 3 zeros */
    check_wilcoxon(&s, 219.0, 0.47730915121735479, 0.23865457560867739);
    make_tied(&s, 80); /* 6 zeros */
    check_wilcoxon(&s, 1702.0, 0.090089659090498486, 0.045044829545249243);
    make_from(&s, ties, 8); /* wilcox.test(ties, rep(0, 8), paired=TRUE) */
    check_wilcoxon(&s, 31.0, 0.079318163744054357, 0.039659081872027178);
    make_from(&s, zeros, 10); /* wilcox.test(zeros, rep(0, 10), paired=TRUE) */
    check_wilcoxon(&s, 27.0, 0.23395283347058959, 0.1169764167352948);
}

/* The signed-rank distribution by enumerating all signs of the ranks 1..n. */
static void test_exact_wilcoxon_matches_all_signs(void **state)
{
    const double differences[] = { 3, -1, 4, -7, 5, 9, 2, -6, 8 };
    size_t hits = 0;
    systems s;

    (void)state;
    make_from(&s, differences, 9); /* the ranks are the absolute values: V = 31 */
    for (unsigned signs = 0; signs < 512; signs++) {
        int sum = 0;

        for (int rank = 1; rank <= 9; rank++)
            sum += signs >> (rank - 1) & 1 ? rank : 0;
        hits += sum >= 31;
    }
    CHECK_NEAR(run_one(&gr_test_wilcoxon, &s, true).p, (double)hits / 512.0, 1e-15);
}

static double brute_force_flips(const systems *s, bool one_sided)
{
    double observed = 0.0;
    size_t hits = 0;

    for (size_t i = 0; i < s->count; i++)
        observed += s->b[i] - s->a[i];
    for (size_t signs = 0; signs < (size_t)1 << s->count; signs++) {
        double sum = 0.0;

        for (size_t i = 0; i < s->count; i++)
            sum += (signs >> i & 1 ? -1.0 : 1.0) * (s->b[i] - s->a[i]);
        hits += one_sided ? sum >= observed - 1e-9 : fabs(sum) >= fabs(observed) - 1e-9;
    }
    return (double)hits / (double)((size_t)1 << s->count);
}

static void test_randomization_enumerates_small_samples(void **state)
{
    const size_t counts[] = { 1, 2, 5, 11, 13, 16 };
    systems s;

    (void)state;
    for (size_t c = 0; c < 6; c++)
        for (int tied = 0; tied < 2; tied++) {
            if (tied)
                make_tied(&s, counts[c]);
            else
                make_far(&s, counts[c]);
            for (int sided = 0; sided < 2; sided++)
                CHECK_NEAR(run_one(&gr_test_randomization, &s, sided == 1).p,
                           brute_force_flips(&s, sided == 1), 0.0);
        }
}

/* Of 20 equal differences, nominally 0.1 each, only all plus and all minus reach the sum. */
static void test_randomization_is_not_decided_by_rounding(void **state)
{
    systems s = { .count = 20 };

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        s.a[i] = (double)(i % 7) / 10;
        s.b[i] = (double)(i % 7 + 1) / 10;
    }
    CHECK_NEAR(run_one(&gr_test_randomization, &s, true).p, 0x1p-20, 0.0);
    CHECK_NEAR(run_one(&gr_test_randomization, &s, false).p, 0x1p-19, 0.0);
    s.b[3] = s.a[3] - 0.1; /* one loss: 20 + 1 of 2^20 assignments have as many wins or more */
    CHECK_NEAR(run_one(&gr_test_randomization, &s, true).p, 21 * 0x1p-20, 0.0);
}

/* 21 differences are sampled, 20 are enumerated: with a tiny 21st both have the same sums. */
static void test_randomization_by_chance_is_near_the_exact_one(void **state)
{
    gr_test_settings settings = settings_of(false);
    systems s;
    double exact, drawn;

    (void)state;
    make_smooth(&s, 20);
    for (size_t i = 0; i < 20; i++)
        s.b[i] += 0.12;
    exact = run_with(&gr_test_randomization, &s, &settings).p;
    s.count = 21;
    s.a[20] = 0.0;
    s.b[20] = 1e-13;
    settings.resamples = 200000;
    drawn = run_with(&gr_test_randomization, &s, &settings).p;
    assert_true(exact > 0.01 && exact < 0.9);
    CHECK_NEAR(drawn, exact, 5 * sqrt(exact * (1 - exact) / 200000));
    assert_true(drawn != exact);
}

static void test_bootstrap_agrees_with_the_normal_theory(void **state)
{
    gr_test_settings settings = settings_of(false);
    systems s;
    gr_verdict b, t;

    (void)state;
    make_far(&s, 1000);
    for (size_t i = 0; i < 1000; i++)
        s.b[i] -= 0.225; /* leaves a small difference: p of a few per cent */
    settings.resamples = 20000;
    t = run_with(&gr_test_t, &s, &settings);
    b = run_with(&gr_test_bootstrap, &s, &settings);
    assert_true(t.p > 0.005 && t.p < 0.2);
    CHECK_NEAR(b.p, t.p, 0.008);
    CHECK_NEAR(b.low, t.low, 1e-3);
    CHECK_NEAR(b.high, t.high, 1e-3);
    settings.one_sided = true;
    CHECK_NEAR(run_with(&gr_test_bootstrap, &s, &settings).p, run_with(&gr_test_t, &s, &settings).p,
               0.005);
}

/* docs/guide/compare.md prints these. R: t.test(b, a, paired=TRUE), t.test(b, a) */
static void test_worked_example_of_the_documentation(void **state)
{
    const systems s = { { .42, .61, .35, .78, .50, .29, .66, .47, .55, .38 },
                        { .48, .60, .43, .81, .55, .38, .64, .54, .59, .48 },
                        10 };
    const gr_verdict t = run_one(&gr_test_t, &s, false);

    (void)state;
    CHECK_NEAR(t.statistic, 3.861741, 5e-7);
    CHECK_NEAR(t.p, 0.00383685, 5e-9);
    CHECK_NEAR(t.low, 0.0202964434, 5e-11);
    CHECK_NEAR(t.high, 0.0777035566, 5e-11);
    CHECK_NEAR(run_one(&gr_test_t, &s, true).p, 0.00191842485, 5e-12);
    CHECK_NEAR(run_one(&gr_test_welch, &s, false).p, 0.436126128, 5e-10);
    CHECK_NEAR(run_one(&gr_test_wilcoxon, &s, false).p, 10.0 / 1024, 1e-15);
    CHECK_NEAR(run_one(&gr_test_randomization, &s, true).p, 5.0 / 1024, 0.0);
    CHECK_NEAR(run_one(&gr_test_randomization, &s, false).p, 10.0 / 1024, 0.0);
}

static void test_holm_matches_r(void **state)
{
    const double p[] = { .01, .04, .03, .005, .5, .03 };
    const double wanted[] = { .05, .12, .12, .03, .5, .12 }; /* p.adjust(p, "holm") */
    const double gap[] = { .2, (double)NAN, .01, .7 };
    const double wanted_gap[] = { .4, (double)NAN, .03,
                                  .7 }; /* p.adjust(c(.2,NA,.01,.7), "holm") */
    double found[6];

    (void)state;
    assert_int_equal(gradus_adjust_p(p, 6, found, NULL), GRADUS_OK);
    for (size_t i = 0; i < 6; i++)
        CHECK_NEAR(found[i], wanted[i], 1e-15);
    assert_int_equal(gradus_adjust_p(gap, 4, found, NULL), GRADUS_OK);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(found[i], wanted_gap[i], 1e-15);
    assert_int_equal(gradus_adjust_p(NULL, 0, NULL, NULL), GRADUS_OK);
}

static void test_fisher_matches_scipy(void **state)
{
    const double p[] = { .01, .2, .3 }, tiny[] = { 1e-60, 1e-50, .3, 1e-55 }, zero[] = { .5, 0 };
    const double ones[] = { 1, 1 };
    double statistic, combined;

    (void)state;
    /* scipy.stats.combine_pvalues([.01, .2, .3], method='fisher') */
    assert_int_equal(gradus_combine_p(p, 3, &statistic, &combined, NULL), GRADUS_OK);
    CHECK_TIGHT(statistic, 14.837161805496255);
    CHECK_TIGHT(combined, 0.021561751324834632);
    /* scipy.stats.combine_pvalues([1e-60, 1e-50, .3, 1e-55], method='fisher') */
    assert_int_equal(gradus_combine_p(tiny, 4, &statistic, &combined, NULL), GRADUS_OK);
    CHECK_TIGHT(statistic, 762.2610262966869);
    CHECK_TIGHT(combined, 2.790063545817104e-159);
    assert_int_equal(gradus_combine_p(zero, 2, &statistic, &combined, NULL), GRADUS_OK);
    CHECK_NEAR(combined, 0.0, 0.0);
    assert_int_equal(gradus_combine_p(ones, 2, &statistic, &combined, NULL), GRADUS_OK);
    CHECK_NEAR(statistic, 0.0, 0.0);
    CHECK_NEAR(combined, 1.0, 0.0);
}

static bool stop_at(void *user, const char *what, double done)
{
    assert_string_equal(what, "fitting");
    assert_true(done == 0.0);
    return --*(int *)user > 0;
}

/* Resampling many queries takes minutes. A later comparison in the same context is not affected. */
static void test_resampling_can_be_cancelled(void **state)
{
    static const char *const names[] = { "randomization", "bootstrap" };
    double a[300], b[300];
    const double *const values[] = { a, b };
    gradus_context *context = gradus_context_new(1, NULL);
    gradus_error err;

    (void)state;
    for (size_t i = 0; i < 300; i++) {
        a[i] = sin((double)i);
        b[i] = sin(1.1 * (double)i);
    }
    for (size_t t = 0; t < 2; t++) {
        gradus_options *options = gradus_options_new("compare", NULL);
        int left = 3;

        assert_int_equal(gradus_options_set(options, "test", names[t], &err), GRADUS_OK);
        gradus_context_on_progress(context, stop_at, &left);
        assert_null(gradus_compare(context, 2, 300, values, options, &err));
        assert_int_equal(err.status, GRADUS_CANCELLED);
        gradus_context_on_progress(context, NULL, NULL);
        gradus_comparison *found = gradus_compare(context, 2, 300, values, options, &err);
        assert_non_null(found);
        gradus_comparison_free(found);
        gradus_options_free(options);
    }
    gradus_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paired_t_matches_r_and_scipy),
        cmocka_unit_test(test_paired_t_keeps_its_digits_in_the_far_tail),
        cmocka_unit_test(test_confidence_is_used),
        cmocka_unit_test(test_welch_matches_r),
        cmocka_unit_test(test_welch_gives_the_p_values_of_mcrank),
        cmocka_unit_test(test_welch_gives_the_p_values_of_mcrank_through_compare),
        cmocka_unit_test(test_wilcoxon_is_exact_below_50),
        cmocka_unit_test(test_wilcoxon_is_corrected_normal_from_50),
        cmocka_unit_test(test_wilcoxon_with_ties_and_zeros_matches_r),
        cmocka_unit_test(test_exact_wilcoxon_matches_all_signs),
        cmocka_unit_test(test_randomization_enumerates_small_samples),
        cmocka_unit_test(test_randomization_is_not_decided_by_rounding),
        cmocka_unit_test(test_randomization_by_chance_is_near_the_exact_one),
        cmocka_unit_test(test_bootstrap_agrees_with_the_normal_theory),
        cmocka_unit_test(test_worked_example_of_the_documentation),
        cmocka_unit_test(test_holm_matches_r),
        cmocka_unit_test(test_fisher_matches_scipy),
        cmocka_unit_test(test_resampling_can_be_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
