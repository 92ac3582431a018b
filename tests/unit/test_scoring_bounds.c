/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds proved in the papers, as properties of scores and metrics: the loss in a measure is
 * bounded by the error of the estimates. Random estimates, near and far from the truth. */
#include "evaluated_lists.h"

#include "scoring/scoring.h"

enum { GRADES = 5, TOP = GRADES - 1, LONGEST = 8 };

static double grades[GRADES] = { 0, 1, 2, 3, 4 };

typedef double distribution[GRADES];

static void draw(gr_rng *rng, double sharpness, double *p)
{
    double sum = 0.0;

    for (size_t l = 0; l < GRADES; l++)
        sum += p[l] = exp(sharpness * gr_rng_normal(rng));
    for (size_t l = 0; l < GRADES; l++)
        p[l] /= sum;
}

/* An estimate of p: from almost exact to unrelated. */
static void disturb(gr_rng *rng, const double *p, double *estimate)
{
    double other[GRADES];
    const double share = gr_rng_uniform(rng) * gr_rng_uniform(rng);

    draw(rng, 3.0, other);
    for (size_t l = 0; l < GRADES; l++)
        estimate[l] = (1.0 - share) * p[l] + share * other[l];
}

static double score(gr_score_rule rule, const double *p)
{
    const gr_scorer scorer = { .meaning = GR_MEANS_CLASSES,
                               .rule = rule,
                               .outputs = GRADES,
                               .levels = GRADES,
                               .level_labels = grades };
    double outputs[GRADES];

    for (size_t l = 0; l < GRADES; l++)
        outputs[l] = log(p[l]);
    return gr_scorer_score(&scorer, outputs, 1);
}

/* Ranks from 0, best first; ties in row order. */
static void rank(const double *scores, size_t count, size_t *place)
{
    for (size_t a = 0; a < count; a++) {
        place[a] = 0;
        for (size_t b = 0; b < count; b++)
            place[a] += scores[b] > scores[a] || (scores[b] == scores[a] && b < a);
    }
}

/* The metric of the list in that order. */
static double measure(const char *metric, const size_t *place, const float *labels, size_t count)
{
    double scores[LONGEST];

    for (size_t a = 0; a < count; a++)
        scores[a] = -(double)place[a];
    return value_of(count, labels, scores,
                    OPTIONS("metric", metric, "empty", "zero", "max-grade", "4"));
}

static double discount(size_t place)
{
    return 1.0 / log2((double)place + 2.0);
}

/* COCR, Theorem 1: the squared error of the score is at most K times the sum of squared errors of
 * the outputs. */
static void test_the_sum_of_outputs_is_near_the_expected_grade(void **state)
{
    const gr_scorer scorer = { .meaning = GR_MEANS_ABOVE,
                               .rule = GR_SCORE_SUM,
                               .outputs = TOP,
                               .levels = GRADES,
                               .level_labels = grades };
    gr_rng rng = gr_rng_for(2, "theorem 1", 0);
    double tightest = 0.0;

    (void)state;
    for (int turn = 0; turn < 2000; turn++) {
        const bool even = turn % 4 == 0; /* all errors equal: the bound is tight */
        const double shift = gr_rng_normal(&rng);
        double p[GRADES], h[TOP], squares = 0.0, above = 0.0, expected = 0.0;

        draw(&rng, 2.0, p);
        for (size_t l = TOP; l > 0; l--) {
            const double error = even ? shift : gr_rng_normal(&rng);

            above += p[l];
            h[l - 1] = above + error;
            squares += error * error;
            expected += (double)l * p[l];
        }
        const double off = gr_scorer_score(&scorer, h, 1) - expected;

        assert_true(off * off <= TOP * squares * (1 + 1e-9));
        tightest = fmax(tightest, off * off / (TOP * squares));
    }
    CHECK_NEAR(tightest, 1.0, 1e-6);
}

/* McRank, Lemma 1: the loss in DCG when ranking by classes, against the classification error. */
static void test_dcg_loses_no_more_than_classes_are_wrong(void **state)
{
    gr_rng rng = gr_rng_for(2, "lemma 1", 0);
    double tightest = 0.0;

    (void)state;
    for (int turn = 0; turn < 1500; turn++) {
        const size_t count = 2 + gr_rng_below(&rng, LONGEST - 1);
        float labels[LONGEST];
        double truth[LONGEST], found[LONGEST], wrong = 0.0, squares = 0.0, product = 1.0;
        size_t best[LONGEST], place[LONGEST];

        for (size_t a = 0; a < count; a++) {
            double p[GRADES];

            draw(&rng, 2.0, p);
            labels[a] = (float)gr_rng_below(&rng, GRADES);
            p[(size_t)labels[a]] += gr_rng_uniform(&rng) < 0.7 ? 1.0 : 0.0;
            truth[a] = (double)labels[a];
            found[a] = score(GR_SCORE_HARD, p);
            wrong += found[a] != truth[a];
            squares += discount(a) * discount(a);
            product *= pow(discount(a), 2.0 / (double)count);
        }
        rank(truth, count, best);
        rank(found, count, place);
        const double lost =
            measure("dcg", best, labels, count) - measure("dcg", place, labels, count);
        const double bound =
            15.0 * sqrt(2.0) * sqrt(squares - (double)count * product) * sqrt(wrong);

        assert_true(lost >= -1e-9 && lost <= bound + 1e-9);
        tightest = bound > 0.0 ? fmax(tightest, lost / bound) : tightest;
    }
    assert_true(tightest > 0.3); /* the bound is tight enough to be a test */
}

static double stops(double grade)
{
    return (exp2(grade) - 1.0) / exp2(TOP);
}

/* F_i: the probability that a user stops at position i of the list. */
static void stopping(const double *y, const size_t *place, size_t count, double *chances)
{
    for (size_t a = 0; a < count; a++) {
        chances[a] = stops(y[a]);
        for (size_t b = 0; b < count; b++)
            chances[a] *= place[b] < place[a] ? 1.0 - stops(y[b]) : 1.0;
    }
}

/* COCR, Theorem 2, with its left side corrected to ERR(best) - ERR(ranked). Its inequality (12)
 * does not hold for each document, but in the sum that the proof needs. */
static void test_err_loses_no_more_than_the_bound(void **state)
{
    gr_rng rng = gr_rng_for(2, "theorem 2", 0);
    double tightest = 0.0;

    (void)state;
    for (int turn = 0; turn < 1500; turn++) {
        const size_t count = 2 + gr_rng_below(&rng, LONGEST - 1);
        float labels[LONGEST];
        double truth[LONGEST], found[LONGEST], here[LONGEST], there[LONGEST];
        double places = 0.0, chances = 0.0;
        size_t best[LONGEST], place[LONGEST];

        for (size_t a = 0; a < count; a++) {
            double p[GRADES];

            draw(&rng, 3.0 * gr_rng_uniform(&rng), p);
            labels[a] = (float)gr_rng_below(&rng, GRADES);
            truth[a] = (double)labels[a];
            found[a] = score(GR_SCORE_EXPECTED_GRADE, p);
        }
        rank(truth, count, best);
        rank(found, count, place);
        stopping(truth, best, count, here);
        stopping(found, place, count, there);
        for (size_t a = 0; a < count; a++) {
            const double moved = 1.0 / (double)(best[a] + 1) - 1.0 / (double)(place[a] + 1);

            places += moved * moved;
            chances += (here[a] - there[a]) * (here[a] - there[a]);
        }
        const double lost =
            measure("err", best, labels, count) - measure("err", place, labels, count);
        const double bound = sqrt(places) * sqrt(chances);

        assert_true(lost >= -1e-9 && lost <= bound + 1e-9);
        tightest = bound > 0.0 ? fmax(tightest, lost / bound) : tightest;
    }
    assert_true(tightest > 0.3);
}

/* The expected DCG of a list ranked by `scores`, with grades distributed as p. */
static double expected_dcg(const distribution *p, const size_t *place, size_t count)
{
    double sum = 0.0;

    for (size_t a = 0; a < count; a++)
        sum += discount(place[a]) * score(GR_SCORE_EXPECTED_GAIN, p[a]);
    return sum;
}

/* Calibrated AdaBoost, section 6: the loss in expected DCG of estimated against true probabilities,
 * by Hölder's inequality with p = q = 2, and with p = 1. */
static void test_dcg_loses_no_more_than_probabilities_are_off(void **state)
{
    gr_rng rng = gr_rng_for(2, "proposition", 0);
    double tightest = 0.0;

    (void)state;
    for (int turn = 0; turn < 1500; turn++) {
        const size_t count = 2 + gr_rng_below(&rng, LONGEST - 1);
        distribution p[LONGEST], estimate[LONGEST];
        double truth[LONGEST], found[LONGEST];
        double moved[2] = { 0, 0 }, off[2] = { 0, 0 };
        size_t best[LONGEST], place[LONGEST];

        for (size_t a = 0; a < count; a++) {
            draw(&rng, 2.0, p[a]);
            disturb(&rng, p[a], estimate[a]);
            truth[a] = score(GR_SCORE_EXPECTED_GAIN, p[a]);
            found[a] = score(GR_SCORE_EXPECTED_GAIN, estimate[a]);
        }
        rank(truth, count, best);
        rank(found, count, place);
        for (size_t a = 0; a < count; a++)
            for (size_t l = 0; l < GRADES; l++) {
                const double step =
                    fabs(discount(place[a]) - discount(best[a])) * (exp2((double)l) - 1.0);
                const double error = fabs(estimate[a][l] - p[a][l]);

                moved[0] += step;
                moved[1] += step * step;
                off[0] = fmax(off[0], error);
                off[1] += error * error;
            }
        const double lost = expected_dcg((const distribution *)p, best, count) -
                            expected_dcg((const distribution *)p, place, count);

        assert_true(lost >= -1e-9 && lost <= moved[0] * off[0] + 1e-9);
        assert_true(lost <= sqrt(moved[1] * off[1]) + 1e-9);
        tightest = moved[0] > 0.0 ? fmax(tightest, lost / (moved[0] * off[0])) : tightest;
    }
    assert_true(tightest > 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_sum_of_outputs_is_near_the_expected_grade),
        cmocka_unit_test(test_dcg_loses_no_more_than_classes_are_wrong),
        cmocka_unit_test(test_err_loses_no_more_than_the_bound),
        cmocka_unit_test(test_dcg_loses_no_more_than_probabilities_are_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
