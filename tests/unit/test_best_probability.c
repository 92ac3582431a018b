/* SPDX-License-Identifier: Apache-2.0 */
/* The probability of being the best method: cases worked by hand, all resamples of three queries
 * enumerated, missing values, and the methods that cannot be told apart. */
#include "checks.h"

#include "experiments/best_probability.h"

static void find(size_t threads, const gr_best_task *task, double *probability, size_t wanted)
{
    gradus_error err = { GRADUS_OK, "" };
    gradus_context *context = threads ? gradus_context_new(threads, &err) : NULL;
    size_t counted = 99;

    assert_int_equal(gr_best_probability(context, task, probability, &counted, &err), GRADUS_OK);
    assert_int_equal(counted, wanted);
    gradus_context_free(context);
}

static void test_always_better(void **state)
{
    const double good[] = { 0.5, 0.9, 0.3, 1.0 }, bad[] = { 0.4, 0.8, 0.2, 0.9 };
    const double *const values[] = { bad, good };
    gr_best_task task = { .methods = 2, .queries = 4, .values = values, .seed = 1 };
    double probability[2];

    (void)state;
    find(1, &task, probability, 4);
    CHECK_NEAR(probability[0], 0.0, 0.0);
    CHECK_NEAR(probability[1], 1.0, 0.0);
    task.lower_is_better = true;
    find(1, &task, probability, 4);
    CHECK_NEAR(probability[0], 1.0, 0.0);
    CHECK_NEAR(probability[1], 0.0, 0.0);
}

static void test_identical(void **state)
{
    const double same[] = { 0.5, 0.9, 0.3, 1.0 }, worse[] = { 0.1, 0.2, 0.3, 0.4 };
    const double *const values[] = { same, same, worse };
    const gr_best_task task = { .methods = 3, .queries = 4, .values = values, .seed = 1 };
    double probability[3];

    (void)state;
    find(1, &task, probability, 4);
    CHECK_NEAR(probability[0], probability[1], 0.0);
    CHECK_NEAR(probability[0] + probability[1] + probability[2], 1.0, 1e-12);
    /* only four draws of query 3, where all are equal, are shared with the third: 1/256 of the
     * resamples */
    CHECK_NEAR(probability[2], 1.0 / 256.0 / 3.0, 0.002);
}

/* Sums that differ by rounding only are ties: 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1. */
static void test_rounding(void **state)
{
    const double a[] = { 0.1, 0.2, 0.3 }, b[] = { 0.3, 0.2, 0.1 };
    const double *const values[] = { a, b };
    const gr_best_task task = { .methods = 2, .queries = 3, .values = values, .seed = 1 };
    double probability[2];

    (void)state;
    /* by symmetry; 7 of 27 resamples are ties: 222, and 6 orders of 123 */
    find(1, &task, probability, 3);
    CHECK_NEAR(probability[0], 0.5, 0.02);
    CHECK_NEAR(probability[0] + probability[1], 1.0, 1e-12);
}

enum { METHODS = 3, QUERIES = 3 };

/* Adds one resample of the enumeration: the indices are the digits of a number with base 3. */
static void add_resample(size_t number, const double *const *values, double *wins)
{
    double sums[METHODS] = { 0.0 }, best = -1.0, tied = 0.0;

    for (size_t i = 0; i < QUERIES; i++, number /= QUERIES)
        for (size_t m = 0; m < METHODS; m++)
            sums[m] += values[m][number % QUERIES];
    for (size_t m = 0; m < METHODS; m++)
        best = sums[m] > best ? sums[m] : best;
    for (size_t m = 0; m < METHODS; m++)
        tied += sums[m] == best;
    for (size_t m = 0; m < METHODS; m++)
        wins[m] += sums[m] == best ? 1.0 / tied : 0.0;
}

static void test_enumerated(void **state)
{
    /* dyadic, so that sums are exact */
    const double a[] = { 0.5, 0.75, 0.25 }, b[] = { 0.75, 0.25, 0.5 }, c[] = { 0.5, 0.5, 0.5 };
    const double *const values[] = { a, b, c };
    gr_best_task task = { .methods = METHODS, .queries = QUERIES, .values = values };
    double wins[METHODS] = { 0.0 }, probability[METHODS], again[METHODS];

    (void)state;
    for (size_t number = 0; number < 27; number++)
        add_resample(number, values, wins);
    CHECK_NEAR(wins[0] + wins[1] + wins[2], 27.0, 1e-12);
    for (task.seed = 1; task.seed <= 3; task.seed++) {
        find(1, &task, probability, QUERIES);
        for (size_t m = 0; m < METHODS; m++) /* four standard errors */
            CHECK_NEAR(probability[m], wins[m] / 27.0, 0.02);
        find(3, &task, again, QUERIES);
        for (size_t m = 0; m < METHODS; m++)
            CHECK_NEAR(again[m], probability[m], 0.0);
    }
}

/* A query that one method has no value of is left out for all. */
static void test_missing(void **state)
{
    const double a[] = { 0.9, (double)NAN, 0.1, 0.4 }, b[] = { 0.5, 0.1, (double)NAN, 0.2 };
    const double none[] = { (double)NAN, 1.0, 1.0, (double)NAN };
    const double *const some[] = { a, b }, *const no[] = { a, b, none };
    gr_best_task task = { .methods = 2, .queries = 4, .values = some, .seed = 1 };
    double probability[3];

    (void)state;
    find(0, &task, probability, 2);
    CHECK_NEAR(probability[0], 1.0, 0.0);
    task.methods = 3;
    task.values = no;
    find(0, &task, probability, 0);
    assert_true(isnan(probability[0]) && isnan(probability[2]));
}

static void test_contenders(void **state)
{
    bool contender[4];

    (void)state;
    gr_best_contenders((const double[]){ 0.95, 0.05, 0.0 }, 3, contender);
    assert_true(contender[0] && !contender[1] && !contender[2]);
    gr_best_contenders((const double[]){ 0.04, 0.5, 0.45, 0.01 }, 4, contender);
    assert_true(!contender[0] && contender[1] && contender[2] && !contender[3]);
    gr_best_contenders((const double[]){ 0.25, 0.25, 0.25, 0.25 }, 4, contender);
    assert_true(contender[0] && contender[1] && contender[2] && contender[3]);
    gr_best_contenders((const double[]){ (double)NAN, 0.6, 0.4 }, 3, contender);
    assert_true(!contender[0] && contender[1] && contender[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_always_better), cmocka_unit_test(test_identical),
        cmocka_unit_test(test_rounding),      cmocka_unit_test(test_enumerated),
        cmocka_unit_test(test_missing),       cmocka_unit_test(test_contenders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
