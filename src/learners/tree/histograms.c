/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram work of one split: scans the rows of a node, subtracts its histogram from the
 * parent's to get the sibling's, and searches both. Scanning is parallel over groups of blocks and
 * bundles and, for large nodes, also over parts of the rows; each thread then adds to its own
 * partial histogram. Merging, subtracting and searching are parallel over blocks and bundles.
 * Integer sums make the result independent of which thread added what. */
#include "learners/tree/grow.h"

#include "kernels/histogram.h"
#include "kernels/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PART_ROWS = GR_SHORT_ROWS, /* maximum rows per part ... */
    MANY_ROWS = 8192,          /* ... of nodes this large; for smaller ones merging costs more */
    SHORT_WORTH = 1024,        /* rows from which short bin_sums are faster */
    PICKED = 4096,             /* rows that are filtered by a mask before they are added */
    SERIAL_WORK = 4096         /* rows x features below which waking threads does not pay */
};

typedef struct job {
    gr_grower *grower;
    const gr_step *step;
    size_t parts;
    gr_search scanned, rest;
} job;

gr_search gr_search_of(const gr_grower *grower, const gr_branch *node)
{
    const gr_lanes *lanes = &grower->lanes[grower->output];
    const double min_rows = (double)grower->options.min_rows;
    const double mean = grower->round.newton ? node->hessian / (double)node->all : 0;
    const double row = lanes->unit ? 1 : grower->options.min_hessian * mean;
    const double need =
        fmax(1, fmax(min_rows * row, grower->options.min_weight * lanes->hessian_scale));

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

static uint64_t *own_histogram(const gr_grower *grower, const gr_branch *node)
{
    return gr_histogram_at(&grower->histograms, node->histogram);
}

/* The histogram a worker adds to; for the first worker it is the node's own. */
static uint64_t *worker_histogram(const job *j, size_t worker)
{
    const gr_histograms *histograms = &j->grower->histograms;

    return worker == 0 || j->parts == 1
               ? own_histogram(j->grower, j->step->scanned)
               : (uint64_t *)j->grower->partial.at + (worker - 1) * histograms->words;
}

/* Whether a worker has added to a group or bundle; until then its part is not cleared. */
static bool *has_begun(const job *j, size_t group, size_t worker)
{
    return &j->grower->begun[group * gr_pool_threads(j->grower->pool) + worker];
}

/* Adds the rows of a scan: dense words (what is NULL) or sparse lists. */
typedef void (*add_function)(uint64_t *bin_sums, const void *what, const gr_scan *scan);

static void add_words(uint64_t *bin_sums, const void *what, const gr_scan *scan)
{
    (void)what;
    gr_histogram_8(bin_sums, scan);
}

static void add_words_short(uint64_t *bin_sums, const void *what, const gr_scan *scan)
{
    (void)what;
    (scan->rows && scan->count >= SHORT_WORTH ? gr_histogram_8_short : gr_histogram_8)(bin_sums,
                                                                                       scan);
}

static void add_words_wide(uint64_t *bin_sums, const void *what, const gr_scan *scan)
{
    (void)what;
    gr_histogram_8_wide(bin_sums, scan);
}

static void add_lists(uint64_t *bin_sums, const void *what, const gr_scan *scan)
{
    gr_histogram_lists(bin_sums, what, scan);
}

static void add_lists_wide(uint64_t *bin_sums, const void *what, const gr_scan *scan)
{
    gr_histogram_lists_wide(bin_sums, what, scan);
}

/* Adds only the rows that have the mask bit of a group or bundle; all features of the other rows
 * are in their default bins, which gr_fill_default_bin fills in later. Words and lists start at row
 * 0; `first` is the first row if rows are consecutive. */
static void add_masked(add_function add, uint64_t *bin_sums, const void *what, const gr_scan *scan,
                       const gr_row_mask *mask, size_t first)
{
    uint32_t rows[PICKED];
    uint64_t sums[PICKED];
    gr_scan some = *scan;

    some.rows = rows;
    some.sums = sums;
    for (size_t i = 0; i < scan->count; i += PICKED) {
        const size_t count = scan->count - i < PICKED ? scan->count - i : PICKED;

        some.count = gr_gather_here()->rows(mask, scan->rows ? scan->rows + i : NULL, first + i,
                                            scan->sums + i, count, rows, sums);
        add(bin_sums, what, &some);
    }
}

/* row: the first row if rows are consecutive, else 0; clear: zero the bin_sums first. */
static void scan_group(const gr_grower *grower, gr_scan *scan, const gr_group *group, size_t row,
                       bool clear, uint64_t *bin_sums)
{
    const gr_bins *bins = grower->bins;
    const bool wide = grower->lanes[grower->output].wide;
    const size_t *starts = grower->layout.starts, words = slot_words(grower);
    const size_t *offsets = grower->layout.columns + group->first * gr_bins_in_word(bins);
    const add_function add = wide                                     ? add_words_wide
                             : grower->lanes[grower->output].is_short ? add_words_short
                                                                      : add_words;
    uint64_t *of_group = bin_sums + starts[group->first] * words;

    if (clear)
        memset(of_group, 0, (starts[group->end] - starts[group->first]) * words * sizeof *bin_sums);
    scan->stride = gr_block_stride(bins, group->first);
    scan->words = gr_block_words(bins, group->first);
    scan->blocks = group->end - group->first;
    scan->half = bins->dense + 4 <= group->end * 8;
    if (group->mask_bit) {
        add_masked(add, of_group, NULL, scan, &(gr_row_mask){ bins->row_masks.at, group->mask_bit },
                   row);
        return;
    }
    scan->words += row * scan->stride;
    if (bins->width == 8)
        add(of_group, NULL, scan);
    else
        (wide ? gr_histogram_16_wide : gr_histogram_16)(bin_sums, offsets, scan);
}

static void scan_bundle(const gr_grower *grower, const gr_scan *scan, size_t s, size_t row,
                        bool clear, uint64_t *bin_sums)
{
    const gr_bundle *bundle = &grower->bins->bundle[s];
    const size_t words = slot_words(grower);
    gr_row_lists lists = { bundle->row_starts, bundle->entries,
                           bundle->row_starts[grower->bins->rows] };
    const gr_row_mask mask = { grower->bins->row_masks.at, bundle->mask_bit };
    const add_function add = words == 2 ? add_lists_wide : add_lists;
    uint64_t *at = bin_sums + grower->layout.starts[grower->bins->blocks + s] * words;

    if (clear)
        memset(at, 0, bundle->codes * words * sizeof *at);
    if (bundle->mask_bit) {
        add_masked(add, at, &lists, scan, &mask, row);
        return;
    }
    lists.starts += row;
    add(at, &lists, scan);
}

static void scan_task(void *argument, size_t index, size_t worker)
{
    const job *j = argument;
    const gr_grower *grower = j->grower;
    const gr_bins *bins = grower->bins;
    const gr_branch *node = j->step->scanned;
    const size_t unit = index / j->parts, part = index % j->parts;
    const size_t first = (size_t)node->count * part / j->parts;
    const size_t end = (size_t)node->count * (part + 1) / j->parts;
    const bool all = node->count == bins->rows; /* the rows are consecutive */
    uint64_t *bin_sums = worker_histogram(j, worker);
    bool *begun = has_begun(j, unit, worker);
    gr_scan scan = { .rows = (const uint32_t *)grower->rows.at + node->start + first,
                     .sums = (const uint64_t *)grower->ordered.at + first,
                     .count = end - first };

    if (all) {
        scan.rows = NULL;
        scan.sums = (const uint64_t *)grower->words.at + grower->output * bins->rows + first;
    }
    if (unit < bins->groups)
        scan_group(grower, &scan, &bins->group[unit], all ? first : 0, !*begun, bin_sums);
    else
        scan_bundle(grower, &scan, unit - bins->groups, all ? first : 0, !*begun, bin_sums);
    *begun = true;
}

/* Merges the workers' partial sums of a unit, `length` words, into the node's own histogram. */
static void join_workers(const job *j, size_t unit, size_t at, size_t length)
{
    const gr_bins *bins = j->grower->bins;
    const size_t group =
        unit < bins->blocks ? bins->group_of[unit] : bins->groups + unit - bins->blocks;
    uint64_t *own = worker_histogram(j, 0) + at;

    if (!*has_begun(j, group, 0))
        memset(own, 0, length * sizeof *own);
    for (size_t w = 1; w < gr_pool_threads(j->grower->pool); w++)
        if (*has_begun(j, group, w))
            gr_histogram_add(own, worker_histogram(j, w) + at, length);
}

/* Sets the default bin to the total minus all other bins; words per bin_sum: 1 or 2. */
static void fill_feature(uint64_t *bin_sums, size_t bins, size_t default_bin, const uint64_t *total,
                         size_t words)
{
    for (size_t w = 0; w < words; w++) {
        uint64_t left = total[w] + bin_sums[default_bin * words + w];

        for (size_t b = 0; b < bins; b++)
            left -= bin_sums[b * words + w];
        bin_sums[default_bin * words + w] = left;
    }
}

void gr_fill_default_bin(const gr_grower *grower, const gr_lanes *lanes, double gradient,
                         double hessian, size_t unit, uint64_t *histogram)
{
    const gr_bins *bins = grower->bins;
    const size_t words = lanes->wide ? 2 : 1;
    const uint64_t upper = (uint64_t)(int64_t)gradient, lower = (uint64_t)(int64_t)hessian;
    const uint64_t total[2] = { words == 2 ? upper : (upper << 32) + lower, lower };

    if (unit >= bins->blocks) {
        const gr_bundle *bundle = &bins->bundle[unit - bins->blocks];
        uint64_t *bin_sums = histogram + grower->layout.starts[unit] * words;

        for (const gr_sparse_feature *f = bins->sparse + bundle->first;
             f < bins->sparse + bundle->end; f++)
            fill_feature(bin_sums + f->code * words, gr_cuts_bins(&bins->cuts, f->feature),
                         f->default_bin, total, words);
    } else if (bins->group[bins->group_of[unit]].mask_bit) {
        for (size_t c = unit * 8; c < (unit + 1) * 8; c++)
            fill_feature(histogram + grower->layout.columns[c] * words,
                         gr_cuts_bins(&bins->cuts, bins->columns[c]), bins->default_bin[c], total,
                         words);
    }
}

static gr_feature_sums sums_of(const gr_grower *grower, size_t feature, const uint64_t *bin_sums,
                               const gr_bin_rows *rows)
{
    const gr_cuts *cuts = &grower->bins->cuts;

    return (gr_feature_sums){ bin_sums, gr_cuts_bins(cuts, feature), cuts->missing[feature],
                              grower->signs ? grower->signs[feature] : 0, rows };
}

static void search_one(const gr_grower *grower, const gr_search *search, size_t feature,
                       const uint64_t *bin_sums, size_t worker, gr_candidate *candidate)
{
    const gr_feature_sums of_feature = sums_of(grower, feature, bin_sums, NULL);

    *candidate =
        gr_search_feature(search, &of_feature, grower->scratch + worker * grower->scratch_room);
}

/* The first bin_sum of a feature (position as in gr_feature_at) in the layout. */
static size_t first_slot(const gr_grower *grower, size_t i)
{
    const gr_bins *bins = grower->bins;
    size_t s = 0;

    if (i < bins->dense)
        return grower->layout.columns[i];
    while (i - bins->dense >= bins->bundle[s].end)
        s++;
    return grower->layout.starts[bins->blocks + s] + bins->sparse[i - bins->dense].code;
}

/* The process that has the histogram of the feature at position i. */
static size_t owner_of(const gr_grower *grower, size_t i)
{
    size_t owner = 0;

    while (grower->cuts.features[owner + 1] <= i)
        owner++;
    return owner;
}

/* Adds up the counts of all processes. */
static void share_counts(gr_grower *grower)
{
    const size_t room = grower->count_room;
    uint64_t *sums;

    if (!grower->round.share || grower->failure.status != GRADUS_OK)
        return;
    sums = gr_new_array(room, sizeof *sums);
    if (!sums) {
        gr_fail_memory(&grower->failure, "rows per bin");
        return;
    }
    for (size_t b = 0; b < room; b++)
        sums[b] = grower->bin_counts[b];
    gr_share_sum_words(grower->round.share, sums, room, &grower->failure);
    for (size_t b = 0; b < room; b++)
        grower->bin_counts[b] = (uint32_t)sums[b];
    free(sums);
}

gr_candidate gr_search_counted(gr_grower *grower, const gr_branch *node, size_t i)
{
    const gr_bins *bins = grower->bins;
    const uint32_t feature = gr_feature_at(bins, i);
    const gr_search search = gr_search_of(grower, node);
    const gr_bin_rows rows = { grower->bin_counts, node->all, grower->options.min_rows };
    const gr_feature_sums bin_sums =
        sums_of(grower, feature,
                own_histogram(grower, node) + first_slot(grower, i) * slot_words(grower), &rows);
    gr_route route = gr_route_for(bins, feature, 0, false);
    const gr_share *share = grower->round.share;
    const size_t owner = owner_of(grower, i);
    const bool is_own = share && owner == share->with->rank;
    gr_candidate found;

    route.column = gr_column_kept(&grower->columns, bins, feature);
    gr_count_bins(&route, (const uint32_t *)grower->rows.at + node->start, node->count,
                  grower->pool, grower->bin_counts, grower->count_room);
    share_counts(grower);
    found = (gr_candidate){ .score = -1 };
    if (!share || is_own)
        found = gr_search_feature(&search, &bin_sums, grower->scratch);
    if (share && grower->failure.status == GRADUS_OK)
        share->with->broadcast(share->with->state, &found, sizeof found, owner, &grower->failure);
    return found;
}

static void search_unit(const gr_grower *grower, const gr_search *search, size_t unit,
                        const uint64_t *bin_sums, size_t worker, gr_candidate *candidates)
{
    const gr_bins *bins = grower->bins;
    const size_t each = gr_bins_in_word(bins), words = slot_words(grower);
    const gr_bundle *bundle;

    if (unit < bins->blocks) {
        for (size_t c = unit * each; c < (unit + 1) * each && c < bins->dense; c++)
            if (grower->tried[c])
                search_one(grower, search, bins->columns[c],
                           bin_sums + grower->layout.columns[c] * words, worker, &candidates[c]);
        return;
    }
    bundle = &bins->bundle[unit - bins->blocks];
    bin_sums += grower->layout.starts[unit] * words;
    for (size_t p = bundle->first; p < bundle->end; p++)
        if (grower->tried[bins->dense + p])
            search_one(grower, search, bins->sparse[p].feature,
                       bin_sums + bins->sparse[p].code * words, worker,
                       &candidates[bins->dense + p]);
}

static void finish_task(void *argument, size_t index, size_t worker)
{
    const job *j = argument;
    gr_grower *grower = j->grower;
    const size_t unit = grower->cuts.first + index;
    const gr_step *step = j->step;
    const gr_bins *bins = grower->bins;
    const size_t features = bins->dense + bins->sparses, words = slot_words(grower);
    const size_t at = grower->layout.starts[unit] * words;
    const size_t length = grower->layout.starts[unit + 1] * words - at;
    uint64_t *scanned = own_histogram(grower, step->scanned);

    if (j->parts > 1)
        join_workers(j, unit, at, length);
    if (step->scan)
        gr_fill_default_bin(grower, &grower->lanes[grower->output], step->scanned->gradient,
                            step->scanned->hessian, unit, scanned);
    if (step->search_scanned)
        search_unit(grower, &j->scanned, unit, scanned, worker, grower->candidates);
    if (step->rest) {
        uint64_t *rest = own_histogram(grower, step->rest);

        gr_histogram_subtract(rest + at, scanned + at, length);
        if (step->search_rest)
            search_unit(grower, &j->rest, unit, rest, worker, grower->candidates + features);
    }
}

static void join_task(void *argument, size_t unit, size_t worker)
{
    const job *j = argument;
    const size_t words = slot_words(j->grower), *starts = j->grower->layout.starts;

    (void)worker;
    join_workers(j, unit, starts[unit] * words, (starts[unit + 1] - starts[unit]) * words);
}

/* Adds up the histograms that all processes have scanned of the node. */
static gradus_status share_scanned(job *j, gradus_error *err)
{
    gr_grower *grower = j->grower;

    if (!grower->round.share || !j->step->scan)
        return GRADUS_OK;
    if (j->parts > 1)
        gr_pool_run(grower->pool, grower->layout.units, join_task, j);
    j->parts = 1; /* the workers' histograms are joined */
    return gr_units_sum(&grower->cuts, grower->round.share, slot_words(grower),
                        own_histogram(grower, j->step->scanned), err);
}

/* Gathers the best cuts that each process has found in the features of its units, of both nodes in
 * one message. */
static gradus_status share_candidates(const gr_grower *grower, gradus_error *err)
{
    const gr_share *share = grower->round.share;
    const size_t features = grower->bins->dense + grower->bins->sparses;
    const uint64_t *cuts = grower->cuts.features;
    gr_candidate *all;
    gradus_status status;

    if (!share)
        return GRADUS_OK;
    all = gr_new_array(2 * features, sizeof *all);
    if (!all)
        return gr_fail_memory(err, "the best cuts");
    for (size_t rank = share->with->rank, i = (size_t)cuts[rank]; i < cuts[rank + 1]; i++) {
        all[2 * i] = grower->candidates[i];
        all[2 * i + 1] = grower->candidates[features + i];
    }
    status =
        gr_share_gather(share, cuts, 2 * sizeof *all, all + 2 * cuts[share->with->rank], all, err);
    for (size_t i = 0; i < features; i++) {
        grower->candidates[i] = all[2 * i];
        grower->candidates[features + i] = all[2 * i + 1];
    }
    free(all);
    return status;
}

gradus_status gr_run_step(gr_grower *grower, const gr_step *step, gradus_error *err)
{
    job j = { .grower = grower, .step = step, .parts = 1 };
    const gr_bins *bins = grower->bins;
    const size_t units = bins->groups + bins->bundles, rows = step->scanned->count;
    const size_t threads = gr_pool_threads(grower->pool);
    const bool serial = rows * bins->features < SERIAL_WORK;
    size_t bytes;

    j.scanned = gr_search_of(grower, step->scanned);
    if (step->rest)
        j.rest = gr_search_of(grower, step->rest);
    if (step->scan) {
        if (threads > 1 && rows >= MANY_ROWS)
            j.parts = (rows + PART_ROWS - 1) / PART_ROWS;
        if (j.parts > 1 &&
            (!gr_size_times(threads - 1, grower->histograms.words * sizeof(uint64_t), &bytes) ||
             !gr_array_reserve(&grower->partial, bytes)))
            return gr_fail_memory(err, "histograms");
        memset(grower->begun, false, units * threads * sizeof *grower->begun);
        gr_pool_run(serial ? NULL : grower->pool, units * j.parts, scan_task, &j);
    }
    GR_TRY(share_scanned(&j, err));
    gr_pool_run(serial ? NULL : grower->pool, grower->cuts.end - grower->cuts.first, finish_task,
                &j);
    return share_candidates(grower, err);
}
