/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "sgd": stochastic gradient descent on rows and pairs (Sculley, 2010). A round is a
 * fixed fraction of the steps. Only the current weights and those of the best round are kept. */
#include "base/grid.h"
#include "base/rng.h"
#include "learners/kernel/kernel.h"
#include "learners/sgd/sgd.h"
#include "pipeline/learner.h"
#include "pipeline/ranker.h"
#include "pipeline/train_options.h"
#include "model/hash_node.h"
#include "model/kernel_node.h"
#include "model/linear_node.h"
#include "model/state_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fitting {
    gr_fit fit;
    gr_sgd *sgd;
    gr_machine machine;    /* landmarks, if used; outputs 0: none */
    gradus_dataset mapped; /* the rows as kernel values with the landmarks */
    float *kernels;
    size_t model;      /* the model of the grid whose outputs are used */
    gr_linear current; /* its equations after round current_round */
    uint64_t current_round;
    size_t current_model;
    gr_linear kept;
    uint64_t kept_round; /* 0: none */
    size_t kept_model;
    size_t told_model; /* the model that the node was made from */
} fitting;

static void free_state(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    gr_sgd_free(f->sgd);
    gr_linear_free(&f->current);
    gr_linear_free(&f->kept);
    gr_machine_free(&f->machine);
    free(f->kernels);
    free(f);
}

static const gr_sgd_options *options_of(const fitting *f)
{
    return GR_TRAIN_BLOCK(f->fit.options, sgd);
}

static gr_sgd_loss loss_of(const gr_fit *fit)
{
    return fit->options->loss == GR_LOSS_LOGISTIC ? GR_SGD_LOGISTIC
           : fit->options->loss == GR_LOSS_HINGE  ? GR_SGD_HINGE
                                                  : GR_SGD_SQUARED;
}

/* Draws rows at random without replacement, in the order of the data. */
static gradus_status draw_landmarks(const gr_fit *fit, size_t count, uint32_t *rows,
                                    gradus_error *err)
{
    gr_rng rng = gr_rng_for(fit->options->seed, "landmarks", 0);
    size_t left = count;

    if (count > fit->data->arrays.rows)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'landmarks %zu': the data have %zu rows", count,
                       fit->data->arrays.rows);
    for (size_t r = 0; left > 0; r++)
        if (gr_rng_below(&rng, fit->data->arrays.rows - r) < left)
            rows[count - left--] = (uint32_t)r;
    return GRADUS_OK;
}

static gradus_status choose_landmarks(fitting *f, const gr_spread *spreads, uint32_t *rows,
                                      gradus_error *err)
{
    const gr_fit *fit = &f->fit;
    const size_t count = (size_t)options_of(f)->landmarks;
    gr_machine *machine = &f->machine;

    GR_TRY(draw_landmarks(fit, count, rows, err));
    GR_TRY(gr_kernel_choose(GR_TRAIN_BLOCK(fit->options, kernel), spreads,
                            fit->data->arrays.features, &machine->kernel, err));
    GR_TRY(gr_kernel_rows_of(fit->data, rows, count, spreads, &machine->rows, err));
    machine->outputs = fit->problem->outputs;
    machine->bases = gr_new_array(machine->outputs, sizeof *machine->bases);
    machine->coefficients = gr_new_array(machine->outputs * count, sizeof *machine->coefficients);
    f->kernels = gr_new_array(fit->data->arrays.rows * count, sizeof *f->kernels);
    if (!machine->bases || !machine->coefficients || !f->kernels)
        return gr_fail_memory(err, "landmarks");
    return gr_kernel_map(&machine->kernel, &machine->rows, fit->data, f->kernels,
                         gr_pool_of(fit->context), err);
}

/* Replaces the features of rows by their kernel values with the landmarks. */
static gradus_status map_rows(fitting *f, gradus_error *err)
{
    const size_t features = f->fit.data->arrays.features;
    const size_t count = (size_t)options_of(f)->landmarks;
    gr_spread *spreads = gr_new_array(features, sizeof *spreads);
    uint32_t *rows = gr_new_array(count, sizeof *rows);
    gradus_status status = spreads && rows ? GRADUS_OK : gr_fail_memory(err, "landmarks");

    if (status == GRADUS_OK)
        status = gr_spread_all(f->fit.data, spreads, gr_pool_of(f->fit.context), err);
    if (status == GRADUS_OK)
        status = choose_landmarks(f, spreads, rows, err);
    free(spreads);
    free(rows);
    f->mapped.arrays = f->fit.data->arrays;
    f->mapped.arrays.values = f->kernels;
    f->mapped.arrays.features = f->mapped.arrays.stride = count;
    f->mapped.arrays.row_starts = NULL;
    f->mapped.arrays.columns = NULL;
    f->mapped.arrays.entries = NULL;
    return status;
}

/* State of the kept equations: round, model and, if there is a round, the coefficients. */
static size_t kept_size(const fitting *f)
{
    return 2 + (f->kept_round ? (f->kept.outputs + 2) * f->kept.features + f->kept.outputs : 0);
}

static gradus_status state_node(const void *state, gr_node *made, gradus_error *err)
{
    const fitting *f = state;
    const size_t walks = gr_sgd_state_size(f->sgd), kept = kept_size(f);
    double *numbers;

    GR_TRY(gr_state_node_new(walks + kept, &numbers, made, err));
    gr_sgd_save(f->sgd, numbers);
    numbers[walks] = (double)f->kept_round;
    numbers[walks + 1] = (double)f->kept_model;
    if (f->kept_round)
        memcpy(numbers + walks + 2, f->kept.own, (kept - 2) * sizeof *numbers);
    return GRADUS_OK;
}

/* Resumes from a checkpoint; models lack the state. The step sizes depend on the number of rounds,
 * so it must be the same. */
static gradus_status resume(fitting *f, const gradus_model *start, gradus_error *err)
{
    const gr_state *saved = gr_model_state(start);
    const char *cut = gr_model_setting(start, "rounds");
    const size_t walks = gr_sgd_state_size(f->sgd);

    if (!saved || !cut || strtoull(cut, NULL, 10) != f->fit.options->rounds)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "the learner 'sgd' can only resume from its checkpoints, with the same 'rounds'");
    GR_TRY(gr_sgd_linear(f->sgd, 0, &f->kept, err));
    f->kept_round = saved->count > walks + 2 ? 1 : 0;
    if (saved->count != walks + kept_size(f))
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "the checkpoint belongs to a training of a different size");
    if (!(saved->at[walks] >= 0.0 && saved->at[walks] <= (double)start->rounds_done &&
          saved->at[walks + 1] >= 0.0 && saved->at[walks + 1] < (double)gr_sgd_models(f->sgd)))
        return gr_fail(err, GRADUS_BAD_FORMAT, "the checkpoint belongs to a different training");
    gr_sgd_load(f->sgd, start->rounds_done, saved->at);
    f->kept_round = (uint64_t)saved->at[walks];
    f->kept_model = f->model = (size_t)saved->at[walks + 1];
    if (f->kept_round)
        memcpy(f->kept.own, saved->at + walks + 2, (kept_size(f) - 2) * sizeof *saved->at);
    else
        gr_linear_free(&f->kept);
    return GRADUS_OK;
}

/* RankSVM is crr with certain settings; other settings would make it a different method. */
static gradus_status check_method(const gr_fit *fit, gradus_error *err)
{
    double alphas[GR_GRID_VALUES];
    size_t count;

    if (fit->ranker != &gr_ranker_ranksvm)
        return GRADUS_OK;
    GR_TRY(gr_grid_parse(GR_TRAIN_BLOCK(fit->options, sgd)->alpha, "alpha", 0.0, 1.0, alphas,
                         &count, err));
    for (size_t i = 0; i < count; i++)
        if (alphas[i] > 0.0)
            return gr_fail(
                err, GRADUS_BAD_ARGUMENT,
                "ranksvm uses only pairs, which is 'alpha 0': for 'alpha %g' use 'method crr' and "
                "'loss hinge'",
                alphas[i]);
    return GRADUS_OK;
}

/* Kernel options apply only to kernels with landmarks. */
static gradus_status check(const gr_train_options *options, const gradus_options *given,
                           gradus_error *err)
{
    const gr_operation kernels = { .params = gr_kernel_params };
    const bool landmarks = GR_TRAIN_BLOCK(options, sgd)->landmarks;
    gr_param param;

    for (size_t i = 0; !landmarks && gr_param_number(&kernels, i, &param); i++)
        if (gr_options_given(given, param.about.name))
            return gr_fail(
                err, GRADUS_BAD_ARGUMENT,
                "'%s' is for kernels with landmarks: set 'landmarks N', the number of rows to use",
                param.about.name);
    return GRADUS_OK;
}

static gradus_status begin(fitting *f, gradus_error *err)
{
    const gr_fit *fit = &f->fit;
    gr_sgd_task task = { .context = fit->context,
                         .data = fit->data,
                         .problem = fit->problem,
                         .options = options_of(f),
                         .loss = loss_of(fit),
                         .seed = fit->options->seed,
                         .rounds = fit->options->rounds };

    GR_TRY(check_method(fit, err));
    if (task.options->landmarks && task.options->hash_bits)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'landmarks' and 'hash-bits' both replace the features: use one of them");
    if (task.options->landmarks) {
        GR_TRY(map_rows(f, err));
        task.data = &f->mapped;
    }
    f->sgd = gr_sgd_new(&task, err);
    if (!f->sgd)
        return err->status;
    return fit->start ? resume(f, fit->start, err) : GRADUS_OK;
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    fitting *f;

    if (fit->initial)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the learner 'sgd' does not support initial scores");
    f = calloc(1, sizeof *f);
    if (!f)
        return gr_fail_memory(err, "training");
    f->fit = *fit;
    if (begin(f, &failure) != GRADUS_OK) {
        free_state(f);
        return gr_fail(err, failure.status, "%s", failure.message);
    }
    *state = f;
    return GRADUS_OK;
}

static gradus_status bring_up(fitting *f, gradus_error *err)
{
    if (f->current.own && f->current_round == gr_sgd_rounds(f->sgd) && f->current_model == f->model)
        return GRADUS_OK;
    gr_linear_free(&f->current);
    GR_TRY(gr_sgd_linear(f->sgd, f->model, &f->current, err));
    f->current_round = gr_sgd_rounds(f->sgd);
    f->current_model = f->model;
    return GRADUS_OK;
}

/* Copies equations to the kernel machine over the landmarks. */
static void fill_machine(gr_machine *machine, const gr_linear *linear)
{
    memcpy(machine->bases, linear->bases, linear->outputs * sizeof *machine->bases);
    memcpy(machine->coefficients, linear->coefficients,
           linear->outputs * linear->features * sizeof *machine->coefficients);
}

/* Overwrites instead of adding: the outputs are not a sum over rounds. */
static gradus_status add_outputs(const void *state, uint64_t first, uint64_t last,
                                 const gradus_dataset *data, double *sums, gr_pool *pool,
                                 gradus_error *err)
{
    fitting *f = (fitting *)(uintptr_t)state;
    gr_hashed hashed = { .features = f->fit.data->arrays.features,
                         .bits = (unsigned)options_of(f)->hash_bits };

    if (first == last)
        return GRADUS_OK;
    GR_TRY(bring_up(f, err));
    memset(sums, 0, f->current.outputs * data->arrays.rows * sizeof *sums);
    if (f->machine.outputs) {
        fill_machine(&f->machine, &f->current);
        return gr_machine_add(&f->machine, data, sums, pool, err);
    }
    hashed.linear = f->current;
    return hashed.bits ? gr_hashed_add(&hashed, data, sums, pool, err)
                       : gr_linear_add(&f->current, data, sums, pool, err);
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;

    *grew = true;
    return gr_sgd_round(f->sgd, err);
}

static uint64_t steps(const void *state)
{
    return gr_sgd_steps(((const fitting *)state)->sgd);
}

static uint64_t rounds_done(const void *state)
{
    return gr_sgd_rounds(((const fitting *)state)->sgd);
}

static size_t models(const void *state)
{
    return gr_sgd_models(((const fitting *)state)->sgd);
}

static void select_model(void *state, size_t model)
{
    ((fitting *)state)->model = model;
}

static void describe(const void *state, size_t model, char *text, size_t size)
{
    double alpha, lambda;

    gr_sgd_model(((const fitting *)state)->sgd, model, &alpha, &lambda);
    snprintf(text, size, "alpha %g, lambda %g", alpha, lambda);
}

static gradus_status snapshot(void *state, gradus_error *err)
{
    fitting *f = state;

    GR_TRY(bring_up(f, err));
    gr_linear_free(&f->kept);
    GR_TRY(gr_linear_copy(&f->current, &f->kept, err));
    f->kept_round = f->current_round;
    f->kept_model = f->model;
    return GRADUS_OK;
}

static gradus_status node(const void *state, uint64_t wanted, gr_node *made, gradus_error *err)
{
    fitting *f = (fitting *)(uintptr_t)state;
    gr_hashed hashed = { .features = f->fit.data->arrays.features,
                         .bits = (unsigned)options_of(f)->hash_bits };
    const gr_linear *from = &f->kept;
    gradus_status status;
    gr_machine machine;

    f->told_model = f->kept_model;
    if (wanted == 0 || wanted != f->kept_round) {
        GR_TRY(bring_up(f, err));
        from = &f->current;
        f->told_model = f->model;
    }
    if (f->machine.outputs) {
        fill_machine(&f->machine, from);
        GR_TRY(gr_machine_copy(&f->machine, &machine, err));
        status = gr_kernel_node_new(&machine, made, err);
        gr_machine_free(&machine);
        return status;
    }
    GR_TRY(gr_linear_copy(from, &hashed.linear, err));
    status = hashed.bits ? gr_hash_node_new(&hashed, made, err)
                         : gr_linear_node_new(&hashed.linear, made, err);
    gr_hashed_free(&hashed);
    return status;
}

static bool result(const void *state, size_t index, const char **name, double *value)
{
    static const char *const names[] = { "alpha", "lambda" };
    const fitting *f = state;
    double numbers[2];

    if (index >= 2 || gr_sgd_models(f->sgd) == 1)
        return false;
    gr_sgd_model(f->sgd, f->told_model, &numbers[0], &numbers[1]);
    *name = names[index];
    *value = numbers[index];
    return true;
}

static const gr_param *const params[] = { gr_sgd_params, gr_kernel_params, NULL };

static const gr_learner_outputs outputs = { .add = add_outputs };
static const gr_learner_rounds rounds = { .done = rounds_done,
                                          .steps = steps,
                                          .snapshot = snapshot };
static const gr_learner_selection selection = { models, select_model, describe };
static const gr_learner_report report = { .result = result };

const gr_learner gr_learner_sgd = {
    .about = { "sgd", "linear models by stochastic gradient descent, on rows and pairs of rows",
               "Steps along the negative gradient of the loss of a row or a pair of rows sampled "
               "at random. The time of a step depends only on the nonzero values of its rows, so "
               "that sparse data of any width and files larger than memory are fine. Sculley "
               "(2010)." },
    .by_method = true,
    .transform = "standardise",
    .alone =
        "each step needs the weights of the step before; use pairrank, lambdamart, or regression with the learner linear",
    .params = params,
    .check = check,
    .feature_bytes = 112,
    .start = start,
    .step = step,
    .node = node,
    .free = free_state,
    .outputs = &outputs,
    .rounds = &rounds,
    .selection = &selection,
    .report = &report,
    .state_node = state_node,
};
