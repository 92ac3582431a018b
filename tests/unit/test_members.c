/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of ensembles and calibrated models: members, sizes, and importance against values
 * worked by hand. */
#include "check_facts.h"
#include "checks.h"

#include "model/calibration_node.h"
#include "model/forest_node.h"
#include "model/fusion_node.h"
#include "model/mix_node.h"
#include "model/model.h"
#include "model/scored_node.h"
#include "model/standardized_node.h"

#include <stdlib.h>

enum { FEATURES = 4 };

static const gr_scorer plain = { .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };

static size_t add(gradus_model *model, gr_node *node, const size_t *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        node->inputs[i] = inputs[i];
    node->input_count = count;
    assert_int_equal(gr_model_add_node(model, node, NULL), GRADUS_OK);
    return model->node_count - 1;
}

/* A tree of splits on the given features, each with its gain; no features: a leaf. */
static size_t add_tree(gradus_model *model, size_t splits, const uint32_t *features,
                       const float *gains)
{
    const double base = 0.0;
    const float values[FEATURES + 1] = { 1, 2, 3, 4, 5 };
    const uint32_t covers[FEATURES + 1] = { 1, 1, 1, 1, 1 };
    gr_split made[FEATURES] = { { .left = 0 } };
    gr_forest forest;
    gr_node node;

    for (size_t s = 0; s < splits; s++)
        made[s] = (gr_split){ .feature = features[s],
                              .threshold = 0.5f,
                              .left = s + 1 < splits ? (int32_t)s + 1 : ~(int32_t)splits,
                              .right = ~(int32_t)s,
                              .gain = gains[s] };
    assert_int_equal(gr_forest_start(&forest, FEATURES, 1, &base, NULL), GRADUS_OK);
    assert_int_equal(gr_forest_add(&forest, made, splits + 1, values, covers, NULL), GRADUS_OK);
    assert_int_equal(gr_forest_node_new(&forest, &node, NULL), GRADUS_OK);
    return add(model, &node, NULL, 0);
}

static size_t add_scored(gradus_model *model, size_t from, const char *method)
{
    gr_node node;

    assert_int_equal(gr_scored_node_new(&plain, false, method, &node, NULL), GRADUS_OK);
    return add(model, &node, &from, 1);
}

static size_t add_mix(gradus_model *model, const double *weights, const size_t *inputs,
                      size_t count)
{
    gr_node node;

    assert_int_equal(gr_mix_node_new(weights, count, 1, &node, NULL), GRADUS_OK);
    return add(model, &node, inputs, count);
}

static size_t add_platt(gradus_model *model, size_t from)
{
    gr_calibration platt = { .method = GR_CALIBRATION_IS_platt, .inputs = 1, .outputs = 1 };
    gr_node node;

    assert_int_equal(gr_calibration_numbers(&platt, 2, NULL), GRADUS_OK);
    platt.numbers[0] = 2.5;
    platt.numbers[1] = -0.75;
    assert_int_equal(gr_calibration_node_new(&platt, &node, NULL), GRADUS_OK);
    return add(model, &node, &from, 1);
}

static gradus_model *new_model(void)
{
    gradus_model *model = gr_model_new(NULL);

    assert_non_null(model);
    model->features = FEATURES;
    model->scorer = plain;
    return model;
}

static size_t add_first(gradus_model *model)
{
    return add_tree(model, 3, (const uint32_t[]){ 0, 2, 2 }, (const float[]){ 5, 2, 1 });
}

static size_t add_second(gradus_model *model)
{
    return add_tree(model, 2, (const uint32_t[]){ 1, 2 }, (const float[]){ 30, 10 });
}

static void check_importance(const gradus_model *model, const double *gains, const uint64_t *splits)
{
    double found[FEATURES];
    uint64_t places[FEATURES];

    assert_int_equal(gradus_model_importance(model, found, places, NULL), GRADUS_OK);
    for (size_t f = 0; f < FEATURES; f++) {
        CHECK_NEAR(found[f], gains[f], 1e-15);
        assert_int_equal(places[f], splits[f]);
    }
}

/* Gains 5, 0, 3, 0 of 8 and 0, 30, 10, 0 of 40; weights 3 and -1: proportions 3/4 and 1/4. */
static void test_importance_is_the_weighted_mean_of_shares(void **state)
{
    gradus_model *model = new_model();
    const size_t one = add_scored(model, add_first(model), "lambdamart");
    const size_t two = add_scored(model, add_second(model), NULL);

    (void)state;
    add_mix(model, (const double[]){ 3.0, -1.0 }, (const size_t[]){ one, two }, 2);
    check_importance(
        model, (const double[]){ 0.75 * 5 / 8, 0.25 * 30 / 40, 0.75 * 3 / 8 + 0.25 * 10 / 40, 0.0 },
        (const uint64_t[]){ 1, 1, 3, 0 });
    gr_model_free(model);
}

/* ((first 1, second 3) 1, (second) 1, a leaf 8): the leaf is left out. Proportions: first 1/8,
 * second 3/8 + 1/2. The second is one node, used twice, and its splits count once. */
static void test_importance_of_nested_ensembles(void **state)
{
    gradus_model *model = new_model();
    const size_t first = add_first(model), second = add_second(model);
    const size_t leaf = add_tree(model, 0, NULL, NULL);
    const size_t inner = add_mix(model, (const double[]){ 1, 3 }, (size_t[]){ first, second }, 2);

    (void)state;
    add_mix(model, (const double[]){ 1, 1, 8 }, (size_t[]){ inner, second, leaf }, 3);
    check_importance(model, (const double[]){ 5.0 / 64, 7.0 / 8 * 3 / 4, 3.0 / 64 + 7.0 / 32, 0.0 },
                     (const uint64_t[]){ 1, 1, 3, 0 });
    gr_model_free(model);
}

static void test_importance_of_a_calibrated_model_is_that_of_the_model(void **state)
{
    gradus_model *model = new_model();

    (void)state;
    add_platt(model, add_scored(model, add_first(model), NULL));
    check_importance(model, (const double[]){ 5, 0, 3, 0 }, (const uint64_t[]){ 1, 0, 2, 0 });
    gr_model_free(model);
}

static void test_ranks_are_fused_with_equal_weights(void **state)
{
    gradus_model *model = new_model();
    const size_t inputs[] = { add_first(model), add_second(model) };
    const gr_fusion fusion = { .members = 2, .reciprocal = true, .constant = 60.0 };
    gradus_model_info facts;
    gr_node node;

    (void)state;
    assert_int_equal(gr_fusion_node_new(&fusion, &node, NULL), GRADUS_OK);
    add(model, &node, inputs, 2);
    check_importance(model, (const double[]){ 5.0 / 16, 3.0 / 8, 3.0 / 16 + 1.0 / 8, 0.0 },
                     (const uint64_t[]){ 1, 1, 3, 0 });
    gradus_model_describe(model, &facts);
    assert_string_equal(facts.combination, "reciprocal-rank");
    check_fact(model, "rank_constant", 60.0);
    gr_model_free(model);
}

static void test_standardised_scores_have_weights(void **state)
{
    gradus_model *model = new_model();
    const size_t inputs[] = { add_first(model), add_second(model) };
    gradus_model_info facts;
    gr_node node;
    double weight;

    (void)state;
    assert_int_equal(gr_standardized_node_new((const double[]){ 0.75, 0.25 }, 2, &node, NULL),
                     GRADUS_OK);
    add(model, &node, inputs, 2);
    check_importance(
        model, (const double[]){ 0.75 * 5 / 8, 0.25 * 30 / 40, 0.75 * 3 / 8 + 0.25 * 10 / 40, 0.0 },
        (const uint64_t[]){ 1, 1, 3, 0 });
    gradus_model_describe(model, &facts);
    assert_string_equal(facts.combination, "standardized");
    gradus_model_free(gradus_model_member(model, 1, &weight, NULL));
    CHECK_NEAR(weight, 0.25, 0.0);
    gr_model_free(model);
}

/* A calibrated ensemble of a tree and a calibrated tree. */
static gradus_model *calibrated_ensemble(void)
{
    gradus_model *model = new_model();
    const size_t one = add_scored(model, add_first(model), "lambdamart");
    const size_t two = add_platt(model, add_second(model));

    add_platt(model,
              add_mix(model, (const double[]){ 0.25, 0.5 }, (const size_t[]){ one, two }, 2));
    return model;
}

static void test_members_are_models(void **state)
{
    gradus_model *model = calibrated_ensemble(), *member;
    gradus_model_info facts;
    gradus_error err;
    double weight;

    (void)state;
    gradus_model_describe(model, &facts);
    assert_int_equal(facts.members, 2);
    check_fact(model, "trees", 2);
    check_fact(model, "leaves", 7);
    assert_string_equal(facts.combination, "weighted-sum");
    assert_string_equal(facts.calibration, "platt");
    member = gradus_model_member(model, 0, &weight, &err);
    gradus_model_describe(member, &facts);
    CHECK_NEAR(weight, 0.25, 0.0);
    assert_string_equal(facts.method, "lambdamart");
    assert_string_equal(facts.calibration, "");
    check_fact(member, "leaves", 4);
    assert_int_equal(facts.members, 0);
    check_importance(member, (const double[]){ 5, 0, 3, 0 }, (const uint64_t[]){ 1, 0, 2, 0 });
    gradus_model_free(member);
    member = gradus_model_member(model, 1, &weight, &err);
    gradus_model_describe(member, &facts);
    CHECK_NEAR(weight, 0.5, 0.0);
    assert_string_equal(facts.method, "forest");
    assert_string_equal(facts.calibration, "platt");
    gradus_model_free(member);
    assert_null(gradus_model_member(model, 2, &weight, &err));
    assert_string_equal(err.message, "the model has no member 2");
    gr_model_free(model);
}

static void test_parameters_of_calibrations(void **state)
{
    gradus_model *model = calibrated_ensemble();
    gradus_calibration_parameter p;

    (void)state;
    assert_true(gradus_model_calibration_at(model, 0, 0, &p));
    assert_string_equal(p.method, "platt");
    assert_string_equal(p.name, "a");
    assert_int_equal(p.output, 1);
    CHECK_NEAR(p.value, 2.5, 0.0);
    assert_true(gradus_model_calibration_at(model, 0, 1, &p));
    assert_string_equal(p.name, "b");
    CHECK_NEAR(p.value, -0.75, 0.0);
    assert_false(gradus_model_calibration_at(model, 0, 2, &p));
    assert_false(gradus_model_calibration_at(model, 1, 0, &p)); /* this one is the member's */
    gr_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_importance_is_the_weighted_mean_of_shares),
        cmocka_unit_test(test_importance_of_nested_ensembles),
        cmocka_unit_test(test_importance_of_a_calibrated_model_is_that_of_the_model),
        cmocka_unit_test(test_ranks_are_fused_with_equal_weights),
        cmocka_unit_test(test_standardised_scores_have_weights),
        cmocka_unit_test(test_members_are_models),
        cmocka_unit_test(test_parameters_of_calibrations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
