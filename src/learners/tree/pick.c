/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the best cut of searched nodes.
 *
 * Where hessians do not count rows, min_rows can only be checked by counting rows per bin, so
 * candidates are first found without it. If the best candidate may violate min_rows, its feature
 * alone is searched again with counts ("counted search"). The constraint can only lower a feature's
 * best score, so the first candidate known to satisfy it is the best valid cut. Where short cuts
 * are dropped (gr_drops_short_cuts) a feature that fails is not cut elsewhere. */
#include "learners/tree/grow.h"

#include <stdlib.h>
#include <string.h>

enum {
    LARGE_NODE = 16384, /* rows that are worth counting in parallel */
    CUT_WORDS = 5       /* of a gr_candidate in a message */
};

/* Whether both sides of a cut are known to have min_rows rows without counting. The search has
 * checked it where hessians count rows; otherwise a side has at least (its hessian sum) / (largest
 * hessian of a row) rows. */
static bool surely_enough_rows(const gr_grower *grower, const gr_branch *node,
                               const gr_candidate *cut)
{
    const gr_lanes *lanes = &grower->lanes[grower->output];
    const double sure = (double)grower->options.min_rows * lanes->hessian_most;

    return lanes->unit || cut->counted || grower->options.min_rows <= 1 ||
           (cut->hessian >= sure && node->hessian - cut->hessian >= sure);
}

/* The gain below which a split may be an artefact of quantisation: 64 times the expected gain of a
 * cut from stochastic rounding alone (variance at most 1/4 per row), plus the rounding error of the
 * doubles. */
static double doubtful_gain(const gr_lanes *lanes, const gr_branch *node, double parent)
{
    const double ratio = node->gradient / node->hessian;
    const double each = lanes->unit ? 1 : 1 + ratio * ratio;

    return 8 * ((double)node->all / node->hessian) * each + parent * 0x1p-45;
}

static bool same_cut(const gr_candidate *a, const gr_candidate *b)
{
    return a->score == b->score && a->bin == b->bin && a->missing_left == b->missing_left;
}

double gr_gain_unit(const gr_lanes *lanes)
{
    return lanes->hessian_scale / lanes->gradient_scale / lanes->gradient_scale;
}

bool gr_take_cut(const gr_grower *grower, gr_branch *node, const gr_candidate *cut,
                 uint32_t feature)
{
    const gr_lanes *lanes = &grower->lanes[grower->output];
    const double l2 = grower->options.l2 * lanes->hessian_scale;
    const double parent = node->gradient * node->gradient / (node->hessian + l2);

    node->best = *cut;
    node->feature = feature;
    node->gain = 0.5 * (node->best.score - parent);
    if (!(node->gain > doubtful_gain(lanes, node, parent)))
        return false;
    node->gain *= gr_gain_unit(lanes);
    return node->gain > grower->options.min_gain;
}

/* Takes the best of the candidates. Returns SIZE_MAX if that decides about the node, which is then
 * open or becomes a leaf, and otherwise the feature (gr_feature_at) whose rows must be counted. */
static size_t take_best(const gr_grower *grower, gr_branch *node, const gr_candidate *candidates)
{
    const gr_bins *bins = grower->bins;
    const size_t features = bins->dense + bins->sparses;
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < features; i++) {
        if (!grower->tried[i] || candidates[i].score < 0)
            continue;
        if (best == SIZE_MAX || candidates[i].score > candidates[best].score ||
            (candidates[i].score == candidates[best].score &&
             gr_feature_at(bins, i) < gr_feature_at(bins, best)))
            best = i;
    }
    node->open =
        best != SIZE_MAX && gr_take_cut(grower, node, &candidates[best], gr_feature_at(bins, best));
    return node->open && !surely_enough_rows(grower, node, &node->best) ? best : SIZE_MAX;
}

/* Replaces the candidate that the node has taken by the cut that a counted search has found. */
static void put_counted(const gr_grower *grower, const gr_branch *node, gr_candidate *candidate,
                        gr_candidate counted)
{
    *candidate = counted;
    if (gr_drops_short_cuts(&grower->options, &grower->round) && !same_cut(candidate, &node->best))
        candidate->score = -1;
}

typedef struct searched {
    gr_branch *node; /* NULL: none */
    gr_candidate *candidates;
    size_t feature; /* to be counted; SIZE_MAX: none */
} searched;

/* Node 2s is `scanned` of step s, 2s + 1 `rest`. */
static searched searched_node(const gr_grower *grower, size_t index)
{
    const gr_step *step = &grower->steps[index / 2];
    const bool is_rest = index % 2 != 0;
    const size_t features = grower->bins->dense + grower->bins->sparses;
    searched s = { is_rest ? step->rest : step->scanned,
                   step->candidates + (is_rest ? features : 0), SIZE_MAX };

    if (s.node && !(is_rest ? step->search_rest : step->search_scanned)) {
        s.node->open = false;
        s.node = NULL;
    }
    return s;
}

/* Large nodes are picked one by one, their rows being counted in parallel, small ones in parallel. */
static void pick_node(const gr_grower *grower, size_t index, bool large, size_t worker)
{
    gr_pool *pool = large ? grower->pool : NULL;
    uint32_t *counts = grower->bin_counts + (pool ? 0 : worker * grower->count_room);
    searched s = searched_node(grower, index);

    if (!s.node || (s.node->count >= LARGE_NODE) != large)
        return;
    while ((s.feature = take_best(grower, s.node, s.candidates)) != SIZE_MAX) {
        gr_count_rows(grower, s.node, s.feature, pool, counts);
        put_counted(grower, s.node, &s.candidates[s.feature],
                    gr_search_counted(grower, s.node, s.feature, counts, worker));
    }
}

static void pick_task(void *argument, size_t index, size_t worker)
{
    pick_node(argument, index, false, worker);
}

/* ---- several processes ---- */

_Static_assert(offsetof(gr_candidate, counted) == (CUT_WORDS - 1) * sizeof(uint64_t),
               "a cut has four words and a flag");

/* Counts the rows of all processes for one feature of each node, and searches these features: each
 * process those whose histograms it has. Two messages, whatever the number of nodes. numbers:
 * count x `each` words. */
static gradus_status count_together(gr_grower *grower, searched *nodes, size_t count,
                                    uint64_t *numbers, size_t each, gradus_error *err)
{
    const size_t room = grower->count_room;
    uint32_t *counts = grower->bin_counts;
    gr_candidate found;

    for (size_t n = 0; n < count; n++) {
        gr_count_rows(grower, nodes[n].node, nodes[n].feature, grower->pool, counts);
        for (size_t b = 0; b < room; b++)
            numbers[n * each + b] = counts[b];
    }
    GR_TRY(gr_share_sum_words(grower->round.share, numbers, count * each, err));
    for (size_t n = 0; n < count; n++) {
        uint64_t *cut = numbers + n * CUT_WORDS; /* before the counts that are still needed */
        const bool own = gr_has_histogram_of(grower, nodes[n].feature);

        for (size_t b = 0; own && b < room; b++)
            counts[b] = (uint32_t)numbers[n * each + b];
        memset(cut, 0, CUT_WORDS * sizeof *cut);
        if (own) {
            found = gr_search_counted(grower, nodes[n].node, nodes[n].feature, counts, 0);
            memcpy(cut, &found, (CUT_WORDS - 1) * sizeof *cut);
            cut[CUT_WORDS - 1] = found.counted;
        }
    }
    /* the others have zeros */
    GR_TRY(gr_share_sum_words(grower->round.share, numbers, count * CUT_WORDS, err));
    for (size_t n = 0; n < count; n++) {
        memcpy(&found, numbers + n * CUT_WORDS, (CUT_WORDS - 1) * sizeof *numbers);
        found.counted = numbers[n * CUT_WORDS + CUT_WORDS - 1] != 0;
        put_counted(grower, nodes[n].node, &nodes[n].candidates[nodes[n].feature], found);
    }
    return GRADUS_OK;
}

/* All processes have the same candidates and take the same cuts. */
static gradus_status pick_together(gr_grower *grower, size_t count, gradus_error *err)
{
    const size_t each = grower->count_room > CUT_WORDS ? grower->count_room : CUT_WORDS;
    searched *nodes = gr_new_array(2 * count, sizeof *nodes);
    uint64_t *numbers = gr_new_array(2 * count, each * sizeof *numbers);
    gradus_status status =
        nodes && numbers ? GRADUS_OK : gr_fail_memory(err, "rows per bin of processes");
    size_t left = 0;

    for (size_t i = 0; status == GRADUS_OK && i < 2 * count; i++) {
        nodes[left] = searched_node(grower, i);
        left += nodes[left].node != NULL;
    }
    while (status == GRADUS_OK && left > 0) {
        size_t kept = 0;

        for (size_t i = 0; i < left; i++) {
            nodes[kept] = nodes[i];
            nodes[kept].feature = take_best(grower, nodes[i].node, nodes[i].candidates);
            kept += nodes[kept].feature != SIZE_MAX;
        }
        left = kept;
        if (left > 0)
            status = count_together(grower, nodes, left, numbers, each, err);
    }
    free(nodes);
    free(numbers);
    return status;
}

gradus_status gr_pick_cuts(gr_grower *grower, size_t count, gradus_error *err)
{
    if (grower->round.share)
        return pick_together(grower, count, err);
    for (size_t i = 0; i < 2 * count; i++)
        pick_node(grower, i, true, 0);
    gr_pool_run(grower->pool, 2 * count, pick_task, grower);
    return GRADUS_OK;
}
