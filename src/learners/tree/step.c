/* One step of growing a tree: for each unit of features, scan the rows of a node, take the sums
 * from its parent's to get its sibling's, and search both. A unit's slots are in the first-level
 * cache from the scan to the search. */
#include "learners/tree/grow.h"

#include "kernels/histogram.h"

#include <math.h>
#include <string.h>

typedef struct job {
    gr_grower *grower;
    const gr_step *step;
    gr_search scanned, rest;
} job;

gr_search gr_search_of(const gr_grower *grower, const gr_node *node)
{
    const gr_lanes *lanes = &grower->lanes[grower->output];
    const double min_rows = (double)grower->options.min_rows;
    const double rows = lanes->unit ? min_rows : min_rows * (node->hessian / (double)node->count);
    const double need = fmax(1, fmax(rows, grower->options.min_weight * lanes->hessian_scale));

    return (gr_search){ node->gradient,
                        node->hessian,
                        need,
                        grower->options.l2 * lanes->hessian_scale,
                        node->low,
                        node->high,
                        grower->signs != NULL,
                        lanes->wide };
}

static size_t slot_words(const gr_grower *grower)
{
    return grower->lanes[grower->output].wide ? 2 : 1;
}

static uint64_t *unit_slots(const gr_grower *grower, const gr_node *node, size_t unit)
{
    return gr_histogram_at(&grower->histograms, node->histogram) +
           grower->layout.starts[unit] * slot_words(grower);
}

static void scan_block(const gr_grower *grower, const gr_scan *scan, size_t b, uint64_t *slots)
{
    const bool wide = grower->lanes[grower->output].wide;
    const size_t *offsets = grower->layout.columns + b * gr_bins_in_word(grower->bins);

    if (grower->bins->width == 8)
        (wide ? gr_histogram_8_wide : gr_histogram_8)(slots, scan);
    else
        (wide ? gr_histogram_16_wide : gr_histogram_16)(slots, offsets, scan);
}

/* The usual bins of sparse features hold what the other bins of the feature leave of the node. */
static void fill_usual(const gr_grower *grower, const gr_node *node, const gr_slice *slice,
                       uint64_t *slots)
{
    const size_t words = slot_words(grower);
    const uint64_t gradient = (uint64_t)(int64_t)node->gradient;
    const uint64_t hessian = (uint64_t)(int64_t)node->hessian;
    const uint64_t total[2] = { words == 2 ? gradient : (gradient << 32) + hessian, hessian };

    for (size_t p = slice->first; p < slice->end; p++) {
        const gr_sparse_feature *feature = &grower->bins->sparse[p];
        const size_t bins = gr_cuts_bins(&grower->bins->cuts, feature->feature);
        uint64_t *of_feature = slots + feature->slot * words;

        for (size_t w = 0; w < words; w++) {
            uint64_t left = total[w];

            for (size_t b = 0; b < bins; b++)
                if (b != feature->usual)
                    left -= of_feature[b * words + w];
            of_feature[feature->usual * words + w] = left;
        }
    }
}

static void scan_unit(const gr_grower *grower, const gr_node *node, size_t unit, uint64_t *slots)
{
    const gr_bins *bins = grower->bins;
    const bool all = node->count == bins->rows; /* the rows are 0, 1, ... */
    const size_t words = slot_words(grower);
    gr_scan scan = { .rows = (const uint32_t *)grower->rows.at + node->start,
                     .sums = grower->ordered.at,
                     .count = node->count };

    if (all) {
        scan.rows = NULL;
        scan.sums = (const uint64_t *)grower->words.at + grower->output * bins->rows;
    }
    memset(slots, 0,
           (grower->layout.starts[unit + 1] - grower->layout.starts[unit]) * words * sizeof *slots);
    if (unit < bins->blocks) {
        scan.words = (const uint64_t *)bins->words.at + unit * bins->rows;
        scan_block(grower, &scan, unit, slots);
    } else {
        const gr_slice *slice = &bins->slice[unit - bins->blocks];

        (words == 2 ? gr_histogram_lists_wide : gr_histogram_lists)(slots, slice->row_starts,
                                                                    slice->entries, &scan);
        fill_usual(grower, node, slice, slots);
    }
}

static void search_one(const gr_grower *grower, const gr_search *search, size_t feature,
                       const uint64_t *slots, size_t worker, gr_candidate *candidate)
{
    const gr_cuts *cuts = &grower->bins->cuts;
    const gr_feature_slots of_feature = { slots, gr_cuts_bins(cuts, feature),
                                          cuts->missing[feature],
                                          grower->signs ? grower->signs[feature] : 0 };

    *candidate =
        gr_search_feature(search, &of_feature, grower->scratch + worker * grower->scratch_room);
}

static void search_unit(const gr_grower *grower, const gr_search *search, size_t unit,
                        const uint64_t *slots, size_t worker, gr_candidate *candidates)
{
    const gr_bins *bins = grower->bins;
    const size_t each = gr_bins_in_word(bins), words = slot_words(grower);

    if (unit < bins->blocks) {
        for (size_t c = unit * each; c < (unit + 1) * each && c < bins->dense; c++)
            if (grower->tried[c])
                search_one(grower, search, bins->columns[c],
                           slots + grower->layout.columns[c] * words, worker, &candidates[c]);
        return;
    }
    for (size_t p = bins->slice[unit - bins->blocks].first;
         p < bins->slice[unit - bins->blocks].end; p++)
        if (grower->tried[bins->dense + p])
            search_one(grower, search, bins->sparse[p].feature,
                       slots + bins->sparse[p].slot * words, worker, &candidates[bins->dense + p]);
}

static void step_unit(void *argument, size_t unit, size_t worker)
{
    const job *j = argument;
    gr_grower *grower = j->grower;
    const gr_step *step = j->step;
    const size_t features = grower->bins->dense + grower->bins->sparses;
    const size_t words =
        (grower->layout.starts[unit + 1] - grower->layout.starts[unit]) * slot_words(grower);
    uint64_t *scanned = unit_slots(grower, step->scanned, unit);

    if (step->scan)
        scan_unit(grower, step->scanned, unit, scanned);
    if (step->search_scanned)
        search_unit(grower, &j->scanned, unit, scanned, worker, grower->candidates);
    if (step->rest) {
        uint64_t *rest = unit_slots(grower, step->rest, unit);

        gr_histogram_subtract(rest, scanned, words);
        if (step->search_rest)
            search_unit(grower, &j->rest, unit, rest, worker, grower->candidates + features);
    }
}

void gr_run_step(gr_grower *grower, const gr_step *step)
{
    job j = { .grower = grower, .step = step, .scanned = gr_search_of(grower, step->scanned) };

    if (step->rest)
        j.rest = gr_search_of(grower, step->rest);
    gr_pool_run(grower->pool, grower->layout.units, step_unit, &j);
}
