/* SPDX-License-Identifier: Apache-2.0 */
/* Objectives: Hessians against second derivatives of the losses; leaf values and base scores worked
 * by hand. */
#include "checks.h"

#include "base/math.h"
#include "base/param.h"
#include "base/rng.h"
#include "kernels/sigmoid.h"
#include "objectives/objective.h"
#include "objectives/residual_quantile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 150, LEVELS = 4, OUTPUTS = LEVELS, QUERIES = 10 };

typedef struct sample {
    gr_problem problem;
    uint64_t starts[QUERIES + 1];
    float labels[ROWS], row_weights[ROWS];
    uint8_t level_of[ROWS];
    double targets[OUTPUTS * LEVELS], weights[OUTPUTS * LEVELS];
    double scores[OUTPUTS * ROWS];
    float gradients[OUTPUTS * ROWS], hessians[OUTPUTS * ROWS];
} sample;

static const double level_labels[LEVELS] = { 0.0, 1.0, 2.0, 4.0 };

/* Graded rows with row weights. */
static void draw(sample *data, size_t outputs, uint64_t seed)
{
    gr_rng rng = gr_rng_for(seed, "objectives", 0);

    memset(data, 0, sizeof *data);
    for (size_t q = 0; q <= QUERIES; q++)
        data->starts[q] = q * ROWS / QUERIES;
    for (size_t r = 0; r < ROWS; r++) {
        data->level_of[r] = (uint8_t)gr_rng_below(&rng, LEVELS);
        data->labels[r] = (float)level_labels[data->level_of[r]];
        data->row_weights[r] = 0.5f + (float)gr_rng_below(&rng, 4);
    }
    for (size_t i = 0; i < OUTPUTS * ROWS; i++)
        data->scores[i] = 2.0 * gr_rng_normal(&rng);
    data->problem = (gr_problem){
        .rows = ROWS,
        .queries = QUERIES,
        .query_starts = data->starts,
        .labels = data->labels,
        .levels = LEVELS,
        .level_labels = level_labels,
        .level_of = data->level_of,
        .outputs = outputs,
        .row_weights = data->row_weights,
    };
}

/* targets[k][level]: whether the level is at least k + 1 (above), or equals k. */
static void pose(sample *data, bool above)
{
    for (size_t k = 0; k < data->problem.outputs; k++)
        for (size_t i = 0; i < LEVELS; i++)
            data->targets[k * LEVELS + i] = above ? i > k : i == k;
    data->problem.targets = data->targets;
}

static void give_weights(sample *data)
{
    for (size_t i = 0; i < OUTPUTS * LEVELS; i++)
        data->weights[i] = 0.3 + 0.7 * (double)(i % 5);
    data->problem.weights = data->weights;
}

static void *begin(const gr_objective *objective, const gr_problem *problem, gr_pool *pool)
{
    const gr_objective_options options = {
        .truncation = 30, .sigma = 1.0, .max_grade = 4.0, .loss = { .delta = 1.5, .quantile = 0.3 }
    };
    gradus_error err = { GRADUS_OK, "" };
    void *state = NULL;

    if (objective->begin(problem, &options, pool, &state, &err) != GRADUS_OK)
        fail_msg("%s: %s", objective->about.name, err.message);
    return state;
}

static void end(const gr_objective *objective, void *state)
{
    if (objective->end)
        objective->end(state);
}

static void compute(const gr_objective *objective, sample *data, gr_pool *pool)
{
    void *state = begin(objective, &data->problem, pool);
    gradus_error err;

    assert_int_equal(objective->gradients(state, &data->problem, data->scores, data->gradients,
                                          data->hessians, pool, &err),
                     GRADUS_OK);
    end(objective, state);
}

static double bend(const gr_objective *objective, void *state, sample *data, size_t at, double step)
{
    const double kept = data->scores[at];
    const double here = objective->loss(state, &data->problem, data->scores);

    data->scores[at] = kept + step;
    const double above = objective->loss(state, &data->problem, data->scores);
    data->scores[at] = kept - step;
    const double below = objective->loss(state, &data->problem, data->scores);
    data->scores[at] = kept;
    return (above - 2.0 * here + below) / (step * step) * ROWS;
}

static void check_hessians(const gr_objective *objective, sample *data)
{
    void *state = begin(objective, &data->problem, NULL);

    compute(objective, data, NULL);
    for (size_t i = 0; i < data->problem.outputs * ROWS; i++)
        CHECK_NEAR((double)data->hessians[i], bend(objective, state, data, i, 1e-2), 3e-4);
    end(objective, state);
}

static void test_hessians_are_second_derivatives(void **state)
{
    static sample data;

    (void)state;
    draw(&data, 1, 1);
    check_hessians(&gr_objective_squared, &data);
    draw(&data, LEVELS - 1, 2);
    pose(&data, true);
    check_hessians(&gr_objective_logistic, &data);
    give_weights(&data);
    check_hessians(&gr_objective_squared, &data);
    check_hessians(&gr_objective_logistic, &data);
    draw(&data, LEVELS, 3);
    check_hessians(&gr_objective_softmax, &data);
}

static void test_the_sign_of_no_residual_is_zero(void **state)
{
    static sample data;

    (void)state;
    draw(&data, 1, 4);
    for (size_t r = 0; r < ROWS; r++)
        data.scores[r] = (double)data.labels[r];
    compute(&gr_objective_absolute, &data, NULL);
    for (size_t r = 0; r < ROWS; r++) {
        assert_true(data.gradients[r] == 0.0f);
        assert_true(data.hessians[r] == data.row_weights[r]);
    }
}

/* Hessians of objectives that declare it are 1 without weights. */
static void test_unit_hessians_are_one(void **state)
{
    static sample data;

    (void)state;
    for (size_t i = 0; gr_objectives_at(i); i++) {
        const gr_objective *objective = gr_objective_find(gr_objectives_at(i)->name);

        if (!objective->unit)
            continue;
        draw(&data, 1, 5);
        data.problem.row_weights = NULL;
        compute(objective, &data, NULL);
        for (size_t r = 0; r < ROWS; r++)
            assert_true(data.hessians[r] == 1.0f);
    }
}

static void test_names_are_found(void **state)
{
    size_t count = 0;

    (void)state;
    for (; gr_objectives_at(count); count++) {
        const char *name = gr_objectives_at(count)->name;
        const gr_objective *objective = gr_objective_find(name);

        assert_string_equal(objective->about.name, name);
        assert_non_null(objective->begin);
        assert_non_null(objective->gradients);
    }
    assert_true(count >= 7);
    assert_null(gr_objective_find("lambdarang"));
    assert_null(gr_objective_find(""));
}

static void test_parameters_have_their_defaults(void **state)
{
    static const gr_operation operation = { "objective", "", gr_objective_params,
                                            sizeof(gr_objective_options), NULL };
    gr_objective_options options;

    (void)state;
    assert_int_equal(gr_options_get(NULL, &operation, &options, NULL), GRADUS_OK);
    assert_int_equal(options.truncation, 30);
    assert_int_equal(options.lambda_metric, 0);
    assert_int_equal(options.lambda_depth, 0);
    assert_true(options.sigma == 1.0);
    assert_true(options.loss.delta == 1.0 && options.loss.quantile == 0.9);
}

/* Targets 0, 1, 2, 4 with weights .5, 1, 1, 2.5: mean 13 / 5; half of the weight is at 2 or below,
 * half at 4 or above. */
static void test_bases_by_hand(void **state)
{
    const float labels[4] = { 4.0f, 1.0f, 0.0f, 2.0f }, weights[4] = { 2.5f, 1.0f, 0.5f, 1.0f };
    gr_problem problem = { .rows = 4, .labels = labels, .outputs = 1, .row_weights = weights };
    double base = NAN;

    (void)state;
    gr_objective_squared.bases(NULL, &problem, &base);
    CHECK_NEAR(base, 2.6, 1e-15);
    gr_objective_absolute.bases(NULL, &problem, &base);
    CHECK_NEAR(base, 3.0, 0.0);
    assert_null(gr_objective_logistic.bases); /* 0 */
    problem.row_weights = (const float[]){ 0.0f, 0.0f, 0.0f, 0.0f };
    gr_objective_squared.bases(NULL, &problem, &base);
    CHECK_NEAR(base, 0.0, 0.0);
    gr_objective_absolute.bases(NULL, &problem, &base);
    CHECK_NEAR(base, 0.0, 0.0);
}

/* Residuals 0, 1, 2, 3 and 10 with weights 1, 1, 2, 1 and 1: median 2; deviations from it clipped to
 * +-1.5 are -1.5, -1, 0, 1 and 1.5, whose weighted mean is 0. Without the last row the median is 2
 * and the mean -1.5 / 5. The loss of residuals 1 and 10 is 1 / 2 and 1.5 (10 - 1.5 / 2). */
static void test_huber_by_hand(void **state)
{
    const float labels[5] = { 4.0f, 1.0f, 2.0f, 3.0f, 10.0f };
    const float weights[5] = { 1.0f, 1.0f, 2.0f, 1.0f, 1.0f };
    const double scores[5] = { 4.0, 0.0, 0.0, 0.0, 0.0 };
    const uint32_t rows[5] = { 0, 1, 2, 3, 4 };
    gr_problem problem = { .rows = 5, .labels = labels, .outputs = 1, .row_weights = weights };
    gr_leaf leaf = { .rows = rows, .count = 5, .scores = scores, .l2 = 7.0 };
    void *own = begin(&gr_objective_huber, &problem, NULL);
    double base = NAN;

    (void)state;
    CHECK_NEAR(gr_objective_huber.leaf(own, &problem, &leaf), 2.0, 1e-15);
    leaf.count = 4;
    CHECK_NEAR(gr_objective_huber.leaf(own, &problem, &leaf), 1.7, 1e-15);
    leaf.count = 0;
    CHECK_NEAR(gr_objective_huber.leaf(own, &problem, &leaf), 0.0, 0.0);
    gr_objective_huber.bases(own, &problem, &base);
    CHECK_NEAR(base, 2.5, 0.0); /* half of the weight is at 2 or below, half at 3 or above */
    problem.rows = 2;
    problem.row_weights = NULL;
    problem.labels = (const float[]){ 1.0f, 10.0f };
    CHECK_NEAR(gr_objective_huber.loss(own, &problem, (const double[]){ 0.0, 0.0 }),
               (0.5 + 1.5 * 9.25) / 2, 1e-15);
    end(&gr_objective_huber, own);
}

/* The weight is 6, so 0.3 of it is 1.8: reached at the second smallest residual. A residual of 2 above
 * costs 0.3 * 2, one of 2 below 0.7 * 2. */
static void test_quantile_by_hand(void **state)
{
    const float labels[5] = { 0.0f, 1.0f, 2.0f, 3.0f, 10.0f };
    const float weights[5] = { 1.0f, 1.0f, 2.0f, 1.0f, 1.0f };
    const double scores[5] = { 0.0 };
    const uint32_t rows[5] = { 4, 2, 3, 1, 0 };
    gr_problem problem = { .rows = 5, .labels = labels, .outputs = 1, .row_weights = weights };
    const gr_leaf leaf = { .rows = rows, .count = 5, .scores = scores };
    void *own = begin(&gr_objective_quantile, &problem, NULL);
    double base = NAN;

    (void)state;
    CHECK_NEAR(gr_objective_quantile.leaf(own, &problem, &leaf), 1.0, 0.0);
    gr_objective_quantile.bases(own, &problem, &base);
    CHECK_NEAR(base, 1.0, 0.0);
    problem.rows = 2;
    problem.row_weights = NULL;
    problem.labels = (const float[]){ 2.0f, -2.0f };
    CHECK_NEAR(gr_objective_quantile.loss(own, &problem, scores), (0.3 * 2 + 0.7 * 2) / 2, 1e-15);
    end(&gr_objective_quantile, own);
}

/* g = -2.5, h = .8 and four classes. */
static void test_leaves_by_hand(void **state)
{
    const gr_problem problem = { .outputs = 4 };
    gr_leaf leaf = { .gradients = -2.5, .hessians = 0.8 };

    (void)state;
    CHECK_NEAR(gr_objective_logistic.leaf(NULL, &problem, &leaf), 3.125, 1e-15);
    CHECK_NEAR(gr_objective_softmax.leaf(NULL, &problem, &leaf), 2.34375, 1e-15);
    leaf.l2 = 1.7;
    CHECK_NEAR(gr_objective_logistic.leaf(NULL, &problem, &leaf), 1.0, 1e-15);
    leaf = (gr_leaf){ .gradients = 1.0, .hessians = 1e-300 };
    CHECK_NEAR(gr_objective_logistic.leaf(NULL, &problem, &leaf), -100.0, 0.0);
    leaf.gradients = -1.0;
    CHECK_NEAR(gr_objective_softmax.leaf(NULL, &problem, &leaf), 100.0, 0.0);
    leaf.hessians = 0.0;
    CHECK_NEAR(gr_objective_logistic.leaf(NULL, &problem, &leaf), 0.0, 0.0);
    CHECK_NEAR(gr_objective_softmax.leaf(NULL, &problem, &leaf), 0.0, 0.0);
}

typedef struct weighed {
    double number, weight;
} weighed;

static int ascending(const void *a, const void *b)
{
    const double x = ((const weighed *)a)->number, y = ((const weighed *)b)->number;

    return x < y ? -1 : x > y;
}

/* Sorts and accumulates weights from below. Weights are quarters, so sums are exact. */
static double plain_quantile(weighed *items, size_t count, double fraction)
{
    double total = 0.0, below = 0.0;

    for (size_t i = 0; i < count; i++)
        total += items[i].weight;
    if (total == 0.0)
        return 0.0;
    qsort(items, count, sizeof *items, ascending);
    for (size_t i = 0; i < count; i++) {
        below += items[i].weight;
        if (items[i].weight == 0.0 || below < total * fraction)
            continue;
        size_t next = i + 1;

        while (below == total * fraction && items[next].weight == 0.0)
            next++;
        return below == total * fraction ? (items[i].number + items[next].number) / 2
                                         : items[i].number;
    }
    return NAN;
}

/* Residuals that are equal, tiny, huge, of both signs; some with weight 0; subsets of rows. */
static void test_quantiles_are_those_of_sorted_residuals(void **state)
{
    static sample data;
    gr_rng rng = gr_rng_for(6, "medians", 0);
    uint32_t rows[ROWS];
    weighed items[ROWS];

    (void)state;
    for (size_t round = 0; round < 400; round++) {
        const double scale = ldexp(1.0, (int)gr_rng_below(&rng, 60) - 30);
        size_t count = 0;

        draw(&data, 1, round);
        for (size_t r = 0; r < ROWS; r++) {
            data.row_weights[r] = round % 4 == 0 ? 1.0f : 0.25f * (float)gr_rng_below(&rng, 4);
            data.scores[r] = scale * (round % 3 ? gr_rng_normal(&rng) : floor(data.scores[r]));
            if (gr_rng_below(&rng, ROWS) < 1 + round % 50)
                rows[count++] = (uint32_t)r;
        }
        for (size_t i = 0; i < count; i++)
            items[i] = (weighed){ (double)data.labels[rows[i]] - data.scores[rows[i]],
                                  (double)data.row_weights[rows[i]] };
        for (size_t f = 0; f < 4; f++) {
            static const double fractions[] = { 0.5, 0.25, 0.0625, 0.9 };
            const double found =
                gr_residual_quantile(&data.problem, 0, data.scores, rows, count, fractions[f]);
            const double wanted = plain_quantile(items, count, fractions[f]);

            CHECK_NEAR(found, wanted, 1e-15 * fabs(wanted));
        }
    }
}

static void test_a_leaf_of_no_rows_is_zero(void **state)
{
    static sample data;
    const gr_leaf leaf = { .scores = data.scores };

    (void)state;
    draw(&data, 1, 7);
    CHECK_NEAR(gr_objective_absolute.leaf(NULL, &data.problem, &leaf), 0.0, 0.0);
}

static void check_finite(const sample *data)
{
    for (size_t i = 0; i < data->problem.outputs * ROWS; i++) {
        assert_true(isfinite(data->gradients[i]));
        assert_true(isfinite(data->hessians[i]) && data->hessians[i] > 0.0f);
    }
}

static void test_extreme_scores_stay_finite(void **state)
{
    static const double scores[] = { 700.0, -700.0, 1e300, -1e300, 1.7e308, -1.7e308, 0.0 };
    static sample data;

    (void)state;
    draw(&data, LEVELS, 9);
    pose(&data, false);
    for (size_t i = 0; i < OUTPUTS * ROWS; i++)
        data.scores[i] = scores[i * 5 % 7];
    compute(&gr_objective_logistic, &data, NULL);
    check_finite(&data);
    compute(&gr_objective_softmax, &data, NULL);
    check_finite(&data);
    /* p rounds to 1 for the wrong class: there must still be a step */
    draw(&data, 1, 9);
    data.problem.targets = (const double[LEVELS]){ 0.0, 0.0, 0.0, 0.0 };
    data.problem.row_weights = NULL;
    for (size_t r = 0; r < ROWS; r++)
        data.scores[r] = 800.0;
    compute(&gr_objective_logistic, &data, NULL);
    assert_true(data.gradients[0] == 1.0f);
    const gr_leaf leaf = { .gradients = 1.0, .hessians = (double)data.hessians[0] };

    CHECK_NEAR(gr_objective_logistic.leaf(NULL, &data.problem, &leaf), -100.0, 0.0);
}

static void refuse(const gr_objective *objective, const gr_problem *problem, gradus_status status,
                   const char *says)
{
    const gr_objective_options options = { .sigma = 1.0 };
    gradus_error err = { GRADUS_OK, "" };
    void *state = NULL;

    assert_int_equal(objective->begin(problem, &options, NULL, &state, &err), status);
    assert_non_null(strstr(err.message, says));
    assert_null(state);
}

static void test_problems_of_the_wrong_kind_are_refused(void **state)
{
    static sample data;

    (void)state;
    draw(&data, 2, 10);
    refuse(&gr_objective_softmax, &data.problem, GRADUS_BAD_ARGUMENT, "4 grades");
    draw(&data, LEVELS, 10);
    pose(&data, true);
    refuse(&gr_objective_softmax, &data.problem, GRADUS_BAD_ARGUMENT, "output 0");
    data.targets[5] = 1.5;
    refuse(&gr_objective_logistic, &data.problem, GRADUS_BAD_NUMBER, "1.5");
    draw(&data, 1, 10);
    data.labels[4] = -3.0f;
    memset(data.labels, 0, 4 * sizeof *data.labels);
    refuse(&gr_objective_logistic, &data.problem, GRADUS_BAD_NUMBER, "row 5");
}

/* ---- kernels ---- */

enum { LENGTH = 1003 };

static void test_exp_kernel_is_near_exp(void **state)
{
    static double x[LENGTH], powers[LENGTH];
    gr_rng rng = gr_rng_for(11, "exp", 0);

    (void)state;
    for (size_t i = 0; i < LENGTH; i++)
        x[i] = i < 500 ? gr_rng_uniform(&rng) : 708.0 * gr_rng_uniform(&rng);
    x[0] = 0.0;
    x[1] = 708.0;
    x[2] = -0.34657359; /* about ln(2) / 2, where the series is least accurate */
    gr_sigmoid_versions[0]->exp_minus(x, LENGTH, powers);
    for (size_t i = 0; i < LENGTH; i++)
        CHECK_NEAR(powers[i], gr_exp(-fabs(x[i])), 1e-11 * gr_exp(-fabs(x[i])));
    assert_true(powers[0] == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hessians_are_second_derivatives),
        cmocka_unit_test(test_the_sign_of_no_residual_is_zero),
        cmocka_unit_test(test_unit_hessians_are_one),
        cmocka_unit_test(test_names_are_found),
        cmocka_unit_test(test_parameters_have_their_defaults),
        cmocka_unit_test(test_bases_by_hand),
        cmocka_unit_test(test_huber_by_hand),
        cmocka_unit_test(test_quantile_by_hand),
        cmocka_unit_test(test_leaves_by_hand),
        cmocka_unit_test(test_quantiles_are_those_of_sorted_residuals),
        cmocka_unit_test(test_a_leaf_of_no_rows_is_zero),
        cmocka_unit_test(test_extreme_scores_stay_finite),
        cmocka_unit_test(test_problems_of_the_wrong_kind_are_refused),
        cmocka_unit_test(test_exp_kernel_is_near_exp),
    };

    return cmocka_run_group_tests_name("objectives", tests, NULL, NULL);
}
