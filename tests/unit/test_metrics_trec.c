/* SPDX-License-Identifier: Apache-2.0 */
/* trec_eval's metrics worked by hand: R-precision, success, rank-biased precision and the geometric
 * mean of average precision. */
#include "evaluated_lists.h"

/* Relevant documents at ranks 2, 4 and 5. */
static const float labels[5] = { 0, 1, 0, 2, 1 };
static const double scores[5] = { 5, 4, 3, 2, 1 };

static double of(const char *metric)
{
    return value_of(5, labels, scores, OPTIONS("metric", metric));
}

static void test_r_precision(void **state)
{
    (void)state;
    CHECK_NEAR(of("rprec"), 1.0 / 3.0, 1e-16);
    CHECK_NEAR(of("Rprec"), 1.0 / 3.0, 1e-16);
    /* R is that of the query, even if the list is shorter */
    CHECK_NEAR(value_of(5, labels, scores, OPTIONS("metric", "rprec", "relevant", "2")), 0.0, 0.0);
}

static void test_success(void **state)
{
    static const float one[3] = { 1, 0, 0 };
    static const double tied[3] = { 7, 7, 7 };

    (void)state;
    CHECK_NEAR(of("success@1"), 0.0, 0.0);
    CHECK_NEAR(of("success_2"), 1.0, 0.0);
    CHECK_NEAR(of("success@100"), 1.0, 0.0);
    CHECK_NEAR(of("success"), 1.0, 0.0);
    CHECK_NEAR(value_of(3, one, tied, OPTIONS("metric", "success@1")), 1.0 / 3.0, 1e-15);
    CHECK_NEAR(value_of(3, one, tied, OPTIONS("metric", "success@2")), 2.0 / 3.0, 1e-15);
    CHECK_NEAR(value_of(3, one, tied, OPTIONS("metric", "success@3")), 1.0, 0.0);
}

static void test_rank_biased_precision(void **state)
{
    static const float one[3] = { 1, 0, 0 };
    static const double tied[3] = { 7, 7, 7 };

    (void)state;
    CHECK_NEAR(of("rbp"), 0.2 * (0.8 + 0.512 + 0.4096), 1e-15);
    CHECK_NEAR(of("rbp@4"), 0.2 * (0.8 + 0.512), 1e-15);
    CHECK_NEAR(value_of(5, labels, scores, OPTIONS("metric", "rbp", "persistence", "0.5")),
               0.5 * (0.5 + 0.125 + 0.0625), 1e-15);
    CHECK_NEAR(value_of(5, labels, scores, OPTIONS("metric", "rbp", "persistence", "0")), 0.0, 0.0);
    CHECK_NEAR(value_of(3, one, tied, OPTIONS("metric", "rbp")), (1.0 - 0.512) / 3.0, 1e-15);
}

/* AP of the first query is (1/2 + 2/4 + 3/5) / 3 = 8/15, of the second 1. */
static void test_geometric_mean_of_average_precision(void **state)
{
    static const float both[7] = { 0, 1, 0, 2, 1, 1, 0 };
    static const double order[7] = { 5, 4, 3, 2, 1, 2, 1 };
    static const uint64_t starts[3] = { 0, 5, 7 };
    static const float weights[2] = { 3, 1 };
    gr_lists lists = { .queries = 2, .starts = starts, .labels = both, .scores = order };
    gr_evaluation evaluation;

    (void)state;
    CHECK_NEAR(mean_of(&lists, OPTIONS("metric", "gmap")), sqrt(8.0 / 15.0), 1e-15);
    CHECK_NEAR(mean_of(&lists, OPTIONS("metric", "gm_map")), sqrt(8.0 / 15.0), 1e-15);
    /* AP@1 of the first query is 0: the floor is 0.00001 */
    CHECK_NEAR(mean_of(&lists, OPTIONS("metric", "gmap@1")), sqrt(1e-5), 1e-17);
    evaluate(&lists, OPTIONS("metric", "gmap,map"), &evaluation);
    for (size_t q = 0; q < 2; q++)
        CHECK_NEAR(evaluation.values[0].by_query[q], evaluation.values[1].by_query[q], 0.0);
    CHECK_NEAR(evaluation.values[1].mean, 23.0 / 30.0, 1e-15);
    gr_evaluation_end(&evaluation);
    lists.query_weights = weights;
    CHECK_NEAR(mean_of(&lists, OPTIONS("metric", "gmap")), pow(8.0 / 15.0, 0.75), 1e-15);
}

static void test_nothing_relevant_is_empty(void **state)
{
    static const char *const metrics[] = { "rprec", "success@3", "rbp", "gmap" };
    static const float none[2] = { 0, 0 };

    (void)state;
    for (size_t m = 0; m < 4; m++) {
        CHECK_NEAR(value_of(2, none, scores, OPTIONS("metric", metrics[m])), (double)NAN, 0.0);
        CHECK_NEAR(value_of(2, none, scores, OPTIONS("metric", metrics[m], "empty", "zero")),
                   m == 3 ? 1e-5 : 0.0, 1e-20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_r_precision),
        cmocka_unit_test(test_success),
        cmocka_unit_test(test_rank_biased_precision),
        cmocka_unit_test(test_geometric_mean_of_average_precision),
        cmocka_unit_test(test_nothing_relevant_is_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
