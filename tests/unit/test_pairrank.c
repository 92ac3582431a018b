/* SPDX-License-Identifier: Apache-2.0 */
/* PAIRRANK: the linear-time form against explicit pairs, and the purpose of the extra terms. */
#include "checks.h"

#include "base/rng.h"
#include "objectives/objective.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, LEVELS = 4, QUERIES = 6 };

typedef struct sample {
    gr_problem problem;
    uint64_t starts[QUERIES + 1];
    float labels[ROWS], row_weights[ROWS];
    uint8_t level_of[ROWS];
    double scores[ROWS];
    float gradients[ROWS], hessians[ROWS];
} sample;

static const double level_labels[LEVELS] = { 0.0, 1.0, 2.0, 3.0 };
/* c[j][i] = i - j satisfies the condition of Theorem 3. */
static const double linear[LEVELS * LEVELS] = { 0, 1, 2, 3, 0, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0 };

static void draw(sample *data, size_t rows, size_t queries, uint64_t seed)
{
    gr_rng rng = gr_rng_for(seed, "pairrank", 0);

    memset(data, 0, sizeof *data);
    for (size_t q = 0; q <= queries; q++)
        data->starts[q] = q * rows / queries;
    for (size_t r = 0; r < rows; r++) {
        data->level_of[r] = (uint8_t)gr_rng_below(&rng, LEVELS);
        data->labels[r] = (float)data->level_of[r];
        data->row_weights[r] = 0.5f + (float)gr_rng_below(&rng, 3);
        data->scores[r] = gr_rng_normal(&rng);
    }
    data->problem = (gr_problem){ .rows = rows,
                                  .queries = queries,
                                  .query_starts = data->starts,
                                  .labels = data->labels,
                                  .levels = LEVELS,
                                  .level_labels = level_labels,
                                  .level_of = data->level_of,
                                  .outputs = 1,
                                  .row_weights = data->row_weights };
}

static void *begin(const sample *data, const gr_objective_options *options)
{
    gradus_error err = { GRADUS_OK, "" };
    void *state = NULL;

    if (gr_objective_pairrank.begin(&data->problem, options, NULL, &state, &err) != GRADUS_OK)
        fail_msg("%s", err.message);
    return state;
}

static gr_objective_options options_of(size_t variant)
{
    return (gr_objective_options){
        .pair_costs = linear,
        .pairrank = { .within = variant & 1 ? GR_PAIRS_WITHIN_ALL : GR_PAIRS_WITHIN_QUERY,
                      .loss = variant & 2 ? GR_PAIR_LOGISTIC : GR_PAIR_EXPONENTIAL,
                      .plain = (variant & 4) != 0 },
    };
}
enum { VARIANTS = 8 };

/* The product form against all pairs; queries have equal weight, times the mean weight of their
 * rows. */
static void test_the_risk_is_that_of_all_pairs(void **state)
{
    static sample data;

    (void)state;
    draw(&data, ROWS, QUERIES, 2);
    for (int plain = 0; plain < 2; plain++) {
        gr_objective_options options = options_of(plain ? 4 : 0);
        void *own = begin(&data, &options);
        double risk = 0.0;

        for (size_t q = 0; q < QUERIES; q++) {
            double sum = 0.0, equal = 0.0, weight = 0.0;

            for (uint64_t n = data.starts[q]; n < data.starts[q + 1]; n++) {
                weight += (double)data.row_weights[n];
                for (uint64_t m = data.starts[q]; m < data.starts[q + 1]; m++) {
                    const size_t i = data.level_of[n], j = data.level_of[m];
                    const double cost = plain ? (j < i ? linear[j * LEVELS + i] : 0.0)
                                              : linear[i] * linear[j * LEVELS + 3] / linear[3];
                    const double both =
                        cost * (double)data.row_weights[n] * (double)data.row_weights[m];

                    sum += both * exp(data.scores[m] - data.scores[n]);
                    equal += both;
                }
            }
            risk += sum / equal * weight / (double)(data.starts[q + 1] - data.starts[q]);
        }
        CHECK_NEAR(gr_objective_pairrank.loss(own, &data.problem, data.scores), log(risk), 1e-9);
        gr_objective_pairrank.end(own);
    }
}

static void test_line_searches_find_the_least_risk(void **state)
{
    static sample data;

    (void)state;
    draw(&data, ROWS, QUERIES, 3);
    for (size_t v = 0; v < 2; v++) {
        const gr_objective_options options = options_of(v);
        double steps[ROWS], moved[ROWS], share = 0.0, losses[3];
        void *own = begin(&data, &options);

        gr_objective_pairrank.gradients(own, &data.problem, data.scores, data.gradients,
                                        data.hessians, NULL, NULL);
        for (size_t r = 0; r < ROWS; r++)
            steps[r] = -0.2 * (double)data.gradients[r];
        assert_int_equal(gr_objective_pairrank.line_search(own, &data.problem, data.scores, steps,
                                                           NULL, &share, NULL),
                         GRADUS_OK);
        for (int s = -1; s <= 1; s++) {
            for (size_t r = 0; r < ROWS; r++)
                moved[r] = data.scores[r] + share * (1.0 + 0.02 * s) * steps[r];
            losses[s + 1] = gr_objective_pairrank.loss(own, &data.problem, moved);
        }
        assert_true(losses[1] < losses[0] && losses[1] < losses[2]);
        gr_objective_pairrank.end(own);
    }
}

/* A space of three points with P(grade | point); rows are (point, grade), weighted by it. */
enum { POINTS = 3, GRADES = 3 };
typedef struct space {
    double chances[POINTS][GRADES];
    double costs[GRADES * GRADES]; /* c[j][i] at [j * GRADES + i] */
} space;

/* The optimal score of each point under the risk: Newton's method with one score per point. */
static void best_scores(const space *s, bool plain, double best[POINTS])
{
    static sample data;
    const uint64_t all[2] = { 0, POINTS * GRADES };
    const gr_objective_options options = {
        .pair_costs = s->costs, .pairrank = { .within = GR_PAIRS_WITHIN_ALL, .plain = plain }
    };
    void *own;

    draw(&data, POINTS * GRADES, 1, 4);
    data.problem.levels = GRADES;
    memcpy(data.starts, all, sizeof all);
    for (size_t r = 0; r < POINTS * GRADES; r++) {
        data.level_of[r] = (uint8_t)(r % GRADES);
        data.row_weights[r] = (float)s->chances[r / GRADES][r % GRADES];
        data.scores[r] = 0.0;
    }
    own = begin(&data, &options);
    for (int i = 0; i < 400; i++) {
        gr_objective_pairrank.gradients(own, &data.problem, data.scores, data.gradients,
                                        data.hessians, NULL, NULL);
        for (size_t x = 0; x < POINTS; x++) {
            double g = 0.0, h = 0.0;

            for (size_t k = 0; k < GRADES; k++) {
                g += (double)data.gradients[x * GRADES + k];
                h += (double)data.hessians[x * GRADES + k];
            }
            for (size_t k = 0; k < GRADES; k++)
                data.scores[x * GRADES + k] -= 0.5 * g / h;
        }
    }
    for (size_t x = 0; x < POINTS; x++)
        best[x] = data.scores[x * GRADES];
    gr_objective_pairrank.end(own);
}

/* f0 of Theorem 3. */
static double theory(const space *s, size_t x)
{
    const double *p = s->chances[x], *c = s->costs;

    return (c[1] * p[1] + c[2] * p[2]) / (c[2] * p[0] + c[GRADES + 2] * p[1]);
}

/* With the extra terms the scores are log(f0) / 2; without them points 1 and 2 swap. */
static void test_extra_terms_make_the_order_right(void **state)
{
    static const space s = { { { .02, .89, .09 }, { .69, .04, .27 }, { .49, .49, .02 } },
                             { 0, 1, 1, 0, 0, 1, 0, 0, 0 } };
    double best[POINTS];

    (void)state;
    assert_true(theory(&s, 0) > theory(&s, 2) && theory(&s, 2) > theory(&s, 1));
    best_scores(&s, false, best);
    for (size_t x = 1; x < POINTS; x++)
        CHECK_NEAR(best[x] - best[0], (log(theory(&s, x)) - log(theory(&s, 0))) / 2.0, 1e-4);
    best_scores(&s, true, best);
    assert_true(best[0] > best[1] && best[1] > best[2] + 0.1);
}

/* Other costs and random spaces: always the order of Theorem 3. */
static void test_the_order_is_that_of_theorem_3(void **state)
{
    gr_rng rng = gr_rng_for(5, "spaces", 0);

    (void)state;
    for (int trial = 0; trial < 20; trial++) {
        space s = { .costs = { 0, 1, 0, 0, 0, 1, 0, 0, 0 } };
        double best[POINTS];

        s.costs[1] = 0.3 + gr_rng_uniform(&rng);
        s.costs[2] = 0.3 + 2.0 * gr_rng_uniform(&rng);
        s.costs[GRADES + 2] = 0.3 + gr_rng_uniform(&rng);
        for (size_t x = 0; x < POINTS; x++) {
            double sum = 0.0;

            for (size_t k = 0; k < GRADES; k++)
                sum += s.chances[x][k] = 0.05 + gr_rng_uniform(&rng);
            for (size_t k = 0; k < GRADES; k++)
                s.chances[x][k] /= sum;
        }
        best_scores(&s, false, best);
        for (size_t x = 1; x < POINTS; x++)
            CHECK_NEAR(best[x] - best[0], (log(theory(&s, x)) - log(theory(&s, 0))) / 2.0, 1e-4);
    }
}

/* Costs 1, 2, 1: f0 is (s - 1) / (3 - s), where s is the expected grade (of 1, 2, 3) that
 * regression estimates, so the scores are related by log((s - 1) / (3 - s)) / 2. */
static void test_linear_costs_are_tied_to_regression(void **state)
{
    static const space s = { { { .2, .5, .3 }, { .6, .3, .1 }, { .1, .3, .6 } },
                             { 0, 1, 2, 0, 0, 1, 0, 0, 0 } };
    double best[POINTS], tied[POINTS];

    (void)state;
    best_scores(&s, false, best);
    for (size_t x = 0; x < POINTS; x++) {
        const double mean = s.chances[x][0] + 2.0 * s.chances[x][1] + 3.0 * s.chances[x][2];

        tied[x] = log((mean - 1.0) / (3.0 - mean)) / 2.0;
        CHECK_NEAR(best[x] - best[0], tied[x] - tied[0], 1e-5);
    }
}

/* Two grades: the bipartite risk, whose optimal score is half the log-odds; --plain is the same. */
static void test_two_grades_are_the_bipartite_theory(void **state)
{
    static const space s = { { { .7, 0, .3 }, { .2, 0, .8 }, { .5, 0, .5 } },
                             { 0, 1, 1, 0, 0, 1, 0, 0, 0 } };

    (void)state;
    for (int plain = 0; plain < 2; plain++) {
        double best[POINTS];

        best_scores(&s, plain, best);
        for (size_t x = 1; x < POINTS; x++)
            CHECK_NEAR(best[x] - best[0],
                       (log(s.chances[x][2] / s.chances[x][0]) - log(.3 / .7)) / 2.0, 1e-5);
    }
}

static void test_nothing_to_order_is_refused(void **state)
{
    static sample data;
    gr_objective_options options = options_of(0);
    void *own = NULL;
    gradus_error err;

    (void)state;
    draw(&data, ROWS, QUERIES, 6);
    for (size_t r = 0; r < ROWS; r++) /* one grade per query */
        data.level_of[r] = (uint8_t)(r * QUERIES / ROWS % 2);
    assert_int_equal(gr_objective_pairrank.begin(&data.problem, &options, NULL, &own, &err),
                     GRADUS_BAD_NUMBER);
    assert_non_null(strstr(err.message, "no query has documents of two grades"));
    options.pairrank.within = GR_PAIRS_WITHIN_ALL;
    assert_int_equal(gr_objective_pairrank.begin(&data.problem, &options, NULL, &own, &err),
                     GRADUS_OK);
    gr_objective_pairrank.end(own);
}

static void test_extreme_scores_stay_finite(void **state)
{
    static sample data;
    const double extremes[4] = { -1e30, -200.0, 200.0, 1e30 };

    (void)state;
    draw(&data, ROWS, QUERIES, 7);
    for (size_t r = 0; r < ROWS; r++)
        data.scores[r] = extremes[r % 4];
    for (size_t v = 0; v < 4; v++) {
        const gr_objective_options options = options_of(v);
        void *own = begin(&data, &options);

        gr_objective_pairrank.gradients(own, &data.problem, data.scores, data.gradients,
                                        data.hessians, NULL, NULL);
        for (size_t r = 0; r < ROWS; r++)
            assert_true(isfinite(data.gradients[r]) && isfinite(data.hessians[r]));
        gr_objective_pairrank.end(own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_risk_is_that_of_all_pairs),
        cmocka_unit_test(test_line_searches_find_the_least_risk),
        cmocka_unit_test(test_extra_terms_make_the_order_right),
        cmocka_unit_test(test_the_order_is_that_of_theorem_3),
        cmocka_unit_test(test_linear_costs_are_tied_to_regression),
        cmocka_unit_test(test_two_grades_are_the_bipartite_theory),
        cmocka_unit_test(test_nothing_to_order_is_refused),
        cmocka_unit_test(test_extreme_scores_stay_finite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
