/* SPDX-License-Identifier: Apache-2.0 */
/* Trees whose leaves have vectors of votes, grown best-first by the increase of the edge. Only the
 * smaller side of a split is counted; the histogram of the other is the parent's minus that. */
#include "learners/adaboost/adaboost_round.h"

#include "base/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gradus_status gr_vote_tree_start(gr_adaboost *b, gradus_error *err)
{
    const size_t most = (size_t)b->task.leaves < b->rows ? (size_t)b->task.leaves : b->rows;
    size_t vectors;

    b->leaf_room = most;
    b->order = gr_arena_array(&b->arena, b->rows, sizeof *b->order);
    b->spare = gr_arena_array(&b->arena, b->rows, sizeof *b->spare);
    b->leaves = gr_arena_array(&b->arena, most, sizeof *b->leaves);
    b->splits = gr_arena_array(&b->arena, most, sizeof *b->splits);
    b->voting = gr_arena_array(&b->arena, most * b->labels, sizeof *b->voting);
    b->totals = gr_edge_vectors(most * b->edges.groups);
    b->histograms =
        gr_size_times(most, gr_edges_size(&b->edges), &vectors) ? gr_edge_vectors(vectors) : NULL;
    if (b->arena.failed || !b->totals || !b->histograms)
        return gr_fail_memory(err, "trees");
    return GRADUS_OK;
}

static int64_t *totals_of(const gr_adaboost *b, size_t leaf)
{
    return b->totals + leaf * b->edges.groups * GR_EDGE_LANES;
}

static int64_t gain_of(const gr_vote_leaf *leaf)
{
    return leaf->cut.edge < 0 ? 0 : leaf->cut.edge - leaf->edge;
}

/* Moves the rows of a leaf that go left before the others, keeping their order; returns how many go
 * left. */
static size_t part_rows(gr_adaboost *b, const gr_vote_leaf *leaf, const gr_cut *cut)
{
    const gr_cut_side side = gr_cut_side_of(&b->bins, cut);
    uint32_t *order = b->order, *spare = b->spare;
    size_t left = leaf->first, right = 0;

    /* Branch-free: each row is written to both sides, and only one side advances. */
    for (size_t i = leaf->first; i < leaf->end; i++) {
        const uint32_t r = order[i];
        const bool is_left =
            side.words ? gr_side_is_left(&side, r) : gr_cut_is_left(&b->bins, cut, r);

        order[left] = r;
        spare[right] = r;
        left += is_left;
        right += !is_left;
    }
    memcpy(b->order + left, b->spare, right * sizeof *b->order);
    return left - leaf->first;
}

/* Counts the smaller leaf and subtracts it from its sibling's sums; finds the best cuts of both if
 * `cuts`. */
static void count_leaves(gr_adaboost *b, size_t small, size_t large, bool cuts)
{
    gr_vote_leaf *leaf = &b->leaves[small], *other = &b->leaves[large];
    gr_cut best[2];
    const gr_edge_count count = { .weights = b->weights,
                                  .rows = b->order + leaf->first,
                                  .count = leaf->end - leaf->first,
                                  .histogram = cuts ? leaf->histogram : NULL,
                                  .sibling = cuts ? other->histogram : NULL,
                                  .totals = totals_of(b, small),
                                  .sibling_totals = totals_of(b, large) };

    gr_edges_count(&b->edges, &count, best);
    leaf->cut = best[0];
    other->cut = best[1];
    leaf->edge = gr_edge_of(&b->edges, count.totals);
    other->edge = gr_edge_of(&b->edges, count.sibling_totals);
}

static void split_leaf(gr_adaboost *b, size_t l)
{
    const size_t fresh = b->leaf_count++, s = b->split_count++;
    const size_t numbers = b->edges.groups * GR_EDGE_LANES;
    gr_vote_leaf *leaf = &b->leaves[l], *other = &b->leaves[fresh];
    gr_split *split = &b->splits[s];
    const gr_vote_leaf before = *leaf;
    const size_t left = part_rows(b, leaf, &before.cut);
    const size_t right = leaf->end - leaf->first - left;

    *split = gr_cut_split(&b->bins, &before.cut);
    split->gain = (float)((double)gain_of(&before) / (double)b->all);
    split->left = ~(int32_t)l;
    split->right = ~(int32_t)fresh;
    if (!b->bins.cuts.missing[split->feature])
        split->missing_left = left >= right;
    if (before.parent >= 0)
        *(before.is_right ? &b->splits[before.parent].right : &b->splits[before.parent].left) =
            (int32_t)s;
    *other = (gr_vote_leaf){
        .first = leaf->first + left, .end = leaf->end, .parent = (int32_t)s, .is_right = true
    };
    *leaf = (gr_vote_leaf){ .first = leaf->first, .end = leaf->first + left, .parent = (int32_t)s };
    /* The larger side takes over the parent's histogram, from which the smaller is subtracted. */
    int64_t *room = b->histograms + fresh * gr_edges_size(&b->edges) * GR_EDGE_LANES;

    if (left > right) {
        leaf->histogram = before.histogram;
        other->histogram = room;
        count_leaves(b, fresh, l, b->leaf_count < b->leaf_room);
    } else {
        memcpy(totals_of(b, fresh), totals_of(b, l), numbers * sizeof *b->totals);
        other->histogram = before.histogram;
        leaf->histogram = room;
        count_leaves(b, l, fresh, b->leaf_count < b->leaf_room);
    }
}

static void start_root(gr_adaboost *b)
{
    gr_vote_leaf *root = &b->leaves[0];
    gr_cut best[2];

    for (size_t r = 0; r < b->rows; r++)
        b->order[r] = (uint32_t)r;
    *root = (gr_vote_leaf){ .end = b->rows, .histogram = b->histograms, .parent = -1 };
    const gr_edge_count count = { .weights = b->weights,
                                  .count = b->rows,
                                  .histogram = root->histogram,
                                  .totals = totals_of(b, 0) };

    gr_edges_count(&b->edges, &count, best);
    root->cut = best[0];
    root->edge = gr_edge_of(&b->edges, count.totals);
    b->leaf_count = 1;
    b->split_count = 0;
}

void gr_vote_tree_grow(gr_adaboost *b)
{
    int64_t edge = 0;

    start_root(b);
    while (b->leaf_count < b->leaf_room && !gr_pool_cancelled(b->asked)) {
        size_t best = 0;

        for (size_t l = 1; l < b->leaf_count; l++)
            if (gain_of(&b->leaves[l]) > gain_of(&b->leaves[best]))
                best = l;
        if (gain_of(&b->leaves[best]) <= 0)
            break;
        split_leaf(b, best);
    }
    for (size_t l = 0; l < b->leaf_count; l++) {
        const int64_t *totals = totals_of(b, l);

        edge += b->leaves[l].edge;
        for (size_t k = 0; k < b->labels; k++)
            b->voting[l * b->labels + k] = totals[k] > 0 ? 1.0f : -1.0f;
    }
    b->edge = (double)edge / (double)b->all;
}

/* The sum of the absolute weights of a label in a leaf. */
static double weight_in(const gr_adaboost *b, const gr_vote_leaf *leaf, size_t k)
{
    const int64_t *weights =
        b->weights + (k / GR_EDGE_LANES * b->rows) * GR_EDGE_LANES + k % GR_EDGE_LANES;
    int64_t sum = 0;

    for (size_t i = leaf->first; i < leaf->end; i++) {
        const int64_t weight = weights[(size_t)b->order[i] * GR_EDGE_LANES];

        sum += weight < 0 ? -weight : weight;
    }
    return (double)sum;
}

/* The sums of weights for and against a label in a leaf. */
static void sides_of(const gr_adaboost *b, size_t l, size_t k, double sides[2])
{
    const double all = weight_in(b, &b->leaves[l], k), more = (double)totals_of(b, l)[k];

    sides[0] = 0.5 * (all + more);
    sides[1] = 0.5 * (all - more);
}

size_t gr_vote_tree_cells(gr_adaboost *b)
{
    const size_t count = b->leaf_count * b->labels;

    for (size_t i = 0; i < count; i++) {
        double sides[2];

        sides_of(b, i / b->labels, i % b->labels, sides);
        b->cells[i] = (gr_vote_cell){ .right = fmax(sides[0], sides[1]),
                                      .wrong = fmin(sides[0], sides[1]),
                                      .index = i };
    }
    return count;
}

void gr_vote_tree_real(gr_adaboost *b)
{
    /* Smoothing that keeps the votes of a pure leaf finite: the mean weight. */
    const double least = (double)b->all / ((double)b->rows * (double)b->labels);
    double largest = 0.0, sum = 0.0, sides[2];

    for (size_t l = 0; l < b->leaf_count; l++)
        for (size_t k = 0; k < b->labels; k++) {
            sides_of(b, l, k, sides);
            const double vote = 0.5 * gr_log((sides[0] + least) / (sides[1] + least));

            b->voting[l * b->labels + k] = (float)vote;
            largest = fmax(largest, fabs((double)(float)vote));
        }
    b->alpha = largest;
    for (size_t l = 0; l < b->leaf_count; l++)
        for (size_t k = 0; k < b->labels; k++) {
            float *vote = &b->voting[l * b->labels + k];

            *vote = largest > 0.0 ? (float)((double)*vote / largest) : 0.0f;
            sides_of(b, l, k, sides);
            sum += sides[0] * gr_exp(-largest * (double)*vote) +
                   sides[1] * gr_exp(largest * (double)*vote);
        }
    b->normaliser = sum / (double)b->all;
}
