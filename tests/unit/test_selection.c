/* SPDX-License-Identifier: Apache-2.0 */
/* Greedy selection of ensemble members: weights that are known, the same ones for any number of
 * threads, cancellation, and what is refused. */
#include "checks.h"
#include "random_sets.h"
#include "synthetic_sets.h"

#include "gradus.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 6, MAX_ROWS = 4000 };

static gradus_dataset *data;
static double scores[MEMBERS][MAX_ROWS];
static const double *members[MEMBERS];

/* Scores of member m: the label plus noise of this size, on a scale of the member's own that
 * differs between queries. */
static void score_like(size_t m, double noise)
{
    gradus_arrays arrays;

    assert_int_equal(gradus_dataset_arrays(NULL, data, &arrays, NULL), GRADUS_OK);
    for (size_t q = 0; q < arrays.queries; q++)
        for (uint64_t r = arrays.query_starts[q]; r < arrays.query_starts[q + 1]; r++) {
            gr_rng rng = gr_rng_for(m + 1, "noise", r);

            scores[m][r] = ((double)arrays.labels[r] + noise * gr_rng_normal(&rng)) *
                               (double)(m + 1) * (double)(1 + q % 3) +
                           100.0 * (double)q;
        }
    members[m] = scores[m];
}

static int set_up(void **state)
{
    (void)state;
    data = make_synth(1, "web", PAIRS("queries", "40", "documents", "30"));
    assert_true(gradus_dataset_rows(data) <= MAX_ROWS);
    for (size_t m = 0; m < MEMBERS; m++)
        score_like(m, m < 3 ? 1.0 : 40.0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gradus_dataset_free(data);
    return 0;
}

static gradus_status select_by(size_t threads, size_t count, const char *const *pairs,
                               double *weights, gradus_error *err)
{
    gradus_context *context = gradus_context_new(threads, err);
    gradus_options *options = gradus_options_new("ensemble", err);
    gradus_status status;

    for (; *pairs; pairs += 2)
        assert_int_equal(gradus_options_set(options, pairs[0], pairs[1], err), GRADUS_OK);
    status = gradus_ensemble_select(context, data, members, count, options, weights, err);
    gradus_options_free(options);
    gradus_context_free(context);
    return status;
}

static void must_select(size_t threads, size_t count, const char *const *pairs, double *weights)
{
    gradus_error err = { GRADUS_OK, "" };
    double sum = 0.0;

    if (select_by(threads, count, pairs, weights, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    for (size_t m = 0; m < count; m++) {
        assert_true(weights[m] >= 0.0);
        sum += weights[m];
    }
    CHECK_NEAR(sum, 1.0, 1e-12);
}

/* Three members with little noise, three with much: the latter count only in bags that have fewer
 * than two of the former. */
static void test_good_members_have_the_weight(void **state)
{
    double weights[MEMBERS];

    (void)state;
    must_select(2, MEMBERS, PAIRS("bags", "60"), weights);
    assert_true(weights[0] + weights[1] + weights[2] > 0.75);
    for (size_t m = 0; m < 3; m++)
        assert_true(weights[m] > 0.15);
}

/* One bag of two members with two steps has both; of one member, that one. Perfect members are tied
 * from the start, so that no later sum is better than the first two. */
static void test_few_members(void **state)
{
    double weights[MEMBERS];

    (void)state;
    must_select(1, 1, PAIRS("bags", "3"), weights);
    CHECK_NEAR(weights[0], 1.0, 0.0);
    must_select(1, 2, PAIRS("bags", "1", "steps", "2"), weights);
    CHECK_NEAR(weights[0], 0.5, 0.0);
    for (size_t m = 0; m < 2; m++)
        score_like(m, 0.0);
    must_select(1, 2, PAIRS("bags", "7"), weights);
    CHECK_NEAR(weights[0], 0.5, 1e-15);
    for (size_t m = 0; m < 2; m++)
        score_like(m, 1.0);
}

static void test_the_same_weights_for_any_threads(void **state)
{
    static const size_t threads[] = { 2, 3, 8 };
    double one[MEMBERS], other[MEMBERS];

    (void)state;
    must_select(1, MEMBERS, PAIRS("metric", "err@5"), one);
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        must_select(threads[t], MEMBERS, PAIRS("metric", "err@5"), other);
        assert_memory_equal(one, other, sizeof one);
    }
    must_select(1, MEMBERS, PAIRS("metric", "err@5", "seed", "2"), other);
    assert_memory_not_equal(one, other, sizeof one);
}

/* Scores used as they are: a member of large scale then rules the sum. */
static void test_expected_gains_are_not_standardised(void **state)
{
    double weights[MEMBERS], as_they_are[MEMBERS];

    (void)state;
    must_select(1, MEMBERS, PAIRS("bags", "20"), weights);
    must_select(1, MEMBERS, PAIRS("bags", "20", "probabilities", "true"), as_they_are);
    assert_memory_not_equal(weights, as_they_are, sizeof weights);
}

static bool stop(void *user, const char *what, double done)
{
    (void)what;
    (void)done;
    ++*(int *)user;
    return false;
}

static void test_cancelling(void **state)
{
    for (size_t threads = 1; threads < 4; threads++) {
        gradus_error err = { GRADUS_OK, "" };
        gradus_context *context = gradus_context_new(threads, &err);
        double weights[MEMBERS];
        int calls = 0;

        gradus_context_on_progress(context, stop, &calls);
        assert_int_equal(
            gradus_ensemble_select(context, data, members, MEMBERS, NULL, weights, &err),
            GRADUS_CANCELLED);
        assert_true(calls > 0);
        gradus_context_free(context);
    }
    (void)state;
}

static void test_what_is_refused(void **state)
{
    gradus_error err = { GRADUS_OK, "" };
    double weights[MEMBERS];
    const double before = scores[1][17];

    (void)state;
    scores[1][17] = NAN;
    assert_int_equal(select_by(1, MEMBERS, PAIRS("bags", "2"), weights, &err), GRADUS_BAD_NUMBER);
    assert_string_equal(err.message, "the score of member 2 for row 18 is not finite");
    scores[1][17] = before;
    assert_int_equal(select_by(2, MEMBERS, PAIRS("metric", "nonsense"), weights, &err),
                     GRADUS_BAD_ARGUMENT);
    assert_non_null(strstr(err.message, "nonsense"));
    assert_int_equal(gradus_ensemble_select(NULL, data, members, 0, NULL, weights, &err),
                     GRADUS_BAD_ARGUMENT);
    members[2] = NULL;
    assert_int_equal(select_by(1, MEMBERS, PAIRS("bags", "2"), weights, &err), GRADUS_BAD_ARGUMENT);
    assert_string_equal(err.message, "member 3 has no scores");
    members[2] = scores[2];
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_members_have_the_weight),
        one_thread_test(test_few_members),
        cmocka_unit_test(test_the_same_weights_for_any_threads),
        one_thread_test(test_expected_gains_are_not_standardised),
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_what_is_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
