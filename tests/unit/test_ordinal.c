/* SPDX-License-Identifier: Apache-2.0 */
/* Losses with thresholds: derivatives by differences, thresholds against plain minimisation, and
 * edge cases. */
#include "checks.h"

#include "base/rng.h"
#include "objectives/thresholds.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 150, LEVELS = 4, CUTS = LEVELS - 1 };

typedef struct sample {
    gr_problem problem;
    uint64_t starts[2];
    float labels[ROWS], row_weights[ROWS];
    uint8_t level_of[ROWS];
    double scores[ROWS];
    float gradients[ROWS], hessians[ROWS];
} sample;

static const double level_labels[LEVELS] = { 0.0, 1.0, 2.0, 4.0 };
static const double thresholds[CUTS] = { -1.2, 0.3, 0.9 };

/* Scores loosely correlated with the grades. */
static void draw(sample *data, size_t rows, uint64_t seed)
{
    gr_rng rng = gr_rng_for(seed, "ordinal", 0);

    memset(data, 0, sizeof *data);
    data->starts[1] = rows;
    for (size_t r = 0; r < rows; r++) {
        data->level_of[r] = (uint8_t)gr_rng_below(&rng, LEVELS);
        data->labels[r] = (float)level_labels[data->level_of[r]];
        data->row_weights[r] = 0.5f + (float)gr_rng_below(&rng, 4);
        data->scores[r] = 1.5 * gr_rng_normal(&rng) + 0.7 * (double)data->level_of[r] - 1.0;
    }
    data->problem = (gr_problem){ .rows = rows,
                                  .queries = 1,
                                  .query_starts = data->starts,
                                  .labels = data->labels,
                                  .levels = LEVELS,
                                  .level_labels = level_labels,
                                  .level_of = data->level_of,
                                  .outputs = 1,
                                  .row_weights = data->row_weights };
}

typedef struct kind {
    const gr_objective *objective;
    gr_objective_options options;
} kind;

static const kind kinds[] = {
    { &gr_objective_propodds, { .sigma = 1.0 } },
    { &gr_objective_orboost, { .orboost = { GR_ORBOOST_LEFT_RIGHT } } },
    { &gr_objective_orboost, { .orboost = { GR_ORBOOST_ALL } } },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void *begin(const kind *k, const gr_problem *problem)
{
    gradus_error err = { GRADUS_OK, "" };
    void *state = NULL;

    if (k->objective->begin(problem, &k->options, NULL, &state, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return state;
}

static double loss_at(const kind *k, void *state, sample *data, double *at, double value)
{
    const double kept = *at;

    *at = value;
    const double loss = k->objective->loss(state, &data->problem, data->scores);

    *at = kept;
    return loss * (double)data->problem.rows;
}

static void test_hessians_are_second_derivatives(void **state)
{
    static sample data;

    (void)state;
    draw(&data, ROWS, 1);
    for (size_t i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        void *own = begin(k, &data.problem);

        memcpy(k->objective->thresholds(own), thresholds, sizeof thresholds);
        assert_int_equal(k->objective->gradients(own, &data.problem, data.scores, data.gradients,
                                                 data.hessians, NULL, NULL),
                         GRADUS_OK);
        for (size_t r = 0; r < ROWS; r++) {
            double *at = &data.scores[r];
            const double f = *at, d = 1e-4, here = loss_at(k, own, &data, at, f);
            const double up = loss_at(k, own, &data, at, f + d);
            const double down = loss_at(k, own, &data, at, f - d);

            CHECK_NEAR((double)data.hessians[r], (up - 2.0 * here + down) / (d * d),
                       1e-3 * (1.0 + fabs((double)data.hessians[r])));
        }
        k->objective->end(own);
    }
}

/* At the fitted thresholds the derivative of the loss by each of them is 0. */
static void test_settled_thresholds_are_the_best(void **state)
{
    static sample data;

    (void)state;
    draw(&data, ROWS, 2);
    for (size_t i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        void *own = begin(k, &data.problem);
        double *at = k->objective->thresholds(own);
        bool separated = true;

        for (int times = 0; times < 2; times++) /* Newton's method stops when a step is short */
            assert_int_equal(k->objective->fit_thresholds(own, &data.problem, data.scores, NULL,
                                                          &separated, NULL),
                             GRADUS_OK);
        assert_false(separated);
        for (size_t c = 0; c < CUTS; c++) {
            const double here = at[c];
            const double up = loss_at(k, own, &data, &at[c], here + 1e-3);
            const double down = loss_at(k, own, &data, &at[c], here - 1e-3);

            CHECK_NEAR((up - down) / 2e-3, 0.0, 2e-3);
            assert_true(up > loss_at(k, own, &data, &at[c], here));
            assert_true(c == 0 || at[c] >= at[c - 1]);
        }
        k->objective->end(own);
    }
}

/* Rows of grade 1 score above those of grade 2: the thresholds would cross, so they coincide, at
 * the best common value. */
static void test_crossing_thresholds_are_pooled(void **state)
{
    static sample data;
    void *own;
    bool separated;
    double *at, best;

    (void)state;
    draw(&data, ROWS, 3);
    for (size_t r = 0; r < ROWS; r++)
        data.scores[r] = data.level_of[r] == 1 ? 2.0 : data.level_of[r] == 2 ? -2.0 : 0.0;
    own = begin(&kinds[1], &data.problem);
    at = gr_objective_orboost.thresholds(own);
    assert_int_equal(gr_objective_orboost.fit_thresholds(own, &data.problem, data.scores, NULL,
                                                         &separated, NULL),
                     GRADUS_OK);
    assert_true(at[0] == at[1] && at[1] == at[2]); /* separately they would be near 1, 0 and -1 */
    CHECK_NEAR(at[0], 0.0, 0.5);
    best = gr_objective_orboost.loss(own, &data.problem, data.scores);
    for (int i = -20; i <= 20; i++) {
        const double kept = at[0];

        at[0] = at[1] = at[2] = kept + 0.05 * i;
        assert_true(gr_objective_orboost.loss(own, &data.problem, data.scores) >= best - 1e-12);
        at[0] = at[1] = at[2] = kept;
    }
    gr_objective_orboost.end(own);
}

/* One threshold, by hand: rows of grade 0 at -1 (twice) and 1, rows of grade 1 at 0 and 2. */
static void test_a_threshold_by_hand(void **state)
{
    static sample data;
    const double f[5] = { -1, -1, 1, 0, 2 };
    bool separated;

    (void)state;
    draw(&data, 5, 4);
    data.problem.levels = 2;
    data.problem.row_weights = NULL;
    for (size_t r = 0; r < 5; r++) {
        data.scores[r] = f[r];
        data.level_of[r] = r >= 3;
    }
    for (size_t i = 1; i < KINDS; i++) { /* with two grades both forms are the same */
        void *own = begin(&kinds[i], &data.problem);

        kinds[i].objective->fit_thresholds(own, &data.problem, data.scores, NULL, &separated, NULL);
        CHECK_NEAR(*kinds[i].objective->thresholds(own),
                   log((2 * exp(-1) + exp(1)) / (1 + exp(-2))) / 2.0, 1e-10);
        kinds[i].objective->end(own);
    }
}

/* Grades whose rows have weight 0 leave no distance between thresholds. */
static void test_thresholds_meet_around_grades_of_no_weight(void **state)
{
    static sample data;
    bool separated;

    (void)state;
    for (uint8_t none = 0; none < LEVELS; none++)
        for (size_t i = 0; i < KINDS; i++) {
            double *at;
            void *own;

            draw(&data, ROWS, 5);
            for (size_t r = 0; r < ROWS; r++)
                if (data.level_of[r] == none)
                    data.row_weights[r] = 0.0f;
            own = begin(&kinds[i], &data.problem);
            at = kinds[i].objective->thresholds(own);
            assert_int_equal(kinds[i].objective->fit_thresholds(own, &data.problem, data.scores,
                                                                NULL, &separated, NULL),
                             GRADUS_OK);
            for (size_t c = 0; c < CUTS; c++)
                assert_true(isfinite(at[c]) && (c == 0 || at[c] >= at[c - 1]));
            if (none > 0 && none < LEVELS - 1 && i != 2)
                CHECK_NEAR(at[none], at[none - 1], i == 0 ? 0.0 : 20.0);
            assert_true(none > 0 || at[0] <= -GR_FAR / 2 || i == 1);
            kinds[i].objective->end(own);
        }
}

static void test_separated_grades_are_told(void **state)
{
    static sample data;

    (void)state;
    draw(&data, ROWS, 6);
    for (size_t r = 0; r < ROWS; r++)
        data.scores[r] = 60.0 * (double)data.level_of[r];
    for (size_t i = 0; i < KINDS; i++) {
        void *own = begin(&kinds[i], &data.problem);
        bool separated = false;

        assert_int_equal(kinds[i].objective->fit_thresholds(own, &data.problem, data.scores, NULL,
                                                            &separated, NULL),
                         GRADUS_OK);
        for (int more = 0; more < 10 && !separated; more++)
            kinds[i].objective->fit_thresholds(own, &data.problem, data.scores, NULL, &separated,
                                               NULL);
        assert_true(separated);
        for (size_t c = 0; c < CUTS; c++)
            assert_true(isfinite(kinds[i].objective->thresholds(own)[c]));
        kinds[i].objective->end(own);
    }
}

static void test_extreme_scores_stay_finite(void **state)
{
    static sample data;
    const double extremes[4] = { -1e30, -800.0, 800.0, 1e30 };

    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        void *own;
        bool separated;

        draw(&data, ROWS, 7);
        for (size_t r = 0; r < ROWS; r++)
            data.scores[r] = extremes[r % 4];
        own = begin(&kinds[i], &data.problem);
        assert_int_equal(kinds[i].objective->fit_thresholds(own, &data.problem, data.scores, NULL,
                                                            &separated, NULL),
                         GRADUS_OK);
        kinds[i].objective->gradients(own, &data.problem, data.scores, data.gradients,
                                      data.hessians, NULL, NULL);
        for (size_t c = 0; c < CUTS; c++)
            assert_true(isfinite(kinds[i].objective->thresholds(own)[c]));
        for (size_t r = 0; r < ROWS; r++)
            assert_true(isfinite(data.gradients[r]) && isfinite(data.hessians[r]) &&
                        data.hessians[r] >= 0.0f);
        kinds[i].objective->end(own);
    }
}

static void test_one_grade_of_weight_is_refused(void **state)
{
    static sample data;
    void *own = NULL;
    gradus_error err;

    (void)state;
    draw(&data, ROWS, 8);
    for (size_t r = 0; r < ROWS; r++)
        data.row_weights[r] = data.level_of[r] == 2 ? 1.0f : 0.0f;
    for (size_t i = 0; i < KINDS; i++)
        assert_int_equal(
            kinds[i].objective->begin(&data.problem, &kinds[i].options, NULL, &own, &err),
            GRADUS_BAD_NUMBER);
}

/* The best step size: the loss is no lower slightly to either side. */
static void test_line_searches_find_the_least_loss(void **state)
{
    static sample data, moved;

    (void)state;
    draw(&data, ROWS, 9);
    for (size_t i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        void *own = begin(k, &data.problem);
        double steps[ROWS], share = 0.0, losses[3];

        memcpy(k->objective->thresholds(own), thresholds, sizeof thresholds);
        k->objective->gradients(own, &data.problem, data.scores, data.gradients, data.hessians,
                                NULL, NULL);
        for (size_t r = 0; r < ROWS; r++)
            steps[r] = -0.3 * (double)data.gradients[r] / (double)data.hessians[r] * exp(-0.5);
        assert_int_equal(
            k->objective->line_search(own, &data.problem, data.scores, steps, NULL, &share, NULL),
            GRADUS_OK);
        for (int s = -1; s <= 1; s++) {
            moved = data;
            for (size_t r = 0; r < ROWS; r++)
                moved.scores[r] += (share + 0.01 * s) * steps[r];
            losses[s + 1] = k->objective->loss(own, &data.problem, moved.scores);
        }
        assert_true(losses[1] <= losses[0] && losses[1] <= losses[2]);
        k->objective->end(own);
    }
}

/* A space of three points with P(grade | point), three grades; thresholds -1.3 and 0. */
enum { POINTS = 3, GRADES = 3 };
static const double chances[POINTS][GRADES] = { { .2, .5, .3 }, { .7, .2, .1 }, { .15, .25, .6 } };
static const double low = -1.3;

static void best_scores(const kind *k, double best[POINTS])
{
    static sample data;
    void *own;

    draw(&data, POINTS * GRADES, 11);
    data.problem.levels = GRADES;
    for (size_t r = 0; r < POINTS * GRADES; r++) {
        data.level_of[r] = (uint8_t)(r % GRADES);
        data.row_weights[r] = (float)chances[r / GRADES][r % GRADES];
        data.scores[r] = 0.0;
    }
    own = begin(k, &data.problem);
    for (int i = 0; i < 200; i++) {
        k->objective->thresholds(own)[0] = low;
        k->objective->thresholds(own)[1] = 0.0;
        k->objective->gradients(own, &data.problem, data.scores, data.gradients, data.hessians,
                                NULL, NULL);
        for (size_t x = 0; x < POINTS; x++) {
            double g = 0.0, h = 0.0;

            for (size_t y = 0; y < GRADES; y++) {
                g += (double)data.gradients[x * GRADES + y];
                h += (double)data.hessians[x * GRADES + y];
            }
            for (size_t y = 0; y < GRADES; y++)
                data.scores[x * GRADES + y] -= 0.7 * g / h;
        }
    }
    for (size_t x = 0; x < POINTS; x++)
        best[x] = data.scores[x * GRADES];
    k->objective->end(own);
}

/* The optimal scores as functions of f0 = (P2 + P3) / (P1 + P2) and the threshold (Uematsu and Lee,
 * section 5); all forms of ORBoost rank by the costs that their thresholds imply. */
static void test_best_scores_are_those_of_theory(void **state)
{
    double best[POINTS], up[GRADES], down[GRADES];
    const double cuts[2] = { low, 0.0 };

    (void)state;
    best_scores(&kinds[0], best);
    for (size_t x = 0; x < POINTS; x++) {
        const double *p = chances[x], f0 = (p[1] + p[2]) / (p[0] + p[1]);

        CHECK_NEAR(best[x],
                   log((f0 - 1.0 + sqrt((f0 - 1.0) * (f0 - 1.0) + 4.0 * exp(low) * f0)) / 2.0),
                   1e-5);
    }
    best_scores(&kinds[1], best);
    for (size_t x = 0; x < POINTS; x++) {
        const double *p = chances[x];

        CHECK_NEAR(best[x], log((p[1] * exp(low) + p[2]) / (p[0] * exp(-low) + p[1])) / 2.0, 1e-5);
    }
    best_scores(&kinds[2], best);
    gr_orboost_terms(cuts, GRADES, GR_ORBOOST_ALL, up, down);
    for (size_t x = 0; x < POINTS; x++) {
        double above = 0.0, below = 0.0;

        for (size_t y = 0; y < GRADES; y++) {
            above += chances[x][y] * exp(up[y]);
            below += chances[x][y] * exp(down[y]);
        }
        CHECK_NEAR(best[x], log(above / below) / 2.0, 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hessians_are_second_derivatives),
        cmocka_unit_test(test_settled_thresholds_are_the_best),
        cmocka_unit_test(test_crossing_thresholds_are_pooled),
        cmocka_unit_test(test_a_threshold_by_hand),
        cmocka_unit_test(test_thresholds_meet_around_grades_of_no_weight),
        cmocka_unit_test(test_separated_grades_are_told),
        cmocka_unit_test(test_extreme_scores_stay_finite),
        cmocka_unit_test(test_one_grade_of_weight_is_refused),
        cmocka_unit_test(test_line_searches_find_the_least_loss),
        cmocka_unit_test(test_best_scores_are_those_of_theory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
