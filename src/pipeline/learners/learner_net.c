/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "net". A round is one pass over the data. Only the current weights and those of the
 * best round are kept; a checkpoint stores both, and the state of the optimiser. */
#include "pipeline/learners/learner_net.h"

#include "pipeline/train.h"

#include <math.h>
#include <stdlib.h>

typedef struct fitting {
    gr_fit fit;
    gr_net_training *training;
    gr_net best;      /* weights NULL: none is kept */
    gr_array outputs; /* of the training rows, if they are evaluated */
} fitting;

static void end(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    gr_net_training_free(f->training);
    gr_net_free(&f->best);
    gr_array_free(&f->outputs);
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

static gradus_status go_on(fitting *f, const gr_state *saved, gradus_error *err)
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
    const gr_gains *gains = &fit->options->boost.objective.gains;

    return fit->ranker->variant == GR_LOSS_LISTNET && gains->rule != GR_GAIN_LINEAR ? gains : NULL;
}

static gradus_status begin(fitting *f, gradus_error *err)
{
    const gr_fit *fit = &f->fit;
    const gr_net_task task = { .context = fit->context,
                               .data = fit->data,
                               .problem = fit->problem,
                               .options = &fit->options->net,
                               .gains = gains_of(fit),
                               .objective = &fit->options->boost.objective,
                               .loss = (gr_list_loss)fit->ranker->variant,
                               .seed = fit->options->boost.seed,
                               .start = fit->start ? gr_model_net(fit->start) : NULL };

    const gr_state *saved = fit->start ? gr_model_state(fit->start) : NULL;

    f->training = gr_net_training_new(&task, err);
    if (!f->training)
        return err->status;
    return saved ? go_on(f, saved, err) : GRADUS_OK;
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    fitting *f;

    if (fit->initial)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'%s' does not support initial scores",
                       fit->ranker->about.name);
    f = calloc(1, sizeof *f);
    if (!f)
        return gr_fail_memory(err, "training");
    f->fit = *fit;
    if (begin(f, err) != GRADUS_OK) {
        end(f);
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

static uint64_t rounds(const void *state)
{
    return now(state)->rounds;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;
    const gr_fit *fit = &f->fit;
    const uint64_t every = fit->options->train_eval_every;

    *grew = true;
    GR_TRY(gr_net_training_round(f->training, err));
    if (every == 0)
        return GRADUS_OK;
    if (!gr_array_reserve(&f->outputs, fit->problem->rows * sizeof(double)))
        return gr_fail_memory(err, "outputs");
    return add_outputs(state, 0, 1, fit->data, f->outputs.at, gr_pool_of(fit->context), err);
}

static const double *outputs(const void *state)
{
    return ((const fitting *)state)->outputs.at;
}

static gradus_status keep(void *state, gradus_error *err)
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

static double preparing(const void *state)
{
    (void)state;
    return 0.0;
}

/* For the weights, their gradients and the state of the optimiser. */
static double more_bytes(const gr_train_options *options)
{
    return 30.0 * (double)gr_net_pitch((size_t)options->net.hidden);
}

#define NET_LEARNER(more, single)                                                                  \
    {                                                                                              \
        .about = { "net", "a linear function or one hidden layer, by mini-batches of queries",     \
                   "One score per row: a linear function of the features or of --hidden units. "   \
                   "Each round is a pass over the queries in random order, with one step of "      \
                   "--optimiser adam (Kingma and Ba, 2015) or sgd per --batch queries. Missing "   \
                   "values count as 0, which is the mean after --transform standardise." },        \
        .by_rounds = true, .by_method = true, .transform = "minmax", .params = gr_net_params,      \
        .more_params = more, .feature_bytes = 340, .more_bytes = more_bytes, .reads = single,      \
        .start = start, .step = step, .rounds = rounds, .outputs = outputs,                        \
        .add_outputs = add_outputs, .keep = keep, .node = node, .state_node = state_node,          \
        .result = result, .preparing = preparing, .end = end,                                      \
    }

const gr_learner gr_learner_net = NET_LEARNER(NULL, NULL);
static const gr_learner pair_learner = NET_LEARNER(NULL, "sigma");
static const gr_learner lambda_learner = NET_LEARNER(gr_objective_params, NULL);

const gr_learner *const gr_net_learners[] = { &gr_learner_net, NULL };
const gr_learner *const gr_net_pair_learners[] = { &pair_learner, NULL };
const gr_learner *const gr_net_lambda_learners[] = { &lambda_learner, NULL };
