/* SPDX-License-Identifier: Apache-2.0 */
/* Objectives: gradients against derivatives of the losses; leaf values and base scores worked by
 * hand. */
#include "check.h"

#include "base/math.h"
#include "base/param.h"
#include "base/rng.h"
#include "kernels/sigmoid.h"
#include "objectives/median.h"
#include "objectives/objective.h"

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
    const gr_objective_options options = { .truncation = 30, .sigma = 1.0, .max_grade = 4.0 };
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

/* The derivative of the loss by one score, by a central difference. The loss is a mean over rows.
 */
static double slope(const gr_objective *objective, sample *data, size_t at, double step)
{
    const double kept = data->scores[at];

    data->scores[at] = kept + step;
    const double above = objective->loss(NULL, &data->problem, data->scores);
    data->scores[at] = kept - step;
    const double below = objective->loss(NULL, &data->problem, data->scores);
    data->scores[at] = kept;
    return (above - below) / (2.0 * step) * ROWS;
}

static double bend(const gr_objective *objective, sample *data, size_t at, double step)
{
    const double kept = data->scores[at];
    const double here = objective->loss(NULL, &data->problem, data->scores);

    data->scores[at] = kept + step;
    const double above = objective->loss(NULL, &data->problem, data->scores);
    data->scores[at] = kept - step;
    const double below = objective->loss(NULL, &data->problem, data->scores);
    data->scores[at] = kept;
    return (above - 2.0 * here + below) / (step * step) * ROWS;
}

static void check_derivatives(const gr_objective *objective, sample *data, bool curved)
{
    compute(objective, data, NULL);
    for (size_t i = 0; i < data->problem.outputs * ROWS; i++) {
        CHECK_NEAR((double)data->gradients[i], slope(objective, data, i, 1e-5), 3e-6);
        if (curved)
            CHECK_NEAR((double)data->hessians[i], bend(objective, data, i, 1e-2), 3e-4);
    }
}

static void test_gradients_are_slopes_of_the_loss(void **state)
{
    static sample data;

    (void)state;
    draw(&data, 1, 1);
    check_derivatives(&gr_objective_squared, &data, true);
    check_derivatives(&gr_objective_absolute, &data, false);
    draw(&data, LEVELS - 1, 2);
    pose(&data, true);
    check_derivatives(&gr_objective_logistic, &data, true);
    give_weights(&data);
    check_derivatives(&gr_objective_squared, &data, true);
    check_derivatives(&gr_objective_absolute, &data, false);
    check_derivatives(&gr_objective_logistic, &data, true);
    draw(&data, LEVELS, 3);
    check_derivatives(&gr_objective_softmax, &data, true);
    pose(&data, false);
    check_derivatives(&gr_objective_softmax, &data, true);
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
        assert_non_null(objective->bases);
        assert_non_null(objective->gradients);
    }
    assert_true(count >= 7);
    assert_null(gr_objective_find("lambdarang"));
    assert_null(gr_objective_find(""));
}

static void test_parameters_have_their_defaults(void **state)
{
    static const gr_operation operation = {
        "objective", "", gr_objective_params, sizeof(gr_objective_options), NULL, NULL
    };
    gr_objective_options options;

    (void)state;
    assert_int_equal(gr_options_get(NULL, &operation, &options, NULL), GRADUS_OK);
    assert_int_equal(options.truncation, 30);
    assert_int_equal(options.lambda_metric, 0);
    assert_int_equal(options.lambda_depth, 0);
    assert_true(options.sigma == 1.0);
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
    gr_objective_logistic.bases(NULL, &problem, &base);
    CHECK_NEAR(base, 0.0, 0.0);
    problem.row_weights = (const float[]){ 0.0f, 0.0f, 0.0f, 0.0f };
    gr_objective_squared.bases(NULL, &problem, &base);
    CHECK_NEAR(base, 0.0, 0.0);
    gr_objective_absolute.bases(NULL, &problem, &base);
    CHECK_NEAR(base, 0.0, 0.0);
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
static double plain_median(weighed *items, size_t count)
{
    double total = 0.0, below = 0.0;

    for (size_t i = 0; i < count; i++)
        total += items[i].weight;
    if (total == 0.0)
        return 0.0;
    qsort(items, count, sizeof *items, ascending);
    for (size_t i = 0; i < count; i++) {
        below += items[i].weight;
        if (items[i].weight == 0.0 || below < total / 2)
            continue;
        size_t next = i + 1;

        while (below == total / 2 && items[next].weight == 0.0)
            next++;
        return below == total / 2 ? (items[i].number + items[next].number) / 2 : items[i].number;
    }
    return NAN;
}

/* Residuals that are equal, tiny, huge, of both signs; some with weight 0; subsets of rows. */
static void test_medians_are_those_of_sorted_residuals(void **state)
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
        const gr_leaf leaf = { .rows = rows, .count = count, .scores = data.scores };
        const double found = gr_objective_absolute.leaf(NULL, &data.problem, &leaf);
        const double wanted = plain_median(items, count);

        CHECK_NEAR(found, wanted, 1e-15 * fabs(wanted));
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

static void test_threads_give_the_same_bits(void **state)
{
    enum { MANY = 50000 };
    static const size_t threads[] = { 1, 2, 3, 8 };
    const char *const names[] = { "squared", "absolute", "logistic", "softmax" };
    uint8_t *level_of = calloc(MANY, 1);
    double *scores = calloc(LEVELS * MANY, sizeof *scores);
    float *made[2] = { calloc(2 * LEVELS * MANY, sizeof(float)),
                       calloc(2 * LEVELS * MANY, sizeof(float)) };
    static sample data;
    gr_rng rng = gr_rng_for(8, "bits", 0);
    gradus_error err;

    (void)state;
    draw(&data, LEVELS, 8);
    pose(&data, false);
    for (size_t r = 0; r < MANY; r++)
        level_of[r] = (uint8_t)gr_rng_below(&rng, LEVELS);
    for (size_t i = 0; i < LEVELS * MANY; i++)
        scores[i] = 3.0 * gr_rng_normal(&rng);
    data.problem.rows = MANY;
    data.problem.level_of = level_of;
    data.problem.row_weights = NULL;
    for (size_t n = 0; n < 4; n++)
        for (size_t t = 0; t < 4; t++) {
            const gr_objective *objective = gr_objective_find(names[n]);
            gr_pool *pool = gr_pool_new(threads[t], NULL);
            void *begun = begin(objective, &data.problem, pool);
            float *out = made[t > 0];

            objective->gradients(begun, &data.problem, scores, out, out + LEVELS * MANY, pool,
                                 &err);
            assert_memory_equal(made[0], out, 2 * LEVELS * MANY * sizeof(float));
            end(objective, begun);
            gr_pool_free(pool);
        }
    free(level_of);
    free(scores);
    free(made[0]);
    free(made[1]);
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

static void test_kernel_versions_agree(void **state)
{
    static double scores[3 * LENGTH], targets[LENGTH], weights[LENGTH], chances[2][3 * LENGTH];
    static float made[2][2 * LENGTH];
    gr_rng rng = gr_rng_for(12, "versions", 0);
    const gr_sigmoid_kernels *plain = gr_sigmoid_versions[0];

    (void)state;
    for (size_t i = 0; i < 3 * LENGTH; i++)
        scores[i] = 20.0 * gr_rng_normal(&rng);
    for (size_t i = 0; i < LENGTH; i++) {
        targets[i] = (double)gr_rng_below(&rng, 2);
        weights[i] = gr_rng_uniform(&rng);
    }
    for (size_t version = 1; version < gr_versions_here(); version++)
        for (size_t count = 0; count <= LENGTH; count += count < 20 ? 1 : 983) {
            const gr_sigmoid_kernels *fast = gr_sigmoid_versions[version];

            plain->softmax(scores, LENGTH, 3, count, chances[0]);
            fast->softmax(scores, LENGTH, 3, count, chances[1]);
            assert_memory_equal(chances[0], chances[1], sizeof chances[0]);
            plain->exp_minus(scores, count, chances[0]);
            fast->exp_minus(scores, count, chances[1]);
            assert_memory_equal(chances[0], chances[1], sizeof chances[0]);
            plain->logistic(scores, targets, weights, count, made[0], made[0] + count);
            fast->logistic(scores, targets, weights, count, made[1], made[1] + count);
            assert_memory_equal(made[0], made[1], sizeof made[0]);
            plain->chance(chances[0], targets, weights, count, made[0], made[0] + count);
            fast->chance(chances[1], targets, weights, count, made[1], made[1] + count);
            assert_memory_equal(made[0], made[1], sizeof made[0]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_are_slopes_of_the_loss),
        cmocka_unit_test(test_the_sign_of_no_residual_is_zero),
        cmocka_unit_test(test_unit_hessians_are_one),
        cmocka_unit_test(test_names_are_found),
        cmocka_unit_test(test_parameters_have_their_defaults),
        cmocka_unit_test(test_bases_by_hand),
        cmocka_unit_test(test_leaves_by_hand),
        cmocka_unit_test(test_medians_are_those_of_sorted_residuals),
        cmocka_unit_test(test_a_leaf_of_no_rows_is_zero),
        cmocka_unit_test(test_threads_give_the_same_bits),
        cmocka_unit_test(test_extreme_scores_stay_finite),
        cmocka_unit_test(test_problems_of_the_wrong_kind_are_refused),
        cmocka_unit_test(test_exp_kernel_is_near_exp),
        cmocka_unit_test(test_kernel_versions_agree),
    };

    return cmocka_run_group_tests_name("objectives", tests, NULL, NULL);
}
