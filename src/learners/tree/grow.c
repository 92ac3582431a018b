/* SPDX-License-Identifier: Apache-2.0 */
/* Grows the tree of one output: expands a batch of nodes at a time, that is, partitions their rows
 * and searches their children, and numbers the leaves at the end. */
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
    size_t chosen = (size_t)(share * (double)features), *order;
    gr_rng rng = gr_rng_for(grower->round.seed, "features",
                            grower->round.round * grower->outputs + grower->output);

    if (chosen < 1)
        chosen = 1;
    memset(grower->tried, chosen >= features, features);
    if (chosen >= features)
        return GRADUS_OK;
    order = gr_new_array(features, sizeof *order);
    if (!order)
        return gr_fail_memory(err, "a sample of features");
    for (size_t i = 0; i < features; i++)
        order[i] = i;
    gr_shuffle(&rng, order, features);
    for (size_t i = 0; i < chosen; i++)
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

/* Runs the steps, and releases the histograms of nodes that cannot be split. */
static gradus_status search_nodes(gr_grower *grower, size_t count, gradus_error *err)
{
    GR_TRY(gr_run_steps(grower, grower->steps, count, err));
    GR_TRY(gr_pick_cuts(grower, count, err));
    for (size_t s = 0; s < count; s++) {
        if (!grower->steps[s].scanned->open)
            gr_histogram_done(grower, grower->steps[s].scanned);
        if (grower->steps[s].rest && !grower->steps[s].rest->open)
            gr_histogram_done(grower, grower->steps[s].rest);
    }
    return GRADUS_OK;
}

size_t gr_histogram_for(gr_grower *grower)
{
    size_t at = grower->chosen_count, number = gr_histogram_take(&grower->histograms);

    if (number == GR_NO_HISTOGRAM && grower->carry.on) {
        gr_carry_drop(grower);
        number = gr_histogram_take(&grower->histograms);
    }
    while (number == GR_NO_HISTOGRAM && at-- > 0) {
        gr_branch *node = &grower->nodes[grower->chosen[at]];

        gr_histogram_give(&grower->histograms, &node->histogram);
        number = gr_histogram_take(&grower->histograms);
    }
    return number;
}

/* Adds a step; its candidates are those of the step's number. */
static size_t add_step(gr_grower *grower, size_t count, gr_step step)
{
    const size_t features = grower->bins->dense + grower->bins->sparses;

    step.candidates = grower->candidates + 2 * features * count;
    grower->steps[count] = step;
    return count + 1;
}

bool gr_may_split(const gr_grower *grower, const gr_branch *node)
{
    const uint64_t min_rows = grower->options.min_rows ? grower->options.min_rows : 1;

    return node->all / 2 >= min_rows &&
           (!grower->options.depth || node->depth < grower->options.depth);
}

bool gr_is_searched(const gr_grower *grower, const gr_branch *node)
{
    return node->split + 2 < grower->leaves;
}

/* A step for a single node, which is scanned unless it has a histogram. */
static size_t add_single(gr_grower *grower, size_t steps, gr_branch *node)
{
    const bool scan = node->histogram == GR_NO_HISTOGRAM;

    if (scan)
        node->histogram = gr_histogram_for(grower);
    return add_step(grower, steps,
                    (gr_step){ .scanned = node, .scan = scan, .search_scanned = true });
}

/* Whether the left child is the one to scan. With several processes the sums of hessians decide, which
 * all know before rows are counted. */
static bool left_is_small(const gr_grower *grower, const gr_branch *parent)
{
    const gr_branch *left = &grower->nodes[parent->left], *right = left + 1;

    return grower->round.share ? left->hessian <= right->hessian : left->all <= right->all;
}

/* Adds the steps that search the children of a node. Histogram subtraction: parent = small + large
 * for every bin, so only the smaller child is scanned and the larger one takes over the parent's
 * histogram minus the smaller child's. Integer sums make this exact. */
static size_t add_children(gr_grower *grower, size_t steps, gr_branch *parent)
{
    gr_branch *left = &grower->nodes[parent->left], *right = &grower->nodes[parent->right];
    gr_branch *small = left_is_small(grower, parent) ? left : right;
    gr_branch *large = small == left ? right : left;
    const bool searched = gr_is_searched(grower, parent);
    const bool search_small = searched && gr_may_split(grower, small);
    const bool search_large = searched && gr_may_split(grower, large);

    if (!search_small && !search_large && !gr_carry_scans(grower, small->count)) {
        gr_histogram_give(&grower->histograms, &parent->histogram);
        return steps;
    }
    if (parent->histogram == GR_NO_HISTOGRAM) {
        steps = search_small ? add_single(grower, steps, small) : steps;
        return search_large ? add_single(grower, steps, large) : steps;
    }
    large->histogram = parent->histogram;
    parent->histogram = GR_NO_HISTOGRAM;
    small->histogram = gr_histogram_for(grower);
    return add_step(grower, steps,
                    (gr_step){ .scanned = small,
                               .rest = large,
                               .rows = parent->all,
                               .scan = true,
                               .search_scanned = search_small,
                               .search_rest = search_large });
}

/* If the feature is monotone, the midpoint of the children's values becomes a bound for both
 * subtrees, so that no descendants can violate the constraint. */
void gr_make_children(gr_grower *grower, gr_branch *node)
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
    grower->node_count += 2;
    grower->expansions++;
}

void gr_count_children(const gr_grower *grower, const gr_branch *node, size_t lefts,
                       size_t all_lefts)
{
    gr_branch *left = &grower->nodes[node->left], *right = &grower->nodes[node->right];

    left->count = (uint32_t)lefts;
    right->start = node->start + (uint32_t)lefts;
    right->count = node->count - (uint32_t)lefts;
    left->all = (uint32_t)all_lefts;
    right->all = node->all - left->all;
}

/* The sides of a node whose words are gathered: those that will be scanned (left_is_small). */
static gr_gathered gathered_sides(const gr_grower *grower, const gr_branch *node)
{
    if (node->histogram == GR_NO_HISTOGRAM)
        return GR_GATHER_BOTH;
    if (!grower->round.share)
        return GR_GATHER_SMALLER;
    return node->best.hessian <= node->hessian - node->best.hessian ? GR_GATHER_LEFT
                                                                    : GR_GATHER_RIGHT;
}

/* Prepares the partition of a batch. Columns are filled first, for the few nodes that are large
 * enough, so that filling one does not evict another of the same batch. */
static void plan_partition(gr_grower *grower, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const gr_branch *node = &grower->nodes[grower->chosen[i]];
        const bool gather = gr_is_searched(grower, node) || grower->carry.on;

        grower->works[i] = (gr_partition_work){
            .route =
                gr_route_for(grower->bins, node->feature, node->best.bin, node->best.missing_left),
            .rows = node_rows(grower, node),
            .spare = (uint32_t *)grower->spare.at + node->start,
            .count = node->count,
            .words = gather ? output_words(grower) : NULL,
            .ordered = (uint64_t *)grower->ordered.at + node->start,
            .masks = grower->bins->row_masks.at,
            .ordered_masks = grower->masks.at ? (uint8_t *)grower->masks.at + node->start : NULL,
            .gathered = gathered_sides(grower, node),
        };
        (void)gr_column_of(&grower->columns, grower->bins, node->feature, node->count,
                           grower->pool);
    }
    for (size_t i = 0; i < count; i++)
        grower->works[i].route.column = gr_column_kept(&grower->columns, grower->bins,
                                                       grower->nodes[grower->chosen[i]].feature);
}

/* Notes the rows of a node that went left. Of other processes they are known if hessians count rows;
 * otherwise the next message has them (histograms.c), and until then both children have the most that
 * they can have, so that none that may be split is left out. */
static void count_children(const gr_grower *grower, const gr_branch *node, size_t lefts)
{
    const uint64_t min_rows = grower->options.min_rows ? grower->options.min_rows : 1;
    gr_branch *left = &grower->nodes[node->left], *right = left + 1;

    if (!grower->round.share || grower->lanes[grower->output].unit) {
        gr_count_children(grower, node, lefts,
                          grower->round.share ? (size_t)node->best.hessian : lefts);
        return;
    }
    gr_count_children(grower, node, lefts, 0);
    left->all = right->all = node->all - (uint32_t)min_rows;
}

/* Expands the first `count` chosen nodes. */
static gradus_status expand_nodes(gr_grower *grower, size_t count, gradus_error *err)
{
    size_t steps = 0;

    plan_partition(grower, count);
    gr_partition_all(grower->works, count, grower->counts, grower->pool);
    for (size_t i = 0; i < count; i++) {
        gr_branch *node = &grower->nodes[grower->chosen[i]];

        gr_make_children(grower, node);
        count_children(grower, node, grower->works[i].lefts);
    }
    for (size_t i = 0; i < count; i++)
        steps = add_children(grower, steps, &grower->nodes[grower->chosen[i]]);
    return steps > 0 ? search_nodes(grower, steps, err) : GRADUS_OK;
}

/* Fills in the rows of the root and, if they are a sample that must be scanned, gathers their
 * words and masks. */
typedef struct start_job {
    const gr_round *round;
    uint32_t *rows;
    const uint64_t *words;
    uint64_t *ordered; /* NULL: not needed */
    const uint8_t *masks;
    uint8_t *ordered_masks; /* NULL: not needed */
} start_job;

static void start_block(void *argument, gr_range range)
{
    const start_job *j = argument;

    for (size_t i = range.first; i < range.end; i++)
        j->rows[i] = j->round->rows ? j->round->rows[i] : (uint32_t)i;
    for (size_t i = range.first; j->ordered && i < range.end; i++)
        j->ordered[i] = j->words[j->rows[i]];
    for (size_t i = range.first; j->ordered_masks && i < range.end; i++)
        j->ordered_masks[i] = j->masks[j->rows[i]];
}

static void start_rows(gr_grower *grower)
{
    const bool scanned = grower->round.rows && grower->roots[grower->output] == GR_NO_HISTOGRAM;
    start_job j = { &grower->round,
                    grower->rows.at,
                    output_words(grower),
                    scanned ? grower->ordered.at : NULL,
                    grower->bins->row_masks.at,
                    scanned ? grower->masks.at : NULL };

    gr_for_ranges(grower->pool, grower->round.count, ORDERED_BLOCK, start_block, &j);
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

/* Fills in the leaf of each run. */
static gr_runs name_runs(const gr_grower *grower, size_t leaves)
{
    uint32_t leaf = 0;

    for (size_t run = 0; run < grower->runs; run++) {
        while (leaf + 1 < leaves && grower->starts[leaf + 1] <= grower->run_starts[run])
            leaf++; /* the rows of a leaf may all be on other processes */
        grower->run_leaves[run] = leaf;
    }
    return (gr_runs){ grower->rows.at, grower->run_starts, grower->run_leaves, grower->runs };
}

/* Starts with the root, which is searched if it may be split. */
static gradus_status start_tree(gr_grower *grower, gradus_error *err)
{
    const gr_lanes *lanes = &grower->lanes[grower->output];
    gr_branch *root = &grower->nodes[0];

    *root = (gr_branch){ .count = (uint32_t)grower->round.count,
                         .all = (uint32_t)gr_round_rows(&grower->round),
                         .gradient = lanes->gradient_total,
                         .hessian = lanes->hessian_total,
                         .low = -INFINITY,
                         .high = INFINITY,
                         .histogram = grower->roots[grower->output] };
    grower->roots[grower->output] = GR_NO_HISTOGRAM;
    grower->node_count = 1;
    grower->expansions = grower->chosen_count = 0;
    if (grower->trees && grower->leaves > 1 && gr_may_split(grower, root))
        return gr_device_start(grower, root, err);
    if (grower->leaves > 1 && gr_may_split(grower, root))
        return search_nodes(grower, add_single(grower, 0, root), err);
    gr_histogram_give(&grower->histograms, &root->histogram);
    return GRADUS_OK;
}

gradus_status gr_grower_grow(gr_grower *grower, size_t output, gr_grown *grown, gradus_error *err)
{
    grower->output = output;
    GR_TRY(draw_features(grower, err));
    if (!grower->trees)
        start_rows(grower);
    GR_TRY(start_tree(grower, err));
    for (size_t count; (count = gr_choose_batch(grower)) > 0;) {
        GR_TRY(gr_pool_check(grower->pool, err));
        GR_TRY(grower->trees ? gr_device_expand(grower, count, err)
                             : expand_nodes(grower, count, err));
    }
    gr_keep_best(grower);
    grown->leaves = number_leaves(grower);
    grown->splits = grower->splits;
    gr_carry_end(grower, grown->leaves);
    grown->starts = grower->starts;
    grown->runs = name_runs(grower, grown->leaves);
    grown->covers = grower->covers;
    grown->gradients = grower->gradients;
    grown->hessians = grower->hessians;
    grown->other_count = grower->bins->rows - grower->round.count;
    if (grower->trees)
        return gr_device_finish(grower, grown, err);
    grown->rows = grower->rows.at;
    gr_place_out_of_bag(grower);
    grown->others = grown->rows + grower->round.count;
    grown->other_leaves = grower->spare.at;
    return gr_leaf_sums(&grower->round, grower->bins->rows, output, &grower->lanes[output],
                        &grown->runs, grower->starts, grown->leaves, grower->pool,
                        &(gr_leaf_totals){ grower->covers, grower->gradients, grower->hessians },
                        err);
}
