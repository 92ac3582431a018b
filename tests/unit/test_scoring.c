/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring rules chosen for a trained model: worked values, repairs, priors, and rejected choices.
 */
#include "class_scorer.h"
#include "synthetic_sets.h"

#include "model/model.h"
#include "scoring/simplex.h"

static const double p5[] = { 0.1, 0.3, 0.1, 0.4, 0.1 };

static double score_by(const bench *b, gr_score_rule rule, gr_score_choice choice, const double *p)
{
    choice.rule = &rule;
    gr_scorer made = choose(b, &choice);
    const double score = score_p(&made, p);

    gr_scorer_free(&made);
    return score;
}

static void test_rules_worked(void **state)
{
    gr_score_choice choice = gr_score_as_trained;
    bench b;

    (void)state;
    bench_start(&b, 5);
    CHECK_NEAR(score_by(&b, GR_SCORE_EXPECTED_GRADE, choice, p5), 2.1, 1e-12);
    CHECK_NEAR(score_by(&b, GR_SCORE_EXPECTED_GAIN, choice, p5), 4.9, 1e-12);
    CHECK_NEAR(score_by(&b, GR_SCORE_HARD, choice, p5), 3.0, 0.0);
    CHECK_NEAR(score_by(&b, GR_SCORE_MEDIAN_GRADE, choice, p5), 2.0, 0.0);
    /* 2.1 / (4 * .1 + 3 * .3 + 2 * .1 + .4) */
    CHECK_NEAR(score_by(&b, GR_SCORE_COST_RATIO, choice, p5), 2.1 / 1.9, 1e-12);
    CHECK_NEAR(score_by(&b, GR_SCORE_WEIGHTS_AND_SCALES, choice, p5), 2.1, 1e-12);
    choice.cost = "oerr"; /* (.3 + .9 + 19.6 + 22.5) / (22.5 + 58.8 + 14.4 + 25.6) */
    CHECK_NEAR(score_by(&b, GR_SCORE_COST_RATIO, choice, p5), 43.3 / 121.3, 1e-12);
    choice = gr_score_as_trained;
    choice.gains = "0,1,-3,7.5,30"; /* .3 - .3 + 3 + 3 */
    CHECK_NEAR(score_by(&b, GR_SCORE_EXPECTED_GAIN, choice, p5), 6.0, 1e-12);
    choice.gains = "grade";
    CHECK_NEAR(score_by(&b, GR_SCORE_EXPECTED_GAIN, choice, p5), 2.1, 1e-12);
    choice = gr_score_as_trained;
    choice.weights = "1,0,2,0.5,1"; /* .1 * 1 + .2 * 2 + .2 * 5 + .1 * 9 over .6 */
    choice.scales = "1,2,2,5,9";
    CHECK_NEAR(score_by(&b, GR_SCORE_WEIGHTS_AND_SCALES, choice, p5), 2.4 / 0.6, 1e-12);
}

static void test_ties_go_to_the_lower_grade(void **state)
{
    static const double even[] = { 0.25, 0.25, 0.0625, 0.1875, 0.25 };
    bench b;

    (void)state;
    bench_start(&b, 5);
    CHECK_NEAR(score_by(&b, GR_SCORE_HARD, gr_score_as_trained, even), 0.0, 0.0);
    CHECK_NEAR(score_by(&b, GR_SCORE_MEDIAN_GRADE, gr_score_as_trained, even), 1.0, 0.0);
}

/* Certainty of the highest grade divides by 0, of the lowest gives 0. */
static void test_ratios_stay_finite(void **state)
{
    static const double top[] = { 0, 0, 0, 0, 1 }, bottom[] = { 1, 0, 0, 0, 0 },
                        next[] = { 0, 0, 0, 1e-9, 1 - 1e-9 };
    gr_score_choice choice = gr_score_as_trained;
    bench b;

    (void)state;
    bench_start(&b, 5);
    CHECK_NEAR(score_by(&b, GR_SCORE_COST_RATIO, choice, top), 0x1p52, 0.0);
    CHECK_NEAR(score_by(&b, GR_SCORE_COST_RATIO, choice, bottom), 0.0, 0.0);
    CHECK_NEAR(score_by(&b, GR_SCORE_COST_RATIO, choice, next), 4e9, 100.0);
    choice.weights = "1,1,1,1,0";
    CHECK_NEAR(score_by(&b, GR_SCORE_WEIGHTS_AND_SCALES, choice, top), 0.0, 0.0);
}

static void check_wrong(const bench *b, gr_score_rule rule, gr_score_choice choice,
                        const char *message)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_scorer made;

    choice.rule = &rule;
    assert_int_not_equal(gr_scorer_choose(&b->scorer, &choice, NULL, &made, &err), GRADUS_OK);
    if (!strstr(err.message, message))
        fail_msg("'%s', not '%s'", err.message, message);
}

#define WRONG(rule, field, value, message)                                                         \
    do {                                                                                           \
        gr_score_choice wrong = gr_score_as_trained;                                               \
        wrong.field = value;                                                                       \
        check_wrong(&b, GR_SCORE_##rule, wrong, message);                                          \
    } while (0)

static void test_wrong_lists_are_refused(void **state)
{
    bench b;

    (void)state;
    bench_start(&b, 5);
    WRONG(EXPECTED_GAIN, gains, "0,1,3",
          "'gains' has 3 numbers, but the model has 5 grades: 0, 1, 2, 3, 4");
    WRONG(EXPECTED_GAIN, gains, "0,1,3,7,15,31", "'gains' has 6 numbers");
    WRONG(EXPECTED_GAIN, gains, "0,1,x,7,15",
          "'gains' takes comma-separated numbers, not 'x,7,15'");
    WRONG(EXPECTED_GAIN, gains, "0,1,3,7,", "not ''");
    WRONG(EXPECTED_GAIN, gains, "0,1,3,7,nan", "not 'nan'");
    WRONG(EXPECTED_GAIN, gains, "0,1,3,7,1e200", "not '1e200'");
    WRONG(EXPECTED_GAIN, gains, "", "not ''");
    WRONG(WEIGHTS_AND_SCALES, weights, "1,1,-1,1,1",
          "'weights' takes comma-separated numbers of at least 0");
    WRONG(WEIGHTS_AND_SCALES, weights, "0,0,0,0,0", "are all 0");
    WRONG(WEIGHTS_AND_SCALES, scales, "1,2,1,3,4",
          "'scales' must not decrease from grade to grade: 1 follows");
    WRONG(EXPECTED_GRADE, prior, "0,0,0,0,0", "'prior' sums to 0");
    WRONG(EXPECTED_GRADE, prior, "1,1,1,1,-1",
          "'prior' takes comma-separated numbers of at least 0");
    WRONG(COST_RATIO, cost, "no such", "there is no cost with that name");
    WRONG(COST_RATIO, cost, "exponential:1", "cost of ranking grade 4 below grade 0, but it is 0");
}

static void test_choices_without_use_are_refused(void **state)
{
    const gr_repair none = GR_REPAIR_NONE;
    bench b;

    (void)state;
    bench_start(&b, 5);
    WRONG(EXPECTED_GRADE, gains, "0,1,2,3,4",
          "'gains' is for 'scoring expected-gain', not 'expected-grade'");
    WRONG(HARD, cost, "oerr", "'cost' is for 'scoring cost-ratio'");
    WRONG(COST_RATIO, weights, "1,1,1,1,1", "'weights' is for 'scoring weights-and-scales'");
    WRONG(COST_RATIO, scales, "1,1,1,1,1", "'scales' is for 'scoring weights-and-scales'");
    WRONG(HARD, repair, &none, "'repair none' applies only to expected grades and gains");
    WRONG(SUM, prior, "", "cannot be scored by 'sum'");
    b.shares[4] = 0.0;
    WRONG(HARD, prior, "1,1,1,1,1", "'prior' is positive for grade 4, but no training row");
    b.grades[4] = 4.5;
    WRONG(COST_RATIO, rule, NULL, "whole numbers, but the model has grade 4.5");
    b.scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .outputs = 1 };
    WRONG(HARD, rule, NULL, "only by output: it gives no probabilities");
    WRONG(OUTPUT, prior, "1", "'prior' is for models that give probabilities");
    WRONG(OUTPUT, repair, &none, "'repair' is for models that give probabilities");
}

/* A discrete world: grades have prior probabilities, and a grade emits one of four values with
 * known probabilities. P(grade | value) of one population, re-weighted, is that of another, by
 * Bayes' rule. */
static void test_a_prior_is_bayes_rule(void **state)
{
    static const double chances[3][4] = { { 0.5, 0.3, 0.15, 0.05 },
                                          { 0.2, 0.3, 0.3, 0.2 },
                                          { 0.0, 0.1, 0.3, 0.6 } };
    static const double other[] = { 0.7, 0.2, 0.1 };
    const gr_score_rule rule = GR_SCORE_EXPECTED_GRADE;
    gr_score_choice choice = choice_of(&rule);
    bench b;

    (void)state;
    bench_start(&b, 3);
    choice.prior = "70,20,10"; /* priors need not sum to 1 */
    gr_scorer made = choose(&b, &choice);

    for (size_t x = 0; x < 4; x++) {
        double outputs[3], found[3], here = 0.0, there = 0.0, grade = 0.0;

        for (size_t l = 0; l < 3; l++) {
            here += b.shares[l] * chances[l][x];
            there += other[l] * chances[l][x];
        }
        for (size_t l = 0; l < 3; l++)
            outputs[l] = log(b.shares[l] * chances[l][x] / here);
        gr_scorer_probabilities(&made, outputs, 1, found);
        for (size_t l = 0; l < 3; l++) {
            CHECK_NEAR(found[l], other[l] * chances[l][x] / there, 1e-14);
            grade += (double)l * other[l] * chances[l][x] / there;
        }
        CHECK_NEAR(gr_scorer_score(&made, outputs, 1), grade, 1e-14);
    }
    gr_scorer_free(&made);
}

static void test_grades_that_the_population_lacks(void **state)
{
    static const double lost[] = { 1, 0, 0 }, left[] = { 0.5, 0.25, 0.25 };
    const gr_score_rule rule = GR_SCORE_EXPECTED_GRADE;
    gr_score_choice choice = choice_of(&rule);
    bench b;

    (void)state;
    bench_start(&b, 3); /* priors 1/2, 1/3, 1/6 */
    choice.prior = "0,1,3";
    gr_scorer made = choose(&b, &choice);

    CHECK_NEAR(score_p(&made, lost), 0.25 * 1 + 0.75 * 2, 1e-14);
    /* 1/4 * 3/4 for grade 1, 1/4 * 9/2 for grade 2: ratio 1 to 6 */
    CHECK_NEAR(score_p(&made, left), (1.0 * 1 + 6.0 * 2) / 7, 1e-14);
    gr_scorer_free(&made);
}

static void test_pooling_worked(void **state)
{
    /* P(>= k): .4 .8 .5 .1, pooled .6 .6 .5 .1 */
    double p[] = { 0.6, -0.4, 0.3, 0.4, 0.1 };
    double far[] = { -0.3, 1.0, 0.5, -0.2 }; /* 1.3 .3 -.2, clipped to 1 .3 0 */
    double odd[] = { NAN, 1.0 };

    (void)state;
    gr_pool_to_simplex(p, 5);
    CHECK_NEAR(p[0], 0.4, 1e-15);
    CHECK_NEAR(p[1], 0.0, 0.0);
    CHECK_NEAR(p[2], 0.1, 1e-15);
    CHECK_NEAR(p[3], 0.4, 1e-15);
    CHECK_NEAR(p[4], 0.1, 1e-15);
    gr_pool_to_simplex(far, 4);
    CHECK_NEAR(far[0], 0.0, 0.0);
    CHECK_NEAR(far[1], 0.7, 1e-15);
    CHECK_NEAR(far[2], 0.3, 1e-15);
    CHECK_NEAR(far[3], 0.0, 0.0);
    gr_pool_to_simplex(odd, 2);
    CHECK_NEAR(odd[0], 0.5, 0.0);
}

static void draw_falling(gr_rng *rng, double *above, size_t count)
{
    double last = 1.0;

    for (size_t k = 0; k < count; k++)
        above[k] = last *= gr_rng_uniform(rng);
}

/* Pooled sequences are non-increasing, keep their mean where nothing is clipped, and are the
 * nearest such sequence. */
static void test_pooling_is_the_nearest_that_falls(void **state)
{
    gr_rng rng = gr_rng_for(5, "pooling", 0);

    (void)state;
    for (int turn = 0; turn < 300; turn++) {
        double above[4], p[5], sum = 0.0, total = 0.0, before = 0.0, distance = 0.0, kept = 1.0;

        for (size_t k = 0; k < 4; k++)
            before += above[k] = 0.1 + 0.8 * gr_rng_uniform(&rng);
        for (size_t l = 0; l < 5; l++)
            p[l] = (l > 0 ? above[l - 1] : 1.0) - (l < 4 ? above[l] : 0.0);
        gr_pool_to_simplex(p, 5);
        for (size_t l = 0; l < 5; l++) {
            assert_true(p[l] >= 0.0);
            sum += p[l];
            total += (double)l * p[l];
            kept -= p[l];
            distance += l < 4 ? (kept - above[l]) * (kept - above[l]) : 0.0;
        }
        CHECK_NEAR(sum, 1.0, 1e-12);
        CHECK_NEAR(total, before, 1e-12); /* the sum of P(>= k) is the expected grade */
        for (int other = 0; other < 50; other++) {
            double q[4], far = 0.0;

            draw_falling(&rng, q, 4);
            for (size_t k = 0; k < 4; k++)
                far += (q[k] - above[k]) * (q[k] - above[k]);
            assert_true(far >= distance - 1e-12);
        }
    }
}

static void test_repairs_leave_probabilities_as_they_are(void **state)
{
    gr_rng rng = gr_rng_for(5, "kept", 0);

    (void)state;
    for (int turn = 0; turn < 100; turn++) {
        double p[5], pooled[5], projected[5];

        draw_p(&rng, 5, p);
        memcpy(pooled, p, sizeof p);
        memcpy(projected, p, sizeof p);
        gr_pool_to_simplex(pooled, 5);
        gr_project_to_simplex(projected, 5);
        for (size_t l = 0; l < 5; l++) {
            CHECK_NEAR(pooled[l], p[l], 1e-14);
            CHECK_NEAR(projected[l], p[l], 1e-14);
        }
    }
}

static double repaired(gr_meaning meaning, gr_repair repair, const double *outputs)
{
    double grades[] = { 0, 1, 2, 3, 4 };
    const gr_scorer s = { .meaning = meaning,
                          .rule = GR_SCORE_EXPECTED_GAIN,
                          .outputs = 4,
                          .levels = 5,
                          .level_labels = grades,
                          .repair = repair };

    return gr_scorer_score(&s, outputs, 1);
}

/* P(>= k) .4 .8 .5 .1: differences .6 -.4 .3 .4 .1, projected .5 0 .2 .3 0, pooled .4 0 .1 .4 .1 */
static void test_each_repair_scores_its_way(void **state)
{
    static const double above[] = { 0.4, 0.8, 0.5, 0.1 };
    const double below[] = { log(0.6 / 0.4), log(0.2 / 0.8), log(0.5 / 0.5), log(0.9 / 0.1) };
    const double raw = -0.4 + 0.9 + 2.8 + 1.5, projected = 0.6 + 2.1, pooled = 0.3 + 2.8 + 1.5;

    (void)state;
    CHECK_NEAR(repaired(GR_MEANS_ABOVE, GR_REPAIR_USUAL, above), projected, 1e-12);
    CHECK_NEAR(repaired(GR_MEANS_ABOVE, GR_REPAIR_PROJECTION, above), projected, 1e-12);
    CHECK_NEAR(repaired(GR_MEANS_ABOVE, GR_REPAIR_PAV, above), pooled, 1e-12);
    CHECK_NEAR(repaired(GR_MEANS_ABOVE, GR_REPAIR_NONE, above), raw, 1e-12);
    CHECK_NEAR(repaired(GR_MEANS_BELOW, GR_REPAIR_USUAL, below), raw, 1e-12);
    CHECK_NEAR(repaired(GR_MEANS_BELOW, GR_REPAIR_PROJECTION, below), projected, 1e-12);
    CHECK_NEAR(repaired(GR_MEANS_BELOW, GR_REPAIR_PAV, below), pooled, 1e-12);
    CHECK_NEAR(repaired(GR_MEANS_BELOW, GR_REPAIR_NONE, below), raw, 1e-12);
}

/* An output with weight 0 on one side is the same for all rows, and not informative. */
static void test_weights_of_none_give_no_probabilities(void **state)
{
    double grades[] = { 0, 1, 2 }, weights[] = { 1, 2, 3, 0, 1, 1 };
    gr_scorer s = { .meaning = GR_MEANS_ABOVE,
                    .rule = GR_SCORE_SUM,
                    .outputs = 2,
                    .levels = 3,
                    .level_labels = grades,
                    .weights = weights };

    (void)state;
    assert_true(gr_scorer_takes(&s, GR_SCORE_HARD));
    weights[5] = 0.0;
    assert_false(gr_scorer_takes(&s, GR_SCORE_HARD));
    assert_true(gr_scorer_takes(&s, GR_SCORE_SUM));
    weights[5] = 1.0;
    weights[4] = 0.0;
    assert_false(gr_scorer_knows_probabilities(&s));
}

/* The class frequencies stored in a model are those of its training rows. */
static void test_a_model_keeps_the_shares_of_grades(void **state)
{
    gradus_dataset *data = make_synth(1, "mcrank", PAIRS("queries", "20", "documents", "10"));
    gradus_error err = { GRADUS_OK, "" };
    gradus_options *options = gradus_options_new("train", &err);
    double shares[5] = { 0 };

    (void)state;
    assert_int_equal(gradus_options_set(options, "method", "cocr", &err), GRADUS_OK);
    assert_int_equal(gradus_options_set(options, "rounds", "2", &err), GRADUS_OK);
    gradus_model *model = gradus_train(NULL, data, NULL, options, &err);

    if (!model)
        fail_msg("%s", err.message);
    for (size_t r = 0; r < data->arrays.rows; r++)
        for (size_t l = 0; l < model->scorer.levels; l++)
            if (model->scorer.level_labels[l] == (double)data->arrays.labels[r])
                shares[l] += 1.0 / (double)data->arrays.rows;
    for (size_t l = 0; l < model->scorer.levels; l++)
        CHECK_NEAR(model->scorer.shares[l], shares[l], 1e-12);
    gradus_model_free(model);
    gradus_options_free(options);
    gradus_dataset_free(data);
}

/* A new choice replaces the previous one, and "as trained" keeps it. */
static void test_a_choice_can_be_changed(void **state)
{
    gr_score_rule rule = GR_SCORE_COST_RATIO;
    gr_score_choice choice = choice_of(&rule);
    bench b, again;

    (void)state;
    bench_start(&b, 5);
    choice.prior = "1,1,1,1,1";
    gr_scorer ratio = choose(&b, &choice);

    again.scorer = ratio;
    gr_scorer same = choose(&again, &gr_score_as_trained);

    CHECK_NEAR(score_p(&same, p5), score_p(&ratio, p5), 0.0);
    rule = GR_SCORE_EXPECTED_GRADE;
    choice.prior = "5,4,3,2,1"; /* the training data's */
    gr_scorer grade = choose(&again, &choice);

    CHECK_NEAR(score_p(&grade, p5), 2.1, 1e-12);
    gr_scorer_free(&ratio);
    gr_scorer_free(&same);
    gr_scorer_free(&grade);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_worked),
        cmocka_unit_test(test_ties_go_to_the_lower_grade),
        cmocka_unit_test(test_ratios_stay_finite),
        cmocka_unit_test(test_wrong_lists_are_refused),
        cmocka_unit_test(test_choices_without_use_are_refused),
        cmocka_unit_test(test_a_prior_is_bayes_rule),
        cmocka_unit_test(test_grades_that_the_population_lacks),
        cmocka_unit_test(test_pooling_worked),
        cmocka_unit_test(test_pooling_is_the_nearest_that_falls),
        cmocka_unit_test(test_repairs_leave_probabilities_as_they_are),
        cmocka_unit_test(test_each_repair_scores_its_way),
        cmocka_unit_test(test_weights_of_none_give_no_probabilities),
        cmocka_unit_test(test_a_model_keeps_the_shares_of_grades),
        cmocka_unit_test(test_a_choice_can_be_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
