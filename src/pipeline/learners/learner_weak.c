/* SPDX-License-Identifier: Apache-2.0 */
/* The learners of AdaRank and coordinate ascent: linear rankers that optimise a metric directly,
 * evaluated here. Only the current weights and those of the best round are kept. */
#include "pipeline/learners/learner_weak.h"

#include "learners/weak/weak.h"
#include "metrics/evaluate.h"
#include "model/linear_node.h"
#include "model/state_node.h"
#include "pipeline/dataset_lists.h"
#include "pipeline/ranker.h"
#include "pipeline/train_options.h"
#include "pipeline/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fitting {
    gr_fit fit;
    gr_evaluate_options measuring;
    char *metric;
    bool lower_is_better;
    gr_adarank *adarank; /* one of these is set */
    gr_ascent *ascent;
    gr_linear kept;
    uint64_t kept_round; /* 0: none */
    size_t skipped;      /* queries */
} fitting;

static void free_state(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    gr_adarank_free(f->adarank);
    gr_ascent_free(f->ascent);
    gr_linear_free(&f->kept);
    free(f->metric);
    free(f);
}

/* The gr_weak_metric function, on the training rows. */
static gradus_status measure(void *user, const double *scores, double *mean, double *values,
                             gradus_error *err)
{
    const fitting *f = user;
    const gr_lists lists = gr_dataset_lists(f->fit.data, scores);
    const double sign = f->lower_is_better ? -1.0 : 1.0;
    gr_evaluation evaluation = { .queries = 0 };

    GR_TRY(gr_evaluate(&lists, &f->measuring, gr_pool_of(f->fit.context), &evaluation, err));
    *mean = sign * evaluation.values[0].mean;
    for (size_t q = 0; values && q < lists.queries; q++)
        values[q] = sign * evaluation.values[0].by_query[q];
    gr_evaluation_end(&evaluation);
    return GRADUS_OK;
}

static const char *optimised_metric(const gr_train_options *options)
{
    return GR_TRAIN_BLOCK(options, weak)->metric;
}

static gradus_status settle_metric(fitting *f, bool shares, gradus_error *err)
{
    const char *text = optimised_metric(f->fit.options);
    gr_measures measures = { 0, NULL };
    const gr_metric *metric;

    text = *text ? text : f->fit.options->metric;
    f->metric = strndup(text, strcspn(text, ","));
    if (!f->metric)
        return gr_fail_memory(err, "a metric");
    GR_TRY(gr_options_get(NULL, &gr_operation_evaluate, &f->measuring, err));
    f->measuring.metric = f->metric;
    f->measuring.convention = f->fit.options->convention;
    f->measuring.gain = f->fit.measuring->options.gain;
    f->measuring.label_gain = f->fit.measuring->options.label_gain;
    GR_TRY(gr_measures_parse(f->metric, &measures, err));
    metric = measures.at[0].metric;
    f->lower_is_better = metric->lower_is_better;
    gr_measures_free(&measures);
    if (shares && (metric->lower_is_better || metric->low < 0.0 || metric->high > 1.0))
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "'%s' needs a metric from 0 to 1 where higher is better, such as map or ndcg@10, not "
            "%.60s",
            f->fit.ranker->about.name, f->metric);
    return GRADUS_OK;
}

static gradus_status begin(fitting *f, bool is_ascent, gradus_error *err)
{
    const gr_fit *fit = &f->fit;
    const gr_weak_task task = { .context = fit->context,
                                .data = fit->data,
                                .problem = fit->problem,
                                .options = GR_TRAIN_BLOCK(fit->options, weak),
                                .metric = measure,
                                .user = f,
                                .seed = fit->options->seed };

    GR_TRY(settle_metric(f, !is_ascent, err));
    if (is_ascent)
        f->ascent = gr_ascent_new(&task, err);
    else
        f->adarank = gr_adarank_new(&task, err);
    f->skipped = gr_weak_skipped(fit->context, fit->problem);
    return f->ascent || f->adarank ? GRADUS_OK : err->status;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;

    return f->ascent ? gr_ascent_round(f->ascent, grew, err)
                     : gr_adarank_round(f->adarank, grew, err);
}

static uint64_t rounds_done(const void *state)
{
    const fitting *f = state;

    return f->ascent ? gr_ascent_rounds(f->ascent) : gr_adarank_rounds(f->adarank);
}

static const double *train_outputs(const void *state)
{
    const fitting *f = state;

    return f->ascent ? gr_ascent_scores(f->ascent) : gr_adarank_scores(f->adarank);
}

static gradus_status linear_now(const fitting *f, bool best, gr_linear *linear, gradus_error *err)
{
    const double *weights = !f->ascent ? gr_adarank_weights(f->adarank)
                            : best     ? gr_ascent_best(f->ascent)
                                       : gr_ascent_weights(f->ascent);

    return gr_weak_linear(f->fit.data, weights, linear, gr_pool_of(f->fit.context), err);
}

/* Overwrites instead of adding: the outputs are not a sum over rounds. */
static gradus_status add_outputs(const void *state, uint64_t first, uint64_t last,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    gr_linear linear = { .features = 0 };
    gradus_status status;

    if (first == last)
        return GRADUS_OK;
    GR_TRY(linear_now(state, false, &linear, err));
    memset(sums, 0, data->arrays.rows * sizeof *sums);
    status = gr_linear_add(&linear, data, sums, pool, err);
    gr_linear_free(&linear);
    return status;
}

static gradus_status snapshot(void *state, gradus_error *err)
{
    fitting *f = state;

    gr_linear_free(&f->kept);
    GR_TRY(linear_now(f, false, &f->kept, err));
    f->kept_round = rounds_done(f);
    return GRADUS_OK;
}

/* A checkpoint only stores how far training was: all random choices depend on the seed, so
 * repeating the rounds gives the same weights. */
static gradus_status state_node(const void *state, gr_node *made, gradus_error *err)
{
    const fitting *f = state;
    double *numbers;

    GR_TRY(gr_state_node_new(2, &numbers, made, err));
    numbers[0] = (double)rounds_done(f);
    numbers[1] = (double)f->kept_round;
    return GRADUS_OK;
}

static gradus_status resume(fitting *f, const gr_state *saved, gradus_error *err)
{
    bool grew = true;

    if (saved->count != 2 || !(saved->at[0] <= (double)f->fit.last_round))
        return gr_fail(err, GRADUS_BAD_FORMAT, "the checkpoint belongs to a different training");
    while (grew && (double)rounds_done(f) < saved->at[0]) {
        GR_TRY(step(f, &grew, err));
        if ((double)rounds_done(f) == saved->at[1])
            GR_TRY(snapshot(f, err));
    }
    return GRADUS_OK;
}

static gradus_status start(const gr_fit *fit, bool is_ascent, void **state, gradus_error *err)
{
    const gr_state *saved = fit->start ? gr_model_state(fit->start) : NULL;
    gradus_status status;
    fitting *f;

    if (fit->initial || (fit->start && !saved))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' cannot start from %s",
                       fit->ranker->about.name, fit->initial ? "initial scores" : "a model");
    f = calloc(1, sizeof *f);
    if (!f)
        return gr_fail_memory(err, "training");
    f->fit = *fit;
    status = begin(f, is_ascent, err);
    if (status == GRADUS_OK && saved)
        status = resume(f, saved, err);
    if (status == GRADUS_OK)
        *state = f;
    else
        free_state(f);
    return status;
}

static gradus_status start_adarank(const gr_fit *fit, void **state, gradus_error *err)
{
    return start(fit, false, state, err);
}

static gradus_status start_ascent(const gr_fit *fit, void **state, gradus_error *err)
{
    return start(fit, true, state, err);
}

/* Without validation data, coordinate ascent keeps the best weights on the training data. */
static gradus_status node(const void *state, uint64_t wanted, gr_node *made, gradus_error *err)
{
    const fitting *f = state;
    gr_linear copy = { .features = 0 };
    gradus_status status;

    if (wanted == f->kept_round && wanted != 0)
        GR_TRY(gr_linear_copy(&f->kept, &copy, err));
    else
        GR_TRY(linear_now(f, true, &copy, err));
    status = gr_linear_node_new(&copy, made, err);
    gr_linear_free(&copy);
    return status;
}

static const char *why_done(const void *state)
{
    return ((const fitting *)state)->ascent ? "all searches have finished"
                                            : "no feature ranks better than chance";
}

static bool result(const void *state, size_t index, const char **name, double *value)
{
    *name = "queries skipped";
    *value = (double)((const fitting *)state)->skipped;
    return index < 1;
}

static const gr_learner_outputs outputs = { .add = add_outputs, .train = train_outputs };
static const gr_learner_rounds rounds = { .done = rounds_done, .snapshot = snapshot };
static const gr_learner_report report = { .why_done = why_done, .result = result };

static const gr_param *const adarank_params[] = { gr_adarank_params, NULL };
static const gr_param *const ascent_params[] = { gr_ascent_params, NULL };

static const gr_learner adarank_learner = {
    .about = { "linear", "a weighted sum of features, added one at a time",
               "Each round adds the feature that ranks best the queries that are ranked badly so "
               "far (--train-metric)." },
    .by_method = true,
    .transform = "minmax",
    .alone =
        "its metric is summed in the order of the queries for one feature after the other; use "
        "lambdamart",
    .params = adarank_params,
    .metric = optimised_metric,
    .feature_bytes = 144,
    .start = start_adarank,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .rounds = &rounds,
    .report = &report,
    .state_node = state_node,
};

static const gr_learner ascent_learner = {
    .about = { "linear", "a weighted sum of features, one weight optimised at a time",
               "A round is a pass over the features." },
    .by_method = true,
    .transform = "minmax",
    .needs_clear_gain = true,
    .alone = "each step needs the weights of the step before; use lambdamart",
    .params = ascent_params,
    .metric = optimised_metric,
    .feature_bytes = 184,
    .start = start_ascent,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .rounds = &rounds,
    .report = &report,
    .state_node = state_node,
};

const gr_learner *const gr_adarank_learners[] = { &adarank_learner, NULL };
const gr_learner *const gr_ascent_learners[] = { &ascent_learner, NULL };
