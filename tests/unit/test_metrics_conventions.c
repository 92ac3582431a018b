/* SPDX-License-Identifier: Apache-2.0 */
/* Each convention against its tool's output: worked by hand, run, or quoted. */
#include "evaluated_lists.h"

/* q1: 5 documents perfectly ranked; q2: 12 documents perfectly ranked; q3: 12 documents of label 0.
 * The three Perl scripts print NDCG@10 = .3333, trec_eval .6667 (both run); LightGBM, XGBoost and
 * CatBoost count q3 as 1. */
static const float three_labels[29] = { 2, 1, 0, 0, 0, 2, 1, 1 };
static double three_scores[29];
static const uint64_t three_starts[4] = { 0, 5, 17, 29 };
static const gr_lists three = {
    .queries = 3, .starts = three_starts, .labels = three_labels, .scores = three_scores
};

static int make_scores(void **state)
{
    (void)state;
    for (int i = 0; i < 29; i++)
        three_scores[i] = -i;
    return 0;
}

static void check_three(const char *convention, double at5, double at10, size_t counted)
{
    gr_evaluation found;

    evaluate(&three, OPTIONS("metric", "ndcg@5,ndcg@10", "convention", convention), &found);
    CHECK_NEAR(found.values[0].mean, at5, 1e-15);
    CHECK_NEAR(found.values[1].mean, at10, 1e-15);
    for (size_t m = 0; m < 2; m++) {
        assert_int_equal(found.values[m].empty, 1);
        assert_int_equal(found.values[m].short_lists, m);
        assert_int_equal(found.values[m].counted, counted);
    }
    assert_string_equal(found.name, convention);
    gr_evaluation_end(&found);
}

static void test_a_perfect_ranker_scores_a_third_two_thirds_or_one(void **state)
{
    (void)state;
    check_three("letor3", 2.0 / 3, 1.0 / 3, 3);
    check_three("letor4", 2.0 / 3, 1.0 / 3, 3);
    check_three("mslr", 2.0 / 3, 1.0 / 3, 3);
    check_three("trec", 2.0 / 3, 2.0 / 3, 3);
    check_three("ranklib", 2.0 / 3, 2.0 / 3, 3);
    check_three("yahoo", 2.5 / 3, 2.5 / 3, 3);
    check_three("lightgbm", 1.0, 1.0, 3);
    check_three("xgboost", 1.0, 1.0, 3);
    check_three("catboost", 1.0, 1.0, 3);
    check_three("gradus", 1.0, 1.0, 2);
}

static void test_switches_override_the_preset_and_say_so(void **state)
{
    gr_evaluation found;

    (void)state;
    evaluate(&three,
             OPTIONS("metric", "ndcg@10", "convention", "letor4", "short", "drop", "empty", "skip",
                     "gain", "letor", "ties", "expected"),
             &found);
    CHECK_NEAR(found.values[0].mean, 1.0, 0.0);
    assert_int_equal(found.values[0].counted, 1);
    assert_true(isnan(found.values[0].by_query[0]) && isnan(found.values[0].by_query[2]));
    assert_string_equal(found.name, "letor4, empty skip, short drop, ties expected");
    assert_string_equal(found.switches, "gain letor, discount letor, empty skip, short drop, ties "
                                        "expected, relevant 1 to 2, max-grade 2, map-divisor "
                                        "relevant");
    gr_evaluation_end(&found);
    CHECK_NEAR(
        mean_of(&three, OPTIONS("metric", "ndcg@10", "convention", "xgboost", "empty", "zero")),
        2.0 / 3, 1e-15);
}

/* Labels 1 0 2 0 1 2 in this order. */
static const float six[6] = { 1, 0, 2, 0, 1, 2 };
static const double falling[6] = { 6, 5, 4, 3, 2, 1 };

static double six_of(const char *metric, const char *convention)
{
    return value_of(6, six, falling, OPTIONS("metric", metric, "convention", convention));
}

static void test_letor_discounts_places_three_and_on_by_log2_of_the_place(void **state)
{
    /* DCG@4 = 1 + 0 + 3/log2(3); ideal 3 + 3 + 1/log2(3) + 1/log2(4) */
    const double dcg = 1 + 3 / log2(3), ideal = 6 + 1 / log2(3) + 0.5;

    (void)state;
    CHECK_NEAR(six_of("dcg@4", "letor3"), dcg, 1e-15);
    CHECK_NEAR(six_of("ndcg@4", "letor3"), dcg / ideal, 1e-15);
    CHECK_NEAR(six_of("ndcg@4", "mslr"), dcg / ideal, 1e-15);
    CHECK_NEAR(six_of("ndcg@7", "letor3"), 0.0, 0.0);
    CHECK_NEAR(six_of("map", "letor4"), (1.0 + 2.0 / 3 + 3.0 / 5 + 4.0 / 6) / 4, 1e-15);
    CHECK_NEAR(six_of("map", "mslr"), (1.0 / 3 + 2.0 / 6) / 2, 1e-15);
    CHECK_NEAR(six_of("p@5", "mslr"), 1.0 / 5, 1e-15);
    CHECK_NEAR(six_of("p@8", "letor3"), 0.0, 0.0);
    CHECK_NEAR(six_of("p@8", "letor4"), 4.0 / 8, 1e-15);
    CHECK_NEAR(six_of("p@8", "ranklib"), 4.0 / 6, 1e-15);
}

static void test_mean_ndcg_is_the_mean_over_all_depths(void **state)
{
    static const char *const depths[] = {
        "ndcg@1", "ndcg@2", "ndcg@3", "ndcg@4", "ndcg@5", "ndcg@6"
    };
    double sum = 0.0;

    (void)state;
    for (size_t k = 0; k < 6; k++)
        sum += six_of(depths[k], "letor4");
    CHECK_NEAR(six_of("mean-ndcg", "letor4"), sum / 6, 1e-15);
    /* NDCG@1 = 1/3, NDCG@2 = 1/6 */
    CHECK_NEAR(six_of("ndcg@2", "letor4"), 1.0 / 6, 1e-15);
}

static void test_tables_do_not_know_higher_labels(void **state)
{
    static const float labels[4] = { 3, 1, 5, 2 };

    (void)state;
    /* gains under letor are 0 1 0 3: ideal 3 1 0 0; only labels 1 and 2 are relevant */
    CHECK_NEAR(value_of(4, labels, falling, OPTIONS("metric", "ndcg@2", "convention", "letor4")),
               1.0 / 4, 1e-15);
    CHECK_NEAR(value_of(4, labels, falling, OPTIONS("metric", "map", "convention", "letor4")),
               (1.0 / 2 + 2.0 / 4) / 2, 1e-15);
    CHECK_NEAR(value_of(4, labels, falling,
                        OPTIONS("metric", "map", "convention", "letor4", "relevant", "1")),
               1.0, 1e-15);
    /* the mslr table ends at 4 */
    CHECK_NEAR(value_of(4, labels, falling, OPTIONS("metric", "ndcg@1", "convention", "mslr")), 1.0,
               1e-15);
}

static void test_equal_scores_follow_the_tie_rule(void **state)
{
    static const float labels[3] = { 0, 2, 1 };
    static const double equal[3] = { 1, 1, 1 };
    const double second = 1 / log2(3), ideal = 3 + second;

    (void)state;
    /* input order 0 2 1; pessimistic (linear) 0 1 2; expected: 4/3 at each position */
    CHECK_NEAR(value_of(3, labels, equal, OPTIONS("metric", "ndcg@2", "convention", "lightgbm")),
               3 * second / ideal, 1e-15);
    CHECK_NEAR(value_of(3, labels, equal, OPTIONS("metric", "ndcg@2", "convention", "catboost")),
               second / (2 + second), 1e-15);
    CHECK_NEAR(value_of(3, labels, equal, OPTIONS("metric", "ndcg@2", "ties", "optimistic")), 1.0,
               0.0);
    CHECK_NEAR(value_of(3, labels, equal, OPTIONS("metric", "ndcg@2")),
               4.0 / 3 * (1 + second) / ideal, 1e-15);
}

static void test_trec_breaks_ties_by_name(void **state)
{
    static const float labels[3] = { 0, 2, 1 };
    static const double equal[3] = { 1, 1, 1 };
    static const uint64_t starts[2] = { 0, 3 }, names[3] = { 0, 2, 4 };
    const gr_lists lists = { .queries = 1,
                             .starts = starts,
                             .labels = labels,
                             .scores = equal,
                             .name_bytes = "a\0b\0c",
                             .name_starts = names };

    (void)state;
    /* order c b a: labels 1 2 0 */
    CHECK_NEAR(mean_of(&lists, OPTIONS("metric", "ndcg", "convention", "trec")),
               (1 + 2 / log2(3)) / (2 + 1 / log2(3)), 1e-15);
}

static void test_one_document_queries(void **state)
{
    static const float good[1] = { 2 }, bad[1] = { 0 };

    (void)state;
    CHECK_NEAR(value_of(1, good, falling, OPTIONS("metric", "ndcg@10")), 1.0, 0.0);
    CHECK_NEAR(value_of(1, good, falling, OPTIONS("metric", "ndcg@10", "convention", "letor4")),
               0.0, 0.0);
    CHECK_NEAR(value_of(1, good, falling, OPTIONS("metric", "ndcg@1", "convention", "letor4")), 1.0,
               0.0);
    CHECK_NEAR(value_of(1, good, falling, OPTIONS("metric", "p@10")), 0.1, 1e-17);
    assert_true(isnan(value_of(1, bad, falling, OPTIONS("metric", "ndcg"))));
    assert_true(isnan(value_of(1, good, falling, OPTIONS("metric", "u-pairs"))));
    CHECK_NEAR(value_of(1, bad, falling, OPTIONS("metric", "ndcg", "convention", "lightgbm")), 1.0,
               0.0);
}

static void test_empty_queries_count_as_each_tool_counts_them(void **state)
{
    static const float none[2] = { 0, 0 };
    static const struct {
        const char *convention, *metric;
        double value;
    } cases[] = {
        { "lightgbm", "map", 1 },      { "xgboost", "map", 1 },      { "catboost", "map", 0 },
        { "catboost", "recall@1", 1 }, { "ranklib", "map", 0 },      { "trec", "recall@1", 0 },
        { "xgboost", "p@2", 0 },       { "lightgbm", "mrr", 0 },     { "lightgbm", "err", 0 },
        { "yahoo", "ndcg", .5 },       { "yahoo", "err@10", 0 },     { "lightgbm", "mean-ndcg", 1 },
        { "letor4", "map", 0 },        { "gradus", "err", NAN },     { "gradus", "p@2", NAN },
        { "lightgbm", "auc", NAN },    { "letor4", "kendall", NAN }, { "trec", "bpref", 0 },
    };

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        CHECK_NEAR(value_of(2, none, falling,
                            OPTIONS("metric", cases[c].metric, "convention", cases[c].convention)),
                   cases[c].value, 0.0);
}

static void test_average_precision_divides_as_told(void **state)
{
    (void)state;
    /* relevant at 1, 3, 5, 6; up to 3: 1 + 2/3 */
    CHECK_NEAR(six_of("map@3", "gradus"), (1 + 2.0 / 3) / 4, 1e-15);
    CHECK_NEAR(six_of("map@3", "trec"), (1 + 2.0 / 3) / 4, 1e-15);
    CHECK_NEAR(six_of("map@3", "lightgbm"), (1 + 2.0 / 3) / 3, 1e-15);
    CHECK_NEAR(six_of("map@3", "xgboost"), (1 + 2.0 / 3) / 3, 1e-15);
    CHECK_NEAR(six_of("map@3", "catboost"), (1 + 2.0 / 3) / 2, 1e-15);
    CHECK_NEAR(six_of("map@3", "ranklib"), (1 + 2.0 / 3 + 3.0 / 5 + 4.0 / 6) / 4, 1e-15);
    CHECK_NEAR(
        value_of(6, six, falling,
                 OPTIONS("metric", "map@3", "convention", "ranklib", "map-divisor", "relevant")),
        (1 + 2.0 / 3) / 4, 1e-15);
}

static void test_err_states_its_largest_grade(void **state)
{
    /* stopping probabilities 1/4 0 3/4 with K = 2; 1/16 0 3/16 with K = 4 */
    static const float labels[3] = { 1, 0, 2 };
    static const float shares[3] = { .25f, 0, .75f }, negative[3] = { 1, -.5f, 0 };
    gr_evaluation found;
    const uint64_t starts[2] = { 0, 3 };
    const gr_lists lists = { .queries = 1, .starts = starts, .labels = labels, .scores = falling };
    const gr_lists below = {
        .queries = 1, .starts = starts, .labels = negative, .scores = falling
    };

    (void)state;
    evaluate(&lists, OPTIONS("metric", "err", "convention", "ranklib"), &found);
    CHECK_NEAR(found.values[0].mean, 1.0 / 16 + 15.0 / 16 * 3.0 / 16 / 3, 1e-16);
    assert_non_null(strstr(found.switches, "max-grade 4"));
    gr_evaluation_end(&found);
    evaluate(&lists, OPTIONS("metric", "err"), &found);
    CHECK_NEAR(found.values[0].mean, 1.0 / 4 + 3.0 / 4 * 3.0 / 4 / 3, 1e-16);
    assert_non_null(strstr(found.switches, "max-grade 2"));
    gr_evaluation_end(&found);
    CHECK_NEAR(value_of(3, shares, falling, OPTIONS("metric", "err", "convention", "catboost")),
               1.0 / 4 + 3.0 / 4 * 3.0 / 4 / 3, 1e-16);
    /* labels above 1 are grades */
    CHECK_NEAR(mean_of(&lists, OPTIONS("metric", "err", "convention", "catboost")),
               1.0 / 4 + 3.0 / 4 * 3.0 / 4 / 3, 1e-16);
    check_refused(&below, OPTIONS("metric", "err", "convention", "catboost"),
                  "row 2: label -0.5 is not a probability: err by CatBoost's convention takes "
                  "labels >= 0");
    check_refused(&lists, OPTIONS("metric", "err", "max-grade", "1"),
                  "row 3: label 2 is not a grade: err takes whole numbers from 0 to 1");
}

static void test_every_convention_describes_itself(void **state)
{
    size_t count = 0;

    (void)state;
    for (const gr_about *about; (about = gr_conventions_at(count)); count++) {
        assert_string_equal(about->name, gr_convention_names[count]);
        assert_true(strlen(about->summary) > 10 && strlen(about->details) > 60);
    }
    assert_true(count >= 10);
    assert_null(gr_convention_names[count]);
    assert_non_null(strstr(gr_convention_yahoo.about.details, "guess"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_perfect_ranker_scores_a_third_two_thirds_or_one),
        cmocka_unit_test(test_switches_override_the_preset_and_say_so),
        cmocka_unit_test(test_letor_discounts_places_three_and_on_by_log2_of_the_place),
        cmocka_unit_test(test_mean_ndcg_is_the_mean_over_all_depths),
        cmocka_unit_test(test_tables_do_not_know_higher_labels),
        cmocka_unit_test(test_equal_scores_follow_the_tie_rule),
        cmocka_unit_test(test_trec_breaks_ties_by_name),
        cmocka_unit_test(test_one_document_queries),
        cmocka_unit_test(test_empty_queries_count_as_each_tool_counts_them),
        cmocka_unit_test(test_average_precision_divides_as_told),
        cmocka_unit_test(test_err_states_its_largest_grade),
        cmocka_unit_test(test_every_convention_describes_itself),
    };

    return cmocka_run_group_tests(tests, make_scores, NULL);
}
