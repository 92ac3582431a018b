/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the best cut of searched nodes with several processes, each of which has searched its own
 * features. All gather the best cut that each has found for each node, in one message for a batch, so that all
 * take the same cuts.
 *
 * If the rows of a cut must be counted (pick.c), all processes count them for its feature, and add up
 * their counts in one message, to which the process that has the feature adds its bin_sums and its
 * next best cut: then every process can search the feature with counts, and knows what is the best
 * cut of that process if this one is not valid. */
#include "learners/tree/grow.h"

#include <stdlib.h>
#include <string.h>

/* The best cut of a node in the features of a process: without padding, as messages have it. */
typedef struct best_cut {
    double score, gradient, hessian; /* gr_candidate; the score is negative: no valid cut */
    uint32_t bin, missing_left;
    uint32_t at, counted; /* position of the feature (gr_feature_at) */
    uint64_t rows;        /* of the node on all processes; 0: the process has no features */
} best_cut;

enum { CUT_WORDS = sizeof(best_cut) / sizeof(uint64_t) };
_Static_assert(sizeof(best_cut) == 48, "a cut has no padding");

/* A node whose cut is not decided yet. */
typedef struct waiting {
    gr_branch *node;
    gr_candidate *candidates; /* in the features of this process */
    size_t index;             /* of gr_searched_node */
    size_t owner;             /* the process with the feature whose rows must be counted */
    size_t bins;              /* of that feature */
    size_t first;             /* in the message */
} waiting;

/* A batch of nodes. */
typedef struct batch {
    gr_grower *grower;
    size_t nodes, left; /* two per step; those that are not decided yet */
    best_cut *cuts;     /* those of each process, for all nodes */
    waiting *waiting;
} batch;

static size_t rank_of(const gr_grower *grower)
{
    return grower->round.share->with->rank;
}

static gr_candidate candidate_of(const best_cut *cut)
{
    return (gr_candidate){ cut->score, cut->gradient,     cut->hessian,
                           cut->bin,   cut->missing_left, cut->counted != 0 };
}

static best_cut cut_of(const gr_candidate *candidate, size_t i)
{
    return (best_cut){ .score = candidate->score,
                       .gradient = candidate->gradient,
                       .hessian = candidate->hessian,
                       .bin = candidate->bin,
                       .missing_left = candidate->missing_left,
                       .at = (uint32_t)i,
                       .counted = candidate->counted };
}

/* The best cut in the features of this process except `but`. */
static best_cut best_own(const gr_grower *grower, const gr_candidate *candidates, size_t but)
{
    const size_t best = gr_best_feature(grower, candidates, but);

    return best == SIZE_MAX ? (best_cut){ .score = -1 } : cut_of(&candidates[best], best);
}

static bool is_better(const gr_grower *grower, const best_cut *a, const best_cut *b)
{
    const gr_candidate first = candidate_of(a), second = candidate_of(b);

    return !(a->score < 0) &&
           (b->score < 0 || gr_is_better(grower->bins, &first, a->at, &second, b->at));
}

/* Fills b->cuts, and takes from them the rows of nodes that have only been counted by now. */
static gradus_status gather_cuts(batch *b, gradus_error *err)
{
    gr_grower *grower = b->grower;
    const gr_share *share = grower->round.share;
    const size_t size = share->with->size;
    const bool has_features = grower->cuts.first < grower->cuts.end;
    best_cut *own = b->cuts + rank_of(grower) * b->nodes;
    uint64_t *cuts = gr_new_array(size + 1, sizeof *cuts);
    gradus_status status;

    if (!cuts)
        return gr_fail_memory(err, "the best cuts");
    for (size_t n = 0; n < b->nodes; n++) {
        gr_candidate *candidates;
        const gr_branch *node = gr_searched_node(grower, n, &candidates);

        own[n] = node ? best_own(grower, candidates, SIZE_MAX) : (best_cut){ .score = -1 };
        own[n].rows = has_features && n % 2 == 0 ? grower->steps[n / 2].scanned->all : 0;
    }
    for (size_t i = 0; i <= size; i++)
        cuts[i] = i * b->nodes;
    status = gr_share_gather(share, cuts, sizeof *own, own, b->cuts, err);
    free(cuts);
    for (size_t i = 0; status == GRADUS_OK && i < size && !has_features; i++)
        for (size_t n = 0; n < b->nodes; n += 2)
            if (b->cuts[i * b->nodes + n].rows > 0)
                gr_step_rows(grower, &grower->steps[n / 2],
                             (uint32_t)b->cuts[i * b->nodes + n].rows);
    return status;
}

/* Takes the best cut of all processes. Returns whether its rows must be counted. */
static bool take_best(const batch *b, waiting *w)
{
    const gr_grower *grower = b->grower;
    const best_cut *best = &b->cuts[w->index];
    gr_candidate cut;

    w->owner = 0;
    for (size_t i = 1; i < grower->round.share->with->size; i++) {
        const best_cut *other = &b->cuts[i * b->nodes + w->index];

        if (is_better(grower, other, best)) {
            best = other;
            w->owner = i;
        }
    }
    if (best->score < 0) {
        w->node->open = false;
        return false;
    }
    cut = candidate_of(best);
    w->node->open = gr_take_cut(grower, w->node, &cut, gr_feature_at(grower->bins, best->at));
    w->bins = gr_cuts_bins(&grower->bins->cuts, w->node->feature);
    return w->node->open && !gr_has_enough_rows(grower, w->node, &w->node->best);
}

/* The message of a node: rows per bin, bin_sums, and a cut. */
static size_t message_words(const gr_grower *grower, const waiting *w)
{
    return w->bins * (1 + gr_sum_words(grower)) + CUT_WORDS;
}

static void write_message(const batch *b, const waiting *w, uint64_t *numbers)
{
    gr_grower *grower = b->grower;
    const size_t i = b->cuts[w->owner * b->nodes + w->index].at;
    const size_t words = w->bins * gr_sum_words(grower);
    uint64_t *to = numbers + w->first;
    best_cut next;

    gr_count_rows(grower, w->node, i, grower->pool, grower->bin_counts);
    for (size_t bin = 0; bin < w->bins; bin++)
        to[bin] = grower->bin_counts[bin];
    if (w->owner != rank_of(grower))
        return; /* zeros */
    next = best_own(grower, w->candidates, i);
    memcpy(to + w->bins, gr_bin_sums_of(grower, w->node, i), words * sizeof *to);
    memcpy(to + w->bins + words, &next, sizeof next);
}

/* Searches the feature with the counts of all processes. The better of its cut and the owner's next
 * one is then the best of the owner. */
static void read_message(const batch *b, const waiting *w, const uint64_t *numbers)
{
    gr_grower *grower = b->grower;
    best_cut *best = &b->cuts[w->owner * b->nodes + w->index], found, next;
    const uint64_t *from = numbers + w->first, *sums = from + w->bins;
    const size_t i = best->at;
    gr_candidate counted;

    memset(grower->bin_counts, 0, grower->count_room * sizeof *grower->bin_counts);
    for (size_t bin = 0; bin < w->bins; bin++)
        grower->bin_counts[bin] = (uint32_t)from[bin];
    counted = gr_after_count(grower, w->node,
                             gr_search_counted(grower, w->node, i, sums, grower->bin_counts, 0));
    memcpy(&next, sums + w->bins * gr_sum_words(grower), sizeof next);
    found = cut_of(&counted, i);
    *best = is_better(grower, &next, &found) ? next : found;
    if (w->owner == rank_of(grower))
        w->candidates[i] = counted;
}

static gradus_status count_together(batch *b, gradus_error *err)
{
    size_t words = 0;
    uint64_t *numbers;
    gradus_status status;

    for (size_t i = 0; i < b->left; i++) {
        b->waiting[i].first = words;
        words += message_words(b->grower, &b->waiting[i]);
    }
    numbers = gr_new_array(words, sizeof *numbers);
    if (!numbers)
        return gr_fail_memory(err, "rows per bin of processes");
    for (size_t i = 0; i < b->left; i++)
        write_message(b, &b->waiting[i], numbers);
    status = gr_share_sum_words(b->grower->round.share, numbers, words, err);
    for (size_t i = 0; status == GRADUS_OK && i < b->left; i++)
        read_message(b, &b->waiting[i], numbers);
    free(numbers);
    return status;
}

static gradus_status pick_batch(batch *b, gradus_error *err)
{
    GR_TRY(gather_cuts(b, err));
    for (size_t n = 0; n < b->nodes; n++) {
        waiting *w = &b->waiting[b->left];

        w->index = n;
        w->node = gr_searched_node(b->grower, n, &w->candidates);
        b->left += w->node != NULL;
    }
    for (;;) {
        size_t kept = 0;

        for (size_t i = 0; i < b->left; i++) {
            b->waiting[kept] = b->waiting[i];
            kept += take_best(b, &b->waiting[kept]);
        }
        b->left = kept;
        if (kept == 0)
            return GRADUS_OK;
        GR_TRY(count_together(b, err));
    }
}

gradus_status gr_pick_together(gr_grower *grower, size_t count, gradus_error *err)
{
    const size_t nodes = 2 * count;
    batch b = { .grower = grower,
                .nodes = nodes,
                .cuts = gr_new_array(nodes * grower->round.share->with->size, sizeof *b.cuts),
                .waiting = gr_new_array(nodes, sizeof *b.waiting) };
    const gradus_status status =
        b.cuts && b.waiting ? pick_batch(&b, err) : gr_fail_memory(err, "the best cuts");

    free(b.cuts);
    free(b.waiting);
    return status;
}
