/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the large nodes of a dense sample between bins, one node at a time with a task per
 * feature. */
#include "learners/m5/m5_build.h"

#include <stdlib.h>

enum { BINS = 256 };

_Static_assert((int)BINS <= (int)GR_CUTS_AT_ONCE, "all cuts of a feature fit in one batch");

typedef struct binning {
    const gr_m5_sample *sample;
    const gr_m5_bins *bins;
    const gr_m5_branch *branch; /* the node being split */
    gr_m5_block block;          /* `entries` is unused */
    gr_m5_cut *cuts;            /* [feature] */
    uint32_t *spare;
    uint32_t *places;          /* [row of the node]: row of the set */
    double *targets, *weights; /* [row of the node] */
    gr_arena arena;            /* owns the arrays */
} binning;

static const uint8_t *codes_of(const binning *all, size_t f)
{
    return (const uint8_t *)all->bins->codes.at + f * all->sample->set->rows;
}

/* Gathers the node's rows into contiguous arrays. */
static void take_rows(const binning *all)
{
    const gr_m5_sample *sample = all->sample;

    for (size_t i = 0; i < all->branch->count; i++) {
        const uint32_t r = all->block.rows[all->branch->first + i];

        all->places[i] = sample->rows[r];
        all->targets[i] = sample->targets[r];
        if (sample->weights)
            all->weights[i] = sample->weights[r];
    }
}

/* Sums over the rows of each bin. */
static void sum_bins(const binning *all, size_t f, gr_m5_sums *sums)
{
    const bool weighted = all->sample->weights;
    const uint8_t *codes = codes_of(all, f);

    for (size_t i = 0; i < all->branch->count; i++) {
        const double w = weighted ? all->weights[i] : 1.0, y = all->targets[i];
        gr_m5_sums *bin = &sums[codes[all->places[i]]];

        bin->weight += w;
        bin->sum += w * y;
        bin->squares += w * y * y;
    }
}

static void search_feature(void *argument, size_t f, size_t worker)
{
    const binning *all = argument;
    const size_t cuts = (size_t)(all->bins->starts[f + 1] - all->bins->starts[f]);
    const gr_m5_sums *whole = &all->branch->sums;
    const double least = gr_m5_least_side(whole->weight);
    gr_m5_sums sums[BINS] = { { 0.0, 0.0, 0.0 } }, left = { 0.0, 0.0, 0.0 };
    gr_m5_cuts found;
    double spreads[GR_CUTS_AT_ONCE];
    size_t places[BINS], count = 0;

    (void)worker;
    all->cuts[f] = (gr_m5_cut){ INFINITY, 0 };
    if (cuts == 0)
        return;
    sum_bins(all, f, sums);
    for (size_t b = 0; b < cuts; b++) {
        left.weight += sums[b].weight;
        left.sum += sums[b].sum;
        left.squares += sums[b].squares;
        found.weights[count] = left.weight;
        found.sums[count] = left.sum;
        found.squares[count] = left.squares;
        places[count] = b;
        count +=
            (sums[b].weight > 0.0) & (left.weight > least) & (whole->weight - left.weight > least);
    }
    if (count == 0)
        return;
    gr_m5_spread_here()->spread(&found, count, whole, spreads);
    for (size_t i = 0; i < count; i++)
        if (spreads[i] < all->cuts[f].spread)
            all->cuts[f] = (gr_m5_cut){ spreads[i], places[i] };
}

/* Splits a node; its children are the last two of the tree. Returns false if there is no cut. */
static bool split(binning *all, gr_m5_tree *tree, int32_t branch, gr_pool *pool)
{
    gr_m5_branch *now = &tree->at[branch];
    const double margin = gr_m5_margin(&now->sums);
    gr_m5_cut best = { INFINITY, 0 };

    all->branch = now;
    take_rows(all);
    gr_pool_run(pool, all->block.features, search_feature, all);
    for (uint32_t f = 0; f < all->block.features; f++)
        if (gr_m5_is_better(&all->cuts[f], &best, margin)) {
            best = all->cuts[f];
            now->feature = f;
        }
    if (best.spread == INFINITY)
        return false;
    const uint8_t *codes = codes_of(all, now->feature);

    now->cut = all->bins->cuts[all->bins->starts[now->feature] + best.place];
    for (size_t i = 0; i < now->count; i++)
        all->block.sides[all->block.rows[now->first + i]] = codes[all->places[i]] <= best.place;
    gr_m5_make_children(&all->block, tree, branch, (int32_t)tree->count - 2, all->spare);
    return true;
}

/* Splits all large nodes, in the order they were made. A node that cannot be cut between bins is
 * added to the parts too, since it may still be cut between values. */
static bool grow_top(binning *all, gr_m5_parts *parts, gr_pool *pool)
{
    gr_m5_tree *tree = parts->tree;

    for (int32_t b = 0; (size_t)b < tree->count; b++) {
        if (gr_m5_is_leaf(&tree->at[b].sums, parts->limits))
            continue;
        if (tree->at[b].count > GR_M5_PART_ROWS) {
            if (gr_pool_cancelled(parts->sample->asked) || gr_m5_new_branch(tree) < 0 ||
                gr_m5_new_branch(tree) < 0)
                return false;
            if (split(all, tree, b, pool))
                continue;
            tree->count -= 2;
        }
        if (!gr_m5_add_part(parts, b))
            return false;
    }
    return true;
}

static bool start(binning *all, gr_m5_tree *tree)
{
    const gr_m5_sample *sample = all->sample;

    all->block = (gr_m5_block){ .features = sample->set->features };
    all->cuts = gr_arena_array(&all->arena, sample->set->features, sizeof *all->cuts);
    all->spare = gr_arena_array(&all->arena, sample->count, sizeof *all->spare);
    all->places = gr_arena_array(&all->arena, sample->count, sizeof *all->places);
    all->targets = gr_arena_array(&all->arena, sample->count, sizeof *all->targets);
    all->weights =
        gr_arena_array(&all->arena, sample->weights ? sample->count : 1, sizeof *all->weights);
    return !all->arena.failed && gr_m5_start_tree(sample, &all->block, tree);
}

gradus_status gr_m5_grow_binned(const gr_m5_sample *sample, const gr_m5_bins *bins,
                                const gr_m5_limits *limits, gr_pool *pool, gr_m5_tree *tree,
                                gradus_error *err)
{
    binning all = { .sample = sample, .bins = bins };
    gr_m5_parts parts = { .sample = sample, .limits = limits, .tree = tree };
    gradus_status status;

    if (start(&all, tree) && grow_top(&all, &parts, pool))
        status = gr_m5_grow_parts(&parts, pool, err);
    else if ((status = gr_pool_check(sample->asked, err)) == GRADUS_OK)
        status = gr_fail_memory(err, "a tree");
    free(parts.at);
    gr_arena_free(&all.arena);
    free(all.block.sides);
    return status;
}
