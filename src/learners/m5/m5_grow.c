/* SPDX-License-Identifier: Apache-2.0 */
/* The sequential algorithm: grows a subtree on rows that are sorted by every feature. Stable
 * partitioning keeps the entries sorted down the tree, so that a level costs O(features x rows). */
#include "learners/m5/m5_build.h"

#include <stdlib.h>

gr_m5_sums gr_m5_sum_rows(const gr_m5_block *block, const uint32_t *rows, size_t count)
{
    gr_m5_sums sums = { 0.0, 0.0, 0.0 };

    for (size_t i = 0; i < count; i++) {
        const double y = block->targets[rows[i]];
        const double w = block->weights ? block->weights[rows[i]] : 1.0;

        sums.weight += w;
        sums.sum += w * y;
        sums.squares += w * y * y;
    }
    return sums;
}

/* Candidate cuts are collected and evaluated in batches of GR_CUTS_AT_ONCE. */
typedef struct looking {
    gr_m5_spread_kernel *kernel;
    const gr_m5_sums *all;
    gr_m5_cut best;
    size_t count;
    gr_m5_cuts cuts;
    uint32_t places[GR_CUTS_AT_ONCE + 1];
    double spreads[GR_CUTS_AT_ONCE];
} looking;

static void look(looking *at)
{
    if (at->count == 0)
        return;
    at->kernel(&at->cuts, at->count, at->all, at->spreads);
    for (size_t i = 0; i < at->count; i++)
        if (at->spreads[i] < at->best.spread)
            at->best = (gr_m5_cut){ at->spreads[i], at->places[i] };
    at->count = 0;
}

/* Unweighted rows. entries[i + 1] is always valid, since the last entry is never a cut. */
static void scan_rows(looking *at, const uint64_t *entries, const double *targets, size_t count)
{
    const size_t least = (size_t)gr_m5_least_side((double)count);
    double sum = 0.0, squares = 0.0;
    size_t i = 0;

    for (; i < least; i++) {
        const double y = targets[(uint32_t)entries[i]];

        sum += y;
        squares += y * y;
    }
    while (i + least + 1 < count) {
        const size_t left = count - least - 1 - i, room = GR_CUTS_AT_ONCE - at->count;
        const size_t end = i + (left < room ? left : room);
        size_t found = at->count;

        for (; i < end; i++) {
            const double y = targets[(uint32_t)entries[i]];

            sum += y;
            squares += y * y;
            at->cuts.weights[found] = (double)(i + 1);
            at->cuts.sums[found] = sum;
            at->cuts.squares[found] = squares;
            at->places[found] = (uint32_t)i;
            found += entries[i] >> 32 != entries[i + 1] >> 32;
        }
        at->count = found;
        if (found == GR_CUTS_AT_ONCE)
            look(at);
    }
}

static void scan_weighted(looking *at, const gr_m5_block *block, const uint64_t *entries,
                          size_t count)
{
    const double least = gr_m5_least_side(at->all->weight);
    gr_m5_sums sums = { 0.0, 0.0, 0.0 };

    for (size_t i = 0; i + 1 < count; i++) {
        const uint32_t r = (uint32_t)entries[i];
        const double w = block->weights[r], y = block->targets[r];
        const size_t found = at->count;

        sums.weight += w;
        sums.sum += w * y;
        sums.squares += w * y * y;
        at->cuts.weights[found] = sums.weight;
        at->cuts.sums[found] = sums.sum;
        at->cuts.squares[found] = sums.squares;
        at->places[found] = (uint32_t)i;
        at->count += (entries[i] >> 32 != entries[i + 1] >> 32) & (sums.weight > least) &
                     (at->all->weight - sums.weight > least);
        if (at->count == GR_CUTS_AT_ONCE)
            look(at);
    }
}

gr_m5_cut gr_m5_best_cut(const gr_m5_block *block, size_t feature, const gr_m5_branch *branch)
{
    const uint64_t *entries = block->entries + feature * block->stride + branch->first;
    looking at;

    at.kernel = gr_m5_spread_here()->spread;
    at.all = &branch->sums;
    at.best = (gr_m5_cut){ INFINITY, 0 };
    at.count = 0;
    if (block->weights)
        scan_weighted(&at, block, entries, branch->count);
    else
        scan_rows(&at, entries, block->targets, branch->count);
    look(&at);
    return at.best;
}

size_t gr_m5_part_rows(const gr_m5_block *block, const gr_m5_branch *branch, uint32_t *spare)
{
    uint32_t *rows = block->rows + branch->first;
    size_t left = 0, right = 0;

    for (size_t i = 0; i < branch->count; i++) {
        const uint32_t r = rows[i];
        const size_t goes_left = block->sides[r];

        rows[left] = r;
        spare[right] = r;
        left += goes_left;
        right += 1 - goes_left;
    }
    memcpy(rows + left, spare, right * sizeof *rows);
    return left;
}

static void part_both(uint64_t *entries, size_t count, const uint8_t *sides, uint64_t *spare)
{
    size_t left = 0, right = 0;

    for (size_t i = 0; i < count; i++) {
        const uint64_t entry = entries[i];
        const size_t goes_left = sides[(uint32_t)entry];

        entries[left] = entry;
        spare[right] = entry;
        left += goes_left;
        right += 1 - goes_left;
    }
    memcpy(entries + left, spare, right * sizeof *entries);
}

void gr_m5_part_entries(const gr_m5_block *block, const gr_m5_branch *branch, size_t feature,
                        bool left, bool right, uint64_t *spare)
{
    uint64_t *entries = block->entries + feature * block->stride + branch->first;
    const uint8_t *sides = block->sides;

    if (left && right) {
        part_both(entries, branch->count, sides, spare);
    } else if (left) {
        size_t kept = 0;

        for (size_t i = 0; i < branch->count; i++) {
            const uint64_t entry = entries[i];

            entries[kept] = entry;
            kept += sides[(uint32_t)entry];
        }
    } else if (right) {
        size_t kept = branch->count;

        for (size_t i = branch->count; i-- > 0;) {
            const uint64_t entry = entries[i];

            entries[kept - 1] = entry;
            kept -= 1u - sides[(uint32_t)entry];
        }
    }
}

void gr_m5_make_children(const gr_m5_block *block, gr_m5_tree *tree, int32_t branch, int32_t left,
                         uint32_t *spare)
{
    gr_m5_branch *now = &tree->at[branch], *low = &tree->at[left], *high = &tree->at[left + 1];

    now->left = left;
    now->right = left + 1;
    low->first = now->first;
    low->count = (uint32_t)gr_m5_part_rows(block, now, spare);
    high->first = now->first + low->count;
    high->count = now->count - low->count;
    low->sums = gr_m5_sum_rows(block, block->rows + low->first, low->count);
    high->sums = gr_m5_sum_rows(block, block->rows + high->first, high->count);
}

int32_t gr_m5_new_branch(gr_m5_tree *tree)
{
    if (tree->count == tree->room) {
        const size_t room = tree->room ? 2 * tree->room : 64;
        gr_m5_branch *more = room > INT32_MAX ? NULL : realloc(tree->at, room * sizeof *tree->at);

        if (!more)
            return -1;
        tree->at = more;
        tree->room = room;
    }
    tree->at[tree->count] = (gr_m5_branch){ .left = -1, .right = -1 };
    return (int32_t)tree->count++;
}

bool gr_m5_start_tree(const gr_m5_sample *sample, gr_m5_block *block, gr_m5_tree *tree)
{
    tree->rows = gr_new_array(sample->count, sizeof *tree->rows);
    block->count = sample->count;
    block->rows = tree->rows;
    block->targets = sample->targets;
    block->weights = sample->weights;
    block->sides = gr_new_array(sample->count, 1);
    if (!tree->rows || !block->sides || gr_m5_new_branch(tree) < 0)
        return false;
    for (size_t i = 0; i < sample->count; i++)
        tree->rows[i] = (uint32_t)i;
    tree->at[0].count = (uint32_t)sample->count;
    tree->at[0].sums = gr_m5_sum_rows(block, tree->rows, sample->count);
    return true;
}

/* A node to split; the features that may vary in it are lists[start .. start + count - 1]. */
typedef struct waiting {
    int32_t branch;
    size_t start, count;
} waiting;

typedef struct growing {
    const gr_m5_block *block;
    const gr_m5_limits *limits;
    gr_m5_tree *tree;
    waiting *stack;
    size_t depth, depth_room;
    uint32_t *lists;
    size_t list_room;
    uint64_t *spare;
} growing;

static bool make_room(growing *g, size_t lists)
{
    if (g->depth + 2 > g->depth_room) {
        const size_t room = 2 * g->depth_room + 16;
        waiting *more = realloc(g->stack, room * sizeof *more);

        if (!more)
            return false;
        g->stack = more;
        g->depth_room = room;
    }
    if (lists > g->list_room) {
        const size_t room = 2 * lists;
        uint32_t *more = realloc(g->lists, room * sizeof *more);

        if (!more)
            return false;
        g->lists = more;
        g->list_room = room;
    }
    return true;
}

/* The best cut over all features. The features that vary in the node are appended to `lists` after
 * the node's own list, for its children. */
static gr_m5_cut best_of_all(growing *g, const waiting *now, uint32_t *feature, size_t *kept)
{
    const gr_m5_branch *branch = &g->tree->at[now->branch];
    uint32_t *list = g->lists + now->start + now->count;
    const double margin = gr_m5_margin(&branch->sums);
    gr_m5_cut best = { INFINITY, 0 };

    *kept = 0;
    for (size_t i = 0; i < now->count; i++) {
        const uint32_t f = g->lists[now->start + i];

        if (gr_m5_is_constant(g->block, f, branch))
            continue;
        list[(*kept)++] = f;
        const gr_m5_cut cut = gr_m5_best_cut(g->block, f, branch);

        if (gr_m5_is_better(&cut, &best, margin)) {
            best = cut;
            *feature = f;
        }
    }
    return best;
}

static bool split(growing *g, const waiting *now, uint32_t feature, size_t place, size_t kept)
{
    const gr_m5_block *block = g->block;
    const int32_t left = gr_m5_new_branch(g->tree), right = gr_m5_new_branch(g->tree);

    if (left < 0 || right < 0)
        return false;
    gr_m5_branch *at = g->tree->at, *branch = &at[now->branch];
    const uint64_t *entries = block->entries + feature * block->stride + branch->first;

    branch->feature = feature;
    branch->cut =
        gr_m5_half_way(gr_m5_entry_value(entries[place]), gr_m5_entry_value(entries[place + 1]));
    for (size_t i = 0; i < branch->count; i++)
        block->sides[(uint32_t)entries[i]] = i <= place;
    gr_m5_make_children(block, g->tree, now->branch, left, (uint32_t *)(void *)g->spare);
    const bool go_left = !gr_m5_is_leaf(&at[left].sums, g->limits);
    const bool go_right = !gr_m5_is_leaf(&at[right].sums, g->limits);
    const size_t start = now->start + now->count;

    for (size_t i = 0; i < kept && (go_left || go_right); i++)
        gr_m5_part_entries(block, branch, g->lists[start + i], go_left, go_right, g->spare);
    if (go_right)
        g->stack[g->depth++] = (waiting){ right, start, kept };
    if (go_left)
        g->stack[g->depth++] = (waiting){ left, start, kept };
    return true;
}

static bool grow_all(growing *g)
{
    while (g->depth) {
        const waiting now = g->stack[--g->depth];
        uint32_t feature = 0;
        size_t kept;

        if (gr_pool_cancelled(g->block->asked) || !make_room(g, now.start + 2 * now.count))
            return false;
        const gr_m5_cut best = best_of_all(g, &now, &feature, &kept);

        if (best.spread < INFINITY && !split(g, &now, feature, best.place, kept))
            return false;
    }
    return true;
}

bool gr_m5_grow_block(const gr_m5_block *block, const gr_m5_limits *limits, gr_m5_tree *tree)
{
    growing g = { .block = block, .limits = limits, .tree = tree };
    bool done = false;

    g.spare = gr_new_array(block->count, sizeof *g.spare);
    if (g.spare && make_room(&g, block->active_count + 1) && gr_m5_new_branch(tree) == 0) {
        tree->at[0].count = (uint32_t)block->count;
        tree->at[0].sums = gr_m5_sum_rows(block, block->rows, block->count);
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): make_room() allocated it */
        memcpy(g.lists, block->active, block->active_count * sizeof *g.lists);
        if (!gr_m5_is_leaf(&tree->at[0].sums, limits))
            g.stack[g.depth++] = (waiting){ 0, 0, block->active_count };
        done = grow_all(&g);
    }
    free(g.stack);
    free(g.lists);
    free(g.spare);
    return done;
}
