/* SPDX-License-Identifier: Apache-2.0 */
/* Per-thread scratch memory (gr_workspace), and the ranking of one list into it: gather, sort,
 * ideal order, label levels. */
#include "metrics/workspace.h"

#include "base/memory.h"

#include <stdlib.h>

void gr_workspace_free(gr_workspace *d)
{
    gr_rank_space_free(&d->rank);
    gr_level_space_free(&d->level_space);
    gr_arena_free(&d->arena);
}

bool gr_workspace_make(gr_workspace *d, size_t longest)
{
    if (d->ready)
        return true;
    d->labels = gr_arena_array(&d->arena, longest, sizeof *d->labels);
    d->scores = gr_arena_array(&d->arena, longest, sizeof *d->scores);
    d->weights = gr_arena_array(&d->arena, longest, sizeof *d->weights);
    d->ideal = gr_arena_array(&d->arena, longest, sizeof *d->ideal);
    d->ranked_labels = gr_arena_array(&d->arena, longest, sizeof *d->ranked_labels);
    d->ranked_scores = gr_arena_array(&d->arena, longest, sizeof *d->ranked_scores);
    d->work = gr_arena_array(&d->arena, GR_WORK(longest), sizeof *d->work);
    d->names = gr_arena_array(&d->arena, longest, sizeof *d->names);
    d->order = gr_arena_array(&d->arena, longest, sizeof *d->order);
    d->ends = gr_arena_array(&d->arena, longest, sizeof *d->ends);
    d->rows = gr_arena_array(&d->arena, longest, sizeof *d->rows);
    d->judged = gr_arena_array(&d->arena, longest, sizeof *d->judged);
    d->ready = !d->arena.failed && gr_rank_space_reserve(&d->rank, longest) &&
               gr_level_space_reserve(&d->level_space, longest);
    return d->ready;
}

/* Copies the rows of list q, without unjudged ones if condensed, and returns their number. */
static size_t gather(const gr_lists *lists, size_t q, bool condensed, gr_workspace *d)
{
    size_t count = 0;

    for (uint64_t r = lists->starts[q]; r < lists->starts[q + 1]; r++) {
        if (condensed && lists->judged && !lists->judged[r])
            continue;
        d->rows[count] = (size_t)r;
        d->labels[count] = (double)lists->labels[r];
        d->scores[count] = lists->scores[r];
        if (lists->name_starts)
            d->names[count] = lists->name_starts[r];
        count++;
    }
    return count;
}

enum { FEW = 64 };

/* Counting sort of grades: counts labels that are whole numbers below FEW; false on any other. */
static bool count_grades(const double *labels, size_t count, size_t counts[FEW])
{
    for (size_t i = 0; i < count; i++) {
        const double label = labels[i];

        if (!(label >= 0.0 && label < FEW) || (double)(size_t)label != label)
            return false;
        counts[(size_t)label]++;
    }
    return true;
}

static void sort_labels(const double *labels, size_t count, double *sorted, gr_workspace *d)
{
    size_t counts[FEW] = { 0 };

    if (count_grades(labels, count, counts)) {
        for (size_t grade = FEW; grade-- > 0;)
            for (size_t i = 0; i < counts[grade]; i++)
                *sorted++ = (double)grade;
        return;
    }
    gr_sort_descending(labels, count, d->rank.places, d->rank.scratch);
    for (size_t i = 0; i < count; i++)
        sorted[i] = labels[d->rank.places[i]];
}

/* Sorts the labels of all judged documents in descending order and counts the relevant ones. */
static void find_ideal(const gr_lists *lists, size_t q, gr_workspace *d, gr_ranked *ranked)
{
    const double *labels = d->labels;

    ranked->ideal_count = ranked->count;
    if (lists->judgements) {
        const uint64_t start = lists->judgement_starts[q];

        ranked->ideal_count = (size_t)(lists->judgement_starts[q + 1] - start);
        for (size_t i = 0; i < ranked->ideal_count; i++)
            d->work[i] = (double)lists->judgements[start + i];
        labels = d->work;
    }
    sort_labels(labels, ranked->ideal_count, d->ideal, d);
    ranked->ideal = d->ideal;
    for (size_t i = 0; i < ranked->ideal_count; i++)
        ranked->relevant += gr_is_relevant(&ranked->settings->convention, d->ideal[i]);
}

/* Copies labels, scores, weights and judged flags of `count` documents into ranked order. */
static void put_in_order(const gr_lists *lists, size_t count, gr_workspace *d, gr_ranked *ranked)
{
    for (size_t i = 0; i < count; i++) {
        const size_t from = d->order[i], r = d->rows[from];

        d->ranked_labels[i] = d->labels[from];
        d->ranked_scores[i] = d->scores[from];
        d->weights[i] = lists->row_weights ? (double)lists->row_weights[r] : 1.0;
        d->judged[i] = !lists->judged || lists->judged[r];
    }
    ranked->labels = d->ranked_labels;
    ranked->scores = d->ranked_scores;
    ranked->weights = lists->row_weights ? d->weights : NULL;
    ranked->judged = lists->judged ? d->judged : NULL;
}

enum { MAX_TOP = 64 }; /* ranks; to find more of them takes as long as to sort all */

/* The lowest of the `top` highest scores. */
static double lowest_of_top(const double *scores, size_t count, size_t top)
{
    double best[MAX_TOP]; /* descending */
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        const double score = scores[i];
        size_t at = found;

        if (found == top && !(score > best[top - 1]))
            continue;
        if (found < top)
            found++;
        else
            at = top - 1;
        for (; at > 0 && best[at - 1] < score; at--)
            best[at] = best[at - 1];
        best[at] = score;
    }
    return best[top - 1];
}

/* Removes the documents that are below the first `top` ranks and not tied with the last of these, and returns
 * the number of the others, whose order stays. */
static size_t keep_top(const gr_lists *lists, size_t count, size_t top, gr_workspace *d)
{
    size_t kept = 0;

    if (top == 0 || top > MAX_TOP || top >= count)
        return count;
    const double least = lowest_of_top(d->scores, count, top);

    for (size_t i = 0; i < count; i++) {
        if (d->scores[i] < least)
            continue;
        d->rows[kept] = d->rows[i];
        d->labels[kept] = d->labels[i];
        d->scores[kept] = d->scores[i];
        if (lists->name_starts)
            d->names[kept] = d->names[i];
        kept++;
    }
    return kept;
}

gr_ranked gr_workspace_rank(gr_workspace *d, const gr_lists *lists, size_t q, gr_needs needs,
                            const gr_settings *settings)
{
    gr_ranked ranked = { .settings = settings,
                         .count = gather(lists, q, needs.condensed, d),
                         .work = d->work };
    gr_candidates candidates = {
        .count = ranked.count,
        .scores = d->scores,
        .labels = d->labels,
        .name_bytes = lists->name_bytes,
        .name_starts = lists->name_starts ? d->names : NULL,
    };

    if (needs.order) {
        find_ideal(lists, q, d, &ranked);
        candidates.count = keep_top(lists, ranked.count, needs.top, d);
        ranked.groups =
            gr_rank(&candidates, settings->convention.ties, d->order, d->ends, &d->rank);
        ranked.ends = d->ends;
    } else {
        for (size_t i = 0; i < ranked.count; i++)
            d->order[i] = i;
    }
    put_in_order(lists, candidates.count, d, &ranked);
    if (needs.levels) {
        gr_find_levels(ranked.labels, ranked.count, &d->level_space, d->rank.scratch, &d->levels);
        ranked.levels = &d->levels;
        ranked.level_of = d->level_space.level_of;
    }
    return ranked;
}
