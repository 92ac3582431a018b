/* SPDX-License-Identifier: Apache-2.0 */
/* One output with thresholds between the grades: grades and probabilities worked by hand, and the
 * thresholds of model files and of truncated models. */
#include "sample_files.h"

static double grades[3] = { 0.0, 2.0, 3.0 };
static double shares[3] = { 0.5, 0.25, 0.25 };

static gr_scorer scorer_of(gr_meaning meaning, double *thresholds, size_t sets)
{
    return (gr_scorer){ .meaning = meaning,
                        .rule = GR_SCORE_COUNT,
                        .outputs = 1,
                        .levels = 3,
                        .level_labels = grades,
                        .shares = shares,
                        .threshold_sets = sets,
                        .thresholds = thresholds };
}

static void test_grades_are_counts(void **state)
{
    double thresholds[4] = { 5.0, 6.0, -1.0, 0.5 }; /* the last set applies */
    gr_scorer s = scorer_of(GR_MEANS_THRESHOLDS, thresholds, 2);
    const double outputs[5] = { -1.5, -1.0, 0.4, 0.5, 9.0 }, wanted[5] = { 0, 2, 2, 3, 3 };

    (void)state;
    for (size_t i = 0; i < 5; i++)
        CHECK_NEAR(gr_scorer_score(&s, &outputs[i], 1), wanted[i], 0);
    thresholds[2] = 1.0; /* out of order: one of them is reached */
    CHECK_NEAR(gr_scorer_score(&s, (const double[]){ 0.7 }, 1), 2.0, 0);
    s.rule = GR_SCORE_OUTPUT;
    CHECK_NEAR(gr_scorer_score(&s, (const double[]){ 0.7 }, 1), 0.7, 0);
    assert_false(gr_scorer_knows_probabilities(&s));
    assert_false(gr_scorer_takes(&s, GR_SCORE_HARD));
    assert_int_equal(gr_scorer_grade_rule(&s), GR_SCORE_COUNT);
}

static void test_odds_are_logistic(void **state)
{
    double thresholds[2] = { -1.0, 0.5 }, p[3];
    gr_scorer s = scorer_of(GR_MEANS_ODDS, thresholds, 1);
    const double f = 0.25, low = 1.0 / (1.0 + exp(1.25)), high = 1.0 / (1.0 + exp(0.25));

    (void)state;
    gr_scorer_probabilities(&s, &f, 1, p);
    CHECK_NEAR(p[0], low, 1e-14);
    CHECK_NEAR(p[2], high, 1e-14);
    CHECK_NEAR(p[1], 1.0 - low - high, 1e-14);
    CHECK_NEAR(gr_scorer_score(&s, &f, 1), 2.0, 0);
    s.rule = GR_SCORE_EXPECTED_GRADE;
    CHECK_NEAR(gr_scorer_score(&s, &f, 1), 2.0 * (1.0 - low - high) + 3.0 * high, 1e-14);
    assert_true(gr_scorer_takes(&s, GR_SCORE_COST_RATIO));
    thresholds[0] = 0.5; /* they may coincide: the grade between has probability 0 */
    gr_scorer_probabilities(&s, &f, 1, p);
    CHECK_NEAR(p[1], 0.0, 1e-15);
    assert_int_equal(gr_scorer_check(&s, NULL), GRADUS_OK);
}

static void test_bad_thresholds_are_refused(void **state)
{
    double thresholds[2] = { 1.0, 0.5 };
    gr_scorer s = scorer_of(GR_MEANS_ODDS, thresholds, 1);
    gradus_error err;

    (void)state;
    assert_int_equal(gr_scorer_check(&s, &err), GRADUS_BAD_FORMAT);
    assert_non_null(strstr(err.message, "not in ascending order"));
    s.meaning = GR_MEANS_THRESHOLDS;
    assert_int_equal(gr_scorer_check(&s, &err), GRADUS_OK);
    thresholds[1] = NAN;
    assert_int_equal(gr_scorer_check(&s, &err), GRADUS_BAD_FORMAT);
    thresholds[1] = 2e100;
    assert_int_equal(gr_scorer_check(&s, &err), GRADUS_BAD_FORMAT);
    s.thresholds = NULL;
    assert_int_equal(gr_scorer_check(&s, &err), GRADUS_BAD_FORMAT);
    s = scorer_of(GR_MEANS_CLASSES, thresholds, 1);
    s.rule = GR_SCORE_HARD;
    assert_int_equal(gr_scorer_check(&s, &err), GRADUS_BAD_FORMAT);
}

/* The sample of kind 6 has two rounds: truncated to the first, it has the thresholds of that round.
 */
static void test_views_have_the_thresholds_of_their_rounds(void **state)
{
    gradus_model *model = sample_model(&sample_kinds[6]);
    gradus_error err = { GRADUS_OK, "" };

    (void)state;
    assert_int_equal(model->scorer.threshold_sets, 3);
    for (uint64_t rounds = 1; rounds <= 2; rounds++) {
        gradus_model *view = gr_model_view(model, NULL, rounds, NULL, &err);

        assert_non_null(view);
        assert_memory_equal(gr_scorer_thresholds(&view->scorer),
                            model->scorer.thresholds + rounds * 3, 3 * sizeof(double));
        assert_int_equal(gr_model_check(view, &err), GRADUS_OK);
        gr_model_free(view);
    }
    model->scorer.threshold_sets = 2;
    assert_int_equal(gr_model_check(model, &err), GRADUS_BAD_FORMAT);
    assert_non_null(strstr(err.message, "thresholds for 1 rounds in a model with 2"));
    model->scorer.threshold_sets = 1;
    assert_int_equal(gr_model_check(model, &err), GRADUS_OK);
    gr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grades_are_counts),
        cmocka_unit_test(test_odds_are_logistic),
        cmocka_unit_test(test_bad_thresholds_are_refused),
        cmocka_unit_test(test_views_have_the_thresholds_of_their_rounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
