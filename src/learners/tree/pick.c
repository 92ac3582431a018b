/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the best cut of searched nodes.
 *
 * Where hessians do not count rows, min_rows can only be checked by counting rows per bin, so
 * candidates are first found without it. If the best candidate may violate min_rows, its feature
 * alone is searched again with counts ("counted search"). The constraint can only lower a feature's
 * best score, so the first candidate known to satisfy it is the best valid cut. Where short cuts
 * are dropped (gr_drops_short_cuts) a feature that fails is not cut elsewhere. */
#include "learners/tree/grow.h"

enum { LARGE_NODE = 16384 }; /* rows that are worth counting in parallel */

/* The search has checked it where hessians count rows; otherwise a side has at least (its hessian sum) / (largest
 * hessian of a row) rows. */
bool gr_has_enough_rows(const gr_grower *grower, const gr_branch *node, const gr_candidate *cut)
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

bool gr_is_better(const gr_bins *bins, const gr_candidate *a, size_t i, const gr_candidate *b,
                  size_t j)
{
    return a->score > b->score ||
           (a->score == b->score && gr_feature_at(bins, i) < gr_feature_at(bins, j));
}

size_t gr_best_feature(const gr_grower *grower, const gr_candidate *candidates, size_t but)
{
    size_t best = SIZE_MAX;

    for (size_t i = grower->cuts.first_feature; i < grower->cuts.end_feature; i++)
        if (grower->tried[i] && i != but && !(candidates[i].score < 0) &&
            (best == SIZE_MAX ||
             gr_is_better(grower->bins, &candidates[i], i, &candidates[best], best)))
            best = i;
    return best;
}

/* Takes the best of the candidates. Returns SIZE_MAX if that decides about the node, which is then
 * open or becomes a leaf, and otherwise the feature (gr_feature_at) whose rows must be counted. */
static size_t take_best(const gr_grower *grower, gr_branch *node, const gr_candidate *candidates)
{
    const size_t best = gr_best_feature(grower, candidates, SIZE_MAX);

    node->open = best != SIZE_MAX &&
                 gr_take_cut(grower, node, &candidates[best], gr_feature_at(grower->bins, best));
    return node->open && !gr_has_enough_rows(grower, node, &node->best) ? best : SIZE_MAX;
}

gr_candidate gr_after_count(const gr_grower *grower, const gr_branch *node, gr_candidate counted)
{
    if (gr_drops_short_cuts(&grower->options, &grower->round) && !same_cut(&counted, &node->best))
        counted.score = -1;
    return counted;
}

gr_branch *gr_searched_node(const gr_grower *grower, size_t index, gr_candidate **candidates)
{
    const gr_step *step = &grower->steps[index / 2];
    const bool is_rest = index % 2 != 0;
    const size_t features = grower->bins->dense + grower->bins->sparses;
    gr_branch *node = is_rest ? step->rest : step->scanned;

    *candidates = step->candidates + (is_rest ? features : 0);
    if (node && !(is_rest ? step->search_rest : step->search_scanned)) {
        node->open = false;
        node = NULL;
    }
    return node;
}

/* Large nodes are picked one by one, their rows being counted in parallel, small ones in parallel. */
static void pick_node(const gr_grower *grower, size_t index, bool large, size_t worker)
{
    gr_pool *pool = large ? grower->pool : NULL;
    uint32_t *counts = grower->bin_counts + (pool ? 0 : worker * grower->count_room);
    gr_candidate *candidates;
    gr_branch *node = gr_searched_node(grower, index, &candidates);
    size_t i;

    if (!node || (node->count >= LARGE_NODE) != large)
        return;
    while ((i = take_best(grower, node, candidates)) != SIZE_MAX) {
        gr_count_rows(grower, node, i, pool, counts);
        candidates[i] = gr_after_count(
            grower, node,
            gr_search_counted(grower, node, i, gr_bin_sums_of(grower, node, i), counts, worker));
    }
}

static void pick_task(void *argument, size_t index, size_t worker)
{
    pick_node(argument, index, false, worker);
}

gradus_status gr_pick_cuts(gr_grower *grower, size_t count, gradus_error *err)
{
    if (grower->round.share)
        return gr_pick_together(grower, count, err);
    for (size_t i = 0; i < 2 * count; i++)
        pick_node(grower, i, true, 0);
    gr_pool_run(grower->pool, 2 * count, pick_task, grower);
    return GRADUS_OK;
}
