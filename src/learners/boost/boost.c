/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of gradient boosting: gradients, trees, leaf values, scores. */
#include "learners/boost/boost.h"

#include "base/clock.h"
#include "base/ranges.h"
#include "learners/boost/boost_state.h"
#include "learners/boost/device_room.h"
#include "learners/boost/device_scores.h"
#include "learners/boost/gathered_leaves.h"
#include "learners/boost/leaf_grid.h"
#include "learners/boost/monotone.h"

#include <math.h>
#include <stdlib.h>

struct gr_booster {
    gr_boost_state boosting;
    int8_t *signs;
    gr_bins bins;
    gr_grower *grower;
    gr_device_scores device; /* refers to arrays of the grower */
    gr_forest forest;
    double grid;              /* gr_leaf_grid */
    double *values, *scratch; /* one and four per leaf */
    float *rounded;           /* one per leaf */
    uint32_t *covers;
    size_t leaf_room;
    gr_array steps; /* double, rows; for objectives with a line search over each tree */
    gr_boost_times times;
};

void gr_booster_free(gr_booster *booster)
{
    if (!booster)
        return;
    gr_device_scores_close(&booster->device);
    gr_boost_state_free(&booster->boosting);
    free(booster->signs);
    gr_grower_free(booster->grower);
    gr_bins_free(&booster->bins);
    gr_forest_free(&booster->forest);
    gr_array_free(&booster->steps);
    free(booster->values);
    free(booster->scratch);
    free(booster->rounded);
    free(booster->covers);
    free(booster);
}

static gradus_status set_up(gr_booster *b, const gr_forest *start, const double *initial,
                            gradus_error *err)
{
    gr_boost_state *c = &b->boosting;
    const double started = gr_seconds();
    gr_bin_options bin = c->options.bin;

    bin.seed = c->options.seed;
    GR_TRY(gr_monotone_parse(c->options.tree.monotone, c->data, &b->signs, err));
    GR_TRY(gr_boost_state_begin(c, !start && !initial, err));
    b->grid = gr_leaf_grid(c, start, initial);
    if (b->grid > 0.0)
        c->bases[0] = gr_on_grid(c->bases[0], b->grid);
    GR_TRY(start ? gr_forest_copy(start, SIZE_MAX, &b->forest, err)
                 : gr_forest_start(&b->forest, c->data->arrays.features, c->problem->outputs,
                                   c->bases, err));
    GR_TRY(gr_device_room_check(c, err));
    GR_TRY(gr_bins_new(c->data, &bin, c->context, &b->bins, err));
    b->times.bins = gr_seconds() - started;
    b->grower =
        gr_grower_new(&b->bins, c->problem->outputs, &c->options.tree, b->signs, c->pool, err);
    if (!b->grower)
        return err ? err->status : GRADUS_NO_MEMORY;
    GR_TRY(gr_grower_use_device(b->grower, c->context ? c->context->device : NULL,
                                (uint64_t)gr_device_scores_bytes(c), err));
    GR_TRY(gr_boost_state_scores(c, b->forest.bases, initial, err));
    GR_TRY(gr_forest_add_scores(&b->forest, 0, gr_forest_rounds(&b->forest), c->data, c->scores.at,
                                c->pool, err));
    GR_TRY(gr_boost_state_thresholds(c, err));
    return gr_device_scores_open(&b->device, c, gr_grower_device_rows(b->grower), err);
}

gr_booster *gr_booster_new(const gradus_context *context, const gradus_dataset *data,
                           const gr_problem *problem, const gr_objective *objective,
                           const gr_boost_options *options, const gr_forest *start,
                           const double *initial, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gr_booster *b = calloc(1, sizeof *b);

    if (!b) {
        gr_fail_memory(err, "boosting");
        return NULL;
    }
    b->boosting = gr_boost_state_of(context, data, problem, objective, options);
    if (set_up(b, start, initial, &failure) != GRADUS_OK) {
        gr_fail(err, failure.status, "%s", failure.message);
        gr_booster_free(b);
        return NULL;
    }
    return b;
}

static gradus_status leaf_room(gr_booster *b, size_t leaves, gradus_error *err)
{
    if (leaves <= b->leaf_room)
        return GRADUS_OK;
    free(b->values);
    free(b->scratch);
    free(b->rounded);
    free(b->covers);
    b->leaf_room = 0;
    b->values = gr_new_array(leaves, sizeof *b->values);
    b->scratch = gr_new_array(4 * leaves, sizeof *b->scratch);
    b->rounded = gr_new_array(leaves, sizeof *b->rounded);
    b->covers = gr_new_array(leaves, sizeof *b->covers);
    if (!b->values || !b->scratch || !b->rounded || !b->covers)
        return gr_fail_memory(err, "leaves");
    b->leaf_room = leaves;
    return GRADUS_OK;
}

typedef struct leaf_work {
    gr_booster *booster;
    const gr_grown *grown;
    size_t output;
    double *scores;                     /* of the output */
    const gr_gathered_leaves *gathered; /* NULL: leaf values need no rows of other processes */
} leaf_work;

/* The same leaf with the rows of all processes. */
static void value_gathered(const leaf_work *work, gr_leaf leaf, size_t l)
{
    const gr_booster *b = work->booster;
    const uint32_t *starts = work->gathered->starts;

    leaf.rows = work->gathered->rows + starts[l];
    leaf.count = starts[l + 1] - starts[l];
    leaf.scores = work->gathered->scores;
    b->values[l] = b->boosting.objective->leaf(b->boosting.state,
                                               gr_problem_whole(b->boosting.problem), &leaf);
}

static void value_leaf(void *argument, size_t l, size_t worker)
{
    const leaf_work *work = argument;
    const gr_booster *b = work->booster;
    const gr_grown *grown = work->grown;
    const double l2 = b->boosting.options.tree.l2, hessians = grown->hessians[l] + l2;
    const gr_leaf leaf = { .output = work->output,
                           .rows = grown->rows ? grown->rows + grown->starts[l] : NULL,
                           .count = grown->rows ? grown->starts[l + 1] - grown->starts[l]
                                                : grown->covers[l],
                           .gradients = grown->gradients[l],
                           .hessians = grown->hessians[l],
                           .scores = work->scores,
                           .l2 = l2 };

    (void)worker;
    if (work->gathered)
        value_gathered(work, leaf, l);
    else if (b->boosting.objective->leaf)
        b->values[l] = b->boosting.objective->leaf(b->boosting.state, b->boosting.problem, &leaf);
    else
        b->values[l] = hessians > 0.0 ? -grown->gradients[l] / hessians : 0.0;
}

enum { ROWS_AT_ONCE = 1 << 14 };

/* Assigns or adds each row's leaf value: first the sampled rows, then the others. */
typedef struct row_work {
    const gr_grown *grown;
    const double *values; /* per leaf */
    double *sums;         /* per row */
    bool put;             /* assign instead of adding */
} row_work;

static void add_rows(void *argument, size_t leaf, const uint32_t *rows, size_t count)
{
    const row_work *work = argument;
    const double value = work->values[leaf];

    if (work->put)
        for (size_t i = 0; i < count; i++)
            work->sums[rows[i]] = value;
    else
        for (size_t i = 0; i < count; i++)
            work->sums[rows[i]] += value;
}

static void add_others(void *argument, gr_range range)
{
    const row_work *work = argument;
    const gr_grown *grown = work->grown;

    for (size_t i = range.first; i < range.end; i++) {
        const uint32_t row = grown->others[i];
        const double value = work->values[grown->other_leaves[i]];

        work->sums[row] = work->put ? value : work->sums[row] + value;
    }
}

static void add_leaves(const gr_booster *b, const gr_grown *grown, double *sums, bool put)
{
    row_work work = { grown, b->values, sums, put };

    gr_for_runs(&grown->runs, b->boosting.problem->rows, b->boosting.pool, add_rows, &work);
    gr_for_ranges(b->boosting.pool, grown->other_count, ROWS_AT_ONCE, add_others, &work);
}

/* Line search: scales the leaf values by the step size that minimises the loss over all rows.
 * *share: the step size; 0: no line search was made. */
static gradus_status stretch_leaves(gr_booster *b, const leaf_work *work, double *share,
                                    gradus_error *err)
{
    const gr_grown *grown = work->grown;
    double *steps;

    *share = 0.0;
    if (!b->boosting.objective->searches_trees || grown->leaves < 2)
        return GRADUS_OK;
    if (!gr_array_reserve(&b->steps, b->boosting.problem->rows * sizeof *steps))
        return gr_fail_memory(err, "a line search");
    steps = b->steps.at;
    add_leaves(b, grown, steps, true);
    GR_TRY(b->boosting.objective->line_search(b->boosting.state, b->boosting.problem, work->scores,
                                              steps, b->boosting.pool, share, err));
    for (size_t l = 0; l < grown->leaves; l++)
        b->values[l] *= *share;
    return GRADUS_OK;
}

/* A leaf value as the forest stores it. Multiples of 1 / grid that are too long for a float are
 * rounded to coarser ones. */
static float rounded_value(double learning_rate, double value, double grid)
{
    return (float)gr_on_grid(learning_rate * value, grid);
}

typedef struct step_work {
    const double *steps;
    double learning_rate, share;
    double *scores;
} step_work;

static void add_steps_chunk(void *argument, gr_range range)
{
    const step_work *work = argument;

    for (size_t r = range.first; r < range.end; r++)
        work->scores[r] +=
            (double)rounded_value(work->learning_rate, work->steps[r] * work->share, 0.0);
}

/* The same as add_leaves, but from the steps of the line search, which are in row order. */
static void add_steps(const gr_booster *b, double share, double *scores)
{
    step_work work = { b->steps.at, b->boosting.options.learning_rate, share, scores };

    gr_for_ranges(b->boosting.pool, b->boosting.problem->rows, ROWS_AT_ONCE, add_steps_chunk,
                  &work);
}

/* The leaf values as the objective defines them. */
static gradus_status value_all(gr_booster *b, const leaf_work *work, gradus_error *err)
{
    const gr_boost_state *c = &b->boosting;
    gr_gathered_leaves gathered;
    leaf_work all = *work;
    gradus_status status = GRADUS_OK;

    if (c->problem->share && c->objective->leaf_reads_rows) {
        status = gr_leaves_gather(c->problem, work->grown, work->scores, &gathered, err);
        all.gathered = &gathered;
    }
    if (status == GRADUS_OK)
        gr_pool_run(c->objective->leaf_reads_rows ? c->pool : NULL, work->grown->leaves, value_leaf,
                    &all);
    if (all.gathered)
        gr_gathered_leaves_free(&gathered);
    return status;
}

/* Computes the leaf values of a tree, including the learning rate. share: of stretch_leaves. */
static gradus_status value_leaves(gr_booster *b, const leaf_work *work, double *share,
                                  gradus_error *err)
{
    const gr_grown *grown = work->grown;

    GR_TRY(leaf_room(b, grown->leaves, err));
    GR_TRY(value_all(b, work, err));
    if (b->signs)
        gr_monotone_clamp(grown, b->signs, b->values, b->scratch);
    GR_TRY(stretch_leaves(b, work, share, err));
    for (size_t l = 0; l < grown->leaves; l++) {
        b->rounded[l] = rounded_value(b->boosting.options.learning_rate, b->values[l], b->grid);
        b->covers[l] = grown->covers[l];
        if (!isfinite(b->rounded[l]))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "the value of a leaf is not finite: the learning rate is too high or "
                           "the targets are too large");
        b->values[l] = (double)b->rounded[l];
    }
    return GRADUS_OK;
}

static gradus_status grow_output(gr_booster *b, size_t k, bool *grew, gradus_error *err)
{
    gr_grown grown;
    leaf_work work = { b, &grown, k,
                       (double *)b->boosting.scores.at + k * b->boosting.problem->rows, NULL };
    double started = gr_seconds(), share;

    GR_TRY(gr_grower_grow(b->grower, k, &grown, err));
    b->times.trees += gr_seconds() - started;
    started = gr_seconds();
    GR_TRY(value_leaves(b, &work, &share, err));
    GR_TRY(gr_forest_add(&b->forest, grown.splits, grown.leaves, b->rounded, b->covers, err));
    if (b->device.functions)
        GR_TRY(gr_device_scores_add(&b->device, k, b->values, grown.leaves, err));
    if (share > 0.0)
        add_steps(b, share, work.scores);
    else if (!b->device.functions || b->device.both)
        add_leaves(b, &grown, work.scores, false);
    gr_grower_follow(b->grower, b->rounded);
    *grew |= grown.leaves > 1;
    b->times.scores += gr_seconds() - started;
    return GRADUS_OK;
}

enum {
    SHORT_FROM_ROWS = 1 << 16
}; /* sampled rows from which 8-bit gradients are accurate enough */

/* Draws the sample of a round and computes its gradients, in memory or on the device. */
static gradus_status take_gradients(gr_booster *b, gr_round *round, gradus_error *err)
{
    gr_boost_state *c = &b->boosting;

    if (!b->device.functions)
        return gr_boost_state_gradients(c, round->round, &round->rows, &round->count, err);
    round->gradients = round->hessians = NULL;
    round->on_device = true;
    round->no_rows = !b->device.both;
    GR_TRY(gr_boost_state_sample(c, round->round, &round->rows, &round->count, err));
    return gr_device_scores_gradients(&b->device, c, err);
}

/* Computes the gradients at the current scores and starts the grower's round. */
static gradus_status begin_round(gr_booster *b, uint64_t number, gradus_error *err)
{
    gr_boost_state *c = &b->boosting;
    const gr_problem *problem = c->problem;
    const bool by_weight = c->objective->searches_by_weight;
    const bool weighted = problem->row_weights || problem->weights;
    gr_round round = {
        .gradients = c->gradients.at,
        .hessians = c->hessians.at,
        .weights = by_weight ? problem->row_weights : NULL,
        .unit = (by_weight || c->objective->unit) && !weighted,
        .ones = c->objective->unit && !weighted,
        .newton = !by_weight && !c->objective->unit,
        .ascending = c->objective->leaf_reads_rows,
        .seed = c->options.seed,
        .round = number,
        .share = problem->share,
        .grid = b->grid,
    };
    double started = gr_seconds();
    int64_t all;

    GR_TRY(take_gradients(b, &round, err));
    all = (int64_t)round.count;
    GR_TRY(gr_share_sum(problem->share, &all, 1, err));
    round.all = (size_t)all;
    round.may_be_short = round.rows && round.all >= SHORT_FROM_ROWS;
    b->times.gradients += gr_seconds() - started;
    started = gr_seconds();
    GR_TRY(gr_grower_begin(b->grower, &round, err));
    b->times.trees += gr_seconds() - started;
    return GRADUS_OK;
}

static gradus_status fit_round(gr_booster *b, uint64_t round, bool *grew, gradus_error *err)
{
    *grew = false;
    GR_TRY(begin_round(b, round, err));
    for (size_t k = 0; k < b->boosting.problem->outputs; k++) {
        if (k > 0 && b->boosting.options.class_updates)
            GR_TRY(begin_round(b, round, err));
        GR_TRY(grow_output(b, k, grew, err));
    }
    return gr_boost_state_follow(&b->boosting, round, grew, err);
}

gradus_status gr_booster_step(gr_booster *b, bool *grew, gradus_error *err)
{
    const uint64_t round = gr_forest_rounds(&b->forest);
    const gradus_status status = fit_round(b, round, grew, err);

    /* a checkpoint has whole rounds: not the trees of one whose thresholds were not fitted */
    if (status != GRADUS_OK)
        gr_forest_cut(&b->forest, round);
    return status;
}

const double *gr_booster_thresholds(const gr_booster *booster, size_t *sets)
{
    return gr_thresholds_all(&booster->boosting.thresholds, sets);
}

bool gr_booster_separated(const gr_booster *booster)
{
    return booster->boosting.separated;
}

const gr_forest *gr_booster_forest(const gr_booster *booster)
{
    return &booster->forest;
}

gradus_status gr_booster_fetch(gr_booster *booster, gradus_error *err)
{
    return gr_device_scores_fetch(&booster->device, booster->boosting.scores.at, err);
}

const gr_boost_device *gr_booster_device(const gr_booster *booster, void **boosting)
{
    *boosting = booster->device.boosting;
    return booster->device.functions;
}

const double *gr_booster_scores(const gr_booster *booster)
{
    return booster->boosting.scores.at;
}

gr_boost_times gr_booster_times(const gr_booster *booster)
{
    return booster->times;
}
