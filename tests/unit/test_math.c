/* SPDX-License-Identifier: Apache-2.0 */
/* exp, log and quantiles: within one ulp of the C library's, whose own error is below one ulp, and
 * scipy's values. */
#include "checks.h"

#include "base/cholesky.h"
#include "base/math.h"
#include "base/rng.h"

#include <float.h>
#include <string.h>

/* Distance in ulps of the expected number; the reference is long double. */
static double ulps(double found, long double wanted)
{
    const double rounded = (double)wanted;
    int power;

    if (found == rounded || (isnan(found) && isnan(rounded)))
        return 0.0;
    if (!isfinite(found) || !isfinite(rounded))
        return 1e9;
    frexp(rounded, &power);
    const double unit = fmax(ldexp(1.0, power - 53), DBL_TRUE_MIN);
    return (double)(fabsl((long double)found - wanted) / (long double)unit);
}

typedef double (*function)(double);
typedef long double (*judge)(long double);

static void check_range(function f, judge j, double low, double high, const char *name)
{
    gr_rng rng = gr_rng_for(8, name, 0);
    double worst = 0.0, at = 0.0;

    for (int i = 0; i < 100000; i++) {
        const double x = low + (high - low) * gr_rng_uniform(&rng);
        const double distance = ulps(f(x), j((long double)x));

        if (distance > worst) {
            worst = distance;
            at = x;
        }
    }
    if (worst > 1.0) {
        print_error("%s(%a) is %g units from the true value\n", name, at, worst);
        fail();
    }
}

/* Numbers of every magnitude: the exponent is uniform. */
static void check_sizes(function f, judge j, const char *name)
{
    gr_rng rng = gr_rng_for(9, name, 0);

    for (int i = 0; i < 100000; i++) {
        const int power = (int)gr_rng_below(&rng, 2097) - 1074;
        const double x = ldexp(1.0 + gr_rng_uniform(&rng), power);

        if (isfinite(x) && ulps(f(x), j((long double)x)) > 1.0) {
            print_error("%s(%a) is %a\n", name, x, f(x));
            fail();
        }
    }
}

static void test_exp_is_within_one_unit(void **state)
{
    (void)state;
    check_range(gr_exp, expl, -1.0, 1.0, "exp");
    check_range(gr_exp, expl, -40.0, 40.0, "exp");
    check_range(gr_exp, expl, -708.0, 709.78, "exp");
    check_range(gr_exp, expl, -745.13, -708.0, "exp"); /* subnormal results */
    check_range(gr_exp, expl, -1e-9, 1e-9, "exp");
    check_range(gr_exp, expl, 0.34, 0.36, "exp"); /* around ln(2) / 2 */
}

static void test_log_is_within_one_unit(void **state)
{
    (void)state;
    check_range(gr_log, logl, 0.0, 2.0, "log");
    check_range(gr_log, logl, 0.99, 1.01, "log");
    check_range(gr_log, logl, 0.70, 0.72, "log"); /* around sqrt(1/2) */
    check_range(gr_log, logl, 1.0, 1e6, "log");
    check_sizes(gr_log, logl, "log");
}

static void test_log2_is_within_one_unit(void **state)
{
    (void)state;
    check_range(gr_log2, log2l, 0.0, 2.0, "log2");
    check_range(gr_log2, log2l, 0.99, 1.01, "log2");
    check_range(gr_log2, log2l, 0.70, 0.72, "log2");
    check_range(gr_log2, log2l, 1.0, 1e6, "log2");
    check_sizes(gr_log2, log2l, "log2");
}

static void test_log2_of_powers_is_exact(void **state)
{
    (void)state;
    for (int power = -1074; power < 1024; power++)
        CHECK_NEAR(gr_log2(ldexp(1.0, power)), power, 0.0);
}

static void test_edges_are_those_of_the_c_library(void **state)
{
    const double infinite = (double)INFINITY;
    const double edges[] = { 0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             infinite,
                             -infinite,
                             (double)NAN,
                             DBL_MIN,
                             DBL_TRUE_MIN,
                             DBL_MAX,
                             709.782712893384,
                             709.7827128933841,
                             710.0,
                             -745.1332191019411,
                             -745.1332191019412,
                             -745.1332191019413,
                             -746.0,
                             1e-320,
                             -1e-320,
                             1e308,
                             -1e308 };

    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        assert_true(ulps(gr_exp(edges[i]), expl((long double)edges[i])) <= 1.0);
        assert_true(ulps(gr_log(edges[i]), (long double)log(edges[i])) <= 1.0);
        assert_true(ulps(gr_log2(edges[i]), (long double)log2(edges[i])) <= 1.0);
    }
    CHECK_NEAR(gr_exp(0.0), 1.0, 0.0);
    CHECK_NEAR(gr_log(1.0), 0.0, 0.0);
    assert_true(gr_exp(709.782712893384) < infinite);
    assert_true(gr_exp(709.7827128933841) == infinite);
}

/* scipy.special.ndtri(p), scipy 1.10.1 */
static void test_normal_quantile_matches_scipy(void **state)
{
    static const double values[][2] = {
        { 1e-300, -37.0470962993612 },        { 1e-100, -21.273453560965322 },
        { 1e-20, -9.262340089798409 },        { 1e-09, -5.9978070150076865 },
        { 0.001, -3.090232306167813 },        { 0.0749, -1.4402382675279635 },
        { 0.0751, -1.4388253927525403 },      { 0.025, -1.9599639845400545 },
        { 0.25, -0.6744897501960817 },        { 0.4, -0.2533471031357997 },
        { 0.49999, -2.5066282748960008e-05 }, { 0.6, 0.2533471031357997 },
        { 0.75, 0.6744897501960817 },         { 0.925, 1.4395314709384563 },
        { 0.9251, 1.4402382675279635 },       { 0.975, 1.959963984540054 },
        { 0.999, 3.090232306167813 },         { 0.9999999, 5.199337582290661 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        CHECK_NEAR(gr_normal_quantile(values[i][0]), values[i][1], 4e-15 * fabs(values[i][1]));
    CHECK_NEAR(gr_normal_quantile(0.5), 0.0, 0.0);
    CHECK_NEAR(gr_normal_quantile(0.0), -(double)INFINITY, 0.0);
    CHECK_NEAR(gr_normal_quantile(1.0), (double)INFINITY, 0.0);
    assert_true(isnan(gr_normal_quantile(-0.1)));
    assert_true(isnan(gr_normal_quantile(1.1)));
    assert_true(isnan(gr_normal_quantile((double)NAN)));
}

/* [4 2; 2 5] = L L' with L = [2 0; 1 2]; it maps (1, 2) to (8, 12). */
static void test_cholesky_solves_and_rejects(void **state)
{
    double a[] = { 4.0, 99.0, 2.0, 5.0 }, x[] = { 8.0, 12.0 };
    double nearly_singular[] = { 1.0, 99.0, 1.0, 1.0 + 1e-9 }, copy[4];

    (void)state;
    assert_true(gr_cholesky_factor(a, 2, 0.0, NULL));
    assert_true(a[0] == 2.0 && a[1] == 99.0 && a[2] == 1.0 && a[3] == 2.0);
    gr_cholesky_solve(a, 2, x);
    assert_true(x[0] == 1.0 && x[1] == 2.0);
    memcpy(copy, nearly_singular, sizeof copy);
    assert_true(gr_cholesky_factor(copy, 2, 1e-14, NULL));
    assert_false(gr_cholesky_factor(nearly_singular, 2, 1e-8, NULL));
    assert_false(gr_cholesky_factor((double[]){ 1.0, 0.0, 2.0, 1.0 }, 2, 0.0, NULL));
    assert_false(gr_cholesky_factor((double[]){ INFINITY }, 1, 0.0, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky_solves_and_rejects),
        cmocka_unit_test(test_exp_is_within_one_unit),
        cmocka_unit_test(test_log_is_within_one_unit),
        cmocka_unit_test(test_log2_is_within_one_unit),
        cmocka_unit_test(test_log2_of_powers_is_exact),
        cmocka_unit_test(test_edges_are_those_of_the_c_library),
        cmocka_unit_test(test_normal_quantile_matches_scipy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
