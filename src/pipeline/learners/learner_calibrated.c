/* SPDX-License-Identifier: Apache-2.0 */
/* The learner "calibrated": many AdaBoost.MH models trained side by side; a round is one round of
 * each. After certain rounds their outputs are calibrated and averaged, and the result is evaluated
 * on the validation data. */
#include "pipeline/learners/learner_calibrated.h"

#include "base/clock.h"
#include "base/text.h"
#include "data/split.h"
#include "data/subset.h"
#include "learners/adaboost/adaboost.h"
#include "model/compose.h"
#include "model/state_node.h"
#include "pipeline/calibrated_mix.h"
#include "pipeline/train_options.h"

#include <stdio.h>
#include <stdlib.h>

/* A part of the training queries. */
typedef struct part {
    gradus_dataset *data;
    uint8_t *level_of;
    float *weights; /* NULL: all 1 */
} part;

typedef struct fitting {
    gr_fit fit;
    gr_calibrated_grid grid;
    gr_bin_options bin;
    gradus_context inner; /* for base models: one thread each, or all threads */
    bool side_by_side;
    part learn, calibrate;
    double *calibrate_weights; /* NULL: all 1 */
    double *shares;
    gr_problem problem;
    gr_adaboost_options *options; /* one per base model */
    gr_adaboost **boosts;
    const gr_votes **votes;
    bool *stopped, *ends; /* per base model: has stopped; stops after this round */
    gradus_error *errors;
    uint64_t rounds;
    gr_mixing mixing;
    gr_mixture last, best;
    double preparation_seconds;
} fitting;

static void free_part(part *p)
{
    gradus_dataset_free(p->data);
    free(p->level_of);
    free(p->weights);
}

static void free_state(void *state)
{
    fitting *f = state;

    if (!f)
        return;
    for (size_t b = 0; f->boosts && b < f->grid.bases; b++)
        gr_adaboost_free(f->boosts[b]);
    free(f->boosts);
    free(f->votes);
    free(f->options);
    free(f->stopped);
    free(f->ends);
    free(f->errors);
    free(f->shares);
    free(f->calibrate_weights);
    free_part(&f->learn);
    free_part(&f->calibrate);
    gr_mixture_free(&f->last);
    gr_mixture_free(&f->best);
    free(f);
}

/* Chooses the queries for calibration at random, by the seed. */
static gradus_status draw_queries(const fitting *f, size_t *part_of, size_t counts[2],
                                  gradus_error *err)
{
    const double share = GR_TRAIN_BLOCK(f->fit.options, calibrated)->share;
    const size_t queries = f->fit.data->arrays.queries;
    char shares[2 * GRADUS_NUMBER_SIZE];
    size_t parts;

    snprintf(shares, sizeof shares, "%.17g,%.17g", 1.0 - share, share);
    const gr_split_options options = { .shares = shares, .seed = f->fit.options->seed };

    GR_TRY(gr_split_queries(queries, &options, part_of, &parts, err));
    for (size_t q = 0; q < queries; q++)
        counts[part_of[q]]++;
    if (counts[0] == 0 || counts[1] == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'calibration-fraction %g' of %zu %s leaves none to %s: calibrated needs "
                       "queries for both parts",
                       share, queries, queries == 1 ? "query" : "queries",
                       counts[0] ? "calibrate with" : "learn from");
    return GRADUS_OK;
}

static gradus_status fill_part(const fitting *f, part *p, gradus_error *err)
{
    const gr_scorer grades = { .levels = f->fit.problem->levels,
                               .level_labels = (double *)(uintptr_t)f->fit.problem->level_labels };
    const gradus_arrays *a = &p->data->arrays;

    p->level_of = gr_new_array(a->rows, sizeof *p->level_of);
    if (!p->level_of)
        return gr_fail_memory(err, "grades");
    GR_TRY(gr_levels_of(&grades, p->data, p->level_of, err));
    if (!f->fit.problem->row_weights)
        return GRADUS_OK;
    p->weights = gr_new_array(a->rows, sizeof *p->weights);
    if (!p->weights)
        return gr_fail_memory(err, "weights");
    for (size_t q = 0; q < a->queries; q++)
        for (uint64_t r = a->query_starts[q]; r < a->query_starts[q + 1]; r++)
            p->weights[r] = (a->row_weights ? a->row_weights[r] : 1.0f) *
                            (a->query_weights ? a->query_weights[q] : 1.0f);
    return GRADUS_OK;
}

static gradus_status take_part(fitting *f, part *p, const size_t *part_of, size_t which,
                               size_t count, gradus_error *err)
{
    size_t *chosen = gr_new_array(count, sizeof *chosen), at = 0;

    if (!chosen)
        return gr_fail_memory(err, "queries");
    for (size_t q = 0; q < f->fit.data->arrays.queries; q++)
        if (part_of[q] == which)
            chosen[at++] = q;
    p->data = gr_dataset_subset(f->fit.data, chosen, count, gr_pool_of(f->fit.context), err);
    free(chosen);
    return p->data ? fill_part(f, p, err) : err->status;
}

static gradus_status split_data(fitting *f, gradus_error *err)
{
    size_t *part_of = gr_new_array(f->fit.data->arrays.queries, sizeof *part_of);
    size_t counts[2] = { 0, 0 };
    gradus_status status = part_of ? GRADUS_OK : gr_fail_memory(err, "queries");

    if (status == GRADUS_OK)
        status = draw_queries(f, part_of, counts, err);
    if (status == GRADUS_OK)
        status = take_part(f, &f->learn, part_of, 0, counts[0], err);
    if (status == GRADUS_OK)
        status = take_part(f, &f->calibrate, part_of, 1, counts[1], err);
    free(part_of);
    return status;
}

/* Notes grades that the base models or the calibrations have no rows of. */
static void note_missing(const fitting *f)
{
    const part *parts[] = { &f->learn, &f->calibrate };

    for (size_t p = 0; p < 2; p++) {
        bool seen[GR_MAX_LEVELS] = { false };

        for (size_t r = 0; r < parts[p]->data->arrays.rows; r++)
            seen[parts[p]->level_of[r]] = true;
        for (size_t k = 0; k < f->fit.problem->levels; k++)
            if (!seen[k])
                gr_note(f->fit.context, "no row of the part to %s has grade %g",
                        p ? "calibrate with" : "learn from", f->fit.problem->level_labels[k]);
    }
}

static gradus_status take_weights(fitting *f, gradus_error *err)
{
    const size_t rows = f->calibrate.data->arrays.rows;

    if (!f->calibrate.weights)
        return GRADUS_OK;
    f->calibrate_weights = gr_new_array(rows, sizeof *f->calibrate_weights);
    if (!f->calibrate_weights)
        return gr_fail_memory(err, "weights");
    for (size_t r = 0; r < rows; r++)
        f->calibrate_weights[r] = (double)f->calibrate.weights[r];
    return GRADUS_OK;
}

/* The fraction of the total weight that each grade has, which the model stores. */
static gradus_status take_shares(fitting *f, gradus_error *err)
{
    const gr_problem *problem = f->fit.problem;
    double sum = 0.0;

    f->shares = gr_new_array(problem->levels, sizeof *f->shares);
    if (!f->shares)
        return gr_fail_memory(err, "grades");
    for (size_t r = 0; r < problem->rows; r++)
        f->shares[problem->level_of[r]] +=
            problem->row_weights ? (double)problem->row_weights[r] : 1.0;
    for (size_t k = 0; k < problem->levels; k++)
        sum += f->shares[k];
    for (size_t k = 0; k < problem->levels; k++)
        f->shares[k] /= sum;
    return GRADUS_OK;
}

/* Starts a base model, from the votes of a checkpoint if there is one. */
static void start_base(void *argument, size_t b, size_t worker)
{
    fitting *f = argument;
    const gr_base_size *base = &f->grid.base[b];
    const gr_adaboost_task task = { .context = &f->inner,
                                    .data = f->learn.data,
                                    .problem = &f->problem,
                                    .options = &f->options[b],
                                    .bin = &f->bin,
                                    .leaves = base->product ? 0 : base->size,
                                    .start = f->votes[b],
                                    .asked = gr_pool_of(f->fit.context) };

    (void)worker;
    f->options[b] = *GR_TRAIN_BLOCK(f->fit.options, adaboost);
    f->options[b].base = base->product ? GR_BASE_PRODUCT : GR_BASE_TREE;
    f->options[b].terms = base->product ? base->size : 0;
    f->boosts[b] = gr_adaboost_new(&task, &f->errors[b]);
    f->votes[b] = f->boosts[b] ? gr_adaboost_votes(f->boosts[b]) : NULL;
}

static void step_base(void *argument, size_t b, size_t worker)
{
    fitting *f = argument;
    bool grew = false;

    (void)worker;
    if (f->stopped[b])
        return;
    if (gr_adaboost_step(f->boosts[b], &grew, &f->errors[b]) == GRADUS_OK)
        f->ends[b] = !grew;
}

/* Runs a task for all base models, each on a thread or one by one with all threads. */
static gradus_status run_bases(fitting *f, gr_task task, gradus_error *err)
{
    gr_pool_run(f->side_by_side ? gr_pool_of(f->fit.context) : NULL, f->grid.bases, task, f);
    for (size_t b = 0; b < f->grid.bases; b++)
        if (f->errors[b].status != GRADUS_OK)
            return gr_fail(err, f->errors[b].status, "%s", f->errors[b].message);
    return GRADUS_OK;
}

/* Restores a checkpoint: the number of rounds, which base models have stopped, and the votes. */
static gradus_status resume(fitting *f, gradus_error *err)
{
    const gradus_model *start = f->fit.start;
    const gr_state *state = start ? gr_model_state(start) : NULL;
    size_t b = 0;

    if (!start)
        return GRADUS_OK;
    if (!state || state->count != f->grid.bases + 1)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "'calibrated' can only resume from its own checkpoints, not start from models: they "
            "keep base models only as far as they are used");
    for (size_t n = 0; n < start->node_count && b < f->grid.bases; n++)
        if (start->nodes[n].kind == &gr_node_votes)
            f->votes[b++] = start->nodes[n].state;
    if (b < f->grid.bases)
        return gr_fail(err, GRADUS_BAD_FORMAT, "the checkpoint has %zu base models, expected %zu",
                       b, f->grid.bases);
    f->rounds = (uint64_t)state->at[0];
    for (b = 0; b < f->grid.bases; b++)
        f->stopped[b] = state->at[b + 1] != 0.0;
    return GRADUS_OK;
}

static gradus_status start_bases(fitting *f, gradus_error *err)
{
    const size_t bases = f->grid.bases;

    f->options = gr_new_array(bases, sizeof *f->options);
    f->boosts = gr_new_array(bases, sizeof *f->boosts);
    f->votes = gr_new_array(bases, sizeof *f->votes);
    f->stopped = gr_new_array(bases, sizeof *f->stopped);
    f->errors = gr_new_array(bases, sizeof *f->errors);
    f->ends = gr_new_array(bases, sizeof *f->ends);
    if (!f->ends || !f->options || !f->boosts || !f->votes || !f->stopped || !f->errors)
        return gr_fail_memory(err, "base models");
    f->side_by_side = bases >= gr_pool_threads(gr_pool_of(f->fit.context));
    f->inner = (gradus_context){ .pool = f->side_by_side ? NULL : gr_pool_of(f->fit.context) };
    f->bin = *GR_TRAIN_BLOCK(f->fit.options, bin);
    f->bin.seed = f->fit.options->seed;
    GR_TRY(resume(f, err));
    return run_bases(f, start_base, err);
}

static gradus_status set_up(fitting *f, gradus_error *err)
{
    const gr_train_options *options = f->fit.options;
    const double started = gr_seconds();

    GR_TRY(gr_calibrated_parse(GR_TRAIN_BLOCK(options, calibrated), &f->grid, err));
    GR_TRY(gr_refuse_initial(&f->fit, err));
    if (!f->fit.valid)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'calibrated' weights its members by validation data, and there are none");
    if (options->train_eval_every)
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "'train-eval-every' is not for 'calibrated', whose members are weighted by validation "
            "data");
    GR_TRY(split_data(f, err));
    note_missing(f);
    GR_TRY(take_weights(f, err));
    GR_TRY(take_shares(f, err));
    f->problem = (gr_problem){ .rows = f->learn.data->arrays.rows,
                               .queries = f->learn.data->arrays.queries,
                               .query_starts = f->learn.data->arrays.query_starts,
                               .labels = f->learn.data->arrays.labels,
                               .levels = f->fit.problem->levels,
                               .level_labels = f->fit.problem->level_labels,
                               .level_of = f->learn.level_of,
                               .outputs = f->fit.problem->levels,
                               .row_weights = f->learn.weights };
    GR_TRY(start_bases(f, err));
    f->mixing = (gr_mixing){ .grid = &f->grid,
                             .context = f->fit.context,
                             .levels = f->problem.levels,
                             .level_labels = f->problem.level_labels,
                             .shares = f->shares,
                             .calibrate = f->calibrate.data,
                             .valid = f->fit.valid,
                             .level_of = f->calibrate.level_of,
                             .row_weights = f->calibrate_weights,
                             .measuring = f->fit.measuring,
                             .votes = f->votes };
    f->preparation_seconds = gr_seconds() - started;
    return GRADUS_OK;
}

static gradus_status start(const gr_fit *fit, void **state, gradus_error *err)
{
    fitting *f = calloc(1, sizeof *f);

    if (!f)
        return gr_fail_memory(err, "training");
    f->fit = *fit;
    if (set_up(f, err) != GRADUS_OK) {
        free_state(f);
        return err->status;
    }
    *state = f;
    return GRADUS_OK;
}

static gradus_status step(void *state, bool *grew, gradus_error *err)
{
    fitting *f = state;

    GR_TRY(run_bases(f, step_base, err));
    f->rounds++;
    *grew = false;
    for (size_t b = 0; b < f->grid.bases; b++) {
        char base[60];

        f->stopped[b] |= f->ends[b];
        *grew |= !f->stopped[b];
        if (!f->stopped[b] || f->votes[b]->rounds != f->rounds)
            continue;
        gr_base_describe(&f->grid.base[b], base, sizeof base);
        gr_note(f->fit.context, "%s: nothing more to learn after round %llu", base,
                (unsigned long long)f->rounds);
    }
    return GRADUS_OK;
}

static uint64_t rounds_done(const void *state)
{
    return ((const fitting *)state)->rounds;
}

static bool due(const void *state, uint64_t round)
{
    const gr_calibrated_grid *grid = &((const fitting *)state)->grid;

    for (size_t s = 0; s < grid->stops; s++)
        if (grid->stop[s] == (double)round)
            return true;
    return false;
}

static gradus_status validate(void *state, double *value, gradus_error *err)
{
    fitting *f = state;

    gr_mixture_free(&f->last);
    GR_TRY(gr_mixture_make(&f->mixing, f->rounds, &f->last, err));
    *value = f->last.value;
    gr_note(f->fit.context, "after %llu %s: rate %g, %zu of %zu members have weight",
            (unsigned long long)f->rounds, gr_plural(f->rounds, "round", "rounds"), f->last.rate,
            gr_mixture_used(&f->last), f->last.members);
    return GRADUS_OK;
}

static gradus_status snapshot(void *state, gradus_error *err)
{
    fitting *f = state;

    (void)err;
    gr_mixture_free(&f->best);
    f->best = f->last;
    f->last = (gr_mixture){ .rounds = 0 };
    return GRADUS_OK;
}

static gradus_status add_state(const fitting *f, gradus_model *model, gradus_error *err)
{
    gr_node node;
    double *at;

    GR_TRY(gr_state_node_new(f->grid.bases + 1, &at, &node, err));
    at[0] = (double)f->rounds;
    for (size_t b = 0; b < f->grid.bases; b++)
        at[b + 1] = f->stopped[b];
    return gr_model_append(model, &node, NULL, 0, err);
}

static gradus_status add_results(const gr_mixture *mixture, gradus_model *model, gradus_error *err)
{
    GR_TRY(gr_model_add_result(model, "rate", mixture->rate, err));
    return gr_model_add_result(model, "members tried", (double)mixture->members, err);
}

static gradus_status add_nodes(const void *state, uint64_t kept, bool finished, gradus_model *model,
                               gradus_error *err)
{
    const fitting *f = state;
    const gr_mixture *known = f->best.rounds == kept   ? &f->best
                              : f->last.rounds == kept ? &f->last
                                                       : NULL;
    gr_mixture again = { .rounds = 0 };
    gradus_status status;

    if (!finished) {
        GR_TRY(add_state(f, model, err));
        return gr_mixture_add_plain(&f->mixing, f->rounds, model, err);
    }
    if (!known) { /* after resuming from a checkpoint, or not the best round */
        GR_TRY(gr_mixture_make(&f->mixing, kept, &again, err));
        known = &again;
    }
    status = gr_mixture_add_nodes(&f->mixing, known, model, err);
    if (status == GRADUS_OK)
        status = add_results(known, model, err);
    gr_mixture_free(&again);
    return status;
}

static const char *why_done(const void *state)
{
    (void)state;
    return "no base model can improve further";
}

static double preparation_seconds(const void *state)
{
    return ((const fitting *)state)->preparation_seconds;
}

static const gr_learner_rounds rounds = { .done = rounds_done, .snapshot = snapshot };
static const gr_learner_validation validation = { due, validate };
static const gr_learner_report report = { .why_done = why_done,
                                          .preparation_seconds = preparation_seconds };
static const gr_param *const params[] = { gr_calibrated_params, gr_bin_params, NULL };

const gr_learner gr_learner_calibrated = {
    .about = { "calibrated",
               "AdaBoost.MH models of many sizes, calibrated in several ways and averaged",
               "The learner of the method 'calibrated'. A round is one round of each base model; "
               "after the rounds of --rounds-grid they are calibrated and averaged." },
    .by_method = true,
    .alone = "its AdaBoost models sum weights in the order of the rows; use mcrank",
    .params = params,
    .feature_bytes = 100,
    .start = start,
    .step = step,
    .free = free_state,
    .rounds = &rounds,
    .validation = &validation,
    .report = &report,
    .add_nodes = add_nodes,
};

const gr_learner *const gr_calibrated_learners[] = { &gr_learner_calibrated, NULL };
