/* SPDX-License-Identifier: Apache-2.0 */
/* Random models whose score is a sum of trees. */
#include "summed_models.h"

#include "calibration/parameters.h"
#include "model/calibration_node.h"
#include "model/forest_node.h"
#include "model/mix_node.h"
#include "model/scored_node.h"

static const gr_scorer plain = { .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };

const summed_kind summed_kinds[SUMMED_KINDS] = {
    { "one output", 1, NULL, false, false, false, false },
    { "minmax", 1, &gr_transform_minmax, false, false, false, false },
    { "standardise", 1, &gr_transform_standardise, true, false, false, false },
    { "sum of outputs", 3, NULL, false, false, false, true },
    { "sum of outputs, standardise", 3, &gr_transform_standardise, false, false, false, true },
    { "ensemble", 1, &gr_transform_minmax, false, true, false, true },
    { "linear calibration", 1, NULL, false, false, true, true },
};

gr_fitted_transform summed_transform(gr_rng *rng, const gr_transform *transform, bool keep_zeros,
                                     size_t features)
{
    gr_fitted_transform fitted = { .transform = transform,
                                   .features = features,
                                   .keep_zeros = keep_zeros,
                                   .shift = gr_new_array(features, sizeof(double)),
                                   .unit = gr_new_array(features, sizeof(double)) };

    assert_true(fitted.shift && fitted.unit);
    for (size_t f = 0; f < features; f++) {
        const int size = (int)gr_rng_below(rng, 9) - 4;

        fitted.shift[f] = keep_zeros ? 0.0 : ldexp(gr_rng_normal(rng), size);
        fitted.unit[f] = gr_rng_below(rng, 8) == 0 ? 0.0 : ldexp(gr_rng_uniform(rng), size);
    }
    return fitted;
}

static size_t add(gradus_model *model, gr_node *node, const size_t *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        node->inputs[i] = inputs[i];
    node->input_count = count;
    assert_int_equal(gr_model_add_node(model, node, NULL), GRADUS_OK);
    return model->node_count - 1;
}

static gr_node forest_node(gr_rng *rng, size_t outputs, size_t features, uint64_t grid)
{
    const forest_plan plan = {
        .features = features, .outputs = outputs, .rounds = 5, .leaves = 8, .grid = grid
    };
    gr_forest forest;
    gr_node node;

    random_forest(rng, &plan, &forest);
    assert_int_equal(gr_forest_node_new(&forest, &node, NULL), GRADUS_OK);
    return node;
}

/* A member: a forest of every other feature with its own transform, and its score. */
static size_t add_member(gr_rng *rng, gradus_model *model, const summed_kind *kind, uint64_t grid)
{
    const size_t count = SUMMED_FEATURES / 2;
    gr_node node = forest_node(rng, 1, count, grid), scored;
    uint32_t *columns = gr_new_array(count, sizeof *columns);
    gr_fitted_transform *own = gr_new_array(1, sizeof *own);

    assert_true(columns && own);
    for (size_t c = 0; c < count; c++)
        columns[c] = (uint32_t)(2 * c + 1);
    *own = summed_transform(rng, kind->transform, kind->keep_zeros, count);
    node.columns = columns;
    node.column_count = count;
    node.owns_columns = true;
    node.transform = own;
    node.owns_transform = true;
    const size_t at = add(model, &node, NULL, 0);

    assert_int_equal(gr_scored_node_new(&plain, false, NULL, &scored, NULL), GRADUS_OK);
    return add(model, &scored, &at, 1);
}

static void add_ensemble(gr_rng *rng, gradus_model *model, const summed_kind *kind, uint64_t grid)
{
    size_t members[3];
    gr_node mix;

    for (size_t m = 0; m < 3; m++)
        members[m] = add_member(rng, model, kind, grid);
    assert_int_equal(gr_mix_node_new((const double[]){ 0.3, -2.0, 0.0 }, 3, 1, &mix, NULL),
                     GRADUS_OK);
    add(model, &mix, members, 3);
}

static void add_calibration(gradus_model *model)
{
    gr_calibration linear = { .method = GR_CALIBRATION_IS_linear, .inputs = 1, .outputs = 1 };
    const size_t last = model->node_count - 1;
    gr_node node;

    assert_int_equal(
        gr_calibration_numbers(&linear, gr_regression_count(1, gr_polynomial_count(2)), NULL),
        GRADUS_OK);
    *gr_regression_size(&linear) = 1.0;
    gr_regression_of(&linear).means[0] = 0.7;
    gr_regression_of(&linear).deviations[0] = 1.9;
    gr_polynomial_of(&linear).coefficients[0] = -0.25;
    gr_polynomial_of(&linear).coefficients[1] = 1.3;
    assert_int_equal(gr_calibration_node_new(&linear, &node, NULL), GRADUS_OK);
    add(model, &node, &last, 1);
}

static gr_scorer sum_scorer(size_t outputs)
{
    gr_scorer scorer = { .meaning = GR_MEANS_ABOVE,
                         .rule = GR_SCORE_SUM,
                         .outputs = outputs,
                         .levels = outputs + 1,
                         .level_labels = gr_new_array(outputs + 1, sizeof(double)) };

    assert_non_null(scorer.level_labels);
    for (size_t l = 0; l <= outputs; l++)
        scorer.level_labels[l] = (double)(l * l); /* steps 1, 3, 5, ... */
    return scorer;
}

gradus_model *summed_model(gr_rng *rng, const summed_kind *kind, uint64_t grid)
{
    gradus_model *model = gr_model_new(NULL);

    assert_non_null(model);
    model->features = SUMMED_FEATURES;
    model->first_id = 1;
    model->rows = 100;
    model->scorer = kind->outputs > 1 ? sum_scorer(kind->outputs) : plain;
    if (kind->ensemble) {
        add_ensemble(rng, model, kind, grid);
        return model;
    }
    gr_node node = forest_node(rng, kind->outputs, SUMMED_FEATURES, grid);

    add(model, &node, NULL, 0);
    if (kind->transform)
        model->transform =
            summed_transform(rng, kind->transform, kind->keep_zeros, SUMMED_FEATURES);
    if (kind->calibrated)
        add_calibration(model);
    return model;
}

float *summed_rows(gr_rng *rng, const gr_forest *forest, size_t rows, bool missing, bool infinite)
{
    const uint64_t splits = forest->starts[forest->trees];
    float *values = gr_new_array(rows * forest->features, sizeof *values);

    assert_true(values && splits);
    for (size_t i = 0; i < rows * forest->features; i++) {
        const uint64_t kind = gr_rng_below(rng, 16);
        float cut = forest->splits[gr_rng_below(rng, splits)].threshold;

        if (isinf(cut) && !infinite)
            cut = 0.5f;
        values[i] = kind == 0 && missing       ? NAN
                    : kind == 1 && infinite    ? INFINITY
                    : kind == 2 && infinite    ? -INFINITY
                    : kind == 3                ? -0.0f
                    : kind < 6 && cut > -3e38f ? nextafterf(cut, -INFINITY)
                    : kind < 8 && cut < 3e38f  ? nextafterf(cut, INFINITY)
                    : kind < 12                ? cut
                                               : (float)gr_rng_normal(rng);
    }
    return values;
}
