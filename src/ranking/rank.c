/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks documents: a stable sort by score, then a sort of each run of tied scores by the tie
 * rule. */
#include "ranking/rank.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct named {
    const char *name;
    size_t document;
} named;

/* Names are sorted in the scratch memory of the keyed sort. */
_Static_assert(sizeof(named) <= 2 * sizeof(gr_keyed), "a name does not fit");

bool gr_rank_space_reserve(gr_rank_space *space, size_t capacity)
{
    if (space->keys && space->capacity >= capacity)
        return true;
    gr_rank_space_free(space);
    space->keys = gr_new_array(capacity, sizeof *space->keys);
    space->places = gr_new_array(capacity, sizeof *space->places);
    space->scratch = gr_new_array(capacity, GR_SORT_SCRATCH(1));
    space->capacity = capacity;
    if (space->keys && space->places && space->scratch)
        return true;
    gr_rank_space_free(space);
    return false;
}

void gr_rank_space_free(gr_rank_space *space)
{
    free(space->keys);
    free(space->places);
    free(space->scratch);
    *space = (gr_rank_space){ .capacity = 0 };
}

static int later_name_first(const void *left, const void *right)
{
    const named *a = left, *b = right;
    const int order = strcmp(b->name, a->name);

    if (order != 0)
        return order;
    return a->document < b->document ? -1 : a->document > b->document;
}

static void sort_by_name(const gr_candidates *candidates, size_t *run, size_t count,
                         gr_rank_space *space)
{
    named *names = (void *)space->scratch;

    if (!candidates->name_starts)
        return;
    for (size_t i = 0; i < count; i++)
        names[i] = (named){ candidates->name_bytes + candidates->name_starts[run[i]], run[i] };
    qsort(names, count, sizeof *names, later_name_first);
    for (size_t i = 0; i < count; i++)
        run[i] = names[i].document;
}

static void sort_by_label(const gr_candidates *candidates, bool ascending, size_t *run,
                          size_t count, gr_rank_space *space)
{
    size_t *kept = (void *)space->scratch;

    for (size_t i = 0; i < count; i++)
        space->keys[i] = candidates->labels[run[i]];
    if (ascending)
        gr_sort_ascending(space->keys, count, space->places, space->scratch);
    else
        gr_sort_descending(space->keys, count, space->places, space->scratch);
    memcpy(kept, run, count * sizeof *run);
    for (size_t i = 0; i < count; i++)
        run[i] = kept[space->places[i]];
}

static void sort_run(const gr_candidates *candidates, gr_ties ties, size_t *run, size_t count,
                     gr_rank_space *space)
{
    if (count < 2 || ties == GR_TIES_INPUT)
        return;
    if (ties == GR_TIES_DOCNO)
        sort_by_name(candidates, run, count, space);
    else
        sort_by_label(candidates, ties == GR_TIES_PESSIMISTIC, run, count, space);
}

size_t gr_rank(const gr_candidates *candidates, gr_ties ties, size_t *order, size_t *ends,
               gr_rank_space *space)
{
    const double *scores = candidates->scores;
    size_t groups = 0;

    gr_sort_descending(scores, candidates->count, order, space->scratch);
    for (size_t start = 0, end; start < candidates->count; start = end) {
        for (end = start + 1; end < candidates->count; end++)
            if (scores[order[end]] != scores[order[start]])
                break;
        sort_run(candidates, ties, order + start, end - start, space);
        if (ties == GR_TIES_EXPECTED)
            ends[groups++] = end;
        else
            for (size_t i = start; i < end; i++)
                ends[groups++] = i + 1;
    }
    return groups;
}
