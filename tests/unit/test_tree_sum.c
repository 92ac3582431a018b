/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of trees made from models: scores, thresholds that transforms moved into, refusals. */
#include "checks.h"
#include "failing_alloc.h"
#include "summed_models.h"

#include "exchange/linear_sum.h"
#include "exchange/tree_sum.h"
#include "model/forest_node.h"
#include "model/fusion_node.h"
#include "model/standardized_node.h"
#include "model/linear_node.h"
#include "model/predict.h"
#include "model/scored_node.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, SEEDS = 12 };

static double score_of(const gr_tree_sum *sum, const float *row)
{
    double score = sum->base;

    for (size_t t = 0; t < sum->forest.trees; t++)
        score += sum->weights[t] *
                 (double)sum->forest
                     .leaves[sum->forest.starts[t] + t + gr_forest_leaf(&sum->forest, t, row)];
    return score;
}

static void check_kind(const summed_kind *kind, uint64_t seed)
{
    gr_rng rng = gr_rng_for(seed, kind->name, 0);
    gradus_model *model = summed_model(&rng, kind, seed % 2 ? 0 : 9);
    double scores[ROWS];
    gr_tree_sum sum;
    float *rows;

    assert_int_equal(gr_tree_sum_build(model, "test", &sum, NULL), GRADUS_OK);
    assert_int_equal(sum.forest.outputs, 1);
    assert_int_equal(sum.weighted, kind->weighted);
    assert_int_equal(gr_forest_check(&sum.forest, NULL), GRADUS_OK);
    rows = summed_rows(&rng, &sum.forest, ROWS, true, true);
    assert_int_equal(gr_model_run_rows(model, rows, ROWS, SUMMED_FEATURES, scores, NULL, NULL),
                     GRADUS_OK);
    for (size_t r = 0; r < ROWS; r++) {
        const double found = score_of(&sum, rows + r * SUMMED_FEATURES);

        if (kind->weighted)
            CHECK_NEAR(found, scores[r], 1e-13 * fmax(1.0, fabs(scores[r])));
        else
            assert_true(found == scores[r]);
    }
    gr_tree_sum_free(&sum);
    free(rows);
    gr_model_free(model);
}

static void test_the_sum_is_the_score(void **state)
{
    (void)state;
    for (size_t k = 0; k < SUMMED_KINDS; k++)
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            check_kind(&summed_kinds[k], seed);
}

/* A model of one split. */
static gradus_model *stump(float threshold, double shift, double unit)
{
    const gr_split split = { .threshold = threshold, .left = ~0, .right = ~1 };
    gradus_model *model = gr_model_new(NULL);
    gr_forest forest;
    gr_node node;

    assert_non_null(model);
    model->features = 1;
    model->scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
    model->transform = (gr_fitted_transform){ .transform = &gr_transform_standardise,
                                              .features = 1,
                                              .shift = gr_new_array(1, sizeof(double)),
                                              .unit = gr_new_array(1, sizeof(double)) };
    assert_true(model->transform.shift && model->transform.unit);
    model->transform.shift[0] = shift;
    model->transform.unit[0] = unit;
    assert_int_equal(gr_forest_start(&forest, 1, 1, (double[]){ 0.0 }, NULL), GRADUS_OK);
    assert_int_equal(
        gr_forest_add(&forest, &split, 2, (float[]){ 1.0f, 2.0f }, (uint32_t[]){ 1, 1 }, NULL),
        GRADUS_OK);
    assert_int_equal(gr_forest_node_new(&forest, &node, NULL), GRADUS_OK);
    assert_int_equal(gr_model_add_node(model, &node, NULL), GRADUS_OK);
    return model;
}

/* Any float but NaN. */
static float any_float(gr_rng *rng)
{
    for (;;) {
        const uint32_t bits = gr_rng_word(rng);
        float value;

        memcpy(&value, &bits, sizeof value);
        if (!isnan(value))
            return value;
    }
}

/* Compares the side of a value by the definition of the transform, and by the moved threshold. */
static void check_side(float x, float threshold, double shift, double unit, float moved)
{
    float scaled = x;

    if (isfinite(x))
        scaled = unit == 0.0 ? 0.0f : (float)(((double)x - shift) / unit);
    if ((scaled < threshold) != (x < moved))
        fail_msg("x %a becomes %a at threshold %a, moved to %a (shift %a, unit %a)", (double)x,
                 (double)scaled, (double)threshold, (double)moved, shift, unit);
}

static void check_threshold(gr_rng *rng, float threshold, double shift, double unit)
{
    gradus_model *model = stump(threshold, shift, unit);
    gr_tree_sum sum;

    assert_int_equal(gr_tree_sum_build(model, "test", &sum, NULL), GRADUS_OK);
    const float moved = sum.forest.splits[0].threshold;
    const float near[] = { moved,
                           nextafterf(moved, -INFINITY),
                           nextafterf(moved, INFINITY),
                           -INFINITY,
                           INFINITY,
                           -FLT_MAX,
                           FLT_MAX,
                           -0.0f,
                           0.0f,
                           FLT_TRUE_MIN,
                           -FLT_TRUE_MIN,
                           (float)shift,
                           threshold };

    assert_false(isnan(moved) || (moved == 0.0f && signbit(moved)));
    for (size_t i = 0; i < sizeof near / sizeof *near; i++)
        check_side(near[i], threshold, shift, unit, moved);
    for (size_t i = 0; i < 50; i++)
        check_side(any_float(rng), threshold, shift, unit, moved);
    gr_tree_sum_free(&sum);
    gr_model_free(model);
}

static void test_thresholds_move_exactly(void **state)
{
    static const float thresholds[] = { -INFINITY, INFINITY, 0.0f,     -0.0f,
                                        0.5f,      FLT_MAX,  -FLT_MAX, FLT_TRUE_MIN };
    static const double units[] = { 0.0, 1.0, 0.1, 1e-300, 1e300, 5e-324, 3e38 };
    static const double shifts[] = { 0.0, 0.1, -1e300, 1e-300, 3e38, -7.25 };
    gr_rng rng = gr_rng_for(1, "moved", 0);

    (void)state;
    for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++)
        for (size_t u = 0; u < sizeof units / sizeof *units; u++)
            for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++)
                check_threshold(&rng, thresholds[t], shifts[s], units[u]);
    for (size_t i = 0; i < 2000; i++) {
        const int size = (int)gr_rng_below(&rng, 300) - 150;
        const double unit = ldexp(gr_rng_uniform(&rng), size);
        const float threshold = i % 2 ? any_float(&rng) : (float)gr_rng_normal(&rng);

        check_threshold(&rng, threshold, gr_rng_normal(&rng) * ldexp(unit, (int)(i % 60) - 20),
                        unit);
    }
}

/* (x + 4) / 4 < 1.5, worked by hand. Without rounding the answer is 2, but quotients from 1.5 - 2^-24 on
 * round to 1.5 (a tie, to even), and so does that of 2 - 2^-22. */
static void test_known_threshold(void **state)
{
    gradus_model *model = stump(1.5f, -4.0, 4.0);
    gr_tree_sum sum;

    (void)state;
    assert_int_equal(gr_tree_sum_build(model, "test", &sum, NULL), GRADUS_OK);
    assert_true(sum.forest.splits[0].threshold == 0x1.fffffcp+0f);
    gr_tree_sum_free(&sum);
    gr_model_free(model);
}

static void check_refused(gradus_model *model, const char *reason)
{
    gradus_error err = { GRADUS_OK, "" };
    gr_tree_sum sum;

    assert_int_equal(gr_tree_sum_build(model, "xgboost-json", &sum, &err), GRADUS_BAD_ARGUMENT);
    if (!strstr(err.message, reason) || !strstr(err.message, "'xgboost-json'"))
        fail_msg("'%s' does not contain '%s'", err.message, reason);
    gr_tree_sum_free(&sum);
    gr_model_free(model);
}

static void test_other_models_are_refused(void **state)
{
    gr_rng rng = gr_rng_for(1, "refused", 0);
    gradus_model *model = stump(1.0f, 0.0, 1.0);
    gr_fusion fusion = { .members = 1 };
    const double weight = 1.0;
    gr_linear linear;
    gr_node node;

    (void)state;
    model->transform.unit[0] = -1.0;
    check_refused(model, "reverses feature 1");
    model = stump(1.0f, 0.0, 1.0);
    model->transform.transform = &gr_transform_query;
    check_refused(model, "'query' depends on the other documents");
    model = summed_model(&rng, &summed_kinds[3], 0);
    model->scorer.rule = GR_SCORE_EXPECTED_GRADE;
    check_refused(model, "the scoring rule 'expected-grade'");
    model = stump(1.0f, 0.0, 1.0);
    assert_int_equal(gr_fusion_node_new(&fusion, &node, NULL), GRADUS_OK);
    node.input_count = 1;
    assert_int_equal(gr_model_add_node(model, &node, NULL), GRADUS_OK);
    check_refused(model, "rank fusion");
    model = stump(1.0f, 0.0, 1.0);
    assert_int_equal(gr_standardized_node_new(&weight, 1, &node, NULL), GRADUS_OK);
    node.input_count = 1;
    assert_int_equal(gr_model_add_node(model, &node, NULL), GRADUS_OK);
    check_refused(model, "standardised within each query");
    model = gr_model_new(NULL);
    assert_non_null(model);
    model->features = 1;
    model->scorer = (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
    assert_int_equal(gr_linear_new(&linear, 1, 1, NULL), GRADUS_OK);
    assert_int_equal(gr_linear_node_new(&linear, &node, NULL), GRADUS_OK);
    assert_int_equal(gr_model_add_node(model, &node, NULL), GRADUS_OK);
    check_refused(model, "a linear model");
}

static void test_the_base_becomes_trees(void **state)
{
    static const double bases[] = { 0.5, 0.1, -1e10 / 3.0, 0.0 };
    static const size_t trees[] = { 1, 3, 3, 0 };

    (void)state;
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
        for (int floats = 0; floats < 2; floats++) {
            gradus_model *model = stump(1.0f, 0.0, 1.0);
            gr_tree_sum sum;

            model->rows = 7;
            assert_int_equal(gr_tree_sum_build(model, "test", &sum, NULL), GRADUS_OK);
            sum.base = bases[b];
            assert_int_equal(gr_tree_sum_fold_base(&sum, model, floats, NULL), GRADUS_OK);
            assert_int_equal(sum.forest.trees, 1 + (floats ? trees[b] : bases[b] != 0.0));
            assert_true(sum.base == 0.0);
            assert_true(score_of(&sum, (float[]){ 0.0f }) == bases[b] + 1.0);
            if (sum.forest.trees > 1)
                assert_int_equal(sum.forest.covers[0], 7);
            gr_tree_sum_free(&sum);
            gr_model_free(model);
        }
}

static gradus_model *exhausted;

static gradus_status build_and_fold(gradus_error *err)
{
    gr_tree_sum sum;
    gradus_status status = gr_tree_sum_build(exhausted, "test", &sum, err);

    if (status == GRADUS_OK)
        status = gr_tree_sum_fold_base(&sum, exhausted, true, err);
    gr_tree_sum_free(&sum);
    return status;
}

static void test_failed_allocations(void **state)
{
    gr_rng rng = gr_rng_for(1, "exhausted", 0);

    (void)state;
    exhausted = summed_model(&rng, &summed_kinds[5], 0);
    assert_true(exhaust("tree sum", build_and_fold) > 3);
    gr_model_free(exhausted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_sum_is_the_score),
        cmocka_unit_test(test_thresholds_move_exactly),
        cmocka_unit_test(test_known_threshold),
        cmocka_unit_test(test_other_models_are_refused),
        cmocka_unit_test(test_the_base_becomes_trees),
        cmocka_unit_test(test_failed_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
