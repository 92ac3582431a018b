/* SPDX-License-Identifier: Apache-2.0 */
/* One trial: trains (or resumes) a model on a fold and evaluates it. */
#include "experiments/trial.h"

#include "base/clock.h"
#include "base/memory.h"
#include "experiments/helpers.h"
#include "experiments/journal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gradus_status gr_trial_by_rounds(const gradus_options *options, bool *by_rounds, gradus_error *err)
{
    gradus_method_facts facts;

    GR_TRY(gradus_method_describe(options, &facts, err));
    *by_rounds = facts.by_rounds;
    return GRADUS_OK;
}

bool gr_trial_is_at_fault(gradus_status status)
{
    return status == GRADUS_BAD_ARGUMENT || status == GRADUS_BAD_NUMBER ||
           status == GRADUS_BAD_FORMAT;
}

static bool is_whole(const gr_trial *trial)
{
    return trial->part < 2;
}

/* The round at which a partial trial stops. */
static size_t last_round(const gr_trial *trial, const gradus_training_state *state)
{
    if (is_whole(trial) || !state->by_rounds)
        return SIZE_MAX;
    return (state->rounds + (size_t)trial->part - 1) / (size_t)trial->part;
}

/* Trains up to that round. */
static gradus_status step_on(gradus_context *context, const gr_trial *trial,
                             gradus_training *training, gradus_error *err)
{
    gradus_training_state state;
    bool done = false;

    gradus_training_get_state(training, &state);
    const size_t most = last_round(trial, &state);

    while (!done && state.round < most) {
        GR_TRY(gradus_training_step(training, &done, err));
        gradus_training_get_state(training, &state);
        const size_t goal = most < state.rounds ? most : state.rounds;

        GR_TRY(gr_send_progress(context, "training",
                                goal ? (double)state.round / (double)goal : 0.0, err));
    }
    return GRADUS_OK;
}

/* Resumes training from a checkpoint; NULL if that is impossible. *status: GRADUS_OK, or any other
 * error. */
static gradus_training *go_on(gradus_context *context, const gr_trial *trial,
                              gradus_model *checkpoint, gradus_status *status, gradus_error *err)
{
    const gradus_training_input input = { .train = trial->fold->train,
                                          .valid = trial->fold->valid,
                                          .start = checkpoint,
                                          .resume = true };
    gradus_error fault = { GRADUS_OK, "" };
    gradus_training *training = gradus_training_new(context, &input, trial->options, &fault);
    gradus_training_state state;

    *status = GRADUS_OK;
    if (!training && fault.status != GRADUS_BAD_ARGUMENT) /* the learner cannot resume: train from
                                                             scratch */
        *status = gr_fail(err, fault.status, "%s", fault.message);
    if (!training)
        return NULL;
    gradus_training_get_state(training, &state);
    if (state.round <= last_round(trial, &state))
        return training;
    gradus_training_free(training); /* the checkpoint is from a run with a smaller budget, and
                                       already too long */
    return NULL;
}

/* Trains as far as required. The caller frees *training. */
static gradus_status train(gradus_context *context, const gr_trial *trial, gradus_model *checkpoint,
                           gradus_training **training, gradus_error *err)
{
    const gradus_training_input cold = { .train = trial->fold->train, .valid = trial->fold->valid };
    gradus_status status = GRADUS_OK;

    *training = checkpoint ? go_on(context, trial, checkpoint, &status, err) : NULL;
    GR_TRY(status);
    if (!*training)
        *training = gradus_training_new(context, &cold, trial->options, err);
    if (!*training)
        return err->status;
    return step_on(context, trial, *training, err);
}

/* Writes the metrics of the model on some data, per query, to the value. */
static gradus_status measure(gradus_context *context, const gr_trial *trial,
                             const gradus_model *model, const gradus_dataset *data,
                             const char *name, gr_json_writer *value, gradus_error *err)
{
    double *scores = gr_new_array(gradus_dataset_rows(data), sizeof *scores);
    gradus_options *options = gradus_options_new("evaluate", err);
    gradus_evaluation *evaluation = NULL;
    gradus_result result;

    if (!scores)
        gr_fail_memory(err, "scores");
    else if (options && gradus_options_set(options, "metric", trial->measures, err) == GRADUS_OK &&
             gradus_options_set(options, "convention", trial->convention, err) == GRADUS_OK &&
             gr_words_set(options, trial->gains ? trial->gains : "", err) == GRADUS_OK &&
             gradus_model_score(context, model, data, scores, err) == GRADUS_OK)
        evaluation = gradus_evaluate(context, data, scores, options, err);
    gr_json_open(value, name, '[');
    for (size_t m = 0; evaluation && gradus_evaluation_at(evaluation, m, &result); m++)
        gr_json_put_numbers(value, NULL, result.by_query, gradus_evaluation_queries(evaluation));
    gr_json_close(value, ']');
    const gradus_status status = evaluation ? GRADUS_OK : err->status;

    gradus_evaluation_free(evaluation);
    gradus_options_free(options);
    free(scores);
    return status;
}

/* Writes what training chose on the validation data, for a final training without. */
static void put_choices(const gr_trial *trial, const gradus_model *model, gr_json_writer *value)
{
    const char *transform = gr_recipe_value(model, "transform");
    const char *zeros = gr_recipe_value(model, "keep-zeros");
    char words[GR_CHOSEN_WORDS];

    if (!transform || !trial->fold->valid ||
        strcmp(gradus_options_value(trial->options, "transform"), "auto") != 0)
        return;
    snprintf(words, sizeof words, "transform=%s%s", transform,
             zeros && strcmp(zeros, "true") == 0 ? " keep-zeros=true" : "");
    gr_json_put_text(value, "chosen", words);
}

/* Writes the size of the model and its results per query: on the test data, or on the validation
 * data if the fold has no test part. */
static gradus_status put_model(gradus_context *context, const gr_trial *trial,
                               gradus_training *training, gr_json_writer *value, gradus_error *err)
{
    gradus_model *model = gradus_training_finish(training, err);
    gradus_status status = model ? GRADUS_OK : err->status;
    uint64_t bytes = 0;

    if (status == GRADUS_OK)
        status = gradus_model_size(model, &bytes, err);
    gr_json_put_count(value, "bytes", bytes);
    if (status == GRADUS_OK)
        put_choices(trial, model, value);
    if (status == GRADUS_OK && trial->fold->test)
        status = measure(context, trial, model, trial->fold->test, "values", value, err);
    else if (status == GRADUS_OK && trial->fold->valid)
        status = measure(context, trial, model, trial->fold->valid, "valid_values", value, err);
    gradus_model_free(model);
    return status;
}

static gradus_status put_checkpoint(const gr_trial *trial, const gradus_training *training,
                                    const gradus_training_state *state, gradus_error *err)
{
    if (!trial->checkpoints || !state->by_rounds || state->exhausted)
        return GRADUS_OK;
    gradus_model *checkpoint = gradus_training_checkpoint(training, err);

    return checkpoint ? gr_checkpoints_put(trial->checkpoints, trial->key, checkpoint, err)
                      : err->status;
}

/* The validation value of the model returned: the best round's, or the last one's if all rounds are
 * kept. */
static double valid_of(const gr_trial *trial, const gradus_training_state *state)
{
    if (!trial->fold->valid)
        return (double)NAN;
    return state->kept == state->best_round ? state->best_valid : state->valid;
}

gradus_status gr_trial_run(gradus_context *context, const gr_trial *trial, gr_json_writer *value,
                           gradus_error *err)
{
    const double began = gr_seconds();
    gradus_model *checkpoint = NULL;
    gradus_training *training = NULL;
    gradus_training_state state;
    gradus_status status = gr_checkpoints_take(trial->checkpoints, trial->key, &checkpoint, err);

    if (status == GRADUS_OK)
        status = train(context, trial, checkpoint, &training, err);
    if (status == GRADUS_OK) {
        gradus_training_get_state(training, &state);
        gr_json_open(value, NULL, '{');
        gr_json_put_number(value, "valid", valid_of(trial, &state));
        gr_json_put_number(value, "train", state.train);
        gr_json_put_flag(value, "lower_is_better", state.lower_is_better);
        gr_json_put_count(value, "rounds", state.kept);
        gr_json_put_number(value, "seconds", gr_seconds() - began);
        status = is_whole(trial) ? put_model(context, trial, training, value, err)
                                 : put_checkpoint(trial, training, &state, err);
        if (!isnan(trial->since))
            gr_json_put_number(value, "used", gr_seconds() - trial->since);
        gr_json_close(value, '}');
    }
    gradus_training_free(training);
    gradus_model_free(checkpoint);
    return status;
}
