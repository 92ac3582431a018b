/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of AdaBoost.MH: weights, base classifier, alpha, sums. */
#include "learners/adaboost/adaboost_round.h"

#include "base/clock.h"
#include "base/math.h"
#include "base/ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Larger edges are clamped to this, so that alpha stays finite. */
#define LARGEST_EDGE (1.0 - 0x1p-40)
/* Smaller edges count as 0: they may be rounding errors. */
#define LEAST_EDGE 0x1p-40

void gr_adaboost_free(gr_adaboost *b)
{
    if (!b)
        return;
    gr_edges_free(&b->edges);
    gr_bins_free(&b->bins);
    gr_votes_free(&b->votes);
    free(b->weights);
    free(b->histograms);
    free(b->totals);
    gr_arena_free(&b->arena);
    free(b->flipped);
    free(b);
}

static gradus_status make_room(gr_adaboost *b, gradus_error *err)
{
    const size_t chunks = gr_range_count(b->rows, GR_ADABOOST_ROWS);
    size_t cells;

    if (!gr_size_times(b->rows, b->labels, &cells))
        return gr_fail_memory(err, "weights");
    b->sums = gr_arena_array(&b->arena, cells, sizeof *b->sums);
    b->powers = gr_arena_array(&b->arena, cells, sizeof *b->powers);
    b->weights = gr_edge_vectors(b->edges.groups * b->rows);
    b->partial = gr_arena_array(&b->arena, chunks, sizeof *b->partial);
    b->whole = gr_arena_array(&b->arena, chunks, sizeof *b->whole);
    if (b->arena.failed || !b->weights)
        return gr_fail_memory(err, "weights");
    /* Lanes beyond the last label stay 0. */
    memset(b->weights, 0, b->edges.groups * b->rows * GR_EDGE_LANES * sizeof *b->weights);
    return GRADUS_OK;
}

static gradus_status check_task(const gr_adaboost *b, gradus_error *err)
{
    const gr_adaboost_options *options = b->task.options;
    const gr_votes *start = b->task.start;
    const bool products = options->base != GR_BASE_TREE;

    if (options->real && products)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'real-leaves' requires 'base' to be 'tree'");
    if (options->real && (options->abstain || options->offset > 0.0))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'real-leaves' excludes 'abstain' and 'edge-offset'");
    if (!products && b->task.leaves < 2)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "adaboost-mh needs 'leaves' of at least 2 for trees, not %llu",
                       (unsigned long long)b->task.leaves);
    if (b->task.problem->levels < 2)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the labels have only one grade");
    if (start && (start->features != b->task.data->arrays.features || start->outputs != b->labels ||
                  start->products != products))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model to start from has %zu features, %zu grades and %s, but the data "
                       "and options require %zu, %zu and %s",
                       start->features, start->outputs, start->products ? "products" : "trees",
                       b->task.data->arrays.features, b->labels, products ? "products" : "trees");
    return GRADUS_OK;
}

/* Resumes from a model. The bound is relative to the sum of the initial weights. */
static gradus_status take_up(gr_adaboost *b, gradus_error *err)
{
    const double first = b->log_total;

    GR_TRY(gr_votes_copy(b->task.start, SIZE_MAX, &b->votes, err));
    GR_TRY(gr_votes_add_sums(&b->votes, 0, b->votes.rounds, b->task.data, b->sums, b->pool, err));
    gr_adaboost_weigh(b);
    b->log_bound = b->log_total - first;
    return GRADUS_OK;
}

static gradus_status set_up(gr_adaboost *b, gradus_error *err)
{
    const double started = gr_seconds();
    const bool products = b->task.options->base != GR_BASE_TREE;

    GR_TRY(check_task(b, err));
    GR_TRY(gr_bins_new(b->task.data, b->task.bin, b->task.context, &b->bins, err));
    GR_TRY(gr_edges_start(&b->edges, &b->bins, b->labels, b->pool, err));
    b->preparing = gr_seconds() - started;
    GR_TRY(make_room(b, err));
    GR_TRY(products ? gr_vote_product_start(b, err) : gr_vote_tree_start(b, err));
    if (b->task.options->abstain || b->task.options->offset > 0.0) {
        b->cells =
            gr_arena_array(&b->arena, (products ? 1 : b->leaf_room) * b->labels, sizeof *b->cells);
        if (b->arena.failed)
            return gr_fail_memory(err, "votes");
    }
    gr_adaboost_weigh(b);
    if (!isfinite(b->log_total))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "all rows have weight 0");
    if (!b->task.start)
        return gr_votes_start(&b->votes, b->task.data->arrays.features, b->labels, products, err);
    return take_up(b, err);
}

gr_adaboost *gr_adaboost_new(const gr_adaboost_task *task, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gr_adaboost *b = calloc(1, sizeof *b);

    if (!b) {
        gr_fail_memory(err, "boosting");
        return NULL;
    }
    b->task = *task;
    b->pool = gr_pool_of(task->context);
    b->asked = task->asked ? task->asked : b->pool;
    b->rows = task->problem->rows;
    b->labels = task->problem->levels;
    if (set_up(b, &failure) != GRADUS_OK) {
        gr_fail(err, failure.status, "%s", failure.message);
        gr_adaboost_free(b);
        return NULL;
    }
    return b;
}

/* Adds the new tree to the sums of the rows of a leaf, with the bits of gr_votes_add_rows. */
static void add_leaf(void *argument, size_t l, size_t worker)
{
    gr_adaboost *b = argument;
    const gr_vote_leaf *leaf = &b->leaves[l];

    (void)worker;
    for (size_t k = 0; k < b->labels; k++) {
        const double step = b->alpha * (double)b->voting[l * b->labels + k];

        for (size_t i = leaf->first; i < leaf->end; i++)
            b->sums[k * b->rows + b->order[i]] += step;
    }
}

/* The same for a product and a chunk of rows. */
static void add_chunk(void *argument, gr_range range)
{
    gr_adaboost *b = argument;
    const bool *odd = b->odd + b->leaf_room * b->rows;

    for (size_t k = 0; k < b->labels; k++) {
        const double step = b->alpha * (double)b->voting[k];

        for (size_t r = range.first; r < range.end; r++)
            b->sums[k * b->rows + r] += odd[r] ? -step : step;
    }
}

/* Lets votes abstain, and sets alpha with the edge offset. */
static void choose_votes(gr_adaboost *b, bool products)
{
    const gr_adaboost_options *options = b->task.options;
    const size_t count = products ? gr_vote_product_cells(b) : gr_vote_tree_cells(b);
    const double all = (double)b->all, least = all / ((double)b->rows * (double)b->labels);
    gr_vote_sums sums = { 0.0, 0.0, 0.0 };

    if (options->abstain) {
        sums = gr_vote_choose(b->cells, count, options->offset, least);
        for (size_t i = 0; i < count; i++)
            if (!b->cells[i].votes)
                b->voting[b->cells[i].index] = 0.0f;
        b->edge = (sums.right - sums.wrong) / all;
    }
    for (size_t i = 0; !options->abstain && i < count; i++) {
        sums.right += b->cells[i].right;
        sums.wrong += b->cells[i].wrong;
    }
    b->separated = sums.wrong + sums.none <= all * (1.0 - LARGEST_EDGE) / 2.0;
    const double smooth = options->abstain ? least : b->separated ? all * 0x1p-41 : 0.0;

    b->alpha = gr_vote_alpha((gr_vote_sums){ sums.right + smooth, sums.wrong + smooth, sums.none },
                             options->offset);
    b->normaliser = gr_vote_loss(sums, 0.0, b->alpha) / all;
}

static void find_base(gr_adaboost *b)
{
    const bool products = b->task.options->base != GR_BASE_TREE;

    if (products)
        gr_vote_product_find(b);
    else
        gr_vote_tree_grow(b);
    b->separated = b->edge > LARGEST_EDGE;
    const double edge = b->separated ? LARGEST_EDGE : b->edge;

    b->alpha = 0.5 * gr_log((1.0 + edge) / (1.0 - edge));
    b->normaliser =
        0.5 * ((1.0 + b->edge) * gr_exp(-b->alpha) + (1.0 - b->edge) * gr_exp(b->alpha));
    if (b->task.options->real)
        gr_vote_tree_real(b);
    else if (b->cells)
        choose_votes(b, products);
}

gradus_status gr_adaboost_step(gr_adaboost *b, bool *grew, gradus_error *err)
{
    const bool products = b->task.options->base != GR_BASE_TREE;

    gr_adaboost_weigh(b);
    find_base(b);
    GR_TRY(gr_pool_check(b->asked, err));
    /* A constant classifier is useful too if labels are unbalanced: under the new weights the next
     * round may find a split. */
    const bool cuts = b->split_count > 0 || (!products && b->leaves[0].cut.edge >= 0);

    *grew = cuts && b->edge > LEAST_EDGE && b->alpha > 0.0 && !b->separated;
    if (!(b->alpha > 0.0)) { /* outputs are divided by the sum of alpha, which must not be 0 */
        b->alpha = LEAST_EDGE;
        b->normaliser = 1.0;
    }
    b->log_bound += gr_log(b->normaliser);
    const gr_voter voter = {
        .alpha = b->alpha, .splits = b->split_count, .split = b->splits, .votes = b->voting
    };

    GR_TRY(gr_votes_add(&b->votes, &voter, err));
    if (products)
        gr_for_ranges(b->pool, b->rows, GR_ADABOOST_ROWS, add_chunk, b);
    else
        gr_pool_run(b->pool, b->leaf_count, add_leaf, b);
    if (b->separated)
        gr_note(b->task.context,
                "round %zu classifies every weighted label correctly: training stops",
                b->votes.rounds);
    return GRADUS_OK;
}

const gr_votes *gr_adaboost_votes(const gr_adaboost *boost)
{
    return &boost->votes;
}

const double *gr_adaboost_sums(const gr_adaboost *boost)
{
    return boost->sums;
}

double gr_adaboost_edge(const gr_adaboost *boost)
{
    return boost->edge;
}

double gr_adaboost_log_bound(const gr_adaboost *boost)
{
    return boost->log_bound;
}

void gr_adaboost_set_bound(gr_adaboost *boost, double edge, double log_bound)
{
    boost->edge = edge;
    boost->log_bound = log_bound;
}

bool gr_adaboost_separated(const gr_adaboost *boost)
{
    return boost->separated;
}

double gr_adaboost_preparing(const gr_adaboost *boost)
{
    return boost->preparing;
}
