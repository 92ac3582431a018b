/* SPDX-License-Identifier: Apache-2.0 */
/* Products of cuts, by coordinate ascent: each cut in turn is searched with the others fixed, until
 * a whole turn does not increase the edge. A cut not yet chosen is +1 everywhere. */
#include "learners/adaboost/adaboost_round.h"

#include "base/ranges.h"

#include <stdlib.h>
#include <string.h>

gradus_status gr_vote_product_start(gr_adaboost *b, gradus_error *err)
{
    const size_t terms = b->leaf_room =
        b->task.options->base == GR_BASE_STUMP ? 1 : (size_t)b->task.options->terms;
    size_t cells;

    b->splits = gr_arena_array(&b->arena, terms, sizeof *b->splits);
    b->cuts = gr_arena_array(&b->arena, terms, sizeof *b->cuts);
    b->voting = gr_arena_array(&b->arena, b->labels, sizeof *b->voting);
    b->odd = gr_size_times(terms + 1, b->rows, &cells)
                 ? gr_arena_array(&b->arena, cells, sizeof *b->odd)
                 : NULL;
    b->totals = gr_edge_vectors(b->edges.groups);
    b->histograms = gr_edge_vectors(gr_edges_size(&b->edges));
    b->flipped = gr_edge_vectors(b->edges.groups * b->rows);
    if (b->arena.failed || !b->odd || !b->totals || !b->histograms || !b->flipped)
        return gr_fail_memory(err, "products");
    return GRADUS_OK;
}

/* The part of `odd` for a term; the one after the last term is the parity over all terms. */
static bool *odd_of(const gr_adaboost *b, size_t term)
{
    return b->odd + term * b->rows;
}

typedef struct turning {
    gr_adaboost *boost;
    size_t term;
    gr_cut cut;
} turning;

/* Multiplies the weights by the product of the other terms. */
static void flip_chunk(void *argument, gr_range range)
{
    const turning *work = argument;
    gr_adaboost *b = work->boost;
    const bool *own = odd_of(b, work->term), *all = odd_of(b, b->leaf_room);

    for (size_t g = 0; g < b->edges.groups; g++)
        for (size_t r = range.first; r < range.end; r++) {
            const size_t at = (g * b->rows + r) * GR_EDGE_LANES;
            const int64_t sign = all[r] != own[r] ? -1 : 1;

            for (size_t l = 0; l < GR_EDGE_LANES; l++)
                b->flipped[at + l] = sign * b->weights[at + l];
        }
}

static void cut_chunk(void *argument, gr_range range)
{
    const turning *work = argument;
    gr_adaboost *b = work->boost;
    bool *own = odd_of(b, work->term), *all = odd_of(b, b->leaf_room);
    const gr_cut_side side = gr_cut_side_of(&b->bins, &work->cut);

    for (size_t r = range.first; r < range.end; r++) {
        const bool left =
            side.words ? gr_side_is_left(&side, r) : gr_cut_is_left(&b->bins, &work->cut, r);

        all[r] = all[r] != own[r];
        own[r] = left;
        all[r] = all[r] != left;
    }
}

/* Searches a term with the others fixed; true if a better cut was found. */
static bool improve(gr_adaboost *b, size_t term, int64_t *edge)
{
    turning work = { .boost = b, .term = term };
    const gr_edge_count count = { .weights = b->flipped,
                                  .count = b->rows,
                                  .opposed = true,
                                  .histogram = b->histograms,
                                  .totals = b->totals };
    gr_cut best[2];

    gr_for_ranges(b->pool, b->rows, GR_ADABOOST_ROWS, flip_chunk, &work);
    gr_edges_count(&b->edges, &count, best);
    if (best[0].edge <= *edge)
        return false;
    *edge = best[0].edge;
    b->cuts[term] = work.cut = best[0];
    gr_for_ranges(b->pool, b->rows, GR_ADABOOST_ROWS, cut_chunk, &work);
    return true;
}

/* Sets each label's vote to the sign of its weight sum under the product, and the edge. */
static void take_votes(gr_adaboost *b)
{
    const bool *odd = odd_of(b, b->leaf_room);
    int64_t edge = 0;

    for (size_t k = 0; k < b->labels; k++) {
        const int64_t *weights =
            b->weights + (k / GR_EDGE_LANES * b->rows) * GR_EDGE_LANES + k % GR_EDGE_LANES;
        int64_t sum = 0;

        for (size_t r = 0; r < b->rows; r++)
            sum += odd[r] ? -weights[r * GR_EDGE_LANES] : weights[r * GR_EDGE_LANES];
        b->voting[k] = sum > 0 ? 1.0f : -1.0f;
        edge += sum < 0 ? -sum : sum;
    }
    b->edge = (double)edge / (double)b->all;
}

size_t gr_vote_product_cells(gr_adaboost *b)
{
    const bool *odd = odd_of(b, b->leaf_room);

    for (size_t k = 0; k < b->labels; k++) {
        const int64_t *weights =
            b->weights + (k / GR_EDGE_LANES * b->rows) * GR_EDGE_LANES + k % GR_EDGE_LANES;
        int64_t sum = 0, all = 0;

        for (size_t r = 0; r < b->rows; r++) {
            const int64_t weight = weights[r * GR_EDGE_LANES];

            sum += odd[r] ? -weight : weight;
            all += weight < 0 ? -weight : weight;
        }
        sum = sum < 0 ? -sum : sum;
        b->cells[k] = (gr_vote_cell){ .right = 0.5 * ((double)all + (double)sum),
                                      .wrong = 0.5 * ((double)all - (double)sum),
                                      .index = k };
    }
    return b->labels;
}

static void take_splits(gr_adaboost *b)
{
    b->split_count = 0;
    for (size_t j = 0; j < b->leaf_room; j++) {
        const bool *left = odd_of(b, j);
        size_t lefts = 0;

        if (b->cuts[j].edge < 0)
            continue;
        for (size_t r = 0; r < b->rows; r++)
            lefts += left[r];
        b->splits[b->split_count] = gr_cut_split(&b->bins, &b->cuts[j]);
        if (!b->bins.cuts.missing[b->cuts[j].feature])
            b->splits[b->split_count].missing_left = 2 * lefts >= b->rows;
        b->split_count++;
    }
    for (size_t s = 0; s < b->split_count; s++)
        b->splits[s].gain = (float)(b->edge / (double)b->split_count);
}

void gr_vote_product_find(gr_adaboost *b)
{
    size_t idle = 0;
    int64_t edge = -1; /* accepts the first cut even if a constant would have a larger edge */

    memset(b->odd, 0, (b->leaf_room + 1) * b->rows * sizeof *b->odd);
    for (size_t j = 0; j < b->leaf_room; j++)
        b->cuts[j].edge = -1;
    for (size_t j = 0; idle < b->leaf_room && !gr_pool_cancelled(b->asked);
         j = (j + 1) % b->leaf_room)
        idle = improve(b, j, &edge) ? 0 : idle + 1;
    take_votes(b);
    take_splits(b);
}
