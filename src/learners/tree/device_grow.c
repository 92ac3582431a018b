/* SPDX-License-Identifier: Apache-2.0 */
/* Growth with a device: describes the bins to it, and asks it for what the other files of the engine
 * compute. The device grows most trees alone; which of its splits are in the tree, how they are numbered
 * and whether any are missing is decided by grow.c and best_first.c as without a device. */
#include "learners/tree/grow.h"

#include "base/ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns of dense words, which come before those of sparse features. */
static size_t word_columns(const gr_bins *bins)
{
    return bins->blocks * gr_bins_in_word(bins);
}

static uint32_t column_of(const gr_bins *bins, uint32_t feature)
{
    const uint32_t place = bins->place[feature];

    return place <= INT32_MAX ? place : (uint32_t)word_columns(bins) + ~place;
}

/* ---- the data ---- */

typedef struct description {
    gr_device_bins bins;
    gr_device_column *columns;
    gr_device_group *groups;
    gr_device_bundle *bundles;
} description;

static gr_device_column describe_column(const gr_grower *grower, uint32_t feature)
{
    const gr_cuts *cuts = &grower->bins->cuts;

    return (gr_device_column){ .feature = feature,
                               .bins = (uint32_t)gr_cuts_bins(cuts, feature),
                               .missing = cuts->missing[feature],
                               .sign = (int8_t)(grower->signs ? grower->signs[feature] : 0) };
}

static void describe_sparse(const gr_grower *grower, description *d)
{
    const gr_bins *bins = grower->bins;
    const size_t first = word_columns(bins);

    for (size_t p = 0; p < bins->sparses; p++) {
        gr_device_column *column = &d->columns[first + p];

        *column = describe_column(grower, bins->sparse[p].feature);
        column->default_bin = bins->sparse[p].default_bin;
        column->code = bins->sparse[p].code;
    }
    for (size_t b = 0; b < bins->bundles; b++) {
        const gr_bundle *bundle = &bins->bundle[b];

        d->bundles[b] = (gr_device_bundle){ .first = (uint32_t)(first + bundle->first),
                                            .count = (uint32_t)(bundle->end - bundle->first),
                                            .row_starts = bundle->row_starts,
                                            .entries = bundle->entries };
    }
}

static void describe(const gr_grower *grower, description *d)
{
    const gr_bins *bins = grower->bins;

    for (size_t c = 0; c < bins->dense; c++)
        d->columns[c] = describe_column(grower, bins->columns[c]);
    for (size_t g = 0; g < bins->groups; g++)
        d->groups[g] = (gr_device_group){ gr_block_words(bins, bins->group[g].first),
                                          bins->group[g].end - bins->group[g].first };
    describe_sparse(grower, d);
    d->bins = (gr_device_bins){ .rows = bins->rows,
                                .columns = word_columns(bins) + bins->sparses,
                                .outputs = grower->outputs,
                                .column = d->columns,
                                .width = bins->width,
                                .groups = bins->groups,
                                .group = d->groups,
                                .bundles = bins->bundles,
                                .bundle = d->bundles,
                                .leaves = grower->leaves,
                                .expansions = grower->most_expansions };
}

static gradus_status open_device(gr_grower *grower, const gradus_device *device, uint64_t reserved,
                                 gradus_error *err)
{
    const gr_bins *bins = grower->bins;
    gradus_error failure = { GRADUS_OK, "" };
    gr_arena arena = { 0 };
    description d = { .columns = gr_arena_array(&arena, word_columns(bins) + bins->sparses,
                                                sizeof *d.columns),
                      .groups = gr_arena_array(&arena, bins->groups, sizeof *d.groups),
                      .bundles = gr_arena_array(&arena, bins->bundles, sizeof *d.bundles) };

    if (!arena.failed) {
        describe(grower, &d);
        d.bins.reserved = reserved;
        grower->trees = device->trees->open(device, &d.bins, &failure);
    }
    gr_arena_free(&arena);
    if (grower->trees)
        return GRADUS_OK;
    return failure.status == GRADUS_OK ? gr_fail_memory(err, "a device")
                                       : gr_fail(err, failure.status, "%s", failure.message);
}

gradus_status gr_grower_use_device(gr_grower *grower, const gradus_device *device,
                                   uint64_t reserved, gradus_error *err)
{
    const gr_bins *bins = grower->bins;

    /* without columns there is nothing to search */
    if (!device || !device->trees || bins->dense + bins->sparses == 0 || bins->rows == 0)
        return GRADUS_OK;
    grower->device = device;
    grower->device_runs =
        gr_arena_array(&grower->arena, grower->most_expansions + 2, sizeof *grower->device_runs);
    grower->forks = gr_arena_array(&grower->arena, grower->leaves, sizeof *grower->forks);
    grower->device_tried =
        gr_arena_array(&grower->arena, word_columns(bins) + bins->sparses, sizeof(uint8_t));
    grower->device_scales =
        gr_arena_array(&grower->arena, grower->outputs, sizeof *grower->device_scales);
    if (grower->arena.failed)
        return gr_fail_memory(err, "growing trees");
    grower->histogram_bytes = 0;
    gr_grower_set_batch(grower, GR_DEVICE_BATCH);
    return open_device(grower, device, reserved, err);
}

const gr_device_rows *gr_grower_device_rows(gr_grower *grower)
{
    return grower->trees ? grower->device->trees->rows(grower->trees) : NULL;
}

/* ---- rounds ---- */

static gr_extent add_up_blocks(const gr_device_extent *extents, size_t blocks)
{
    gr_extent all = { 0 };

    for (size_t block = 0; block < blocks; block++)
        gr_extent_add(&all, &(gr_extent){ .sum = extents[block].sum,
                                          .most = extents[block].most,
                                          .negative = extents[block].negative != 0 });
    return all;
}

/* Sets the scales of output k. */
static gradus_status set_lanes(gr_grower *grower, size_t k, bool wide,
                               const gr_device_extent *extents, gradus_error *err)
{
    const gr_round *round = &grower->round;
    const size_t blocks = gr_range_count(round->count, GR_MEASURED_ROWS);
    const gr_device_extent *of_output = extents + k * GR_EXTENT_KINDS * blocks;
    gr_extents all = { .gradient = add_up_blocks(of_output, blocks) };

    all.leaf = round->ones ? (gr_extent){ .sum = (double)round->count, .most = round->count > 0 }
                           : add_up_blocks(of_output + blocks, blocks);
    if (!round->unit)
        all.search = round->weights ? add_up_blocks(of_output + 2 * blocks, blocks) : all.leaf;
    grower->lanes[k] = (gr_lanes){ .wide = wide, .unit = round->unit };
    return gr_lanes_set(round, &all, all.leaf.most == 1 && all.leaf.sum == (double)round->count,
                        &grower->lanes[k])
               ? GRADUS_OK
               : gr_fail_number(round, grower->bins->rows, k, err);
}

/* The histograms that a tree can use. */
static size_t enough_histograms(const gr_grower *grower)
{
    return grower->leaves + grower->batch + 2;
}

/* Scales are powers of two, so that they are mostly those of the last round. */
static bool expect_scales(gr_grower *grower)
{
    bool known = true;

    for (size_t k = 0; k < grower->outputs; k++) {
        known &= grower->device_scales[k].gradient > 0;
        grower->device_scales[k].key = gr_rounding_key(&grower->round, grower->outputs, k);
    }
    return known;
}

/* Sets all scales from what was measured. */
static gradus_status set_scales(gr_grower *grower, bool wide, const gr_device_extent *extents,
                                gr_device_scale *scales, gradus_error *err)
{
    for (size_t k = 0; k < grower->outputs; k++) {
        GR_TRY(set_lanes(grower, k, wide, extents, err));
        grower->roots[k] = GR_NO_HISTOGRAM;
        scales[k] =
            (gr_device_scale){ grower->lanes[k].gradient_scale, grower->lanes[k].hessian_scale,
                               gr_rounding_key(&grower->round, grower->outputs, k) };
    }
    return GRADUS_OK;
}

gradus_status gr_device_begin(gr_grower *grower, gradus_error *err)
{
    const gr_round *round = &grower->round;
    const struct gr_tree_device *with = grower->device->trees;
    const bool wide = round->count > grower->narrow_rows;
    const gr_device_round of = { .gradients = round->on_device ? NULL : round->gradients,
                                 .hessians =
                                     round->on_device || round->ones ? NULL : round->hessians,
                                 .weights = round->unit ? NULL : round->weights,
                                 .sample = round->rows,
                                 .count = round->count,
                                 .unit = round->unit,
                                 .ones = round->ones,
                                 .wide = wide,
                                 .counted = !round->unit && grower->options.min_rows > 1,
                                 .most_slots = enough_histograms(grower),
                                 .slot_bytes = grower->histogram_bytes,
                                 .likely = expect_scales(grower) ? grower->device_scales : NULL };
    gr_device_scale *scales = gr_new_array(grower->outputs, sizeof *scales);
    const gr_device_extent *extents;
    size_t slots;
    gradus_status status = scales ? with->measure(grower->trees, &of, &extents, &slots, err)
                                  : gr_fail_memory(err, "rounded gradients");

    if (status == GRADUS_OK)
        status = set_scales(grower, wide, extents, scales, err);
    if (status == GRADUS_OK)
        status = with->round(grower->trees, scales, err);
    if (status == GRADUS_OK) {
        memcpy(grower->device_scales, scales, grower->outputs * sizeof *scales);
        status = gr_histograms_start(&grower->histograms, 0, slots, err);
    }
    free(scales);
    return status;
}

/* ---- nodes ---- */

/* Takes the cut that the device has found; a node without a useful one releases its histogram. */
static void take_found(gr_grower *grower, gr_branch *node, const gr_device_cut *found)
{
    const gr_candidate cut = { .score = found->score,
                               .gradient = found->gradient,
                               .hessian = found->hessian,
                               .bin = found->bin,
                               .missing_left = found->missing_left };

    node->open = found->score >= 0 && gr_take_cut(grower, node, &cut, found->feature);
    if (!node->open)
        gr_histogram_give(&grower->histograms, &node->histogram);
}

/* Where the rows of the children are on the device: see gr_device_split. */
static void place_children(const gr_branch *node, bool stays, gr_branch *children)
{
    const size_t larger = children[1].count >= children[0].count, first = stays ? larger : 0;

    children[0].list = children[1].list = node->list == 1 ? 2 : 1;
    children[first].place = node->place;
    children[!first].place = node->place + children[first].count;
    if (stays)
        children[larger].list = node->list;
}

/* The children of a node, which was split. */
static void take_children(gr_grower *grower, const gr_branch *node, const gr_device_found *found)
{
    gr_branch *children = &grower->nodes[node->left];

    place_children(node, found->stays, children);
    for (size_t side = 0; side < 2; side++) {
        if (gr_may_split(grower, &children[side]))
            take_found(grower, &children[side], &found->cuts[side]);
        else
            gr_histogram_give(&grower->histograms, &children[side].histogram);
    }
}

static gr_device_tree describe_tree(gr_grower *grower)
{
    const gr_bins *bins = grower->bins;
    const gr_tree_options *options = &grower->options;
    const gr_lanes *lanes = &grower->lanes[grower->output];

    memset(grower->device_tried, 0, word_columns(bins) + bins->sparses);
    memcpy(grower->device_tried, grower->tried, bins->dense);
    memcpy(grower->device_tried + word_columns(bins), grower->tried + bins->dense, bins->sparses);
    return (gr_device_tree){ .output = grower->output,
                             .tried = grower->device_tried,
                             .rules = { .l2 = options->l2 * lanes->hessian_scale,
                                        .min_hessian = options->min_hessian,
                                        .min_weight = options->min_weight * lanes->hessian_scale,
                                        .min_rows = (double)options->min_rows,
                                        .newton = grower->round.newton,
                                        .checked = grower->signs != NULL,
                                        .drops = gr_drops_short_cuts(options, &grower->round) } };
}

static void take_root(gr_grower *grower, gr_branch *root, const gr_device_root *found)
{
    gr_lanes *lanes = &grower->lanes[grower->output];

    root->gradient = lanes->gradient_total = (double)found->gradient;
    root->hessian = lanes->hessian_total = (double)found->hessian;
    take_found(grower, root, &found->cut);
}

static gradus_status search_root(gr_grower *grower, gr_branch *root, gradus_error *err)
{
    gr_device_tree tree = describe_tree(grower);
    gr_device_root found;

    root->histogram = gr_histogram_for(grower);
    tree.slot = (uint32_t)root->histogram;
    GR_TRY(grower->device->trees->root(grower->trees, &tree, &found, err));
    take_root(grower, root, &found);
    return GRADUS_OK;
}

/* Takes all splits that the device has made. Enough expansions are left for a tree without them. */
static gradus_status grow_alone(gr_grower *grower, gr_branch *root, gradus_error *err)
{
    const gr_tree_options *options = &grower->options;
    const gr_lanes *lanes = &grower->lanes[grower->output];
    const gr_device_tree tree = describe_tree(grower);
    const gr_device_growth growth = {
        .leaves = (uint32_t)grower->leaves,
        .expansions = (uint32_t)(grower->most_expansions - (grower->leaves - 1)),
        .slots = (uint32_t)enough_histograms(grower),
        .batch = (uint32_t)grower->batch,
        .depth = options->depth < UINT32_MAX ? (uint32_t)options->depth : 0,
        .level = grower->queue.level,
        .gain_unit = gr_gain_unit(lanes),
        .min_gain = options->min_gain,
    };
    const gr_device_grown *grown;
    gr_device_root found;
    size_t count;

    GR_TRY(grower->device->trees->grow(grower->trees, &tree, &growth, &found, &grown, &count, err));
    take_root(grower, root, &found);
    for (size_t i = 0; i < count; i++) {
        gr_branch *node = &grower->nodes[grown[i].node];

        gr_make_children(grower, node);
        gr_count_children(grower, node, grown[i].found.lefts, grown[i].found.lefts);
        take_children(grower, node, &grown[i].found);
    }
    return GRADUS_OK;
}

gradus_status gr_device_start(gr_grower *grower, gr_branch *root, gradus_error *err)
{
    return grower->leaves <= GR_DEVICE_LEAVES &&
                   grower->histograms.count >= enough_histograms(grower)
               ? grow_alone(grower, root, err)
               : search_root(grower, root, err);
}

/* The histograms of the children of a node, which has them until now. */
static void plan_scan(gr_grower *grower, gr_branch *node, gr_device_split *split)
{
    const bool too_deep = grower->options.depth && node->depth + 1 >= grower->options.depth;

    if (too_deep || !gr_is_searched(grower, node)) {
        split->scan = GR_SCAN_NONE;
        gr_histogram_give(&grower->histograms, &node->histogram);
        return;
    }
    split->scan = node->histogram == GR_NO_HISTOGRAM ? GR_SCAN_BOTH : GR_SCAN_SMALL;
    split->slots[1] = (uint32_t)node->histogram;
    node->histogram = GR_NO_HISTOGRAM;
    split->slots[0] = (uint32_t)gr_histogram_for(grower);
    if (split->scan == GR_SCAN_BOTH)
        split->slots[1] = (uint32_t)gr_histogram_for(grower);
}

static void plan_split(gr_grower *grower, gr_branch *node, gr_device_split *split)
{
    const gr_cuts *cuts = &grower->bins->cuts;
    const gr_branch *children;

    gr_make_children(grower, node);
    children = &grower->nodes[node->left];
    *split = (gr_device_split){
        .list = node->list,
        .start = node->place,
        .count = node->count,
        .lefts = UINT32_MAX,
        .column = column_of(grower->bins, node->feature),
        .bin = node->best.bin,
        .missing = node->best.missing_left && cuts->missing[node->feature]
                       ? (uint32_t)gr_cuts_bins(cuts, node->feature) - 1
                       : UINT32_MAX,
        .gradient = { children[0].gradient, children[1].gradient },
        .hessian = { children[0].hessian, children[1].hessian },
        .low = { children[0].low, children[1].low },
        .high = { children[0].high, children[1].high },
    };
    plan_scan(grower, node, split);
}

static void take_split(gr_grower *grower, const gr_branch *node, const gr_device_split *split,
                       const gr_device_found *found)
{
    gr_branch *children = &grower->nodes[node->left];
    size_t first;

    gr_count_children(grower, node, found->lefts, found->lefts);
    first = split->scan == GR_SCAN_SMALL && children[0].count > children[1].count;
    for (size_t side = 0; side < 2 && split->scan != GR_SCAN_NONE; side++)
        children[side].histogram = split->slots[side ^ first];
    take_children(grower, node, found);
}

gradus_status gr_device_expand(gr_grower *grower, size_t count, gradus_error *err)
{
    gr_device_split splits[GR_DEVICE_BATCH] = { { 0 } };
    gr_device_found found[GR_DEVICE_BATCH];

    for (size_t i = 0; i < count; i++) {
        plan_split(grower, &grower->nodes[grower->chosen[i]], &splits[i]);
        if (splits[i].scan != GR_SCAN_NONE &&
            (splits[i].slots[0] == UINT32_MAX || splits[i].slots[1] == UINT32_MAX))
            return gr_fail(err, GRADUS_NO_MEMORY, "the device has too few histograms");
    }
    GR_TRY(grower->device->trees->split(grower->trees, splits, count, found, err));
    for (size_t i = 0; i < count; i++)
        take_split(grower, &grower->nodes[grower->chosen[i]], &splits[i], &found[i]);
    return GRADUS_OK;
}

/* ---- the finished tree ---- */

static void list_device_runs(const gr_grower *grower)
{
    for (size_t i = 0; i < grower->runs; i++)
        grower->device_runs[i] = (gr_device_run){ grower->run_lists[i], grower->run_places[i],
                                                  grower->run_starts[i + 1] - grower->run_starts[i],
                                                  grower->run_leaves[i] };
}

static void list_forks(const gr_grower *grower)
{
    const gr_cuts *cuts = &grower->bins->cuts;

    for (size_t i = 0; i < grower->node_count; i++) {
        const gr_branch *node = &grower->nodes[i];

        if (node->left)
            grower->forks[node->split] = (gr_device_fork){
                .column = column_of(grower->bins, node->feature),
                .bin = node->best.bin,
                .missing = node->best.missing_left && cuts->missing[node->feature]
                               ? (uint32_t)gr_cuts_bins(cuts, node->feature) - 1
                               : UINT32_MAX,
                .left = grower->splits[node->split].left,
                .right = grower->splits[node->split].right,
            };
    }
}

/* Lists the rows of each leaf, ascending, and the rows outside the sample. */
static void list_rows(gr_grower *grower, const uint32_t *leaf_of, uint32_t *next, gr_grown *grown)
{
    const gr_round *round = &grower->round;
    uint32_t *rows = grower->rows.at, *others = rows + round->count, *leaves = grower->spare.at;
    size_t sampled = 0, other = 0;

    memcpy(next, grower->starts, grown->leaves * sizeof *next);
    for (size_t r = 0; r < grower->bins->rows; r++) {
        if (round->rows && (sampled == round->count || round->rows[sampled] != r)) {
            others[other] = (uint32_t)r;
            leaves[other++] = leaf_of[r];
        } else {
            rows[next[leaf_of[r]]++] = (uint32_t)r;
            sampled++;
        }
    }
    for (size_t l = 0; l < grown->leaves; l++) {
        grower->run_starts[l] = grower->starts[l];
        grower->run_leaves[l] = (uint32_t)l;
    }
    grower->run_starts[grown->leaves] = (uint32_t)round->count;
    grown->rows = rows;
    grown->runs = (gr_runs){ rows, grower->run_starts, grower->run_leaves, grown->leaves };
    grown->others = others;
    grown->other_leaves = leaves;
}

static void take_sums(gr_grower *grower, const gr_grown *grown, const int64_t *sums)
{
    const gr_lanes *lanes = &grower->lanes[grower->output];

    for (size_t l = 0; l < grown->leaves; l++) {
        grower->covers[l] = grower->starts[l + 1] - grower->starts[l];
        grower->gradients[l] = (double)sums[2 * l] / lanes->leaf_gradient_scale;
        grower->hessians[l] = lanes->ones ? (double)grower->covers[l]
                                          : (double)sums[2 * l + 1] / lanes->leaf_hessian_scale;
    }
}

gradus_status gr_device_finish(gr_grower *grower, gr_grown *grown, gradus_error *err)
{
    const gr_lanes *lanes = &grower->lanes[grower->output];
    const size_t rows = grower->bins->rows, bytes = rows * sizeof(uint32_t);
    const bool wanted = !grower->round.no_rows;
    gr_device_end end = { .output = grower->output,
                          .runs = grower->device_runs,
                          .run_count = grower->runs,
                          .forks = grower->forks,
                          .leaves = grown->leaves,
                          .gradient_scale = lanes->leaf_gradient_scale,
                          .hessian_scale = lanes->leaf_hessian_scale,
                          .ones = lanes->ones,
                          .sums = gr_new_array(2 * grown->leaves, sizeof(int64_t)) };
    gradus_status status = GRADUS_OK;

    grown->rows = grown->others = grown->other_leaves = NULL;
    grown->runs.rows = NULL;
    if (!end.sums || (wanted && (!gr_array_reserve(&grower->ordered, bytes) ||
                                 !gr_array_reserve(&grower->rows, bytes) ||
                                 !gr_array_reserve(&grower->spare, bytes))))
        status = gr_fail_memory(err, "leaf sums");
    end.leaf_of = wanted ? grower->ordered.at : NULL;
    list_device_runs(grower);
    list_forks(grower);
    if (status == GRADUS_OK)
        status = grower->device->trees->finish(grower->trees, &end, err);
    if (status == GRADUS_OK)
        take_sums(grower, grown, end.sums);
    if (status == GRADUS_OK && wanted)
        list_rows(grower, end.leaf_of, grower->chosen, grown);
    free(end.sums);
    return status;
}
