/* SPDX-License-Identifier: Apache-2.0 */
/* Warm start from a model, and resuming from a checkpoint of the same training. */
#include "pipeline/resume.h"

#include "model/members.h"
#include "pipeline/train.h"
#include "pipeline/training_gains.h"

#include <stdlib.h>
#include <string.h>

/* Thresholds separate grades, so the model and the data must have the same grades. */
static gradus_status check_start_thresholds(const gradus_training *t, gradus_error *err)
{
    const gr_scorer *then = &t->input.start->scorer, *now = &t->scorer;

    if (!now->thresholds || !t->recipe.learner->thresholds)
        return GRADUS_OK;
    if (!then->thresholds || then->levels != now->levels ||
        memcmp(then->level_labels, now->level_labels, now->levels * sizeof(double)) != 0 ||
        then->threshold_sets != gr_model_rounds(t->input.start) + 1)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "the model to start from has different grades than the data, or lacks the thresholds "
            "of its rounds");
    return GRADUS_OK;
}

/* After more rounds, a calibration or an ensemble would no longer fit the outputs. */
static gradus_status check_start_whole(const gradus_training *t, gradus_error *err)
{
    const gradus_model *start = t->input.start;

    if (t->input.resume || t->recipe.learner->add_nodes) /* their checkpoints have several nodes */
        return GRADUS_OK;
    if (gr_model_members(start))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model to start from is an ensemble: train its members further, then "
                       "combine them again");
    if (*gr_model_calibration(start))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model to start from is calibrated: train further from the model that "
                       "it was calibrated from, then calibrate again");
    return GRADUS_OK;
}

/* Checks that the warm-start model fits the training. */
static gradus_status check_start(const gradus_training *t, gradus_error *err)
{
    const gradus_model *start = t->input.start;
    const char *learner = gr_model_setting(start, "learner");

    GR_TRY(check_start_whole(t, err));
    if (strcmp(start->method, t->recipe.ranker->about.name) != 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model to start from was trained by '%s', not '%s'", start->method,
                       t->recipe.ranker->about.name);
    if (!t->recipe.learner->rounds || !learner ||
        strcmp(learner, t->recipe.learner->about.name) != 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model to start from was not trained in rounds of '%s'",
                       t->recipe.learner->about.name);
    return check_start_thresholds(t, err);
}

/* A cost file is recorded as "matrix" in the recipe; its numbers are the weights of the outputs. */
static bool same_weights(const gr_scorer *a, const gr_scorer *b)
{
    return a->outputs == b->outputs && a->levels == b->levels && !a->weights == !b->weights &&
           (!a->weights ||
            memcmp(a->weights, b->weights, a->outputs * a->levels * sizeof *a->weights) == 0);
}

/* Rounds of a checkpoint are not dropped: its curve and best round are those of all of them. */
static gradus_status check_rounds(const gradus_training *t, gradus_error *err)
{
    const gradus_model *start = t->input.start;
    const unsigned long long done = start->rounds_done - start->start_rounds;
    const unsigned long long wanted = t->recipe.options->rounds;
    const char *then = gr_model_setting(start, "rounds");

    if (done <= wanted)
        return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "the checkpoint has %llu of %s rounds, more than 'rounds %llu': resume with at "
                   "least %llu, and score with 'rounds %llu' to use the first %llu only",
                   done, then ? then : "its", wanted, done, start->start_rounds + wanted,
                   start->start_rounds + wanted);
}

/* A checkpoint can only be resumed with the same data and settings, except for more rounds. */
static gradus_status check_resume(gradus_training *t, gradus_error *err)
{
    const gradus_model *start = t->input.start;
    gr_param param;

    if (start->fingerprint != t->fingerprint || start->valid_fingerprint != t->valid_fingerprint)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the checkpoint was made with different %s data: it cannot be resumed",
                       start->fingerprint != t->fingerprint ? "training" : "validation");
    for (size_t i = 0; gr_param_number(t->given->operation, i, &param); i++) {
        const char *name = param.about.name, *then = gr_model_setting(start, name);
        const bool is_matrix = strcmp(name, "cost") == 0 && !t->cost.cost;

        if (!then && gr_is_gain_option(name))
            then = param.about.initial; /* not recorded if it is the default */
        const char *now = is_matrix ? "matrix" : gr_options_value(t->given, name);

        if (strcmp(name, "rounds") != 0 && then && strcmp(now, then) != 0)
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "the checkpoint was made with '%s %.60s', not %.60s: it cannot be "
                           "resumed",
                           name, then, now);
    }
    if (!same_weights(&start->scorer, &t->scorer))
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "the checkpoint was made with a different cost matrix: it cannot be resumed");
    return check_rounds(t, err);
}

static gradus_status take_up_curve(gradus_training *t, gradus_error *err)
{
    const gradus_model *start = t->input.start;

    t->measuring.lower_is_better = start->lower_is_better;
    if (start->point_count) {
        t->measuring.metric = strdup(start->metric);
        t->measuring.convention = strdup(start->convention);
        if (!t->measuring.metric || !t->measuring.convention)
            return gr_fail_memory(err, "a metric");
    }
    for (size_t i = 0; i < start->point_count; i++)
        GR_TRY(gr_training_add_point(t, start->points[i], err));
    return GRADUS_OK;
}

gradus_status gr_training_resume(gradus_training *t, gradus_error *err)
{
    if (!t->input.start)
        return GRADUS_OK;
    GR_TRY(check_start(t, err));
    if (!t->input.resume) {
        t->first_round = gr_model_rounds(t->input.start);
        return GRADUS_OK;
    }
    GR_TRY(check_resume(t, err));
    t->first_round = t->input.start->start_rounds;
    return take_up_curve(t, err);
}
