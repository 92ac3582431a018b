/* SPDX-License-Identifier: Apache-2.0 */
/* The forest container, and the reference evaluation of single rows. */
#include "learners/forest/forest.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TREES = 64, FIRST_SPLITS = 1024 };

/* Resizes an array to room + more items. */
static bool grow(void **array, size_t item, size_t room, size_t more)
{
    size_t count, bytes;
    void *larger;

    if (!gr_size_plus(room, more, &count) || !gr_size_times(count, item, &bytes))
        return false;
    larger = realloc(*array, bytes);
    if (larger)
        *array = larger;
    return larger != NULL;
}

static size_t larger_room(size_t room, size_t wanted, size_t first)
{
    const size_t twice = room > SIZE_MAX / 2 ? wanted : room * 2;

    if (wanted <= first)
        return first;
    return twice > wanted ? twice : wanted;
}

static bool reserve(gr_forest *forest, size_t trees, size_t splits)
{
    size_t tree_room = forest->tree_room, split_room = forest->split_room;

    if (trees <= tree_room && splits <= split_room)
        return true;
    if (trees > tree_room)
        tree_room = larger_room(tree_room, trees, FIRST_TREES);
    if (splits > split_room)
        split_room = larger_room(split_room, splits, FIRST_SPLITS);
    /* Each tree has one leaf more than splits. The capacities are updated last, so that they stay
     * valid if an allocation fails. */
    if (!grow((void **)&forest->starts, sizeof *forest->starts, tree_room, 1) ||
        !grow((void **)&forest->splits, sizeof *forest->splits, split_room, 0) ||
        !grow((void **)&forest->leaves, sizeof *forest->leaves, split_room, tree_room) ||
        !grow((void **)&forest->covers, sizeof *forest->covers, split_room, tree_room))
        return false;
    forest->tree_room = tree_room;
    forest->split_room = split_room;
    return true;
}

gradus_status gr_forest_start(gr_forest *forest, size_t features, size_t outputs,
                              const double *bases, gradus_error *err)
{
    *forest = (gr_forest){ .features = features, .outputs = outputs };
    forest->bases = gr_new_array(outputs, sizeof *forest->bases);
    if (!forest->bases || !reserve(forest, FIRST_TREES, FIRST_SPLITS)) {
        forest->tree_room = 1; /* owned, so that it is freed */
        gr_forest_free(forest);
        return gr_fail_memory(err, "trees");
    }
    memcpy(forest->bases, bases, outputs * sizeof *bases);
    forest->starts[0] = 0;
    return GRADUS_OK;
}

gradus_status gr_forest_add(gr_forest *forest, const gr_split *splits, size_t leaves,
                            const float *values, const uint32_t *covers, gradus_error *err)
{
    const size_t tree = forest->trees, used = (size_t)forest->starts[tree];

    assert(leaves > 0 && forest->tree_room > 0);
    if (!reserve(forest, tree + 1, used + leaves - 1))
        return gr_fail_memory(err, "trees");
    if (leaves > 1)
        memcpy(forest->splits + used, splits, (leaves - 1) * sizeof *splits);
    memcpy(forest->leaves + used + tree, values, leaves * sizeof *values);
    memcpy(forest->covers + used + tree, covers, leaves * sizeof *covers);
    forest->trees++;
    forest->starts[forest->trees] = used + leaves - 1;
    return GRADUS_OK;
}

void gr_forest_cut(gr_forest *forest, size_t rounds)
{
    if (rounds < gr_forest_rounds(forest))
        forest->trees = rounds * forest->outputs;
}

void gr_forest_free(gr_forest *forest)
{
    if (forest->tree_room) {
        free(forest->bases);
        free(forest->starts);
        free(forest->splits);
        free(forest->leaves);
        free(forest->covers);
    }
    *forest = (gr_forest){ 0 };
}

uint32_t gr_forest_leaf(const gr_forest *forest, size_t t, const float *row)
{
    const gr_split *splits = forest->splits + forest->starts[t];
    int32_t node = forest->starts[t] < forest->starts[t + 1] ? 0 : ~0;

    while (node >= 0) {
        const gr_split *split = &splits[node];
        const float value = row[split->feature];
        const bool left = isnan(value) ? split->missing_left : value < split->threshold;

        node = left ? split->left : split->right;
    }
    return (uint32_t)~node;
}

void gr_forest_row(const gr_forest *forest, const float *row, size_t rounds, double *raw)
{
    const size_t outputs = forest->outputs, all = gr_forest_rounds(forest);
    const size_t trees = (rounds < all ? rounds : all) * outputs;

    memcpy(raw, forest->bases, outputs * sizeof *raw);
    for (size_t t = 0; t < trees; t++)
        raw[t % outputs] +=
            (double)forest->leaves[forest->starts[t] + t + gr_forest_leaf(forest, t, row)];
}

size_t gr_forest_uses(const gr_forest *forest, gradus_feature_use *uses)
{
    const size_t count = forest->trees ? (size_t)forest->starts[forest->trees] : 0;

    for (size_t s = 0; uses && s < count; s++)
        uses[s] =
            (gradus_feature_use){ forest->splits[s].feature, (double)forest->splits[s].gain, 1 };
    return count;
}
