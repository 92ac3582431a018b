/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the score of a model back to the nodes that take rows, through weighted sums, scored
 * nodes and affine calibrations. Weights are accumulated from the last node to the first, so that
 * each node is visited once, however often others use it. */
#include "exchange/score_terms.h"

#include "calibration/parameters.h"
#include "model/scored_node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The model being followed. */
typedef struct following {
    const gradus_model *model;
    const char *format, *holds;
    gr_score_terms *terms;
} following;

gradus_status gr_fail_format(const char *format, const char *holds, const char *found,
                             gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "'%s' holds %s, but the model has %s; use onnx, c, javascript or json, or train "
                   "a method that it holds, such as lambdamart ('gradus help formats')",
                   format, holds, found);
}

/* Adds weight times the score of a scorer to the weights of its outputs. */
static gradus_status follow_scorer(const following *f, const gr_scorer *scorer, double weight,
                                   double *outputs, gradus_error *err)
{
    char found[120];

    if (scorer->rule == GR_SCORE_OUTPUT) {
        outputs[0] += weight;
        return GRADUS_OK;
    }
    for (size_t k = 0; scorer->rule == GR_SCORE_SUM && k < scorer->outputs; k++)
        outputs[k] += weight * (scorer->level_labels[k + 1] - scorer->level_labels[k]);
    if (scorer->rule == GR_SCORE_SUM)
        return GRADUS_OK;
    snprintf(found, sizeof found,
             "the scoring rule '%s', which is not a weighted sum of its outputs",
             gr_score_rules[scorer->rule]);
    return gr_fail_format(f->format, f->holds, found, err);
}

/* A scored node with one column gives a score: probabilities have at least two. */
static gradus_status follow_scored(const following *f, const gr_node *node, const double *own,
                                   double *inputs, gradus_error *err)
{
    if (node->kind->columns(node->state) != 1)
        return gr_fail_format(f->format, f->holds, "an average of grade probabilities", err);
    return follow_scorer(f, gr_scored_node_scorer(node), own[0], inputs, err);
}

static void follow_mix(const gradus_model *model, const gr_node *node, const double *own,
                       double *weights)
{
    const size_t columns = node->kind->columns(node->state);

    for (size_t m = 0; m < node->input_count; m++)
        for (size_t c = 0; c < columns; c++)
            weights[model->nodes[node->inputs[m]].column + c] +=
                own[c] * node->kind->weight(node->state, m);
}

/* Affine calibrations: linear, a polynomial of degree 1, and ordinal. */
static gradus_status follow_calibration(const following *f, const gr_calibration *calibration,
                                        double weight, double *inputs, gradus_error *err)
{
    const bool ordinal = calibration->method == GR_CALIBRATION_IS_ordinal;
    const bool polynomial = calibration->method == GR_CALIBRATION_IS_linear ||
                            calibration->method == GR_CALIBRATION_IS_polynomial;
    char found[120];

    if (!ordinal && (!polynomial || gr_polynomial_of(calibration).degree != 1)) {
        snprintf(found, sizeof found, "the calibration '%s', which is not affine",
                 gr_calibration_names[calibration->method]);
        return gr_fail_format(f->format, f->holds, found, err);
    }
    const gr_regression_parameters scales = gr_regression_of(calibration);
    const double *slopes =
        ordinal ? gr_ordinal_of(calibration) : gr_polynomial_of(calibration).coefficients + 1;

    if (!ordinal)
        f->terms->constant += weight * slopes[-1];
    for (size_t i = 0; i < calibration->inputs; i++) {
        inputs[i] += weight * slopes[i] / scales.deviations[i];
        f->terms->constant -= weight * slopes[i] * scales.means[i] / scales.deviations[i];
    }
    return GRADUS_OK;
}

/* Moves the weights of a node's columns to the nodes it takes. */
static gradus_status follow_node(const following *f, const gr_node *node, gradus_error *err)
{
    const size_t columns = node->kind->columns(node->state);
    double *own = f->terms->weights + node->column;
    double *inputs =
        f->terms->weights + (node->input_count ? f->model->nodes[node->inputs[0]].column : 0);
    bool used = false;

    for (size_t c = 0; c < columns; c++)
        used = used || own[c] != 0.0;
    if (!used || gr_node_takes_rows(node))
        return GRADUS_OK;
    if (node->kind == &gr_node_mix)
        follow_mix(f->model, node, own, f->terms->weights);
    else if (node->kind == &gr_node_scored)
        GR_TRY(follow_scored(f, node, own, inputs, err));
    else if (node->kind == &gr_node_calibration)
        GR_TRY(follow_calibration(f, node->state, own[0], inputs, err));
    else
        return gr_fail_format(f->format, f->holds, node->kind->about.summary, err);
    for (size_t c = 0; c < columns; c++)
        own[c] = 0.0;
    return GRADUS_OK;
}

static gradus_status check_finite(const gr_score_terms *terms, size_t columns, gradus_error *err)
{
    bool finite = isfinite(terms->constant);

    for (size_t c = 0; c < columns; c++)
        finite = finite && isfinite(terms->weights[c]);
    return finite ? GRADUS_OK
                  : gr_fail(err, GRADUS_BAD_NUMBER, "the weights of the model's outputs overflow");
}

gradus_status gr_score_terms_build(const gradus_model *model, const char *format, const char *holds,
                                   gr_score_terms *terms, gradus_error *err)
{
    const following f = { model, format, holds, terms };
    const gr_node *last = &model->nodes[model->node_count - 1];
    const size_t columns = last->column + last->kind->columns(last->state);

    *terms = (gr_score_terms){ .weights = gr_new_array(columns, sizeof *terms->weights) };
    if (!terms->weights)
        return gr_fail_memory(err, "an export");
    GR_TRY(follow_scorer(&f, &model->scorer, 1.0, terms->weights + last->column, err));
    for (size_t n = model->node_count; n-- > 0;)
        GR_TRY(follow_node(&f, &model->nodes[n], err));
    return check_finite(terms, columns, err);
}

void gr_score_terms_free(gr_score_terms *terms)
{
    free(terms->weights);
    *terms = (gr_score_terms){ 0 };
}
