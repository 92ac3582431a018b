/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram work of a batch of splits: scans the rows of a node, subtracts its histogram from
 * the parent's to get the sibling's, and searches both. Scanning is parallel over nodes, over groups
 * of blocks and bundles and, for large nodes, over parts of the rows, each of which has its own
 * partial histogram. Merging, subtracting and searching are parallel over nodes, blocks and bundles.
 * Integer sums make the result independent of the parts. */
#include "learners/tree/grow.h"

#include "base/bisect.h"
#include "kernels/histogram.h"
#include "kernels/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PART_ROWS = 4096,   /* minimum rows per part: for fewer, merging costs more */
    TASKS = 3,          /* per thread: more keep all threads busier but need more parts */
    SHORT_WORTH = 1024, /* rows from which short bin_sums are faster */
    PICKED = 4096,      /* rows that are filtered by a mask before they are added */
    SERIAL_WORK = 4096, /* rows x features below which waking threads does not pay */
    ROWS_UNIT = 4096    /* in messages, of numbers of rows */
};

typedef struct job {
    gr_grower *grower;
    gr_step *steps;
    size_t count;
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

size_t gr_sum_words(const gr_grower *grower)
{
    return grower->lanes[grower->output].wide ? 2 : 1;
}

static uint64_t *own_histogram(const gr_grower *grower, const gr_branch *node)
{
    return gr_histogram_at(&grower->histograms, node->histogram);
}

/* The histogram that a part of the rows is added to. For the first part it is the node's own or, with
 * several processes, of which each keeps only its own features, one in the message. */
static uint64_t *part_histogram(const gr_grower *grower, const gr_step *step, size_t part)
{
    const size_t words = grower->histograms.words;

    if (part > 0)
        return (uint64_t *)grower->partial.at + (step->first_partial + part - 1) * words;
    return grower->round.share ? (uint64_t *)grower->message.at + step->in_message * words
                               : own_histogram(grower, step->scanned);
}

/* The parts into which the rows of a unit (group or bundle) are divided: the more work it is, the more,
 * so that tasks take about as long. */
static size_t unit_parts(const gr_grower *grower, const gr_step *step, size_t unit)
{
    return 1 + (size_t)((double)(step->parts - 1) * grower->scan_work[unit] + 0.5);
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
 * 0; `first` is the first row if rows are consecutive. masks: those of the rows of the scan. */
static void add_masked(add_function add, uint64_t *bin_sums, const void *what, const gr_scan *scan,
                       gr_row_masks masks, size_t first)
{
    uint32_t rows[PICKED + GR_SCAN_AHEAD];
    uint64_t sums[PICKED + GR_SCAN_AHEAD];
    gr_scan some = *scan;
    size_t kept = 0; /* rows of the last filtering, prefetched but not added yet */

    some.rows = rows;
    some.sums = sums;
    for (size_t i = 0; i < scan->count; i += PICKED) {
        const size_t count = scan->count - i < PICKED ? scan->count - i : PICKED;
        const size_t all =
            kept + gr_gather_here()->rows(&masks, scan->rows ? scan->rows + i : NULL, first + i,
                                          scan->sums + i, count, rows + kept, sums + kept);

        masks.at += count;
        kept = i + count == scan->count ? 0 : all < GR_SCAN_AHEAD ? all : GR_SCAN_AHEAD;
        some.count = all - kept;
        some.more = kept;
        add(bin_sums, what, &some);
        memmove(rows, rows + some.count, kept * sizeof *rows); /* they may overlap */
        memmove(sums, sums + some.count, kept * sizeof *sums);
    }
}

/* The features in the last block of a group, rounded up to an even number. */
static size_t last_features(const gr_bins *bins, const gr_group *group)
{
    const size_t each = gr_bins_in_word(bins), left = bins->dense - (group->end - 1) * each;

    return left < each ? (left + 1) / 2 * 2 : each;
}

/* masks: of the rows of the scan. row: the first row if rows are consecutive, else 0. */
static void scan_group(const gr_grower *grower, gr_scan *scan, const uint8_t *masks,
                       const gr_group *group, size_t row, uint64_t *bin_sums)
{
    const gr_bins *bins = grower->bins;
    const bool wide = grower->lanes[grower->output].wide;
    const size_t *starts = grower->layout.starts, words = gr_sum_words(grower);
    const size_t *offsets = grower->layout.columns + group->first * gr_bins_in_word(bins);
    const add_function add = wide                                     ? add_words_wide
                             : grower->lanes[grower->output].is_short ? add_words_short
                                                                      : add_words;
    uint64_t *of_group = bin_sums + starts[group->first] * words;

    memset(of_group, 0, (starts[group->end] - starts[group->first]) * words * sizeof *bin_sums);
    scan->stride = gr_block_stride(bins, group->first);
    scan->words = gr_block_words(bins, group->first);
    scan->blocks = group->end - group->first;
    scan->last = last_features(bins, group);
    if (group->mask_bit) {
        add_masked(add, of_group, NULL, scan, (gr_row_masks){ masks, group->mask_bit }, row);
        return;
    }
    scan->words += row * scan->stride;
    if (bins->width == 8)
        add(of_group, NULL, scan);
    else
        (wide ? gr_histogram_16_wide : gr_histogram_16)(bin_sums, offsets, scan);
}

static void scan_bundle(const gr_grower *grower, const gr_scan *scan, const uint8_t *masks,
                        size_t s, size_t row, uint64_t *bin_sums)
{
    const gr_bundle *bundle = &grower->bins->bundle[s];
    const size_t words = gr_sum_words(grower);
    gr_row_lists lists = { bundle->row_starts, bundle->entries,
                           bundle->row_starts[grower->bins->rows] };
    const add_function add = words == 2 ? add_lists_wide : add_lists;
    uint64_t *at = bin_sums + grower->layout.starts[grower->bins->blocks + s] * words;

    memset(at, 0, bundle->codes * words * sizeof *at);
    if (bundle->mask_bit) {
        add_masked(add, at, &lists, scan, (gr_row_masks){ masks, bundle->mask_bit }, row);
        return;
    }
    lists.starts += row;
    add(at, &lists, scan);
}

static const gr_step *step_of_task(const job *j, size_t index)
{
    return &j->steps[GR_BISECT(1, j->count, i, j->steps[i].first_task <= index) - 1];
}

static void scan_task(void *argument, size_t index, size_t worker)
{
    const job *j = argument;
    const gr_grower *grower = j->grower;
    const gr_bins *bins = grower->bins;
    const gr_step *step = step_of_task(j, index);
    const gr_branch *node = step->scanned;
    size_t unit = 0, part = index - step->first_task, parts;

    while (part >= (parts = unit_parts(grower, step, unit))) {
        part -= parts;
        unit++;
    }
    const size_t first = (size_t)node->count * part / parts;
    const size_t end = (size_t)node->count * (part + 1) / parts;
    const bool all = node->count == bins->rows; /* the rows are consecutive */
    uint64_t *bin_sums = part_histogram(grower, step, part);
    const uint8_t *masks =
        grower->masks.at ? (const uint8_t *)grower->masks.at + node->start + first : NULL;
    gr_scan scan = { .rows = (const uint32_t *)grower->rows.at + node->start + first,
                     .sums = (const uint64_t *)grower->ordered.at + node->start + first,
                     .count = end - first };

    (void)worker;
    if (all) {
        scan.rows = NULL;
        masks = bins->row_masks.at ? (const uint8_t *)bins->row_masks.at + first : NULL;
        scan.sums = (const uint64_t *)grower->words.at + grower->output * bins->rows + first;
    }
    if (unit < bins->groups)
        scan_group(grower, &scan, masks, &bins->group[unit], all ? first : 0, bin_sums);
    else
        scan_bundle(grower, &scan, masks, unit - bins->groups, all ? first : 0, bin_sums);
}

/* Merges the partial sums of a block or bundle, `length` words, into the node's own histogram. */
static void join_parts(const gr_grower *grower, const gr_step *step, size_t unit, size_t at,
                       size_t length)
{
    const gr_bins *bins = grower->bins;
    const size_t scanned =
        unit < bins->blocks ? bins->group_of[unit] : bins->groups + unit - bins->blocks;
    const size_t parts = unit_parts(grower, step, scanned);

    for (size_t part = 1; part < parts; part++)
        gr_histogram_add(part_histogram(grower, step, 0) + at,
                         part_histogram(grower, step, part) + at, length);
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
    const gr_unit_part part = gr_own_part(grower, unit);
    const size_t words = lanes->wide ? 2 : 1;
    const uint64_t upper = (uint64_t)(int64_t)gradient, lower = (uint64_t)(int64_t)hessian;
    const uint64_t total[2] = { words == 2 ? upper : (upper << 32) + lower, lower };

    if (unit >= bins->blocks) {
        uint64_t *bin_sums = histogram + grower->layout.starts[unit] * words;

        for (size_t i = part.first; i < part.end; i++) {
            const gr_sparse_feature *f = &bins->sparse[i - bins->dense];

            fill_feature(bin_sums + f->code * words, gr_cuts_bins(&bins->cuts, f->feature),
                         f->default_bin, total, words);
        }
    } else if (bins->group[bins->group_of[unit]].mask_bit) {
        for (size_t c = part.first; c < part.end; c++)
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

const uint64_t *gr_bin_sums_of(const gr_grower *grower, const gr_branch *node, size_t i)
{
    return own_histogram(grower, node) +
           gr_first_sum(&grower->layout, grower->bins, i) * gr_sum_words(grower);
}

void gr_count_rows(const gr_grower *grower, const gr_branch *node, size_t i, gr_pool *pool,
                   uint32_t *counts)
{
    gr_route route = gr_route_for(grower->bins, gr_feature_at(grower->bins, i), 0, false);

    route.column = gr_column_kept(&grower->columns, grower->bins, gr_feature_at(grower->bins, i));
    gr_count_bins(&route, (const uint32_t *)grower->rows.at + node->start, node->count, pool,
                  counts, grower->count_room);
}

gr_candidate gr_search_counted(const gr_grower *grower, const gr_branch *node, size_t i,
                               const uint64_t *bin_sums, const uint32_t *counts, size_t worker)
{
    const gr_search search = gr_search_of(grower, node);
    const gr_bin_rows rows = { counts, node->all, grower->options.min_rows };
    const gr_feature_sums sums = sums_of(grower, gr_feature_at(grower->bins, i), bin_sums, &rows);

    return gr_search_feature(&search, &sums, grower->scratch + worker * grower->scratch_room);
}

static void search_part(const gr_grower *grower, const gr_search *search, size_t unit,
                        const gr_unit_part *part, const uint64_t *bin_sums, size_t worker,
                        gr_candidate *candidates)
{
    const gr_bins *bins = grower->bins;
    const size_t words = gr_sum_words(grower);
    const uint64_t *of_unit = bin_sums + grower->layout.starts[unit] * words;

    for (size_t i = part->first; i < part->end; i++)
        if (grower->tried[i])
            search_one(grower, search, gr_feature_at(bins, i),
                       i < bins->dense ? bin_sums + grower->layout.columns[i] * words
                                       : of_unit + bins->sparse[i - bins->dense].code * words,
                       worker, &candidates[i]);
}

static void finish_task(void *argument, size_t index, size_t worker)
{
    const job *j = argument;
    gr_grower *grower = j->grower;
    const size_t units = grower->cuts.end - grower->cuts.first;
    const gr_step *step = &j->steps[index / units];
    const size_t unit = grower->cuts.first + index % units;
    const gr_bins *bins = grower->bins;
    const gr_unit_part part = gr_own_part(grower, unit);
    const size_t features = bins->dense + bins->sparses, words = gr_sum_words(grower);
    const size_t at = part.sum * words, length = part.sums * words;
    uint64_t *scanned = own_histogram(grower, step->scanned);

    if (grower->round.share && step->scan)
        memcpy(scanned + at, part_histogram(grower, step, 0) + at, length * sizeof *scanned);
    else
        join_parts(grower, step, unit, at, length);
    if (step->scan)
        gr_fill_default_bin(grower, &grower->lanes[grower->output], step->scanned->gradient,
                            step->scanned->hessian, unit, scanned);
    if (step->search_scanned)
        search_part(grower, &step->for_scanned, unit, &part, scanned, worker, step->candidates);
    if (step->rest) {
        uint64_t *rest = own_histogram(grower, step->rest);

        gr_histogram_subtract(rest + at, scanned + at, length);
        if (step->search_rest)
            search_part(grower, &step->for_rest, unit, &part, rest, worker,
                        step->candidates + features);
    }
}

static void join_task(void *argument, size_t index, size_t worker)
{
    const job *j = argument;
    const gr_grower *grower = j->grower;
    const size_t words = gr_sum_words(grower), *starts = grower->layout.starts;
    const size_t unit = index % grower->layout.units;

    (void)worker;
    join_parts(grower, &j->steps[index / grower->layout.units], unit, starts[unit] * words,
               (starts[unit + 1] - starts[unit]) * words);
}

/* Where a process's part of a message has the rows of a scanned node: in a bin_sum that is otherwise
 * unused. */
static uint64_t *rows_in_message(const gr_grower *grower, const gr_step *step, size_t rank)
{
    return part_histogram(grower, step, 0) + grower->cuts.unused[rank] * gr_sum_words(grower);
}

/* Notes the rows that this process has, for all others. They are written like sums of gradients and
 * hessians, and as small, so that messages can be narrowed (plugins/mpi/short_words.c). */
static void put_rows(const gr_grower *grower, const gr_step *step)
{
    const uint64_t upper = step->scanned->count / ROWS_UNIT;
    const uint64_t lower = step->scanned->count % ROWS_UNIT;

    for (size_t i = 0; i < grower->round.share->with->size; i++) {
        uint64_t *to;

        if (grower->cuts.unused[i] == SIZE_MAX)
            continue;
        to = rows_in_message(grower, step, i);
        to[0] = gr_sum_words(grower) == 2 ? upper : upper << 32 | lower;
        if (gr_sum_words(grower) == 2)
            to[1] = lower;
    }
}

/* Takes the rows of all processes from the sums. */
static void take_rows(const gr_grower *grower, gr_step *step)
{
    const uint64_t *from = rows_in_message(grower, step, grower->round.share->with->rank);
    const uint64_t upper = gr_sum_words(grower) == 2 ? from[0] : from[0] >> 32;
    const uint64_t lower = gr_sum_words(grower) == 2 ? from[1] : from[0] & UINT32_MAX;

    gr_step_rows(grower, step, (uint32_t)(upper * ROWS_UNIT + lower));
}

void gr_step_rows(const gr_grower *grower, gr_step *step, uint32_t rows)
{
    step->scanned->all = rows;
    step->search_scanned = step->search_scanned && gr_may_split(grower, step->scanned);
    if (!step->rest)
        return;
    step->rest->all = step->rows - rows;
    step->search_rest = step->search_rest && gr_may_split(grower, step->rest);
}

/* Adds up the histograms that all processes have scanned, of all nodes of the batch in one message,
 * and the numbers of rows if they are not known. */
static gradus_status share_scanned(job *j, gradus_error *err)
{
    gr_grower *grower = j->grower;
    const bool counts = grower->round.share && !grower->lanes[grower->output].unit;
    size_t scanned = 0;

    if (!grower->round.share)
        return GRADUS_OK;
    gr_pool_run(grower->pool, j->count * grower->layout.units, join_task, j);
    for (size_t s = 0; s < j->count; s++) {
        if (counts && j->steps[s].scan)
            put_rows(grower, &j->steps[s]);
        scanned += j->steps[s].scan;
    }
    GR_TRY(gr_features_sum(&grower->cuts, grower->round.share, gr_sum_words(grower),
                           grower->message.at, scanned, err));
    for (size_t s = 0; s < j->count; s++)
        if (counts && j->steps[s].scan && grower->cuts.first < grower->cuts.end)
            take_rows(grower, &j->steps[s]);
    return GRADUS_OK;
}

/* The number of partial histograms: enough to divide large nodes among the threads, within the
 * limit of memory. */
static size_t most_partials(const gr_grower *grower)
{
    const size_t threads = gr_pool_threads(grower->pool);
    const size_t bytes = grower->histograms.words * sizeof(uint64_t);
    const size_t fit = grower->histogram_bytes / (bytes ? bytes : 1);

    return threads == 1 ? 0 : fit < threads ? threads - 1 : fit < 2 * threads ? fit : 2 * threads;
}

/* Divides the nodes to be scanned into parts of similar size, so that there are TASKS tasks per thread.
 * Returns the number of tasks; *partials: the partial histograms they need. */
static size_t plan_parts(const gr_grower *grower, gr_step *steps, size_t count, size_t *partials)
{
    const size_t units = grower->bins->groups + grower->bins->bundles;
    const double tasks_wanted = (double)(TASKS * gr_pool_threads(grower->pool));
    const size_t wanted = (size_t)(tasks_wanted / grower->all_scan_work) + 1;
    const size_t most = most_partials(grower);
    size_t rows = 0, each, tasks = 0, scanned = 0;

    for (size_t s = 0; s < count; s++) {
        rows += steps[s].scan ? steps[s].scanned->count : 0;
        steps[s].in_message = scanned;
        scanned += steps[s].scan;
    }
    each = rows / wanted + 1 > PART_ROWS ? rows / wanted + 1 : PART_ROWS;
    *partials = 0;
    for (size_t s = 0; s < count; s++) {
        gr_step *step = &steps[s];
        const size_t parts = step->scan ? (step->scanned->count + each / 2) / each : 1;
        const size_t more = parts > 1 ? parts - 1 : 0, left = most - *partials;

        step->parts = 1 + (more < left ? more : left);
        step->first_partial = *partials;
        step->first_task = tasks;
        *partials += step->parts - 1;
        for (size_t u = 0; step->scan && u < units; u++)
            tasks += unit_parts(grower, step, u);
    }
    return tasks;
}

/* Memory for the partial histograms and, with several processes, those of the steps. */
static gradus_status reserve_histograms(gr_grower *grower, size_t partials, size_t steps,
                                        gradus_error *err)
{
    const size_t each = grower->histograms.words * sizeof(uint64_t);
    const bool share = grower->round.share != NULL;
    size_t more, bytes;

    if (!gr_size_times(partials, each, &bytes) || !gr_size_times(share ? steps : 0, each, &more) ||
        (bytes > 0 && !gr_array_reserve(&grower->partial, bytes)) ||
        (more > 0 && !gr_array_reserve(&grower->message, more)))
        return gr_fail_memory(err, "histograms");
    return GRADUS_OK;
}

gradus_status gr_run_steps(gr_grower *grower, gr_step *steps, size_t count, gradus_error *err)
{
    job j = { grower, steps, count };
    size_t partials, rows = 0;
    const size_t tasks = plan_parts(grower, steps, count, &partials);
    gr_pool *pool;

    for (size_t s = 0; s < count; s++)
        rows += steps[s].scanned->count;
    pool = rows * grower->bins->features < SERIAL_WORK ? NULL : grower->pool;
    GR_TRY(reserve_histograms(grower, partials, count, err));
    gr_pool_run(pool, tasks, scan_task, &j);
    GR_TRY(share_scanned(&j, err));
    for (size_t s = 0; s < count; s++) {
        steps[s].for_scanned = gr_search_of(grower, steps[s].scanned);
        if (steps[s].rest)
            steps[s].for_rest = gr_search_of(grower, steps[s].rest);
    }
    gr_pool_run(pool, count * (grower->cuts.end - grower->cuts.first), finish_task, &j);
    return GRADUS_OK;
}
