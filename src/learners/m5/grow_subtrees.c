/* SPDX-License-Identifier: Apache-2.0 */
/* Grows the small subtrees of a tree in parallel, one thread each, and joins them with the upper
 * nodes. */
#include "learners/m5/m5_build.h"

#include "base/sort.h"

#include <stdatomic.h>
#include <stdlib.h>

void gr_m5_tree_free(gr_m5_tree *tree)
{
    free(tree->at);
    free(tree->rows);
    *tree = (gr_m5_tree){ .at = NULL };
}

bool gr_m5_add_part(gr_m5_parts *parts, int32_t branch)
{
    if (parts->count == parts->room) {
        const size_t room = 2 * parts->room + 64;
        int32_t *more = realloc(parts->at, room * sizeof *more);

        if (!more)
            return false;
        parts->at = more;
        parts->room = room;
    }
    parts->at[parts->count++] = branch;
    return true;
}

enum { FEATURES_AT_ONCE = 16 }; /* one cache line of floats */

void gr_m5_take_entries(const gr_m5_sample *sample, const uint32_t *rows, size_t count,
                        size_t first, size_t end, uint64_t *entries)
{
    for (size_t f0 = first; f0 < end; f0 += FEATURES_AT_ONCE) {
        const size_t f1 = f0 + FEATURES_AT_ONCE < end ? f0 + FEATURES_AT_ONCE : end;

        for (size_t i = 0; i < count; i++) {
            const size_t r = sample->rows[rows ? rows[i] : i];
            const float *row = sample->set->values + r * sample->set->stride;

            for (size_t f = f0; f < f1; f++)
                entries[(f - first) * count + i] = gr_m5_entry(row[f], (uint32_t)i);
        }
    }
}

typedef struct working {
    const gr_m5_parts *parts;
    uint32_t *new_rows; /* [row of the sample]: its number in its subtree */
    uint32_t *active;   /* [features]: 0, 1, 2, ... */
    gr_m5_tree *trees;  /* [part] */
    atomic_bool failed;
} working;

/* Buffers of one subtree. */
typedef struct room {
    double *targets, *weights;
    uint32_t *rows;
    uint8_t *sides;
    uint64_t *entries, *spare; /* if there are no shared entries */
} room;

static bool make_room(room *made, const gr_m5_parts *parts, size_t count)
{
    const size_t features = parts->sample->set->features;

    made->targets = gr_new_array(count, sizeof *made->targets);
    made->weights = gr_new_array(parts->sample->weights ? count : 1, sizeof *made->weights);
    made->rows = gr_new_array(count, sizeof *made->rows);
    made->sides = gr_new_array(count, 1);
    if (!parts->entries) {
        made->entries = malloc(count * features * sizeof *made->entries + 1);
        made->spare = malloc(count * sizeof *made->spare);
    }
    return made->targets && made->weights && made->rows && made->sides &&
           (parts->entries || (made->entries && made->spare));
}

static void free_room(room *made)
{
    free(made->targets);
    free(made->weights);
    free(made->rows);
    free(made->sides);
    free(made->entries);
    free(made->spare);
}

/* The entries of the subtree's rows, renumbered from 0. */
static void take_entries(const working *all, const room *made, const uint32_t *rows,
                         gr_m5_block *block, size_t first)
{
    const gr_m5_parts *parts = all->parts;

    if (!parts->entries) {
        gr_m5_take_entries(parts->sample, rows, block->count, 0, block->features, made->entries);
        for (size_t f = 0; f < block->features; f++)
            gr_sort_entries(made->entries + f * block->count, block->count, made->spare);
        block->entries = made->entries;
        block->stride = block->count;
        return;
    }
    block->stride = parts->sample->count;
    block->entries = parts->entries + first;
    for (size_t i = 0; i < block->count; i++)
        all->new_rows[rows[i]] = (uint32_t)i;
    for (size_t f = 0; f < block->features; f++) {
        uint64_t *entries = block->entries + f * block->stride;

        for (size_t i = 0; i < block->count; i++)
            entries[i] = (entries[i] & ~(uint64_t)UINT32_MAX) | all->new_rows[(uint32_t)entries[i]];
    }
}

static bool grow(working *all, size_t index, room *made)
{
    const gr_m5_parts *parts = all->parts;
    const gr_m5_sample *sample = parts->sample;
    const gr_m5_branch *branch = &parts->tree->at[parts->at[index]];
    uint32_t *rows = parts->tree->rows + branch->first;
    gr_m5_block block = { .features = sample->set->features,
                          .count = branch->count,
                          .asked = sample->asked,
                          .active = all->active,
                          .active_count = sample->set->features };

    if (!make_room(made, parts, branch->count))
        return false;
    for (size_t i = 0; i < block.count; i++) {
        made->targets[i] = sample->targets[rows[i]];
        made->rows[i] = (uint32_t)i;
        if (sample->weights)
            made->weights[i] = sample->weights[rows[i]];
    }
    block.targets = made->targets;
    block.weights = sample->weights ? made->weights : NULL;
    block.rows = made->rows;
    block.sides = made->sides;
    take_entries(all, made, rows, &block, branch->first);
    if (!gr_m5_grow_block(&block, parts->limits, &all->trees[index]))
        return false;
    for (size_t i = 0; i < block.count; i++)
        made->rows[i] = rows[made->rows[i]];
    memcpy(rows, made->rows, block.count * sizeof *rows);
    return true;
}

static void grow_part(void *argument, size_t index, size_t worker)
{
    working *all = argument;
    room made = { .targets = NULL };

    (void)worker;
    if (!grow(all, index, &made))
        atomic_store(&all->failed, true);
    free_room(&made);
}

/* A node to copy: of the upper tree (part 0) or of subtree `part` - 1. */
typedef struct placing {
    size_t part;
    int32_t branch;
    int32_t parent; /* in the new tree; -1: root */
    bool is_left;
} placing;

static void place_all(const working *all, const size_t *part_of, placing *stack, gr_m5_tree *to)
{
    const gr_m5_tree *top = all->parts->tree;
    size_t depth = 0;

    stack[depth++] = (placing){ 0, 0, -1, false };
    while (depth) {
        placing now = stack[--depth];
        uint32_t first = 0;
        const int32_t place = (int32_t)to->count;

        if (now.part == 0 && part_of[now.branch]) {
            now.part = part_of[now.branch];
            now.branch = 0;
        }
        if (now.part)
            first = top->at[all->parts->at[now.part - 1]].first;
        gr_m5_branch branch = (now.part ? &all->trees[now.part - 1] : top)->at[now.branch];

        if (now.parent >= 0 && now.is_left)
            to->at[now.parent].left = place;
        else if (now.parent >= 0)
            to->at[now.parent].right = place;
        branch.first += first;
        to->at[to->count++] = branch;
        if (branch.left < 0)
            continue;
        stack[depth++] = (placing){ now.part, branch.right, place, false };
        stack[depth++] = (placing){ now.part, branch.left, place, true };
    }
}

/* Joins the upper tree and its subtrees into one tree in preorder. */
static bool put_together(const working *all)
{
    gr_m5_tree *top = all->parts->tree;
    gr_m5_tree whole = { .rows = top->rows };
    size_t *part_of = gr_new_array(top->count, sizeof *part_of);
    placing *stack;

    whole.room = top->count;
    for (size_t i = 0; i < all->parts->count; i++)
        whole.room += all->trees[i].count;
    stack = gr_new_array(whole.room + 1, sizeof *stack);
    whole.at = whole.room > INT32_MAX ? NULL : gr_new_array(whole.room, sizeof *whole.at);
    if (part_of && stack && whole.at) {
        for (size_t i = 0; i < all->parts->count; i++)
            part_of[all->parts->at[i]] = i + 1;
        place_all(all, part_of, stack, &whole);
        free(top->at);
        *top = whole;
        whole.at = NULL;
    } else {
        free(whole.at);
        whole.count = 0;
    }
    free(part_of);
    free(stack);
    return whole.count > 0;
}

gradus_status gr_m5_grow_parts(gr_m5_parts *parts, gr_pool *pool, gradus_error *err)
{
    const size_t features = parts->sample->set->features;
    working all = { .parts = parts };
    gradus_status status = GRADUS_OK;

    atomic_init(&all.failed, false);
    all.new_rows = gr_new_array(parts->sample->count, sizeof *all.new_rows);
    all.active = gr_new_array(features, sizeof *all.active);
    all.trees = gr_new_array(parts->count, sizeof *all.trees);
    if (all.new_rows && all.active && all.trees) {
        for (size_t f = 0; f < features; f++)
            all.active[f] = (uint32_t)f;
        gr_pool_run(pool, parts->count, grow_part, &all);
        status = gr_pool_check(parts->sample->asked, err);
        if (status == GRADUS_OK && (atomic_load(&all.failed) || !put_together(&all)))
            status = gr_fail_memory(err, "a tree");
    } else {
        status = gr_fail_memory(err, "a tree");
    }
    for (size_t i = 0; all.trees && i < parts->count; i++)
        gr_m5_tree_free(&all.trees[i]);
    free(all.new_rows);
    free(all.active);
    free(all.trees);
    return status;
}
