/* SPDX-License-Identifier: Apache-2.0 */
/* Training round by round: everything is configured first, then each step fits one round and
 * evaluates it. */
#include "pipeline/train.h"

#include "base/clock.h"
#include "pipeline/check_constant.h"
#include "pipeline/configure.h"
#include "pipeline/device_monitor.h"
#include "pipeline/extra_sets.h"
#include "pipeline/narrow_training.h"
#include "pipeline/share_training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gr_training_free(gradus_training *t)
{
    if (!t)
        return;
    if (t->recipe.learner)
        t->recipe.learner->free(t->fitted);
    gr_options_free(t->given);
    gr_cost_choice_free(&t->cost);
    free(t->pair_costs);
    free(t->label_gains);
    gr_fitted_transform_free(&t->transform);
    gr_others_free(t);
    gradus_dataset_free(t->own_train);
    gradus_dataset_free(t->own_valid);
    gr_training_share_free(t);
    gr_training_narrow_free(t);
    gr_built_problem_free(&t->built);
    gr_scorer_free(&t->scorer);
    gr_monitor_free(&t->train_monitor);
    gr_monitor_free(&t->valid_monitor);
    free(t->measuring.metric);
    free(t->measuring.convention);
    free((char *)(uintptr_t)t->measuring.options.metric);
    free(t->points);
    free(t);
}

gradus_status gr_training_add_point(gradus_training *t, gr_point point, gradus_error *err)
{
    if (t->point_count == t->point_room) {
        const size_t room = t->point_room ? 2 * t->point_room : 64;
        gr_point *points = realloc(t->points, room * sizeof *points);

        if (!points)
            return gr_fail_memory(err, "the learning curve");
        t->points = points;
        t->point_room = room;
    }
    t->points[t->point_count++] = point;
    if (!isnan(point.valid) &&
        (t->best_round == 0 || (t->measuring.lower_is_better ? point.valid < t->best_value
                                                             : point.valid > t->best_value))) {
        t->best_round = point.round;
        t->best_value = point.valid;
    }
    return GRADUS_OK;
}

gradus_training *gr_training_new(gradus_context *context, const gradus_training_input *input,
                                 const gradus_options *options, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gradus_training *t = calloc(1, sizeof *t);

    if (!t) {
        gr_fail_memory(err, "training");
        return NULL;
    }
    gr_pool_begin(gr_pool_of(context));
    t->context = context;
    t->input = *input;
    t->stopped = "";
    t->given = options ? gr_options_copy(options, &failure)
                       : gr_options_new(&gr_operation_train, &failure);
    if (!t->given || gr_training_configure(t, &failure) != GRADUS_OK) {
        gr_fail(err, failure.status, "%s", failure.message);
        gr_training_free(t);
        return NULL;
    }
    return t;
}

void gr_training_take_thresholds(gradus_training *t)
{
    const size_t cuts = t->scorer.levels ? t->scorer.levels - 1 : 0;
    size_t sets = 0;
    const double *thresholds =
        t->recipe.learner->thresholds ? t->recipe.learner->thresholds(t->fitted, &sets) : NULL;

    if (thresholds && t->scorer.thresholds)
        memcpy(t->scorer.thresholds, thresholds + (sets - 1) * cuts, cuts * sizeof *thresholds);
}

uint64_t gr_training_rounds(const gradus_training *t)
{
    return t->recipe.learner->rounds ? t->recipe.learner->rounds->done(t->fitted) : t->is_done;
}

double gr_training_scale(const gradus_training *t, uint64_t rounds)
{
    const gr_learner_outputs *outputs = t->recipe.learner->outputs;

    return outputs && outputs->scale ? outputs->scale(t->fitted, rounds) : 1.0;
}

gradus_status gr_training_sums(const gradus_training *t, const double **sums, gradus_error *err)
{
    const gr_learner_outputs *outputs = t->recipe.learner->outputs;

    if (outputs && outputs->fetch)
        GR_TRY(outputs->fetch(t->fitted, err));
    *sums = outputs && outputs->train ? outputs->train(t->fitted) : t->train_monitor.outputs.at;
    return GRADUS_OK;
}

gradus_status gr_training_add_sums(const gradus_training *t, uint64_t first, uint64_t end,
                                   const gradus_dataset *data, double *sums, gradus_error *err)
{
    return t->recipe.learner->outputs->add(t->fitted, first, end, data, sums,
                                           gr_pool_of(t->context), err);
}

/* The metric of the training rows after a round. */
static gradus_status measure_sums(gradus_training *t, uint64_t round, double *value,
                                  gradus_error *err)
{
    const double *sums;
    bool found;

    GR_TRY(gr_monitor_rank(&t->measuring, &t->train_monitor, value, &found, err));
    if (found)
        return GRADUS_OK;
    GR_TRY(gr_training_sums(t, &sums, err));
    return gr_measure_outputs(&t->measuring, &t->train_monitor, sums, gr_training_scale(t, round),
                              value, err);
}

/* The round at which training ends; learners without rounds count as one. */
static uint64_t rounds_wanted(const gradus_training *t)
{
    return t->recipe.learner->rounds ? t->first_round + t->recipe.options->rounds : 1;
}

/* Notes the final validation metric of one of several models. */
static void note_model(const gradus_training *t, size_t model, double value)
{
    char text[100];

    t->recipe.learner->selection->describe(t->fitted, model, text, sizeof text);
    gr_note(t->context, "%s: %s %.6g on valid", text, t->measuring.metric, value);
}

/* Adds the round to the validation outputs and evaluates them if `measure`. */
static gradus_status measure_one(gradus_training *t, uint64_t round, bool measure, double *value,
                                 gradus_error *err)
{
    GR_TRY(gr_monitor_add(t, &t->valid_monitor, round, err));
    return measure ? gr_monitor_measure(t, &t->valid_monitor, round, value, err) : GRADUS_OK;
}

/* Evaluates all models that are trained together and selects the best. */
static gradus_status measure_models(gradus_training *t, uint64_t round, bool last, double *value,
                                    gradus_error *err)
{
    const gr_learner_selection *selection = t->recipe.learner->selection;
    const size_t models = selection->models(t->fitted);
    size_t best = 0;

    for (size_t m = 0; m < models; m++) {
        double found = NAN;

        selection->select(t->fitted, m);
        GR_TRY(measure_one(t, round, true, &found, err));
        if (models > 1 && last)
            note_model(t, m, found);
        if (m == 0 || (t->measuring.lower_is_better ? found < *value : found > *value)) {
            *value = found;
            best = m;
        }
    }
    selection->select(t->fitted, best);
    return GRADUS_OK;
}

static gradus_status measure_valid(gradus_training *t, uint64_t round, bool measure, bool last,
                                   double *value, gradus_error *err)
{
    const gr_learner_validation *validation = t->recipe.learner->validation;

    if (validation)
        return measure && (last || validation->due(t->fitted, round))
                   ? validation->validate(t->fitted, value, err)
                   : GRADUS_OK;
    if (t->recipe.learner->selection)
        return measure ? measure_models(t, round, last, value, err) : GRADUS_OK;
    return measure_one(t, round, measure, value, err);
}

/* Adds the round to the outputs of the training rows, unless the learner keeps them. */
static gradus_status add_train(gradus_training *t, uint64_t round, gradus_error *err)
{
    const bool first = !t->train_monitor.outputs.at;

    if (!t->recipe.learner->outputs || t->recipe.learner->outputs->train)
        return GRADUS_OK;
    if (first)
        GR_TRY(gr_monitor_reserve(&t->train_monitor, t->built.problem.outputs, err));
    return gr_training_add_sums(t, first ? 0 : round - 1, round, t->train,
                                t->train_monitor.outputs.at, err);
}

static gradus_status measure_round(gradus_training *t, uint64_t round, bool last, gradus_error *err)
{
    const gr_learner_rounds *rounds = t->recipe.learner->rounds;
    const uint64_t every = t->recipe.options->train_eval_every;
    const bool due = round % t->recipe.options->eval_every == 0 || last;
    gr_point point = { round, NAN, NAN };

    if (every)
        GR_TRY(add_train(t, round, err)); /* before validation selects another model */
    if (t->valid)
        GR_TRY(measure_valid(t, round, due, last, &point.valid, err));
    GR_TRY(gr_others_step(t, round, due, err));
    if (every && (round % every == 0 || last))
        GR_TRY(measure_sums(t, round, &point.train, err));
    if (isnan(point.train) && isnan(point.valid))
        return GRADUS_OK;
    GR_TRY(gr_training_add_point(t, point, err));
    return rounds && rounds->snapshot && t->best_round == round ? rounds->snapshot(t->fitted, err)
                                                                : GRADUS_OK;
}

static const char *why_stop(const gradus_training *t, uint64_t round, bool grew)
{
    const gr_learner_rounds *rounds = t->recipe.learner->rounds;
    const gr_learner_report *report = t->recipe.learner->report;
    const char *why = !grew && report && report->why_done ? report->why_done(t->fitted) : "";

    if (*why)
        return why;
    if (!rounds)
        return round ? "fitted" : "";
    if (!grew && !(rounds->samples && rounds->samples(t->recipe.options)))
        return "no further useful split";
    if (round >= rounds_wanted(t))
        return "all rounds are done";
    if (t->recipe.options->patience && t->best_round &&
        round - t->best_round >= t->recipe.options->patience)
        return "validation metric stopped improving";
    return "";
}

bool gr_training_is_over(const gradus_training *t)
{
    return *why_stop(t, gr_training_rounds(t), true) != '\0';
}

/* The last round of a checkpoint: its outputs have been computed. */
static gradus_status measure_resumed(gradus_training *t, uint64_t round, gradus_error *err)
{
    const gr_learner_rounds *rounds = t->recipe.learner->rounds;
    const uint64_t every = t->recipe.options->train_eval_every;
    const bool last = round == rounds_wanted(t);
    const bool due = last || round % t->recipe.options->eval_every == 0;
    const bool train_due = every && (last || round % every == 0);
    gr_point point = { round, NAN, NAN };

    if (!due && !train_due)
        return GRADUS_OK;
    if (t->valid && due)
        GR_TRY(gr_monitor_measure(t, &t->valid_monitor, round, &point.valid, err));
    if (every)
        GR_TRY(add_train(t, round, err));
    if (train_due)
        GR_TRY(measure_sums(t, round, &point.train, err));
    if (isnan(point.train) && isnan(point.valid))
        return GRADUS_OK;
    GR_TRY(gr_training_add_point(t, point, err));
    return rounds->snapshot && t->best_round == round ? rounds->snapshot(t->fitted, err)
                                                      : GRADUS_OK;
}

/* Evaluates the last round of a checkpoint whose evaluation was cancelled or lost with a device. */
static gradus_status measure_missed(gradus_training *t, uint64_t round, gradus_error *err)
{
    const gr_learner_validation *validation = t->recipe.learner->validation;
    const uint64_t last = t->point_count ? t->points[t->point_count - 1].round : t->first_round;
    const bool is_last = round == rounds_wanted(t);

    if (round <= last)
        return GRADUS_OK;
    if (validation)
        return t->valid && (is_last || validation->due(t->fitted, round))
                   ? measure_round(t, round, is_last, err)
                   : GRADUS_OK;
    if (!t->input.resume || t->is_done || t->recipe.learner->selection ||
        !t->recipe.learner->rounds)
        return GRADUS_OK;
    return measure_resumed(t, round, err);
}

gradus_status gr_training_step(gradus_training *t, bool *done, gradus_error *err)
{
    double started = gr_seconds();
    uint64_t round = gr_training_rounds(t);
    bool grew = true;

    gr_pool_begin(gr_pool_of(t->context));
    GR_TRY(measure_missed(t, round, err));
    if (!*t->stopped)
        t->stopped = why_stop(t, round, true); /* if resumed from a checkpoint of the last round */
    *done = *t->stopped != '\0';
    if (*done)
        return GRADUS_OK;
    GR_TRY(t->recipe.learner->step(t->fitted, &grew, err));
    t->is_done = true;
    t->train_seconds += gr_seconds() - started;
    started = gr_seconds();
    round++;
    gr_training_take_thresholds(t);
    GR_TRY(measure_round(t, round, round == rounds_wanted(t) || !grew, err));
    t->evaluate_seconds += gr_seconds() - started;
    t->stopped = why_stop(t, round, grew);
    *done = *t->stopped != '\0';
    if (*done)
        GR_TRY(gr_training_check_constant(t, err));
    return gr_progress(t->context, "training", (double)round / (double)rounds_wanted(t), err);
}

void gr_training_get_state(const gradus_training *t, gradus_training_state *state)
{
    const gr_learner_rounds *rounds = t->recipe.learner->rounds;
    const gr_learner_report *report = t->recipe.learner->report;
    const bool prepares = report && report->preparation_seconds;

    *state = (gradus_training_state){
        .round = gr_training_rounds(t),
        .rounds = (size_t)rounds_wanted(t),
        .metric = t->measuring.metric ? t->measuring.metric : "",
        .lower_is_better = t->measuring.lower_is_better,
        .train = NAN,
        .valid = NAN,
        .best_round = (size_t)t->best_round,
        .best_valid = t->best_round ? t->best_value : NAN,
        .stopped = t->stopped,
        .bin_seconds = prepares ? report->preparation_seconds(t->fitted) : 0.0,
        .train_seconds = t->train_seconds,
        .evaluate_seconds = t->evaluate_seconds,
        .by_rounds = rounds != NULL,
        .steps = rounds && rounds->steps ? (size_t)rounds->steps(t->fitted) : 0,
        .kept = (size_t)gr_training_kept(t),
        .exhausted = *t->stopped && !gr_training_is_over(t),
    };
    for (size_t i = t->point_count; i-- > 0 && (isnan(state->train) || isnan(state->valid));) {
        if (isnan(state->train))
            state->train = t->points[i].train;
        if (isnan(state->valid))
            state->valid = t->points[i].valid;
    }
}

uint64_t gr_training_kept(const gradus_training *t)
{
    if (t->recipe.options->keep == GR_KEEP_BEST && t->best_round)
        return t->best_round;
    return gr_training_rounds(t);
}
