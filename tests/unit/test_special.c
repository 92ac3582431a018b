/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution functions against scipy 1.10.1 (st: scipy.stats, sc: scipy.special), R 4.2.2 and, in
 * the far tails, mpmath 1.2.1 with 40 digits. */
#include "checks.h"

#include "base/special.h"

#define CHECK_RELATIVE(found, wanted) CHECK_NEAR(found, wanted, 1e-12 * fabs(wanted))

static void test_functions_match_scipy(void **state)
{
    (void)state;
    CHECK_RELATIVE(gr_log_gamma(0.3), 1.0957979948180756);              /* sc.gammaln(0.3) */
    CHECK_RELATIVE(gr_log_gamma(7.25), 7.0521854507385395);             /* sc.gammaln(7.25) */
    CHECK_RELATIVE(gr_log_gamma(1234.5), 7550.550901077894);            /* sc.gammaln(1234.5) */
    CHECK_RELATIVE(gr_log_gamma(1e-8), 18.42068073818021);              /* sc.gammaln(1e-8) */
    CHECK_RELATIVE(gr_gamma_lower(2.5, 1.7), 0.36143007689620493);      /* sc.gammainc(2.5, 1.7) */
    CHECK_RELATIVE(gr_gamma_lower(40.0, 3.0), 8.003095092522039e-31);   /* sc.gammainc(40, 3) */
    CHECK_RELATIVE(gr_gamma_lower(0.5, 6.25), 0.999593047982555);       /* sc.gammainc(0.5, 6.25) */
    CHECK_RELATIVE(gr_gamma_upper(2.5, 1.7), 0.6385699231037951);       /* sc.gammaincc(2.5, 1.7) */
    CHECK_RELATIVE(gr_gamma_upper(0.5, 300.0), 1.674167984691805e-132); /* sc.gammaincc(0.5, 300) */
    CHECK_RELATIVE(gr_gamma_upper(1000.0, 1100.0),
                   0.0010593232539299773); /* sc.gammaincc(1000, 1100) */
    CHECK_RELATIVE(gr_gamma_upper(12.0, 600.0), 2.453811101931067e-238); /* sc.gammaincc(12, 600) */
    CHECK_RELATIVE(gr_beta_lower(2.5, 0.5, 0.25, 0.75),
                   0.011724811003954639); /* sc.betainc(2.5, 0.5, 0.25) */
    CHECK_RELATIVE(gr_beta_lower(3.0, 7.0, 0.875, 0.125),
                   0.9999863803386688); /* sc.betainc(3, 7, 0.875) */
    CHECK_RELATIVE(gr_beta_lower(50.0, 50.0, 0.375, 0.625),
                   0.005636273416674536); /* sc.betainc(50, 50, 0.375) */
    CHECK_RELATIVE(gr_beta_upper(3.0, 7.0, 0.875, 0.125),
                   1.3619661331176756e-05);                           /* sc.betainc(7, 3, 0.125) */
    CHECK_RELATIVE(gr_normal_lower(0.3), 0.6179114221889526);         /* st.norm.cdf(0.3) */
    CHECK_RELATIVE(gr_normal_upper(1.96), 0.024997895148220435);      /* st.norm.sf(1.96) */
    CHECK_RELATIVE(gr_normal_upper(-2.5), 0.9937903346742238);        /* st.norm.sf(-2.5) */
    CHECK_RELATIVE(gr_normal_upper(10.0), 7.61985302416047e-24);      /* st.norm.sf(10) */
    CHECK_RELATIVE(gr_normal_upper(27.0), 7.389481006884598e-161);    /* st.norm.sf(27) */
    CHECK_RELATIVE(gr_student_lower(-1.3, 4.0), 0.13172579823561206); /* st.t.cdf(-1.3, 4) */
    CHECK_RELATIVE(gr_student_upper(2.262, 9.0), 0.025006422751227275);    /* st.t.sf(2.262, 9) */
    CHECK_RELATIVE(gr_student_upper(-0.7, 3.5), 0.7361829288271604);       /* st.t.sf(-0.7, 3.5) */
    CHECK_RELATIVE(gr_student_upper(12.5, 30.0), 9.992481746983182e-14);   /* st.t.sf(12.5, 30) */
    CHECK_RELATIVE(gr_student_upper(28.0, 9999.0), 1.86546877645374e-166); /* st.t.sf(28, 9999) */
    CHECK_RELATIVE(gr_student_upper(30.0, 500.0), 3.607144444214145e-114); /* st.t.sf(30, 500) */
    CHECK_RELATIVE(gr_chi_square_upper(3.84, 1.0), 0.05004352124870519);   /* st.chi2.sf(3.84, 1) */
    CHECK_RELATIVE(gr_chi_square_upper(25.0, 10.0), 0.005345505487134069); /* st.chi2.sf(25, 10) */
    CHECK_RELATIVE(gr_chi_square_upper(800.0, 10.0),
                   2.0634300270772527e-165); /* st.chi2.sf(800, 10) */
}

/* T = lambda t, n: betainc(mpf(n)/2, mpf(1)/2, 0, n/(n + mpf(t)**2), regularized=True) / 2 */
static void test_far_tails_match_mpmath(void **state)
{
    (void)state;
    CHECK_RELATIVE(gr_student_upper(28.0, 9999.0), 1.8654687764538134533e-166); /* T(28, 9999) */
    CHECK_RELATIVE(gr_student_upper(30.0, 500.0), 3.6071444442140094691e-114);  /* T(30, 500) */
    CHECK_RELATIVE(gr_student_upper(700.0, 60.0), 2.2238758310614779892e-119);  /* T(700, 60) */
    CHECK_RELATIVE(gr_student_upper(2.53125, 1e5), 0.0056835998916274349945); /* T(2.53125, 1e5) */
    CHECK_RELATIVE(gr_student_upper(4.5, 1e6), 3.3980552524769492853e-6);     /* T(4.5, 1e6) */
    /* betainc(50000, 0.5, 0, 0.9921875, regularized=True) */
    CHECK_RELATIVE(gr_beta_lower(5e4, 0.5, 0.9921875, 0.0078125), 1.3885437316414297499e-172);
    CHECK_RELATIVE(gr_normal_upper(27.0), 7.3894810068850182575e-161); /* erfc(27/sqrt(2))/2 */
    CHECK_RELATIVE(gr_normal_upper(36.0), 4.1826240657972833317e-284); /* erfc(36/sqrt(2))/2 */
    /* gammainc(12, 600, regularized=True), gammainc(5, 400, regularized=True) */
    CHECK_RELATIVE(gr_gamma_upper(12.0, 600.0), 2.4538111019311925365e-238);
    CHECK_RELATIVE(gr_chi_square_upper(800.0, 10.0), 2.0634300270773008715e-165);
}

/* scipy 1.10.1's t.ppf is accurate to 1e-9 only, so these are R's: qt(p, n) */
static void test_student_quantile_matches_r(void **state)
{
    (void)state;
    CHECK_RELATIVE(gr_student_quantile(0.975, 9.0), 2.2621571627982049);
    CHECK_RELATIVE(gr_student_quantile(0.005, 2.5), -7.1637281389488061);
    CHECK_RELATIVE(gr_student_quantile(0.6, 120.0), 0.25390952321492849);
    CHECK_RELATIVE(gr_student_quantile(1e-12, 30.0), -11.397217523311411);
    CHECK_RELATIVE(gr_student_quantile(0.95, 1.0), 6.3137515146750376);
    CHECK_RELATIVE(gr_student_quantile(0.999, 4999.0), 3.0918634463467045);
}

static void test_quantile_undoes_the_distribution(void **state)
{
    const double levels[] = { 1e-40, 1e-9, 0.0013, 0.2, 0.49, 0.5, 0.77, 0.995 };
    const double freedoms[] = { 1.0, 1.5, 4.0, 33.0, 1000.0, 250000.0 };

    (void)state;
    for (size_t f = 0; f < sizeof freedoms / sizeof *freedoms; f++)
        for (size_t p = 0; p < sizeof levels / sizeof *levels; p++) {
            const double t = gr_student_quantile(levels[p], freedoms[f]);
            CHECK_RELATIVE(gr_student_lower(t, freedoms[f]), levels[p]);
        }
}

/* Different expansions are used on either side of a boundary; their halves must match. */
static void test_tails_add_up_to_one(void **state)
{
    (void)state;
    for (double a = 0.05; a < 3000.0; a *= 1.7)
        for (double share = 0.1; share < 3.0; share += 0.13) {
            const double x = a * share;

            CHECK_NEAR(gr_gamma_lower(a, x) + gr_gamma_upper(a, x), 1.0, 1e-13);
            for (double b = 0.05; b < 3000.0; b *= 2.3) {
                const double at = share / 3.0;
                CHECK_NEAR(gr_beta_lower(a, b, at, 1.0 - at) + gr_beta_upper(a, b, at, 1.0 - at),
                           1.0, 1e-12);
            }
        }
}

static void test_edges_are_as_documented(void **state)
{
    const double infinite = (double)INFINITY;

    (void)state;
    CHECK_NEAR(gr_gamma_lower(2.0, 0.0), 0.0, 0.0);
    CHECK_NEAR(gr_gamma_upper(2.0, 0.0), 1.0, 0.0);
    CHECK_NEAR(gr_gamma_lower(2.0, infinite), 1.0, 0.0);
    CHECK_NEAR(gr_gamma_upper(2.0, infinite), 0.0, 0.0);
    CHECK_NEAR(gr_beta_lower(2.0, 3.0, 0.0, 1.0), 0.0, 0.0);
    CHECK_NEAR(gr_beta_lower(2.0, 3.0, 1.0, 0.0), 1.0, 0.0);
    CHECK_NEAR(gr_student_upper(infinite, 4.0), 0.0, 0.0);
    CHECK_NEAR(gr_student_upper(-infinite, 4.0), 1.0, 0.0);
    CHECK_NEAR(gr_student_upper(0.0, 4.0), 0.5, 0.0);
    CHECK_NEAR(gr_student_upper(2.0, infinite), gr_normal_upper(2.0), 0.0);
    CHECK_NEAR(gr_normal_upper(infinite), 0.0, 0.0);
    CHECK_NEAR(gr_normal_lower(infinite), 1.0, 0.0);
    CHECK_NEAR(gr_student_quantile(0.5, 3.0), 0.0, 0.0);
    CHECK_NEAR(gr_student_quantile(0.0, 3.0), -infinite, 0.0);
    CHECK_NEAR(gr_student_quantile(1.0, 3.0), infinite, 0.0);
    assert_true(isnan(gr_student_quantile(-0.1, 3.0)));
    assert_true(isnan(gr_student_quantile((double)NAN, 3.0)));
    assert_true(isnan(gr_student_upper((double)NAN, 3.0)));
    assert_true(isnan(gr_gamma_upper(2.0, (double)NAN)));
    assert_true(isnan(gr_beta_lower(2.0, 1.0, (double)NAN, (double)NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_match_scipy),
        cmocka_unit_test(test_far_tails_match_mpmath),
        cmocka_unit_test(test_student_quantile_matches_r),
        cmocka_unit_test(test_quantile_undoes_the_distribution),
        cmocka_unit_test(test_tails_add_up_to_one),
        cmocka_unit_test(test_edges_are_as_documented),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
