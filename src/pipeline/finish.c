/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a model from the current state of a training. Everything is copied. */
#include "pipeline/finish.h"

#include "model/narrow.h"
#include "pipeline/share_training.h"
#include "pipeline/train.h"
#include "pipeline/training_gains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gradus_status add_node(gradus_model *model, const gradus_training *t, uint64_t rounds,
                              gradus_error *err)
{
    gr_node node = { .kind = NULL };
    gradus_status status;

    if (!t->recipe.learner->rounds && !t->is_done)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "nothing has been fitted yet");
    if (t->recipe.learner->add_nodes)
        return t->recipe.learner->add_nodes(t->fitted, rounds, model->finished, model, err);
    if (!model->finished && t->recipe.learner->state_node) {
        GR_TRY(t->recipe.learner->state_node(t->fitted, &node, err));
        if (gr_model_add_node(model, &node, err) != GRADUS_OK) {
            gr_node_free(&node);
            return GRADUS_NO_MEMORY;
        }
    }
    GR_TRY(t->recipe.learner->node(t->fitted, rounds, &node, err));
    status = gr_model_add_node(model, &node, err);
    if (status != GRADUS_OK)
        gr_node_free(&node);
    return status;
}

/* Gain options are recorded only if they were given, so that other models stay byte-identical to
 * those of earlier versions. */
static bool is_left_out(const gradus_training *t, const char *name)
{
    return gr_is_gain_option(name) && !gr_options_given(t->given, name);
}

/* Records the options that were read. A cost file is recorded as "matrix"; its path does not
 * matter. */
static gradus_status add_recipe(gradus_model *model, const gradus_training *t, gradus_error *err)
{
    gr_param param;

    for (size_t i = 0; gr_param_number(t->given->operation, i, &param); i++) {
        const char *name = param.about.name;
        const bool is_matrix = strcmp(name, "cost") == 0 && !t->cost.cost;

        /* --one-query only permits training and does not affect the model */
        if (!gr_recipe_applies(&t->recipe, name) || strcmp(name, "one-query") == 0 ||
            is_left_out(t, name))
            continue;
        GR_TRY(gr_model_add_setting(model, name,
                                    is_matrix ? "matrix" : gr_options_value(t->given, name), err));
    }
    return GRADUS_OK;
}

static double *copy_numbers(const double *from, size_t count)
{
    double *copy = gr_new_array(count, sizeof *copy);

    if (copy)
        memcpy(copy, from, count * sizeof *copy);
    return copy;
}

static gradus_status copy_transform(const gr_fitted_transform *from, gr_fitted_transform *to,
                                    gradus_error *err)
{
    if (!from->transform)
        return GRADUS_OK;
    *to = *from;
    to->shift = to->unit = NULL;
    if (!from->shift)
        return GRADUS_OK;
    to->shift = copy_numbers(from->shift, from->features);
    to->unit = copy_numbers(from->unit, from->features);
    return to->shift && to->unit ? GRADUS_OK : gr_fail_memory(err, "a transform");
}

static gradus_status replace_text(char **text, const char *by, gradus_error *err)
{
    char *copy = strdup(by);

    if (!copy)
        return gr_fail_memory(err, "a model");
    free(*text);
    *text = copy;
    return GRADUS_OK;
}

static gradus_status add_curve(gradus_model *model, const gradus_training *t, gradus_error *err)
{
    model->lower_is_better = t->measuring.lower_is_better;
    if (t->point_count == 0)
        return GRADUS_OK;
    GR_TRY(replace_text(&model->metric, t->measuring.metric, err));
    GR_TRY(replace_text(&model->convention, t->measuring.convention, err));
    model->points = gr_new_array(t->point_count, sizeof *model->points);
    if (!model->points)
        return gr_fail_memory(err, "the learning curve");
    memcpy(model->points, t->points, t->point_count * sizeof *model->points);
    model->point_count = t->point_count;
    return GRADUS_OK;
}

/* Keeps the thresholds of every kept round, so that the model can be truncated. */
static gradus_status add_thresholds(gradus_model *model, const gradus_training *t, uint64_t rounds,
                                    gradus_error *err)
{
    size_t sets = 0;
    const double *thresholds =
        t->recipe.learner->thresholds ? t->recipe.learner->thresholds(t->fitted, &sets) : NULL;

    if (!thresholds || !model->scorer.thresholds)
        return GRADUS_OK;
    if (sets > rounds + 1)
        sets = (size_t)rounds + 1;
    return gr_scorer_set_thresholds(&model->scorer, thresholds, sets, err);
}

/* The value reported by the checkpoint, valid until another round is trained; NAN: none. */
static double told_before(const gradus_training *t, const char *name)
{
    const gradus_model *start = t->input.resume ? t->input.start : NULL;

    for (size_t i = 0; start && i < start->result_count; i++)
        if (strcmp(start->results[i].name, name) == 0)
            return start->results[i].value;
    return (double)NAN;
}

/* Results that are not finite are not recorded. */
static gradus_status add_results(gradus_model *model, const gradus_training *t, gradus_error *err)
{
    const gr_learner_report *report = t->recipe.learner->report;
    const char *name;
    double value;

    for (size_t i = 0; report && report->result && report->result(t->fitted, i, &name, &value);
         i++) {
        value = isfinite(value) ? value : told_before(t, name);
        if (isfinite(value))
            GR_TRY(gr_model_add_result(model, name, value, err));
    }
    return GRADUS_OK;
}

static gradus_status add_fit(gradus_model *model, const gradus_training *t, gradus_error *err)
{
    const gr_learner_report *report = t->recipe.learner->report;
    gr_fit_facts facts = { .log_likelihood = NAN };

    if (report && report->facts)
        report->facts(t->fitted, &facts);
    model->log_likelihood = facts.log_likelihood;
    if (!facts.errors)
        return GRADUS_OK;
    model->errors = copy_numbers(facts.errors, facts.error_count);
    return model->errors ? GRADUS_OK : gr_fail_memory(err, "standard errors");
}

static gradus_status fill(gradus_model *model, const gradus_training *t, uint64_t rounds,
                          gradus_error *err)
{
    GR_TRY(replace_text(&model->method, t->recipe.ranker->about.name, err));
    GR_TRY(add_recipe(model, t, err));
    GR_TRY(gr_model_take_names(model, t->input.train, err));
    GR_TRY(copy_transform(&t->transform, &model->transform, err));
    GR_TRY(gr_scorer_copy(&t->scorer, &model->scorer, err));
    GR_TRY(add_thresholds(model, t, rounds, err));
    GR_TRY(add_fit(model, t, err));
    GR_TRY(add_curve(model, t, err));
    GR_TRY(add_node(model, t, rounds, err));
    return add_results(model, t, err); /* they describe the node */
}

gradus_model *gr_training_model(const gradus_training *t, uint64_t rounds, bool finished,
                                gradus_error *err)
{
    gradus_model *model = gr_model_new(err);

    if (!model)
        return NULL;
    model->features = t->train->arrays.features;
    model->rows = gr_whole_set(t->train)->arrays.rows;
    model->queries = gr_whole_set(t->train)->arrays.queries;
    model->fingerprint = t->fingerprint;
    model->valid_fingerprint = t->valid_fingerprint;
    model->start_rounds = t->first_round;
    model->rounds_done = gr_training_rounds(t);
    model->best_round = t->best_round;
    model->finished = finished;
    if (fill(model, t, rounds, err) != GRADUS_OK ||
        (t->columns.count && gr_model_widen(model, &t->columns, err) != GRADUS_OK)) {
        gr_model_free(model);
        return NULL;
    }
    return model;
}
