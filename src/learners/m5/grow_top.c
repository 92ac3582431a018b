/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the large nodes of a dense, sorted sample, one node at a time with a task per feature. */
#include "learners/m5/m5_build.h"

#include "base/ranges.h"
#include "base/sort.h"

#include <stdlib.h>

typedef struct sorting {
    const gr_m5_sample *sample;
    uint64_t *entries, *spares; /* spares: [worker][count] */
} sorting;

enum { FEATURES_A_TASK = 16 };

static void sort_features(void *argument, gr_range range)
{
    const sorting *all = argument;
    const size_t count = all->sample->count;

    gr_m5_take_entries(all->sample, NULL, count, range.first, range.end,
                       all->entries + range.first * count);
    for (size_t f = range.first; f < range.end && !gr_pool_cancelled(all->sample->asked); f++)
        gr_sort_entries(all->entries + f * count, count, all->spares + range.worker * count);
}

gradus_status gr_m5_sort_sample(const gr_m5_sample *sample, gr_pool *pool, uint64_t *entries,
                                gradus_error *err)
{
    sorting all = { .sample = sample, .entries = entries };

    all.spares = gr_new_array(sample->count * gr_pool_threads(pool), sizeof *all.spares);
    if (!all.spares)
        return gr_fail_memory(err, "sorted values");
    gr_for_ranges(pool, sample->set->features, FEATURES_A_TASK, sort_features, &all);
    free(all.spares);
    return gr_pool_check(sample->asked, err);
}

typedef struct topping {
    gr_m5_block block;
    const gr_m5_branch *branch; /* the node being split */
    gr_m5_cut *cuts;            /* [feature] */
    uint64_t *spares;           /* [worker][count] */
    bool go_left, go_right;
} topping;

static void search_feature(void *argument, size_t f, size_t worker)
{
    const topping *top = argument;

    (void)worker;
    top->cuts[f] = gr_m5_is_constant(&top->block, f, top->branch)
                       ? (gr_m5_cut){ INFINITY, 0 }
                       : gr_m5_best_cut(&top->block, f, top->branch);
}

static void part_feature(void *argument, size_t f, size_t worker)
{
    const topping *top = argument;

    gr_m5_part_entries(&top->block, top->branch, f, top->go_left, top->go_right,
                       top->spares + worker * top->block.count);
}

/* Splits a node into the last two of the tree. Returns false if there is no cut. */
static bool split(topping *top, gr_m5_tree *tree, int32_t branch, const gr_m5_limits *limits,
                  gr_pool *pool)
{
    const gr_m5_block *block = &top->block;
    gr_m5_branch *at = tree->at, *now = &at[branch];
    const double margin = gr_m5_margin(&now->sums);
    gr_m5_cut best = { INFINITY, 0 };

    top->branch = now;
    gr_pool_run(pool, block->features, search_feature, top);
    for (uint32_t f = 0; f < block->features; f++)
        if (gr_m5_is_better(&top->cuts[f], &best, margin)) {
            best = top->cuts[f];
            now->feature = f;
        }
    if (best.spread == INFINITY)
        return false;
    const uint64_t *entries = block->entries + now->feature * block->stride + now->first;

    now->cut = gr_m5_half_way(gr_m5_entry_value(entries[best.place]),
                              gr_m5_entry_value(entries[best.place + 1]));
    for (size_t i = 0; i < now->count; i++)
        block->sides[(uint32_t)entries[i]] = i <= best.place;
    gr_m5_make_children(block, tree, branch, (int32_t)tree->count - 2,
                        (uint32_t *)(void *)top->spares);
    top->go_left = !gr_m5_is_leaf(&at[now->left].sums, limits);
    top->go_right = !gr_m5_is_leaf(&at[now->right].sums, limits);
    gr_pool_run(pool, block->features, part_feature, top);
    return true;
}

/* Splits the large nodes, in the order they were made; the others become parts. Returns false if
 * out of memory or cancelled. */
static bool grow_top(topping *top, gr_m5_parts *parts, gr_pool *pool)
{
    gr_m5_tree *tree = parts->tree;

    for (int32_t b = 0; (size_t)b < tree->count; b++) {
        if (gr_m5_is_leaf(&tree->at[b].sums, parts->limits))
            continue;
        if (tree->at[b].count <= GR_M5_PART_ROWS) {
            if (!gr_m5_add_part(parts, b))
                return false;
            continue;
        }
        if (gr_pool_cancelled(parts->sample->asked) || gr_m5_new_branch(tree) < 0 ||
            gr_m5_new_branch(tree) < 0)
            return false;
        if (!split(top, tree, b, parts->limits, pool))
            tree->count -= 2;
    }
    return true;
}

static bool start(topping *top, const gr_m5_sample *sample, uint64_t *entries, size_t threads,
                  gr_m5_tree *tree)
{
    top->block = (gr_m5_block){ .features = sample->set->features,
                                .entries = entries,
                                .stride = sample->count };
    top->cuts = gr_new_array(sample->set->features, sizeof *top->cuts);
    top->spares = gr_new_array(sample->count * threads, sizeof *top->spares);
    return top->cuts && top->spares && gr_m5_start_tree(sample, &top->block, tree);
}

gradus_status gr_m5_grow_exact(const gr_m5_sample *sample, uint64_t *entries,
                               const gr_m5_limits *limits, gr_pool *pool, gr_m5_tree *tree,
                               gradus_error *err)
{
    topping top = { .cuts = NULL };
    gr_m5_parts parts = { .sample = sample, .limits = limits, .tree = tree, .entries = entries };
    gradus_status status;

    if (start(&top, sample, entries, gr_pool_threads(pool), tree) && grow_top(&top, &parts, pool))
        status = gr_m5_grow_parts(&parts, pool, err);
    else if ((status = gr_pool_check(sample->asked, err)) == GRADUS_OK)
        status = gr_fail_memory(err, "a tree");
    free(parts.at);
    free(top.cuts);
    free(top.spares);
    free(top.block.sides);
    return status;
}
