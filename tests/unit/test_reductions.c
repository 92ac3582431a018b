/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of grades to outputs and back: costs, weights, projections and probabilities. */
#include "checks.h"

#include "base/rng.h"
#include "reductions/reduction.h"
#include "scoring/scoring.h"
#include "scoring/simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double grades[] = { 0, 1, 2, 3, 4 };

static gr_cost_choice cost_named(const char *name)
{
    gr_cost_choice cost;
    gradus_error err;

    assert_int_equal(gr_cost_choose(name, &cost, &err), GRADUS_OK);
    return cost;
}

/* K = 4, grade 3: costs (3,2,1,0,1), (9,4,1,0,1), (49,36,16,0,64) as in the paper. */
static void test_cocr_weighs_by_differences_of_the_cost(void **state)
{
    static const struct {
        const char *name;
        double weights[4];
    } worked[] = { { "absolute", { 1, 1, 1, 1 } },
                   { "squared", { 5, 3, 1, 1 } },
                   { "oerr", { 13, 20, 16, 64 } } };

    (void)state;
    for (size_t c = 0; c < 3; c++) {
        gr_cost_choice cost = cost_named(worked[c].name);

        assert_int_equal(gr_reduction_outputs(&gr_reduction_cocr, 5), 4);
        for (size_t k = 0; k < 4; k++) {
            double targets[5], weights[5];

            gr_reduction_pose(&gr_reduction_cocr, k, 5, grades, &cost, targets, weights);
            assert_true(weights[3] == worked[c].weights[k]);
            for (size_t l = 0; l < 5; l++)
                assert_true(targets[l] == (l >= k + 1 ? 1.0 : 0.0));
        }
        gr_cost_choice_free(&cost);
    }
}

/* Lin and Li: the cost of a prediction is that of the truth plus the weights of the thresholds
 * between. */
static void test_cocr_weights_telescope_to_the_cost(void **state)
{
    static const char *const names[] = { "absolute", "squared", "oerr" };

    (void)state;
    for (size_t c = 0; c < 3; c++) {
        gr_cost_choice cost = cost_named(names[c]);
        double targets[5], weights[4][5];

        for (size_t k = 0; k < 4; k++)
            gr_reduction_pose(&gr_reduction_cocr, k, 5, grades, &cost, targets, weights[k]);
        for (size_t truth = 0; truth < 5; truth++)
            for (size_t guess = 0; guess < 5; guess++) {
                double sum = 0.0;

                for (size_t k = 0; k < 4; k++)
                    if ((truth > k) != (guess > k))
                        sum += weights[k][truth];
                assert_true(sum == gr_cost_of(&cost, grades[truth], grades[guess]));
            }
        gr_cost_choice_free(&cost);
    }
}

static void test_other_reductions_pose_what_they_say(void **state)
{
    double targets[5], weights[5];

    (void)state;
    gr_reduction_pose(&gr_reduction_gain, 0, 5, grades, NULL, targets, weights);
    assert_true(targets[4] == 15.0 && targets[2] == 3.0 && targets[0] == 0.0);
    gr_reduction_pose(&gr_reduction_classes, 2, 5, grades, NULL, targets, weights);
    assert_true(targets[2] == 1.0 && targets[1] == 0.0 && targets[3] == 0.0);
    gr_reduction_pose(&gr_reduction_cumulative, 2, 5, grades, NULL, targets, weights);
    assert_true(targets[0] == 1.0 && targets[2] == 1.0 && targets[3] == 0.0);
    assert_int_equal(gr_reduction_outputs(&gr_reduction_classes, 5), 5);
    assert_int_equal(gr_reduction_outputs(&gr_reduction_cumulative, 5), 4);
    assert_int_equal(gr_reduction_outputs(&gr_reduction_grade, 5), 1);
}

/* The nearest point: no other probability vector is nearer; tries many. */
static void test_projection_is_the_nearest(void **state)
{
    gr_rng rng = gr_rng_for(7, "projection", 0);

    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        double from[5], p[5], sum = 0.0, distance = 0.0;

        for (size_t i = 0; i < 5; i++)
            from[i] = p[i] = 3.0 * gr_rng_uniform(&rng) - 1.2;
        gr_project_to_simplex(p, 5);
        for (size_t i = 0; i < 5; i++) {
            assert_true(p[i] >= 0.0);
            sum += p[i];
            distance += (p[i] - from[i]) * (p[i] - from[i]);
        }
        assert_true(fabs(sum - 1.0) < 1e-12);
        for (int other = 0; other < 50; other++) {
            double q[5], total = 0.0, far = 0.0;

            for (size_t i = 0; i < 5; i++)
                total += q[i] = -log(gr_rng_uniform(&rng));
            for (size_t i = 0; i < 5; i++)
                far += (q[i] / total - from[i]) * (q[i] / total - from[i]);
            assert_true(far >= distance - 1e-12);
        }
    }
}

static void test_projection_worked(void **state)
{
    double p[] = { 0.9, 0.3, -0.2 }; /* 0.2 too much over two: 0.8, 0.2, 0 */
    double odd[] = { NAN, 1.0 };

    (void)state;
    gr_project_to_simplex(p, 3);
    assert_true(fabs(p[0] - 0.8) < 1e-15 && fabs(p[1] - 0.2) < 1e-15 && p[2] == 0.0);
    gr_project_to_simplex(odd, 2);
    assert_true(odd[0] == 0.5 && odd[1] == 0.5);
}

static gr_scorer scorer_of(gr_meaning meaning, gr_score_rule rule, size_t outputs, double *weights)
{
    return (gr_scorer){ .meaning = meaning,
                        .rule = rule,
                        .outputs = outputs,
                        .levels = 5,
                        .level_labels = (double *)(uintptr_t)grades,
                        .weights = weights };
}

/* From probabilities to the outputs that COCR estimates, and back, for costs that weight grades
 * differently. */
static void test_probabilities_come_back_from_weighted_outputs(void **state)
{
    static const char *const names[] = { "absolute", "squared", "oerr" };
    gr_rng rng = gr_rng_for(3, "shares", 0);

    (void)state;
    for (size_t c = 0; c < 3; c++) {
        gr_cost_choice cost = cost_named(names[c]);
        double weights[20], targets[5];

        for (size_t k = 0; k < 4; k++)
            gr_reduction_pose(&gr_reduction_cocr, k, 5, grades, &cost, targets, weights + 5 * k);
        const gr_scorer scorer = scorer_of(GR_MEANS_ABOVE, GR_SCORE_SUM, 4, weights);

        for (int turn = 0; turn < 100; turn++) {
            double p[5], total = 0.0, outputs[4], found[5];

            for (size_t l = 0; l < 5; l++)
                total += p[l] = gr_rng_uniform(&rng);
            for (size_t k = 0; k < 4; k++) {
                double reached = 0.0, all = 0.0;

                for (size_t l = 0; l < 5; l++) {
                    all += weights[5 * k + l] * p[l];
                    reached += l > k ? weights[5 * k + l] * p[l] : 0.0;
                }
                outputs[k] = reached / all;
            }
            gr_scorer_probabilities(&scorer, outputs, 1, found);
            for (size_t l = 0; l < 5; l++)
                assert_true(fabs(found[l] - p[l] / total) < 1e-9);
        }
        gr_cost_choice_free(&cost);
    }
}

static void test_scores_worked(void **state)
{
    const double above[] = { 0.9, 0.6, 0.5, 0.1 };
    const double below[] = { log(0.1 / 0.9), log(0.4 / 0.6), log(0.5 / 0.5), log(0.9 / 0.1) };
    const double classes[] = { log(0.1), log(0.3), log(0.1), log(0.4), log(0.1) };
    gr_scorer s = scorer_of(GR_MEANS_ABOVE, GR_SCORE_SUM, 4, NULL);

    (void)state;
    assert_true(fabs(gr_scorer_score(&s, above, 1) - 2.1) < 1e-12);
    s.rule = GR_SCORE_COUNT;
    assert_true(gr_scorer_score(&s, above, 1) == 3.0);
    s.rule = GR_SCORE_EXPECTED_GRADE; /* .1 .3 .1 .4 .1 */
    assert_true(fabs(gr_scorer_score(&s, above, 1) - 2.1) < 1e-12);
    s.rule = GR_SCORE_EXPECTED_GAIN; /* .3 + .3 + 2.8 + 1.5 */
    assert_true(fabs(gr_scorer_score(&s, above, 1) - 4.9) < 1e-12);
    s = scorer_of(GR_MEANS_BELOW, GR_SCORE_EXPECTED_GAIN, 4, NULL);
    assert_true(fabs(gr_scorer_score(&s, below, 1) - 4.9) < 1e-12);
    s = scorer_of(GR_MEANS_CLASSES, GR_SCORE_EXPECTED_GAIN, 5, NULL);
    assert_true(fabs(gr_scorer_score(&s, classes, 1) - 4.9) < 1e-12);
}

/* McRank's score uses crossing estimates unchanged; probabilities are repaired. */
static void test_crossing_estimates_are_repaired_in_probabilities_only(void **state)
{
    const double below[] = { log(0.6 / 0.4), log(0.2 / 0.8), log(0.5 / 0.5), log(0.9 / 0.1) };
    const gr_scorer s = scorer_of(GR_MEANS_BELOW, GR_SCORE_EXPECTED_GRADE, 4, NULL);
    double p[5], sum = 0.0;

    (void)state;
    /* 4 - (.6 + .2 + .5 + .9), whatever the order */
    assert_true(fabs(gr_scorer_score(&s, below, 1) - 1.8) < 1e-12);
    gr_scorer_probabilities(&s, below, 1, p); /* .6 -.4 .3 .4 .1, and .4 too much over four */
    for (size_t l = 0; l < 5; l++)
        sum += p[l];
    assert_true(fabs(sum - 1.0) < 1e-12 && p[1] == 0.0 && fabs(p[0] - 0.5) < 1e-12 &&
                fabs(p[4]) < 1e-12);
}

static void test_rules_are_refused_where_they_mean_nothing(void **state)
{
    (void)state;
    assert_false(gr_scorer_can(GR_MEANS_SCORE, GR_SCORE_EXPECTED_GAIN));
    assert_false(gr_scorer_can(GR_MEANS_CLASSES, GR_SCORE_SUM));
    assert_false(gr_scorer_can(GR_MEANS_BELOW, GR_SCORE_OUTPUT));
    assert_true(gr_scorer_can(GR_MEANS_ABOVE, GR_SCORE_COUNT));
    for (int m = 0; m < 4; m++) {
        bool any = false;

        for (int r = 0; gr_score_rules[r]; r++)
            any |= gr_scorer_can((gr_meaning)m, (gr_score_rule)r);
        assert_true(any);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cocr_weighs_by_differences_of_the_cost),
        cmocka_unit_test(test_cocr_weights_telescope_to_the_cost),
        cmocka_unit_test(test_other_reductions_pose_what_they_say),
        cmocka_unit_test(test_projection_is_the_nearest),
        cmocka_unit_test(test_projection_worked),
        cmocka_unit_test(test_probabilities_come_back_from_weighted_outputs),
        cmocka_unit_test(test_scores_worked),
        cmocka_unit_test(test_crossing_estimates_are_repaired_in_probabilities_only),
        cmocka_unit_test(test_rules_are_refused_where_they_mean_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
