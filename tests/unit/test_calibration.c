/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations against closed forms, and properties that their fits must have. */
#include "checks.h"

#include "calibration/calibration.h"
#include "ensembles/ensemble_weights.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 200 };

static const double labels[3] = { 0.0, 1.0, 2.0 };

static gr_calibration_options usual(int method)
{
    return (gr_calibration_options){ .method = method,
                                     .entropy_power = 2.0,
                                     .smoothness = 0.01,
                                     .degree = 2,
                                     .hidden = 3,
                                     .points = 50,
                                     .seed = 1 };
}

static gr_calibration_task task_of(const gr_calibration_options *options, size_t inputs,
                                   const double *x, size_t levels, const uint8_t *level_of)
{
    return (gr_calibration_task){ .options = options,
                                  .rows = ROWS,
                                  .inputs = inputs,
                                  .x = x,
                                  .levels = levels,
                                  .level_labels = labels,
                                  .level_of = level_of };
}

static gr_calibration fitted(const gr_calibration_task *task, double *thresholds)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_calibration made;

    if (gr_calibration_fit(task, &made, thresholds, &err) != GRADUS_OK) {
        print_error("%s\n", err.message);
        fail();
    }
    return made;
}

/* The first four violate the order and are pooled to their mean 0.5; then 1. */
static void test_isotonic_by_hand(void **state)
{
    const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 1, 0, 1, 0, 1 };
    const double weights[] = { 1, 1, 1, 3, 1 };
    double at[10], value[10];

    (void)state;
    assert_int_equal(gr_isotonic(x, y, NULL, 5, at, value), 3);
    CHECK_NEAR(at[0], 1.0, 0.0);
    CHECK_NEAR(at[1], 4.0, 0.0);
    CHECK_NEAR(at[2], 5.0, 0.0);
    CHECK_NEAR(value[0], 0.5, 1e-15);
    CHECK_NEAR(value[1], 0.5, 1e-15);
    CHECK_NEAR(value[2], 1.0, 1e-15);
    gr_isotonic(x, y, weights, 5, at, value);
    CHECK_NEAR(value[0], 2.0 / 6.0, 1e-15);
}

/* A score with two values: the logistic curve passes through both means of Platt's targets. */
static void test_platt_of_two_values(void **state)
{
    gr_calibration_options options = usual(GR_CALIBRATION_IS_platt);
    double x[ROWS], p[2], high = 0.0, low = 0.0, positive = 0.0;
    uint8_t level_of[ROWS];

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        x[r] = r % 2 ? 3.0 : 1.0;
        level_of[r] = r % 2 ? r % 10 != 1 : r % 10 == 0;
        positive += level_of[r];
    }
    for (size_t r = 0; r < ROWS; r++)
        *(r % 2 ? &high : &low) +=
            (level_of[r] ? (positive + 1.0) / (positive + 2.0) : 1.0 / (ROWS - positive + 2.0)) /
            (ROWS / 2);
    const gr_calibration_task task = task_of(&options, 1, x, 2, level_of);
    gr_calibration made = fitted(&task, NULL);

    assert_int_equal(made.outputs, 1);
    gr_calibration_apply(&made, x, 2, p);
    CHECK_NEAR(p[0], low, 1e-9);
    CHECK_NEAR(p[1], high, 1e-9);
    gr_calibration_free(&made);
}

/* All rows have (0.8, 0.2), six of ten are of the first grade: 0.8^b / (0.8^b + 0.2^b) = 0.6. */
static void test_temperature_by_hand(void **state)
{
    gr_calibration_options options = usual(GR_CALIBRATION_IS_temperature);
    double x[2 * 10], p[2 * 10];
    uint8_t level_of[10];

    (void)state;
    for (size_t r = 0; r < 10; r++) {
        x[r] = 0.8;
        x[10 + r] = 0.2;
        level_of[r] = r >= 6;
    }
    const gr_calibration_task task = { .options = &options,
                                       .rows = 10,
                                       .inputs = 2,
                                       .x = x,
                                       .levels = 2,
                                       .level_labels = labels,
                                       .level_of = level_of };
    gr_calibration made = fitted(&task, NULL);

    CHECK_NEAR(made.numbers[0], log(4.0) / log(1.5), 1e-5);
    gr_calibration_apply(&made, x, 10, p);
    CHECK_NEAR(p[0], 0.6, 1e-6);
    CHECK_NEAR(p[10], 0.4, 1e-6);
    gr_calibration_free(&made);
}

/* Outputs that separate three grades, with noise of a fixed pattern. */
static void make_rows(double *x, uint8_t *level_of)
{
    for (size_t r = 0; r < ROWS; r++) {
        const size_t level = r % 5 == 0 ? 2 : r % 3 == 0;

        level_of[r] = (uint8_t)level;
        for (size_t k = 0; k < 3; k++)
            x[k * ROWS + r] =
                (k == level ? 0.3 : -0.2) + 0.45 * sin((double)(r * (3 * k + 1)) + (double)k);
    }
}

static void to_probabilities(double *x)
{
    for (size_t r = 0; r < ROWS; r++) {
        double sum = 0.0;

        for (size_t k = 0; k < 3; k++)
            sum += x[k * ROWS + r] = exp(2.0 * x[k * ROWS + r]);
        for (size_t k = 0; k < 3; k++)
            x[k * ROWS + r] /= sum;
    }
}

/* The gradient of the log-likelihood is 0 at the fit, except for a coefficient that was left out.
 */
static void test_beta_is_where_slopes_vanish(void **state)
{
    gr_calibration_options options = usual(GR_CALIBRATION_IS_beta);
    double x[3 * ROWS], p[3 * ROWS];
    uint8_t level_of[ROWS];

    (void)state;
    make_rows(x, level_of);
    to_probabilities(x);
    const gr_calibration_task task = task_of(&options, 3, x, 3, level_of);
    gr_calibration made = fitted(&task, NULL);

    gr_calibration_apply(&made, x, ROWS, p);
    for (size_t k = 0; k < 3; k++) {
        double slopes[3] = { 0.0, 0.0, 0.0 };

        for (size_t r = 0; r < ROWS; r++) {
            const double error = p[k * ROWS + r] - (level_of[r] == k);

            slopes[0] += error * log(x[k * ROWS + r]);
            slopes[1] -= error * log(1.0 - x[k * ROWS + r]);
            slopes[2] += error;
        }
        for (size_t i = 0; i < 3; i++)
            if (i == 2 || made.numbers[3 * k + i] > 0.0)
                CHECK_NEAR(slopes[i], 0.0, 1e-5);
            else
                assert_true(slopes[i] > -1e-5);
    }
    gr_calibration_free(&made);
}

/* No point of a fine grid is better than the optimum found from several starts. */
static void test_sigmoids_are_the_best_of_a_grid(void **state)
{
    const uint64_t starts[] = { 0, 60, 130, ROWS };
    double x[3 * ROWS];
    uint8_t level_of[ROWS];

    (void)state;
    make_rows(x, level_of);
    for (int method = GR_CALIBRATION_IS_ls; method <= GR_CALIBRATION_IS_sn; method++) {
        gr_calibration_options options = usual(method);
        const gr_calibration_task task = { .options = &options,
                                           .rows = method == GR_CALIBRATION_IS_sn ? 60 : ROWS,
                                           .inputs = 3,
                                           .x = x,
                                           .levels = 3,
                                           .level_labels = labels,
                                           .level_of = level_of,
                                           .queries = method == GR_CALIBRATION_IS_sn ? 1 : 3,
                                           .query_starts = starts };
        gr_calibration made = fitted(&task, NULL);
        const double best[2] = { log(made.numbers[0]), made.numbers[1] };
        const double value = gr_target_value(&task, best);
        const int step = method == GR_CALIBRATION_IS_sn ? 4 : 1;

        for (int i = -8; i <= 12; i += step)
            for (int j = -12; j <= 12; j += step) {
                const double other[2] = { 0.25 * i, 0.1 * j };

                if (!(value <= gr_target_value(&task, other) + 1e-6 * (1.0 + fabs(value)))) {
                    print_error("%s: %.9g at (%g, %g), but %.9g at (%g, %g)\n",
                                gr_calibration_names[method], value, best[0], best[1],
                                gr_target_value(&task, other), other[0], other[1]);
                    fail();
                }
            }
        gr_calibration_free(&made);
    }
}

/* The gain of grades 0, 1, 2 is (g^2 + g) / 2. */
static void test_a_polynomial_finds_the_gain(void **state)
{
    gr_calibration_options options = usual(GR_CALIBRATION_IS_polynomial);
    double x[ROWS], y[ROWS];
    uint8_t level_of[ROWS];

    (void)state;
    for (size_t r = 0; r < ROWS; r++)
        x[r] = level_of[r] = (uint8_t)(r % 3);
    const gr_calibration_task task = task_of(&options, 1, x, 3, level_of);
    gr_calibration made = fitted(&task, NULL);

    gr_calibration_apply(&made, x, 3, y);
    CHECK_NEAR(y[0], 0.0, 1e-4);
    CHECK_NEAR(y[1], 1.0, 1e-4);
    CHECK_NEAR(y[2], 3.0, 1e-4);
    gr_calibration_free(&made);
    assert_int_equal(gr_polynomial_terms(3, 5), 56);
    double terms[56], z[3] = { 2.0, 3.0, 5.0 }, sum = 0.0;

    gr_polynomial_row(z, 3, 5, terms);
    for (size_t i = 0; i < 56; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(terms[i] != terms[j]); /* products of primes: all terms differ */
    for (size_t i = 0; i < 56; i++)
        sum += terms[i];
    assert_true(sum > 0.0);
}

/* Two grades and two values: the odds match the observed fractions. */
static void test_ordinal_of_two_values(void **state)
{
    gr_calibration_options options = usual(GR_CALIBRATION_IS_ordinal);
    double x[ROWS], f[2], threshold[1], high = 0.0, low = 0.0;
    uint8_t level_of[ROWS];

    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        x[r] = (double)(r % 2);
        level_of[r] = r % 2 ? r % 10 != 1 : r % 10 == 0;
        *(r % 2 ? &high : &low) += 2.0 * (double)level_of[r] / ROWS;
    }
    const gr_calibration_task task = task_of(&options, 1, x, 2, level_of);
    gr_calibration made = fitted(&task, threshold);

    gr_calibration_apply(&made, x, 2, f);
    CHECK_NEAR(1.0 / (1.0 + exp(threshold[0] - f[0])), low, 1e-3);
    CHECK_NEAR(1.0 / (1.0 + exp(threshold[0] - f[1])), high, 1e-3);
    gr_calibration_free(&made);
}

/* Every calibration fits constant outputs, two grades, and data that lack a grade, and stays
 * finite. */
static void test_poor_data_are_calibrated(void **state)
{
    const uint64_t starts[] = { 0, 20 };
    double x[2 * 20], out[20 * 2], thresholds[2];
    uint8_t level_of[20];

    (void)state;
    for (int constant = 0; constant < 2; constant++)
        for (int method = 0; method < GR_CALIBRATIONS; method++) {
            gr_calibration_options options = usual(method);
            const gr_calibration_task task = { .options = &options,
                                               .rows = 20,
                                               .inputs = 2,
                                               .x = x,
                                               .levels = 2,
                                               .level_labels = labels,
                                               .level_of = level_of,
                                               .queries = 1,
                                               .query_starts = starts };

            for (size_t r = 0; r < 20; r++) {
                x[r] = constant ? 0.5 : 0.3 + 0.02 * (double)r;
                x[20 + r] = 1.0 - x[r];
                level_of[r] = constant ? 0 : r % 3 == 0;
            }
            gr_calibration made = fitted(&task, thresholds);

            gr_calibration_apply(&made, x, 20, out);
            for (size_t i = 0; i < 20 * made.outputs; i++)
                assert_true(isfinite(out[i]));
            gr_calibration_free(&made);
        }
}

static void test_damaged_calibrations_are_refused(void **state)
{
    double numbers[] = { 2.0, 0.1, 0.2, 0.3, 0.4 };
    gr_calibration c = { .method = GR_CALIBRATION_IS_isotonic,
                         .inputs = 1,
                         .outputs = 1,
                         .count = 5,
                         .numbers = numbers };

    (void)state;
    assert_int_equal(gr_calibration_check(&c, NULL), GRADUS_OK);
    numbers[0] = 3.0;
    assert_int_equal(gr_calibration_check(&c, NULL), GRADUS_BAD_FORMAT);
    numbers[0] = 1e300;
    assert_int_equal(gr_calibration_check(&c, NULL), GRADUS_BAD_FORMAT);
    numbers[0] = 2.0;
    numbers[2] = 0.05; /* not ascending */
    assert_int_equal(gr_calibration_check(&c, NULL), GRADUS_BAD_FORMAT);
    numbers[2] = NAN;
    assert_int_equal(gr_calibration_check(&c, NULL), GRADUS_BAD_FORMAT);
    numbers[2] = 0.2;
    c.method = GR_CALIBRATION_IS_network;
    assert_int_equal(gr_calibration_check(&c, NULL), GRADUS_BAD_FORMAT);
    c.method = GR_CALIBRATIONS;
    assert_int_equal(gr_calibration_check(&c, NULL), GRADUS_BAD_FORMAT);
}

static void test_weights_of_members(void **state)
{
    const double values[] = { 0.4, 0.5, 0.5 };
    const double columns[] = { 0, 1, 0, 1, 0, 0, 1, 1 }, y[] = { 1, 3, 0, 2 };
    double weights[3];

    (void)state;
    gr_exponential_weights(values, 3, 0.0, weights);
    CHECK_NEAR(weights[0], 1.0 / 3.0, 1e-15);
    gr_exponential_weights(values, 3, 1e308, weights);
    CHECK_NEAR(weights[0], 0.0, 0.0);
    CHECK_NEAR(weights[1], 0.5, 0.0);
    gr_exponential_weights(values, 2, 10.0, weights);
    CHECK_NEAR(weights[1], 1.0 / (1.0 + exp(-1.0)), 1e-15);
    /* y = 1 + 2 a - b */
    assert_int_equal(gr_stacking_weights(columns, 2, y, 4, false, weights, NULL), GRADUS_OK);
    CHECK_NEAR(weights[0], 2.0, 1e-5);
    CHECK_NEAR(weights[1], -1.0, 1e-5);
    assert_int_equal(gr_stacking_weights(columns, 2, y, 4, true, weights, NULL), GRADUS_OK);
    CHECK_NEAR(weights[0], 2.0, 1e-5);
    CHECK_NEAR(weights[1], 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isotonic_by_hand),
        cmocka_unit_test(test_platt_of_two_values),
        cmocka_unit_test(test_temperature_by_hand),
        cmocka_unit_test(test_beta_is_where_slopes_vanish),
        cmocka_unit_test(test_sigmoids_are_the_best_of_a_grid),
        cmocka_unit_test(test_a_polynomial_finds_the_gain),
        cmocka_unit_test(test_ordinal_of_two_values),
        cmocka_unit_test(test_poor_data_are_calibrated),
        cmocka_unit_test(test_damaged_calibrations_are_refused),
        cmocka_unit_test(test_weights_of_members),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
