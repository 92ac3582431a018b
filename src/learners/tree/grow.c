/* SPDX-License-Identifier: Apache-2.0 */
/* Grows the tree of one output: pops the next node, partitions its rows, searches its children, and
 * numbers the leaves at the end. */
#include "learners/tree/grow.h"

#include "base/ranges.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDERED_BLOCK = 16384 };

/* Samples the features of this tree from those with more than one bin. */
static gradus_status draw_features(gr_grower *grower, gradus_error *err)
{
    const size_t features = grower->bins->dense + grower->bins->sparses;
    const double share = grower->options.feature_share;
    size_t wanted = (size_t)(share * (double)features), *order;
    gr_rng rng = gr_rng_for(grower->round.seed, "features",
                            grower->round.round * grower->outputs + grower->output);

    if (wanted < 1)
        wanted = 1;
    memset(grower->tried, wanted >= features, features);
    if (wanted >= features)
        return GRADUS_OK;
    order = gr_new_array(features, sizeof *order);
    if (!order)
        return gr_fail_memory(err, "a sample of features");
    for (size_t i = 0; i < features; i++)
        order[i] = i;
    gr_shuffle(&rng, order, features);
    for (size_t i = 0; i < wanted; i++)
        grower->tried[order[i]] = true;
    free(order);
    return GRADUS_OK;
}

static uint32_t *node_rows(const gr_grower *grower, const gr_branch *node)
{
    return (uint32_t *)grower->rows.at + node->start;
}

static const uint64_t *output_words(const gr_grower *grower)
{
    return (const uint64_t *)grower->words.at + grower->output * grower->bins->rows;
}

/* Gathers the words of a node's rows, in the order of the rows. */
typedef struct order_job {
    const uint32_t *rows;
    const uint64_t *words;
    uint64_t *ordered;
    size_t count;
} order_job;

static void order_block(void *argument, gr_range range)
{
    const order_job *j = argument;

    for (size_t i = range.first; i < range.end; i++)
        j->ordered[i] = j->words[j->rows[i]];
}

static void order_words(gr_grower *grower, const gr_branch *node)
{
    order_job j = { node_rows(grower, node), output_words(grower), grower->ordered.at,
                    node->count };

    if (node->count < grower->bins->rows && grower->ordered_node != node)
        gr_for_ranges(grower->pool, j.count, ORDERED_BLOCK, order_block, &j);
}

/* Whether both sides of a cut are known to have min_rows rows without counting. The search has
 * checked it where hessians count rows; otherwise a side has at least (its hessian sum) / (largest
 * hessian of a row) rows. */
static bool surely_enough_rows(const gr_grower *grower, const gr_branch *node,
                               const gr_candidate *cut)
{
    const gr_lanes *lanes = &grower->lanes[grower->output];
    const double sure = (double)grower->options.min_rows * lanes->hessian_most;

    return lanes->unit || cut->counted || grower->options.min_rows <= 1 ||
           (cut->hessian >= sure && node->hessian - cut->hessian >= sure);
}

/* The gain below which a split may be an artefact of quantisation: 64 times the expected gain of a
 * cut from stochastic rounding alone (variance at most 1/4 per row), plus the rounding error of the
 * doubles. */
static double doubtful_gain(const gr_lanes *lanes, const gr_branch *node, double parent)
{
    const double ratio = node->gradient / node->hessian;
    const double each = lanes->unit ? 1 : 1 + ratio * ratio;

    return 8 * ((double)node->all / node->hessian) * each + parent * 0x1p-45;
}

static bool same_cut(const gr_candidate *a, const gr_candidate *b)
{
    return a->score == b->score && a->bin == b->bin && a->missing_left == b->missing_left;
}

/* Picks the best of the candidates; false if the node becomes a leaf.
 *
 * Where hessians do not count rows, min_rows can only be checked by counting rows per bin, so
 * candidates are first found without it. If the best candidate may violate min_rows, its feature
 * alone is searched again with counts ("counted search"). The constraint can only lower a feature's
 * best score, so the first candidate known to satisfy it is the best valid cut. Where short cuts
 * are dropped (gr_drops_short_cuts) a feature that fails is not cut elsewhere. */
static bool pick_split(gr_grower *grower, gr_branch *node, gr_candidate *candidates)
{
    const gr_bins *bins = grower->bins;
    const gr_lanes *lanes = &grower->lanes[grower->output];
    const double l2 = grower->options.l2 * lanes->hessian_scale;
    const double parent = node->gradient * node->gradient / (node->hessian + l2);
    const double unit = lanes->hessian_scale / lanes->gradient_scale / lanes->gradient_scale;
    const size_t features = bins->dense + bins->sparses;

    for (;;) {
        size_t best = SIZE_MAX;

        for (size_t i = 0; i < features; i++) {
            if (!grower->tried[i] || candidates[i].score < 0)
                continue;
            if (best == SIZE_MAX || candidates[i].score > candidates[best].score ||
                (candidates[i].score == candidates[best].score &&
                 gr_feature_at(bins, i) < gr_feature_at(bins, best)))
                best = i;
        }
        if (best == SIZE_MAX)
            return false;
        node->best = candidates[best];
        node->feature = gr_feature_at(bins, best);
        node->gain = 0.5 * (node->best.score - parent);
        if (!(node->gain > doubtful_gain(lanes, node, parent)))
            return false;
        node->gain *= unit;
        if (!(node->gain > grower->options.min_gain))
            return false;
        if (surely_enough_rows(grower, node, &node->best))
            return true;
        candidates[best] = gr_search_counted(grower, node, best);
        if (gr_drops_short_cuts(&grower->options, &grower->round) &&
            !same_cut(&candidates[best], &node->best))
            candidates[best].score = -1;
    }
}

/* Queues a node that can be split; otherwise releases its histogram. */
static void settle_node(gr_grower *grower, uint32_t number, bool searched, gr_candidate *candidates)
{
    gr_branch *node = &grower->nodes[number];

    if (searched && pick_split(grower, node, candidates))
        gr_queue_push(&grower->queue, grower->nodes, number);
    else
        gr_histogram_give(&grower->histograms, &node->histogram);
}

/* Takes a histogram for a node. If the pool is empty, takes that of the queued node that is likely
 * to be split last; the children of that node are then scanned separately, without subtraction. */
static size_t histogram_for(gr_grower *grower)
{
    size_t at = grower->queue.count, number = gr_histogram_take(&grower->histograms);

    while (number == GR_NO_HISTOGRAM && at-- > 0) {
        gr_branch *node = &grower->nodes[grower->queue.nodes[at]];

        gr_histogram_give(&grower->histograms, &node->histogram);
        number = gr_histogram_take(&grower->histograms);
    }
    return number;
}

/* Searches a single node, scanning it first unless it has a histogram. */
static gradus_status search_alone(gr_grower *grower, uint32_t number, gradus_error *err)
{
    gr_branch *node = &grower->nodes[number];
    const bool scan = node->histogram == GR_NO_HISTOGRAM;

    if (scan) {
        node->histogram = histogram_for(grower);
        order_words(grower, node);
    }
    GR_TRY(gr_run_step(grower, &(gr_step){ .scanned = node, .scan = scan, .search_scanned = true },
                       err));
    settle_node(grower, number, true, grower->candidates);
    return GRADUS_OK;
}

/* Histogram subtraction: parent = small + large for every bin, so only the smaller child is scanned
 * and the larger one takes over the parent's histogram minus the smaller child's. Integer sums make
 * this exact. Then searches both. */
static gradus_status search_pair(gr_grower *grower, gr_branch *parent, uint32_t small,
                                 uint32_t large, bool search_small, bool search_large,
                                 gradus_error *err)
{
    gr_branch *scanned = &grower->nodes[small], *rest = &grower->nodes[large];
    gr_candidate *second = grower->candidates + grower->bins->dense + grower->bins->sparses;

    rest->histogram = parent->histogram;
    parent->histogram = GR_NO_HISTOGRAM;
    scanned->histogram = histogram_for(grower);
    order_words(grower, scanned);
    GR_TRY(gr_run_step(grower, &(gr_step){ scanned, rest, true, search_small, search_large }, err));
    settle_node(grower, small, search_small, grower->candidates);
    settle_node(grower, large, search_large, second);
    return GRADUS_OK;
}

static bool may_split(const gr_grower *grower, const gr_branch *node)
{
    const uint64_t min_rows = grower->options.min_rows ? grower->options.min_rows : 1;

    return node->all / 2 >= min_rows &&
           (!grower->options.depth || node->depth < grower->options.depth);
}

static gradus_status search_children(gr_grower *grower, gr_branch *parent, gradus_error *err)
{
    const uint32_t left = (uint32_t)parent->left, right = (uint32_t)parent->right;
    const bool more = grower->split_count + 1 < grower->leaves;
    const bool search_left = more && may_split(grower, &grower->nodes[left]);
    const bool search_right = more && may_split(grower, &grower->nodes[right]);

    if (!search_left && !search_right) {
        gr_histogram_give(&grower->histograms, &parent->histogram);
        return GRADUS_OK;
    }
    if (parent->histogram == GR_NO_HISTOGRAM) {
        if (search_left)
            GR_TRY(search_alone(grower, left, err));
        return search_right ? search_alone(grower, right, err) : GRADUS_OK;
    }
    if (grower->nodes[left].all <= grower->nodes[right].all)
        return search_pair(grower, parent, left, right, search_left, search_right, err);
    return search_pair(grower, parent, right, left, search_right, search_left, err);
}

/* Creates the children of a node whose rows have been partitioned. If the feature is monotone, the
 * midpoint of the children's values becomes a bound for both subtrees, so that no descendants can
 * violate the constraint. */
static void make_children(gr_grower *grower, gr_branch *node, size_t lefts, size_t all_lefts)
{
    const double l2 = grower->options.l2 * grower->lanes[grower->output].hessian_scale;
    const double left_value = -node->best.gradient / (node->best.hessian + l2);
    gr_branch *left = &grower->nodes[grower->node_count], *right = left + 1;
    const int sign = grower->signs ? grower->signs[node->feature] : 0;
    double right_value, middle;

    *left = *right = (gr_branch){ .start = node->start,
                                  .depth = node->depth + 1,
                                  .low = node->low,
                                  .high = node->high,
                                  .histogram = GR_NO_HISTOGRAM };
    left->count = (uint32_t)lefts;
    right->start += (uint32_t)lefts;
    right->count = node->count - (uint32_t)lefts;
    left->all = (uint32_t)all_lefts;
    right->all = node->all - left->all;
    left->gradient = node->best.gradient;
    left->hessian = node->best.hessian;
    right->gradient = node->gradient - left->gradient;
    right->hessian = node->hessian - left->hessian;
    right_value = -right->gradient / (right->hessian + l2);
    middle = left_value + 0.5 * (right_value - left_value);
    if (sign > 0)
        left->high = right->low = middle;
    else if (sign < 0)
        left->low = right->high = middle;
    node->left = (int32_t)grower->node_count;
    node->right = node->left + 1;
    node->split = (uint32_t)grower->split_count++;
    grower->node_count += 2;
}

static float threshold_of(const gr_cuts *cuts, uint32_t feature, uint32_t bin)
{
    const uint64_t at = cuts->starts[feature] + bin;

    return at < cuts->starts[feature + 1] ? cuts->thresholds[at] : INFINITY;
}

static gradus_status check_failure(const gr_grower *grower, gradus_error *err)
{
    return grower->failure.status == GRADUS_OK
               ? GRADUS_OK
               : gr_fail(err, grower->failure.status, "%s", grower->failure.message);
}

/* The rows that go left on all processes. Where hessians count rows, the search knows. */
static gradus_status count_lefts(const gr_grower *grower, const gr_branch *node, size_t lefts,
                                 int64_t *all, gradus_error *err)
{
    if (grower->round.share && grower->lanes[grower->output].unit) {
        *all = (int64_t)node->best.hessian;
        return GRADUS_OK;
    }
    *all = (int64_t)lefts;
    return gr_share_sum(grower->round.share, all, 1, err);
}

static gradus_status split_node(gr_grower *grower, gr_branch *node, gradus_error *err)
{
    gr_route route =
        gr_route_for(grower->bins, node->feature, node->best.bin, node->best.missing_left);
    const bool order =
        node->histogram != GR_NO_HISTOGRAM && grower->split_count + 2 < grower->leaves;
    const gr_partition_work work = { node_rows(grower, node),
                                     node->count,
                                     grower->spare.at,
                                     grower->counts,
                                     order ? output_words(grower) : NULL,
                                     grower->ordered.at };
    size_t lefts;
    int64_t all_lefts;

    route.column =
        gr_column_of(&grower->columns, grower->bins, node->feature, node->count, grower->pool);
    lefts = gr_partition(&route, &work, grower->pool);
    GR_TRY(count_lefts(grower, node, lefts, &all_lefts, err));
    make_children(grower, node, lefts, (size_t)all_lefts);
    if (order)
        grower->ordered_node =
            &grower->nodes[lefts <= node->count - lefts ? node->left : node->right];
    grower->splits[node->split] =
        (gr_split){ .feature = node->feature,
                    .threshold = threshold_of(&grower->bins->cuts, node->feature, node->best.bin),
                    .gain = (float)node->gain,
                    .missing_left = node->best.missing_left };
    GR_TRY(search_children(grower, node, err));
    grower->ordered_node = NULL;
    return check_failure(grower, err);
}

/* Fills in the rows of the root and, if they are a sample that must be scanned, gathers their
 * words. */
typedef struct start_job {
    const gr_round *round;
    uint32_t *rows;
    const uint64_t *words;
    uint64_t *ordered; /* NULL: not needed */
} start_job;

static void start_block(void *argument, gr_range range)
{
    const start_job *j = argument;

    for (size_t i = range.first; i < range.end; i++)
        j->rows[i] = j->round->rows ? j->round->rows[i] : (uint32_t)i;
    for (size_t i = range.first; j->ordered && i < range.end; i++)
        j->ordered[i] = j->words[j->rows[i]];
}

static void start_rows(gr_grower *grower)
{
    const bool scanned = grower->round.rows && grower->roots[grower->output] == GR_NO_HISTOGRAM;
    start_job j = { &grower->round, grower->rows.at, output_words(grower),
                    scanned ? grower->ordered.at : NULL };

    gr_for_ranges(grower->pool, grower->round.count, ORDERED_BLOCK, start_block, &j);
    grower->ordered_node = scanned ? &grower->nodes[0] : NULL;
}

/* Numbers the leaves from left to right, the order of their rows in grower->rows, and links the
 * splits. */
static size_t number_leaves(gr_grower *grower)
{
    uint32_t *waiting = grower->queue.nodes; /* a stack; the queue is no longer needed */
    size_t depth = 0, leaves = 0;

    waiting[depth++] = 0;
    while (depth > 0) {
        gr_branch *node = &grower->nodes[waiting[--depth]];

        if (node->left) {
            waiting[depth++] = (uint32_t)node->right;
            waiting[depth++] = (uint32_t)node->left;
        } else {
            grower->starts[leaves] = node->start;
            node->split = (uint32_t)leaves++;
        }
    }
    grower->starts[leaves] = (uint32_t)grower->round.count;
    for (size_t i = 0; i < grower->node_count; i++) {
        const gr_branch *node = &grower->nodes[i];
        const gr_branch *left = &grower->nodes[node->left], *right = &grower->nodes[node->right];

        if (!node->left)
            continue;
        grower->splits[node->split].left =
            left->left ? (int32_t)left->split : ~(int32_t)left->split;
        grower->splits[node->split].right =
            right->left ? (int32_t)right->split : ~(int32_t)right->split;
    }
    return leaves;
}

gradus_status gr_grower_grow(gr_grower *grower, size_t output, gr_grown *grown, gradus_error *err)
{
    const gr_lanes *lanes = &grower->lanes[output];

    grower->output = output;
    GR_TRY(draw_features(grower, err));
    start_rows(grower);
    grower->nodes[0] = (gr_branch){ .count = (uint32_t)grower->round.count,
                                    .all = (uint32_t)gr_round_rows(&grower->round),
                                    .gradient = lanes->gradient_total,
                                    .hessian = lanes->hessian_total,
                                    .low = -INFINITY,
                                    .high = INFINITY,
                                    .histogram = grower->roots[output] };
    grower->roots[output] = GR_NO_HISTOGRAM;
    grower->node_count = 1;
    grower->split_count = 0;
    grower->queue.count = 0;
    if (grower->leaves > 1 && may_split(grower, &grower->nodes[0]))
        GR_TRY(search_alone(grower, 0, err));
    else
        gr_histogram_give(&grower->histograms, &grower->nodes[0].histogram);
    GR_TRY(check_failure(grower, err));
    while (grower->queue.count > 0 && grower->split_count + 1 < grower->leaves) {
        GR_TRY(gr_pool_check(grower->pool, err));
        GR_TRY(
            split_node(grower, &grower->nodes[gr_queue_pop(&grower->queue, grower->nodes)], err));
    }
    while (grower->queue.count > 0)
        gr_histogram_give(&grower->histograms,
                          &grower->nodes[grower->queue.nodes[--grower->queue.count]].histogram);
    grown->leaves = number_leaves(grower);
    grown->splits = grower->splits;
    grown->rows = grower->rows.at;
    grown->starts = grower->starts;
    gr_place_out_of_bag(grower);
    grown->others = grown->rows + grower->round.count;
    grown->other_leaves = grower->spare.at;
    grown->other_count = grower->bins->rows - grower->round.count;
    grown->covers = grower->covers;
    grown->gradients = grower->gradients;
    grown->hessians = grower->hessians;
    return gr_leaf_sums(&grower->round, grower->bins->rows, output, lanes, grower->rows.at,
                        grower->starts, grown->leaves, grower->pool,
                        &(gr_leaf_totals){ grower->covers, grower->gradients, grower->hessians },
                        err);
}
