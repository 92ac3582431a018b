/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted counts of misordered document pairs in O(n log n), with a Fenwick tree (see pairs.h). */
/* A Fenwick tree over label levels with the total weight of the documents visited so far. */
#include "metrics/pairs.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool gr_level_space_reserve(gr_level_space *space, size_t capacity)
{
    gr_level_space_free(space);
    space->labels = gr_new_array(capacity + 1, sizeof *space->labels);
    space->sizes = gr_new_array(capacity + 1, sizeof *space->sizes);
    space->below = gr_new_array(capacity + 1, sizeof *space->below);
    space->cuts = gr_new_array(capacity + 1, sizeof *space->cuts);
    space->level_of = gr_new_array(capacity, sizeof *space->level_of);
    space->places = gr_new_array(capacity, sizeof *space->places);
    if (space->labels && space->sizes && space->below && space->cuts && space->level_of &&
        space->places)
        return true;
    gr_level_space_free(space);
    return false;
}

void gr_level_space_free(gr_level_space *space)
{
    free(space->labels);
    free(space->sizes);
    free(space->below);
    free(space->cuts);
    free(space->level_of);
    free(space->places);
    *space = (gr_level_space){ .labels = NULL };
}

static void count_levels(gr_levels *levels, gr_level_space *space)
{
    const size_t count = levels->count;

    space->below[0] = 0.0;
    for (size_t l = 0; l < count; l++) {
        levels->pairs += space->sizes[l] * space->below[l];
        space->below[l + 1] = space->below[l] + space->sizes[l];
    }
    space->cuts[0] = 0.0;
    for (size_t l = 1; l < count; l++)
        space->cuts[l] =
            space->cuts[l - 1] + 1.0 / (space->below[l] * (space->below[count] - space->below[l]));
}

void gr_find_levels(const double *labels, size_t count, gr_level_space *space, gr_keyed *scratch,
                    gr_levels *levels)
{
    *levels = (gr_levels){ 0, space->labels, space->sizes, space->below, space->cuts, 0.0 };
    gr_sort_ascending(labels, count, space->places, scratch);
    for (size_t i = 0; i < count; i++) {
        const double label = labels[space->places[i]];

        if (levels->count == 0 || label != space->labels[levels->count - 1]) {
            space->labels[levels->count] = label;
            space->sizes[levels->count++] = 0.0;
        }
        space->sizes[levels->count - 1]++;
        space->level_of[space->places[i]] = levels->count - 1;
    }
    count_levels(levels, space);
}

size_t gr_score_run(const gr_ranked *ranked, size_t start)
{
    size_t end = start + 1;

    while (end < ranked->count && ranked->scores[end] == ranked->scores[start])
        end++;
    return end;
}

static void add(double *tree, size_t levels, size_t level, double weight)
{
    for (size_t node = level + 1; node <= levels; node += node & (~node + 1))
        tree[node] += weight;
}

static double sum_below(const double *tree, size_t level)
{
    double sum = 0.0;

    for (size_t node = level; node > 0; node &= node - 1)
        sum += tree[node];
    return sum;
}

/* Each run of equal scores is queried twice, before and after it is added to the tree: a tied pair
 * counts 0 and 1. The weights of the two passes add up to 2, so that halves are exact. */
double gr_misordered(const gr_ranked *ranked, double tied, const double *low, const double *high)
{
    const double passes[2] = { 2.0 * (1.0 - tied), 2.0 * tied };
    const size_t levels = ranked->levels->count, *level_of = ranked->level_of;
    double *tree = ranked->work, sum = 0.0;

    memset(tree, 0, (levels + 1) * sizeof *tree);
    for (size_t start = 0, end; start < ranked->count; start = end) {
        end = gr_score_run(ranked, start);
        for (int pass = 0; pass < 2; pass++) {
            for (size_t i = start; i < end; i++)
                sum += passes[pass] *
                       (sum_below(tree, level_of[i]) * (high ? high[level_of[i]] : 1.0));
            for (size_t i = start; i < end && pass == 0; i++)
                add(tree, levels, level_of[i], low ? low[level_of[i]] : 1.0);
        }
    }
    return sum / 2.0;
}
