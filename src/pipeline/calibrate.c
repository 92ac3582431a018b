/* SPDX-License-Identifier: Apache-2.0 */
/* Appends a calibration to a model, fitted on rows that the model was not trained on. */
#include "pipeline/calibrate.h"

#include "model/calibration_node.h"
#include "model/compose.h"
#include "model/predict.h"
#include "model/scored_node.h"
#include "objectives/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const gr_operation gr_operation_calibrate = {
    .name = "calibrate",
    .summary = "calibrate a model's probabilities or scores on held-out data",
    .params = gr_calibration_params,
    .size = sizeof(gr_calibration_options),
};

/* State of a calibration. */
typedef struct calibrating {
    const gradus_model *model;
    const gradus_dataset *data;
    const gr_calibrator *method;
    bool by_probabilities; /* calibrates the probabilities of the model's scorer */
    bool by_score;         /* or its score; neither: the raw outputs */
    size_t levels;
    double *level_labels; /* NULL: the model's */
    uint8_t *level_of;
    double *x, *weights;
    gr_pool *asked; /* polled for cancellation */
    gr_calibration fitted;
    double thresholds[GR_MAX_LEVELS];
} calibrating;

static void end(calibrating *c)
{
    gr_calibration_free(&c->fitted);
    free(c->level_labels);
    free(c->level_of);
    free(c->x);
    free(c->weights);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* If the model has no grades, they are taken from the data. */
static gradus_status find_levels(calibrating *c, gradus_error *err)
{
    const gr_scorer *own = &c->model->scorer;
    const size_t rows = c->data->arrays.rows;
    size_t count = 0;

    if (own->levels) {
        c->levels = own->levels;
        return gr_levels_of(own, c->data, c->level_of, err);
    }
    c->level_labels = gr_new_array(rows, sizeof *c->level_labels);
    if (!c->level_labels)
        return gr_fail_memory(err, "grades");
    for (size_t r = 0; r < rows; r++)
        c->level_labels[r] = (double)c->data->arrays.labels[r];
    qsort(c->level_labels, rows, sizeof *c->level_labels, by_value);
    for (size_t r = 0; r < rows; r++)
        if (r == 0 || c->level_labels[r] != c->level_labels[count - 1])
            c->level_labels[count++] = c->level_labels[r];
    if (count < 2 || count > GR_MAX_LEVELS)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "calibration data need 2 to %d different grades, found %zu", GR_MAX_LEVELS,
                       count);
    const gr_scorer grades = { .levels = count, .level_labels = c->level_labels };

    c->levels = count;
    return gr_levels_of(&grades, c->data, c->level_of, err);
}

/* Chooses which values of this model the method calibrates. */
static gradus_status settle(calibrating *c, gradus_error *err)
{
    const gr_scorer *own = &c->model->scorer;
    const bool graded = gr_scorer_knows_probabilities(own);

    c->by_probabilities = graded && (c->method->takes_probabilities ||
                                     (c->method->needs_grades && own->outputs != own->levels));
    c->by_score = !graded && c->method->takes_probabilities;
    if (!graded && c->method->needs_grades)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "'%s' calibrates grade probabilities, but '%s' gives a score: use platt, isotonic, "
            "ordinal or a regression",
            c->method->about.name, c->model->method);
    return GRADUS_OK;
}

static gradus_status take_inputs(calibrating *c, const gradus_context *context, gradus_error *err)
{
    const gr_scorer *own = &c->model->scorer;
    const size_t rows = c->data->arrays.rows;
    const size_t most = own->outputs > own->levels ? own->outputs : own->levels;
    double *p;

    c->x = gr_new_array(rows * (most ? most : 1), sizeof *c->x);
    if (!c->x)
        return gr_fail_memory(err, "outputs");
    if (c->by_score)
        return gr_model_run(c->model, c->data, context, c->x, NULL, err);
    if (!c->by_probabilities)
        return gr_model_outputs(c->model, c->data, context, c->x, err);
    p = gr_new_array(rows * own->levels, sizeof *p);
    if (!p)
        return gr_fail_memory(err, "probabilities");
    const gradus_status status = gr_model_run(c->model, c->data, context, NULL, p, err);

    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < own->levels; k++)
            c->x[k * rows + r] = p[r * own->levels + k];
    free(p);
    return status;
}

static gradus_status take_weights(calibrating *c, gradus_error *err)
{
    const gradus_arrays *a = &c->data->arrays;

    if (!a->row_weights && !a->query_weights)
        return GRADUS_OK;
    c->weights = gr_new_array(a->rows, sizeof *c->weights);
    if (!c->weights)
        return gr_fail_memory(err, "weights");
    for (size_t q = 0; q < a->queries; q++)
        for (uint64_t r = a->query_starts[q]; r < a->query_starts[q + 1]; r++)
            c->weights[r] = (a->row_weights ? (double)a->row_weights[r] : 1.0) *
                            (a->query_weights ? (double)a->query_weights[q] : 1.0);
    return GRADUS_OK;
}

static gradus_status fit(calibrating *c, const gr_calibration_options *options, gradus_error *err)
{
    const gr_scorer *own = &c->model->scorer;
    const gr_calibration_task task = {
        .options = options,
        .rows = c->data->arrays.rows,
        .inputs = c->by_score           ? 1
                  : c->by_probabilities ? own->levels
                                        : own->outputs,
        .x = c->x,
        .levels = c->levels,
        .level_labels = c->level_labels ? c->level_labels : own->level_labels,
        .level_of = c->level_of,
        .weights = c->weights,
        .queries = c->data->arrays.queries,
        .query_starts = c->data->arrays.query_starts,
        .asked = c->asked,
    };

    return gr_calibration_fit(&task, &c->fitted, c->thresholds, err);
}

/* Keeps the model's scoring rule if it applies to the calibrated outputs. */
static gradus_status make_scorer(const calibrating *c, gr_scorer *scorer, gradus_error *err)
{
    const gr_scorer *own = &c->model->scorer;
    const bool odds = c->method->gives == GR_CALIBRATED_ODDS;
    const bool keeps = own->rule >= GR_SCORE_EXPECTED_GRADE && (int)own->rule < (int)GR_PLAIN_RULES;
    double shares[GR_MAX_LEVELS] = { 0.0 };
    gr_scorer wanted = { .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };

    if (c->method->gives != GR_CALIBRATED_SCORE) {
        for (size_t r = 0; r < c->data->arrays.rows; r++)
            shares[c->level_of[r]] += 1.0 / (double)c->data->arrays.rows;
        for (size_t k = 0; k < c->levels; k++)
            shares[k] = shares[k] < 1.0 ? shares[k] : 1.0;
        wanted = (gr_scorer){
            .meaning = odds          ? GR_MEANS_ODDS
                       : c->by_score ? GR_MEANS_ABOVE
                                     : GR_MEANS_PROBABILITIES,
            .rule = keeps ? own->rule : GR_SCORE_EXPECTED_GAIN,
            .outputs = c->fitted.outputs,
            .levels = c->levels,
            .level_labels = c->level_labels ? c->level_labels : own->level_labels,
            .shares = own->shares ? own->shares : shares,
            .values = keeps ? own->values : NULL,
            .threshold_sets = odds,
            .thresholds = (double *)(uintptr_t)(odds ? c->thresholds : NULL),
        };
    }
    return gr_scorer_copy(&wanted, scorer, err);
}

static gradus_status add_nodes(calibrating *c, gradus_model *made, gradus_error *err)
{
    gr_node node;
    size_t last;

    GR_TRY(gr_model_borrow(made, c->model, &last, err));
    if (c->by_probabilities || c->by_score) {
        GR_TRY(gr_scored_node_new(&c->model->scorer, c->by_probabilities, NULL, &node, err));
        GR_TRY(gr_model_append(made, &node, &last, 1, err));
        last = made->node_count - 1;
    }
    GR_TRY(gr_calibration_node_new(&c->fitted, &node, err));
    return gr_model_append(made, &node, &last, 1, err);
}

static gradus_model *make_model(calibrating *c, gradus_error *err)
{
    gr_scorer scorer;
    gradus_model *made;

    if (make_scorer(c, &scorer, err) != GRADUS_OK)
        return NULL;
    made = gr_model_wrap(c->model, &scorer, err);
    if (made && add_nodes(c, made, err) != GRADUS_OK) {
        gr_model_free(made);
        return NULL;
    }
    return made;
}

static gradus_status prepare(calibrating *c, const gradus_context *context, gradus_error *err)
{
    const gradus_arrays *a = &c->data->arrays;

    GR_TRY(gr_dataset_need(c->data, GR_NEED_ALL, gr_pool_of(context), err));
    if (!a->labels || a->rows == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the calibration data have no %s",
                       a->rows ? "labels" : "rows");
    GR_TRY(gr_model_fits(c->model, c->data, context, err));
    GR_TRY(settle(c, err));
    c->level_of = gr_new_array(a->rows, sizeof *c->level_of);
    if (!c->level_of)
        return gr_fail_memory(err, "grades");
    GR_TRY(find_levels(c, err));
    GR_TRY(take_inputs(c, context, err));
    return take_weights(c, err);
}

static void note_missing(const calibrating *c, const gradus_context *context)
{
    const gr_scorer *own = &c->model->scorer;
    bool seen[GR_MAX_LEVELS] = { false };

    for (size_t r = 0; r < c->data->arrays.rows; r++)
        seen[c->level_of[r]] = true;
    for (size_t k = 0; k < c->levels; k++)
        if (!seen[k])
            gr_note(context, "no row of the calibration data has grade %g", own->level_labels[k]);
}

gradus_model *gr_calibrate(const gradus_context *context, const gradus_model *model,
                           const gradus_dataset *data, const gradus_options *options,
                           gradus_error *err)
{
    gr_calibration_options chosen;
    gradus_model *made = NULL;

    if (gr_options_get(options, &gr_operation_calibrate, &chosen, err) != GRADUS_OK)
        return NULL;
    calibrating c = { .model = model,
                      .data = data,
                      .asked = gr_pool_of(context),
                      .method = gr_calibrators[chosen.method] };

    gr_pool_begin(c.asked);
    if (prepare(&c, context, err) == GRADUS_OK && fit(&c, &chosen, err) == GRADUS_OK) {
        note_missing(&c, context);
        made = make_model(&c, err);
    }
    end(&c);
    return made;
}
