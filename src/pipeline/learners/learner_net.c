/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "net". A round is one pass over the data. Only the current weights and those of the
 * best round are kept; a checkpoint stores both, and the state of the optimiser. */
#include "pipeline/learners/learner_net.h"

#include "model/net_node.h"
#include "model/state_node.h"
#include "pipeline/ranker.h"
#include "pipeline/train_options.h"

#include <math.h>
#include <stdlib.h>

typedef struct fitting {
    gr_fit fit;
    gr_net_training *training;
    gr_net best; /* weights NULL: none is kept */
} fitting;

static void free_state(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    gr_net_training_free(f->training);
    gr_net_free(&f->best);
    free(f);
}

static const gr_net *now(const fitting *f)
{
    return gr_net_training_net(f->training);
}

/* Number of weights. A checkpoint stores the state of the training, the best round and, if there is
 * one, its weights. */
static size_t weights_of(const fitting *f)
{
    return gr_net_count(now(f)->features, now(f)->units);
}

static gradus_status state_node(const void *state, gr_node *made, gradus_error *err)
{
    const fitting *f = state;
    const size_t size = gr_net_state_size(f->training);
    const size_t kept = f->best.weights ? weights_of(f) : 0;
    double *numbers;

    GR_TRY(gr_state_node_new(size + 1 + kept, &numbers, made, err));
    gr_net_save(f->training, numbers);
    numbers[size] = kept ? (double)f->best.rounds : 0.0;
    for (size_t i = 0; i < kept; i++)
        numbers[size + 1 + i] = (double)f->best.weights[i];
    return GRADUS_OK;
}

/* Restores the best round from a checkpoint. */
static gradus_status take_best(fitting *f, const double *numbers, gradus_error *err)
{
    const size_t count = weights_of(f);
    float *weights;

    GR_TRY(gr_net_copy(now(f), &f->best, err));
    weights = f->best.own;
    f->best.rounds = (uint64_t)numbers[0];
    for (size_t i = 0; i < count; i++)
        weights[i] = (float)numbers[1 + i];
    return gr_net_check(&f->best, err);
}

static gradus_status resume(fitting *f, const gr_state *saved, gradus_error *err)
{
    const size_t size = gr_net_state_size(f->training);
    const bool kept = saved->count > size + 1;

    if (saved->count != size + 1 + (kept ? weights_of(f) : 0))
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the checkpoint belongs to a training of a different size");
    if (!(saved->at[size] >= kept && saved->at[size] <= (double)now(f)->rounds))
        return gr_fail(err, GRADUS_BAD_FORMAT, "the checkpoint belongs to a different training");
    GR_TRY(gr_net_load(f->training, saved->at, err));
    return kept ? take_best(f, saved->at + size, err) : GRADUS_OK;
}

/* Gains used in place of labels; lambdarank computes its own, and linear gains are the labels. */
static const gr_gains *gains_of(const gr_fit *fit)
{
    const gr_gains *gains = &fit->objective_options->gains;

    return fit->ranker->variant == GR_LOSS_LISTNET && gains->rule != GR_GAIN_LINEAR ? gains : NULL;
}

static gradus_status begin(fitting *f, gradus_error *err)
{
    const gr_fit *fit = &f->fit;
    const gr_net_task task = { .context = fit->context,
                               .data = fit->data,
                               .problem = fit->problem,
                               .options = GR_TRAIN_BLOCK(fit->options, net),
                               .gains = gains_of(fit),
                               .objective = fit->objective_options,
                               .loss = (gr_list_loss)fit->ranker->variant,
                               .seed = fit->options->seed,
                               .start = fit->start ? gr_model_net(fit->start) : NULL };

    const gr_state *saved = fit->start ? gr_model_state(fit->start) : NULL;

    f->training = gr_net_training_new(&task, err);
    if (!f->training)
        return err->status;
    return saved ? resume(f, saved, err) : GRADUS_OK;
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    fitting *f;

    GR_TRY(gr_refuse_initial(fit, err));
    f = calloc(1, sizeof *f);
    if (!f)
        return gr_fail_memory(err, "training");
    f->fit = *fit;
    if (begin(f, err) != GRADUS_OK) {
        free_state(f);
        return err->status;
    }
    *state = f;
    return GRADUS_OK;
}

/* Overwrites instead of adding: the outputs are not a sum over rounds. */
static gradus_status add_outputs(const void *state, uint64_t first, uint64_t last,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    const fitting *f = state;

    if (first == last)
        return GRADUS_OK;
    return gr_net_score(now(f), data, sums, pool, err);
}

static uint64_t rounds_done(const void *state)
{
    return now(state)->rounds;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;

    *grew = true;
    return gr_net_training_round(f->training, err);
}

static gradus_status snapshot(void *state, gradus_error *err)
{
    fitting *f = state;

    gr_net_free(&f->best);
    return gr_net_copy(now(f), &f->best, err);
}

static gradus_status node(const void *state, uint64_t wanted, gr_node *made, gradus_error *err)
{
    const fitting *f = state;
    gradus_status status;
    gr_net copy;

    GR_TRY(
        gr_net_copy(f->best.weights && f->best.rounds == wanted ? &f->best : now(f), &copy, err));
    status = gr_net_node_new(&copy, made, err);
    gr_net_free(&copy);
    return status;
}

static bool result(const void *state, size_t index, const char **name, double *value)
{
    const fitting *f = state;

    *name = index ? "queries skipped" : "loss of the last round";
    *value =
        index ? (double)gr_net_training_skipped(f->training) : gr_net_training_loss(f->training);
    return index < 2;
}

/* For the weights, their gradients and the state of the optimiser. */
static double more_bytes(const gr_train_options *options)
{
    return 30.0 * (double)gr_net_pitch((size_t)GR_TRAIN_BLOCK(options, net)->hidden);
}

#define NET_LEARNER(tables, single)                                                                \
    {                                                                                              \
        .about = { "net", "a linear function or one hidden layer, by mini-batches of queries",     \
                   "One score per row: a linear function of the features or of --hidden units. "   \
                   "Each round is a pass over the queries in random order, with one step of "      \
                   "--optimiser adam (Kingma and Ba, 2015) or sgd per --batch queries. Missing "   \
                   "values count as 0, which is the mean after --transform standardise." },        \
        .by_method = true, .transform = "minmax", .params = tables, .feature_bytes = 340,          \
        .more_bytes = more_bytes, .reads = single, .start = start, .step = step, .node = node,     \
        .free = free_state, .outputs = &outputs, .rounds = &rounds, .report = &report,             \
        .state_node = state_node,                                                                  \
        .alone = "each step needs the weights of the step before; use lambdamart or regression",   \
    }

static const gr_learner_outputs outputs = { .add = add_outputs };
static const gr_learner_rounds rounds = { .done = rounds_done, .snapshot = snapshot };
static const gr_learner_report report = { .result = result };

static const gr_param *const params[] = { gr_net_params, NULL };
static const gr_param *const lambda_params[] = { gr_net_params, gr_objective_params, NULL };

const gr_learner gr_learner_net = NET_LEARNER(params, NULL);
static const gr_learner pair_learner = NET_LEARNER(params, "sigma");
static const gr_learner lambda_learner = NET_LEARNER(lambda_params, NULL);

const gr_learner *const gr_net_learners[] = { &gr_learner_net, NULL };
const gr_learner *const gr_net_pair_learners[] = { &pair_learner, NULL };
const gr_learner *const gr_net_lambda_learners[] = { &lambda_learner, NULL };
