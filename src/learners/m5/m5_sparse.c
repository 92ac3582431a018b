/* SPDX-License-Identifier: Apache-2.0 */
/* Grows a tree on sparse rows. Each side of a cut must have more than a fifth of the node's weight,
 * and one side contains no zeros; so only features stored in more than a fifth of the node can be
 * cut. There are at most five times as many of those as a row has entries on average, and each is
 * searched as one sorted column. Memory: the entries of the node, and one column per thread. */
#include "learners/m5/m5_build.h"

#include "base/sort.h"

#include <stdlib.h>

/* A feature that may be cut in the node. */
typedef struct candidate {
    uint32_t feature;
    size_t start, end; /* its stored values in `given` */
    gr_m5_cut cut;
    float below, above; /* values next to the cut */
} candidate;

typedef struct given_value {
    uint32_t row; /* row of the sample */
    float value;
} given_value;

typedef struct sparse_growing {
    const gr_m5_sample *sample;
    gr_m5_block block;          /* `entries` is set per candidate */
    const gr_m5_branch *branch; /* the node being split */
    double *weights;   /* [feature]: weight of the node's rows that store it; 0 between nodes */
    uint32_t *places;  /* [feature]: candidate index + 1; 0 between nodes */
    uint32_t *touched; /* features stored in some row of the node */
    size_t touched_count;
    candidate *candidates;
    size_t count, room;
    gr_array given;             /* given_value, grouped by candidate */
    uint64_t *columns, *spares; /* [worker]: a column of entries each */
    uint32_t *spare_rows;
    gr_arena arena; /* owns the arrays */
} sparse_growing;

typedef struct entries_of_row {
    const uint32_t *columns;
    const float *values;
    size_t count;
} entries_of_row;

static entries_of_row row_at(const sparse_growing *all, uint32_t r)
{
    const gradus_arrays *arrays = all->sample->set->sparse;
    const uint64_t first = arrays->row_starts[all->sample->rows[r]];

    return (entries_of_row){ arrays->columns + first, arrays->entries + first,
                             (size_t)(arrays->row_starts[all->sample->rows[r] + 1] - first) };
}

static void weigh_features(sparse_growing *all)
{
    const gr_m5_branch *branch = all->branch;

    all->touched_count = 0;
    for (size_t i = 0; i < branch->count; i++) {
        const uint32_t r = all->block.rows[branch->first + i];
        const double w = all->sample->weights ? all->sample->weights[r] : 1.0;
        const entries_of_row row = row_at(all, r);

        for (size_t e = 0; e < row.count; e++) {
            const uint32_t f = row.columns[e];

            if (all->weights[f] == 0.0)
                all->touched[all->touched_count++] = f;
            all->weights[f] += w;
        }
    }
}

static int by_feature(const void *a, const void *b)
{
    const uint32_t left = ((const candidate *)a)->feature, right = ((const candidate *)b)->feature;

    return left < right ? -1 : left > right;
}

/* Lists the features that can be cut, ascending, and resets the weights to 0. */
static bool list_candidates(sparse_growing *all)
{
    /* slightly less, since sums may be in a different order */
    const double least = gr_m5_least_side(all->branch->sums.weight) * (1.0 - 1e-9);

    all->count = 0;
    for (size_t i = 0; i < all->touched_count; i++) {
        const uint32_t f = all->touched[i];

        if (all->weights[f] > least) {
            if (all->count == all->room) {
                const size_t room = 2 * all->room + 64;
                candidate *more = realloc(all->candidates, room * sizeof *more);

                if (!more)
                    return false;
                all->candidates = more;
                all->room = room;
            }
            all->candidates[all->count++] = (candidate){ .feature = f };
        }
        all->weights[f] = 0.0;
    }
    if (all->count > 0)
        qsort(all->candidates, all->count, sizeof *all->candidates, by_feature);
    return true;
}

/* Transposes the node's rows into lists of stored values per candidate. */
static bool gather(sparse_growing *all)
{
    const gr_m5_branch *branch = all->branch;
    const uint32_t *rows = all->block.rows + branch->first;
    given_value *given;
    size_t sum = 0;

    for (size_t c = 0; c < all->count; c++)
        all->places[all->candidates[c].feature] = (uint32_t)c + 1;
    for (size_t i = 0; i < branch->count; i++) {
        const entries_of_row row = row_at(all, rows[i]);

        for (size_t e = 0; e < row.count; e++)
            if (all->places[row.columns[e]])
                all->candidates[all->places[row.columns[e]] - 1].end++;
    }
    for (size_t c = 0; c < all->count; c++) {
        const size_t here = all->candidates[c].end;

        all->candidates[c].start = all->candidates[c].end = sum;
        sum += here;
    }
    if (!gr_array_reserve(&all->given, sum * sizeof *given + 1))
        return false;
    given = all->given.at;
    for (size_t i = 0; i < branch->count; i++) {
        const entries_of_row row = row_at(all, rows[i]);

        for (size_t e = 0; e < row.count; e++) {
            const uint32_t f = row.columns[e], place = all->places[f];

            if (place)
                given[all->candidates[place - 1].end++] =
                    (given_value){ rows[i], gr_m5_filled(all->sample->set, f, row.values[e]) };
        }
    }
    for (size_t c = 0; c < all->count; c++)
        all->places[all->candidates[c].feature] = 0;
    return true;
}

static void search_candidate(void *argument, size_t index, size_t worker)
{
    const sparse_growing *all = argument;
    candidate *now = &all->candidates[index];
    const uint32_t *rows = all->block.rows + all->branch->first;
    const given_value *given = (const given_value *)all->given.at + now->start;
    const given_value *end = (const given_value *)all->given.at + now->end;
    uint64_t *column = all->columns + worker * all->sample->count;
    gr_m5_branch whole = *all->branch;
    gr_m5_block block = all->block;

    for (size_t i = 0; i < whole.count; i++) /* both are in row order */
        column[i] = given < end && given->row == rows[i] ? gr_m5_entry((given++)->value, rows[i])
                                                         : gr_m5_entry(0.0f, rows[i]);
    gr_sort_entries(column, whole.count, all->spares + worker * all->sample->count);
    block.entries = column;
    block.stride = whole.count;
    whole.first = 0;
    now->cut = gr_m5_best_cut(&block, 0, &whole);
    if (now->cut.spread < INFINITY) {
        now->below = gr_m5_entry_value(column[now->cut.place]);
        now->above = gr_m5_entry_value(column[now->cut.place + 1]);
    }
}

static void choose_sides(sparse_growing *all, const candidate *best, float cut)
{
    const given_value *given = all->given.at;
    const uint32_t *rows = all->block.rows + all->branch->first;

    for (size_t i = 0; i < all->branch->count; i++)
        all->block.sides[rows[i]] = 0.0f <= cut;
    for (size_t i = best->start; i < best->end; i++)
        all->block.sides[given[i].row] = given[i].value <= cut;
}

enum { FEW_CELLS = 1 << 15 }; /* too little work for threads */

/* Splits a node, if possible, into the last two nodes of the tree. Returns false if out of
 * memory. */
static bool split(sparse_growing *all, gr_m5_tree *tree, int32_t branch, gr_pool *pool,
                  bool *was_split)
{
    gr_m5_branch *now = &tree->at[branch];
    const double margin = gr_m5_margin(&now->sums);
    const gr_m5_cut none = { INFINITY, 0 };
    const candidate *best = NULL;

    *was_split = false;
    all->branch = now;
    weigh_features(all);
    if (!list_candidates(all) || !gather(all))
        return false;
    gr_pool_run(all->count * now->count < FEW_CELLS ? NULL : pool, all->count, search_candidate,
                all);
    for (size_t c = 0; c < all->count; c++)
        if (gr_m5_is_better(&all->candidates[c].cut, best ? &best->cut : &none, margin))
            best = &all->candidates[c];
    if (!best)
        return true;
    now->feature = best->feature;
    now->cut = gr_m5_half_way(best->below, best->above);
    choose_sides(all, best, now->cut);
    gr_m5_make_children(&all->block, tree, branch, (int32_t)tree->count - 2, all->spare_rows);
    *was_split = true;
    return true;
}

static bool grow(sparse_growing *all, const gr_m5_limits *limits, gr_m5_tree *tree, gr_pool *pool)
{
    for (int32_t b = 0; (size_t)b < tree->count; b++) {
        bool was_split;

        if (gr_m5_is_leaf(&tree->at[b].sums, limits))
            continue;
        if (gr_pool_cancelled(all->sample->asked) || gr_m5_new_branch(tree) < 0 ||
            gr_m5_new_branch(tree) < 0 || !split(all, tree, b, pool, &was_split))
            return false;
        if (!was_split)
            tree->count -= 2;
    }
    return true;
}

static bool start(sparse_growing *all, size_t threads, gr_m5_tree *tree)
{
    const gr_m5_sample *sample = all->sample;
    const size_t features = sample->set->features;

    all->block = (gr_m5_block){ .features = 1 };
    all->weights = gr_arena_array(&all->arena, features, sizeof *all->weights);
    all->places = gr_arena_array(&all->arena, features, sizeof *all->places);
    all->touched = gr_arena_array(&all->arena, features, sizeof *all->touched);
    all->columns = gr_arena_array(&all->arena, sample->count * threads, sizeof *all->columns);
    all->spares = gr_arena_array(&all->arena, sample->count * threads, sizeof *all->spares);
    all->spare_rows = gr_arena_array(&all->arena, sample->count, sizeof *all->spare_rows);
    return !all->arena.failed && gr_m5_start_tree(sample, &all->block, tree);
}

gradus_status gr_m5_grow_sparse(const gr_m5_sample *sample, const gr_m5_limits *limits,
                                gr_pool *pool, gr_m5_tree *tree, gradus_error *err)
{
    sparse_growing all = { .sample = sample };
    gr_m5_parts none = { .sample = sample, .limits = limits, .tree = tree };
    gradus_status status;

    if (start(&all, gr_pool_threads(pool), tree) && grow(&all, limits, tree, pool))
        status =
            gr_m5_grow_parts(&none, pool, err); /* no subtrees: only puts the tree in preorder */
    else if ((status = gr_pool_check(sample->asked, err)) == GRADUS_OK)
        status = gr_fail_memory(err, "a tree");
    free(all.block.sides);
    free(all.candidates);
    gr_array_free(&all.given);
    gr_arena_free(&all.arena);
    return status;
}
