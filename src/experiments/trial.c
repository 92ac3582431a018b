#include "experiments/trial.h"

#include "base/clock.h"
#include "base/names.h"
#include "experiments/journal.h"
#include "pipeline/train.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct gr_warm {
    pthread_mutex_t lock;
    gr_name_set keys;
    gradus_model **models; /* of each key; NULL: taken */
    size_t room;
};

gr_warm *gr_warm_new(gradus_error *err)
{
    gr_warm *warm = calloc(1, sizeof *warm);

    if (warm)
        pthread_mutex_init(&warm->lock, NULL);
    else
        gr_fail_memory(err, "checkpoints");
    return warm;
}

void gr_warm_free(gr_warm *warm)
{
    if (!warm)
        return;
    for (size_t i = 0; i < warm->keys.list.count; i++)
        gradus_model_free(warm->models[i]);
    free(warm->models);
    gr_name_set_free(&warm->keys);
    pthread_mutex_destroy(&warm->lock);
    free(warm);
}

gradus_model *gr_warm_take(gr_warm *warm, const char *key)
{
    gradus_model *found = NULL;

    if (!warm)
        return NULL;
    pthread_mutex_lock(&warm->lock);
    const size_t at = gr_name_set_find(&warm->keys, key, strlen(key));

    if (at != SIZE_MAX) {
        found = warm->models[at];
        warm->models[at] = NULL;
    }
    pthread_mutex_unlock(&warm->lock);
    return found;
}

/* Under the lock. */
static bool keep(gr_warm *warm, const char *key, gradus_model *checkpoint)
{
    if (warm->keys.list.count == warm->room) {
        const size_t room = warm->room ? 2 * warm->room : 16;
        gradus_model **models = realloc(warm->models, room * sizeof *models);

        if (!models)
            return false;
        warm->models = models;
        warm->room = room;
    }
    const size_t before = warm->keys.list.count;
    const size_t at = gr_name_set_add(&warm->keys, key, strlen(key));

    if (at == SIZE_MAX)
        return false;
    if (at < before)
        gradus_model_free(warm->models[at]);
    warm->models[at] = checkpoint;
    return true;
}

gradus_status gr_warm_put(gr_warm *warm, const char *key, gradus_model *checkpoint,
                          gradus_error *err)
{
    pthread_mutex_lock(&warm->lock);
    const bool kept = keep(warm, key, checkpoint);

    pthread_mutex_unlock(&warm->lock);
    if (kept)
        return GRADUS_OK;
    gradus_model_free(checkpoint);
    return gr_fail_memory(err, "checkpoints");
}

gradus_status gr_trial_by_rounds(const gradus_options *options, bool *by_rounds, gradus_error *err)
{
    gr_recipe recipe;

    GR_TRY(gr_recipe_of(options, &recipe, err));
    *by_rounds = recipe.learner->by_rounds;
    return GRADUS_OK;
}

static bool is_whole(const gr_trial *trial)
{
    return trial->part < 2;
}

/* Steps to the last round that is wanted. */
static gradus_status step_on(gradus_context *context, const gr_trial *trial,
                             gradus_training *training, gradus_error *err)
{
    const uint64_t all = training->options.rounds;
    const uint64_t most = is_whole(trial) || !training->learner->by_rounds
                              ? UINT64_MAX
                              : (all + trial->part - 1) / trial->part;
    gradus_training_state state;
    bool done = false;

    while (!done && gr_training_rounds(training) < most) {
        GR_TRY(gradus_training_step(training, &done, err));
        gradus_training_look(training, &state);
        const size_t goal = most < state.rounds ? (size_t)most : state.rounds;

        GR_TRY(
            gr_progress(context, "training", goal ? (double)state.round / (double)goal : 0.0, err));
    }
    return GRADUS_OK;
}

/* Trains as far as is wanted; the training lives on. */
static gradus_status train(gradus_context *context, const gr_trial *trial, gradus_model *checkpoint,
                           gradus_training **training, gradus_error *err)
{
    const gr_fold *fold = trial->fold;
    const gradus_training_input cold = { .train = fold->train, .valid = fold->valid };
    gradus_training_input warm = cold;

    warm.start = checkpoint;
    warm.resume = true;
    *training = checkpoint ? gradus_training_new(context, &warm, trial->options, err) : NULL;
    /* some learners cannot go on */
    if (!*training && (!checkpoint || err->status == GRADUS_BAD_ARGUMENT))
        *training = gradus_training_new(context, &cold, trial->options, err);
    if (!*training)
        return err->status;
    return step_on(context, trial, *training, err);
}

/* Metrics of the model on the test part, query by query, into the value. */
static gradus_status measure(gradus_context *context, const gr_trial *trial,
                             const gradus_model *model, gr_json_writer *value, gradus_error *err)
{
    const gradus_dataset *test = trial->fold->test;
    double *scores = gr_new_array(gradus_dataset_rows(test), sizeof *scores);
    gradus_options *options = gradus_options_new("evaluate", err);
    gradus_evaluation *evaluation = NULL;
    gradus_result result;

    if (!scores)
        gr_fail_memory(err, "scores");
    else if (options && gradus_options_set(options, "metric", trial->measures, err) == GRADUS_OK &&
             gradus_options_set(options, "convention", trial->convention, err) == GRADUS_OK &&
             gradus_model_score(context, model, test, scores, err) == GRADUS_OK)
        evaluation = gradus_evaluate(context, test, scores, options, err);
    gr_json_open(value, "values", '[');
    for (size_t m = 0; evaluation && gradus_evaluation_at(evaluation, m, &result); m++)
        gr_json_put_numbers(value, NULL, result.by_query, gradus_evaluation_queries(evaluation));
    gr_json_close(value, ']');
    const gradus_status status = evaluation ? GRADUS_OK : err->status;

    gradus_evaluation_free(evaluation);
    gradus_options_free(options);
    free(scores);
    return status;
}

/* How large the model is, and how it does on the test part. */
static gradus_status put_model(gradus_context *context, const gr_trial *trial,
                               gradus_training *training, gr_json_writer *value, gradus_error *err)
{
    gradus_model *model = gradus_training_finish(training, err);
    gradus_status status = model ? GRADUS_OK : err->status;
    uint64_t bytes = 0;

    if (status == GRADUS_OK)
        status = gr_model_size(model, &bytes, err);
    gr_json_put_count(value, "bytes", bytes);
    if (status == GRADUS_OK && trial->fold->test)
        status = measure(context, trial, model, value, err);
    gradus_model_free(model);
    return status;
}

static gradus_status put_checkpoint(const gr_trial *trial, const gradus_training *training,
                                    gradus_error *err)
{
    if (is_whole(trial) || !trial->to || !training->learner->by_rounds || *training->stopped)
        return GRADUS_OK; /* what has ended would go one round too far */
    gradus_model *checkpoint = gradus_training_checkpoint(training, err);

    return checkpoint ? gr_warm_put(trial->to, trial->key, checkpoint, err) : err->status;
}

/* The value of the model that is kept, which is not the best one if all rounds are. */
static double valid_of(const gradus_training *training, const gradus_training_state *state)
{
    if (!training->valid)
        return (double)NAN;
    return training->options.keep == GR_KEEP_BEST ? state->best_valid : state->valid;
}

gradus_status gr_trial_run(gradus_context *context, const gr_trial *trial, gr_json_writer *value,
                           gradus_error *err)
{
    const double began = gr_seconds();
    gradus_model *checkpoint = gr_warm_take(trial->from, trial->key);
    gradus_training *training = NULL;
    gradus_training_state state;
    gradus_status status = train(context, trial, checkpoint, &training, err);

    if (status == GRADUS_OK) {
        gradus_training_look(training, &state);
        gr_json_open(value, NULL, '{');
        gr_json_put_number(value, "valid", valid_of(training, &state));
        gr_json_put_number(value, "train", state.train);
        gr_json_put_flag(value, "lower_is_better", state.lower_is_better);
        gr_json_put_count(value, "rounds", gr_training_kept(training));
        gr_json_put_number(value, "seconds", gr_seconds() - began);
        status = is_whole(trial) ? put_model(context, trial, training, value, err)
                                 : put_checkpoint(trial, training, err);
        if (!isnan(trial->since))
            gr_json_put_number(value, "used", gr_seconds() - trial->since);
        gr_json_close(value, '}');
    }
    gradus_training_free(training);
    gradus_model_free(checkpoint);
    return status;
}
