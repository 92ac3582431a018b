/* SPDX-License-Identifier: Apache-2.0 */
/* RankBoost: potentials of rows in linear time, sums of potentials per bin, and the best stump. */
#include "learners/weak/weak.h"

#include "base/bisect.h"
#include "base/text.h"

#include "base/clock.h"
#include "base/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gr_rankboost {
    const gradus_context *context;
    const gradus_dataset *data;
    const gr_problem *problem;
    gr_pair_order order;
    gr_bins bins;
    double bin_seconds;
    gr_forest forest;
    double *scores, *potentials, *scratch;
    double *sums;       /* of potentials per bin, feature by feature */
    uint32_t *counts;   /* of rows per bin, likewise */
    uint64_t *starts;   /* features + 1: first bin of each feature in sums and counts */
    uint64_t *dense_at; /* the same for each dense column */
    double pairs;
    gr_arena arena; /* owns the arrays */
};

void gr_rankboost_free(gr_rankboost *b)
{
    if (!b)
        return;
    gr_pair_order_free(&b->order);
    gr_bins_free(&b->bins);
    gr_forest_free(&b->forest);
    gr_arena_free(&b->arena);
    free(b);
}

/* Computes the potentials of a query's rows, given in ascending order of labels; returns the sum of
 * D. D of a pair is e^(s_worse) e^(-s_better), so a row's potential is its own factor times the sum
 * over the rows with lower labels, minus the same for higher labels. */
static double query_potentials(const gr_problem *problem, const uint32_t *rows, size_t count,
                               const double *scores, double *potentials, double *scratch)
{
    double *as_worse = scratch, *as_better = scratch + count;
    double middle = 0.0, sum = 0.0, below = 0.0, above = 0.0;

    for (size_t i = 0; i < count; i++)
        middle += scores[rows[i]] / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double weight = gr_problem_weight(problem, 0, rows[i]);

        as_worse[i] = weight * gr_exp(scores[rows[i]] - middle);
        as_better[i] = weight * gr_exp(middle - scores[rows[i]]);
    }
    for (size_t start = 0, end; start < count; start = end) {
        double group = 0.0;

        for (end = start; end < count && problem->labels[rows[end]] == problem->labels[rows[start]];
             end++) {
            potentials[rows[end]] = as_better[end] * below;
            sum += potentials[rows[end]];
            group += as_worse[end];
        }
        below += group;
    }
    for (size_t end = count, start; end > 0; end = start) {
        double group = 0.0;

        for (start = end;
             start > 0 && problem->labels[rows[start - 1]] == problem->labels[rows[end - 1]];) {
            start--;
            potentials[rows[start]] -= as_worse[start] * above;
            group += as_better[start];
        }
        above += group;
    }
    return sum;
}

double gr_rankboost_potentials(const gr_problem *problem, const gr_pair_order *order,
                               const double *scores, double *potentials, double *scratch)
{
    double sum = 0.0;

    memset(potentials, 0, problem->rows * sizeof *potentials);
    for (size_t q = 0; q < order->queries; q++)
        sum += query_potentials(problem, order->rows + order->starts[q], order->counts[q], scores,
                                potentials, scratch);
    for (size_t r = 0; r < problem->rows && sum > 0.0; r++)
        potentials[r] /= sum;
    return sum;
}

static gradus_status lay_out_sums(gr_rankboost *b, gradus_error *err)
{
    const gr_bins *bins = &b->bins;

    b->starts = gr_arena_array(&b->arena, bins->features + 1, sizeof *b->starts);
    b->dense_at = gr_arena_array(&b->arena, bins->dense, sizeof *b->dense_at);
    if (b->arena.failed)
        return gr_fail_memory(err, "feature bins");
    for (size_t f = 0; f < bins->features; f++)
        b->starts[f + 1] = b->starts[f] + gr_cuts_bins(&bins->cuts, f);
    for (size_t c = 0; c < bins->dense; c++)
        b->dense_at[c] = b->starts[bins->columns[c]];
    b->sums = gr_arena_array(&b->arena, (size_t)b->starts[bins->features], sizeof *b->sums);
    b->counts = gr_arena_array(&b->arena, (size_t)b->starts[bins->features], sizeof *b->counts);
    return !b->arena.failed ? GRADUS_OK : gr_fail_memory(err, "feature bins");
}

static gradus_status make_scores(gr_rankboost *b, const gr_forest *start, gradus_error *err)
{
    const double base = 0.0;

    if (!start)
        return gr_forest_start(&b->forest, b->data->arrays.features, 1, &base, err);
    if (start->features != b->data->arrays.features || start->outputs != 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model to start from has %zu features, but the data have %zu",
                       start->features, b->data->arrays.features);
    GR_TRY(gr_forest_copy(start, SIZE_MAX, &b->forest, err));
    return gr_forest_add_scores(&b->forest, 0, b->forest.trees, b->data, b->scores,
                                gr_pool_of(b->context), err);
}

static gradus_status set_up(gr_rankboost *b, const gr_bin_options *options, const gr_forest *start,
                            gradus_error *err)
{
    const size_t rows = b->problem->rows;
    const double started = gr_seconds();
    size_t longest = 0;

    GR_TRY(gr_pair_order_make(b->problem, &b->order, err));
    for (size_t q = 0; q < b->order.queries; q++)
        longest = b->order.counts[q] > longest ? b->order.counts[q] : longest;
    if (longest == 0)
        return gr_fail(
            err, GRADUS_BAD_NUMBER,
            "none of %zu queries has rows with different labels: there is nothing to learn from",
            b->problem->queries);
    if (b->order.queries < b->problem->queries)
        gr_note(b->context, "%zu of %zu queries %s rows of only one grade and %s skipped",
                b->problem->queries - b->order.queries, b->problem->queries,
                gr_plural(b->problem->queries - b->order.queries, "has", "have"),
                gr_plural(b->problem->queries - b->order.queries, "is", "are"));
    b->scores = gr_arena_array(&b->arena, rows, sizeof *b->scores);
    b->potentials = gr_arena_array(&b->arena, rows, sizeof *b->potentials);
    b->scratch = gr_arena_array(&b->arena, longest, 2 * sizeof *b->scratch);
    if (b->arena.failed)
        return gr_fail_memory(err, "training");
    GR_TRY(gr_bins_new(b->data, options, b->context, &b->bins, err));
    b->bin_seconds = gr_seconds() - started;
    GR_TRY(lay_out_sums(b, err));
    b->pairs = gr_rankboost_potentials(b->problem, &b->order, b->scores, b->potentials, b->scratch);
    return make_scores(b, start, err);
}

gr_rankboost *gr_rankboost_new(const gradus_context *context, const gradus_dataset *data,
                               const gr_problem *problem, const gr_bin_options *bins,
                               const gr_forest *start, gradus_error *err)
{
    gr_rankboost *b = calloc(1, sizeof *b);

    if (!b) {
        gr_fail_memory(err, "training");
        return NULL;
    }
    b->context = context;
    b->data = data;
    b->problem = problem;
    if (set_up(b, bins, start, err) != GRADUS_OK) {
        gr_rankboost_free(b);
        return NULL;
    }
    return b;
}

/* Sums the potentials per bin for the dense features of a block, in row order. */
static void sum_block(gr_rankboost *b, size_t block)
{
    const gr_bins *bins = &b->bins;
    const size_t each = gr_bins_in_word(bins), first = block * each;
    const size_t count = bins->dense - first < each ? bins->dense - first : each;
    const uint64_t *words = gr_block_words(bins, block);
    const size_t stride = gr_block_stride(bins, block);
    const uint64_t mask = (1u << bins->width) - 1u;

    for (size_t r = 0; r < bins->rows; r++)
        for (size_t c = 0; c < count; c++) {
            const size_t at = (size_t)b->dense_at[first + c] +
                              (size_t)(words[r * stride] >> (c * bins->width) & mask);

            b->sums[at] += b->potentials[r];
            b->counts[at]++;
        }
}

/* The index in sums and counts of a code of a bundle of sparse features. */
static size_t place_of_slot(const gr_rankboost *b, const gr_bundle *bundle, size_t code)
{
    const gr_sparse_feature *sparse = b->bins.sparse;
    const size_t at = GR_BISECT(bundle->first + 1, bundle->end, i, sparse[i].code <= code) - 1;

    return (size_t)b->starts[sparse[at].feature] + code - sparse[at].code;
}

/* The same for a bundle of sparse features. The default bin of a feature gets the remainder. */
static void sum_bundle(gr_rankboost *b, const gr_bundle *bundle)
{
    for (size_t r = 0; r < b->bins.rows; r++)
        for (uint64_t e = bundle->row_starts[r]; e < bundle->row_starts[r + 1]; e++) {
            const size_t at = place_of_slot(b, bundle, bundle->entries[e]);

            b->sums[at] += b->potentials[r];
            b->counts[at]++;
        }
    for (size_t i = bundle->first; i < bundle->end; i++) {
        const gr_sparse_feature *sparse = &b->bins.sparse[i];
        const size_t first = (size_t)b->starts[sparse->feature];
        const size_t end = (size_t)b->starts[sparse->feature + 1];
        double sum = 0.0;
        uint32_t count = 0;

        for (size_t at = first; at < end; at++) {
            sum += b->sums[at];
            count += b->counts[at];
        }
        b->sums[first + sparse->default_bin] = -sum; /* all potentials sum to 0 */
        b->counts[first + sparse->default_bin] = (uint32_t)b->bins.rows - count;
    }
}

static void sum_task(void *argument, size_t index, size_t worker)
{
    gr_rankboost *b = argument;

    (void)worker;
    if (index < b->bins.blocks)
        sum_block(b, index);
    else
        sum_bundle(b, &b->bins.bundle[index - b->bins.blocks]);
}

typedef struct stump {
    double r;
    size_t feature, cut;
    bool missing_above;
    uint32_t above; /* rows */
} stump;

/* Tries every threshold of a feature, with missing values counted as below or as above it. */
static void search_feature(const gr_rankboost *b, size_t f, stump *best)
{
    const gr_cuts *cuts = &b->bins.cuts;
    const size_t first = (size_t)b->starts[f];
    const size_t thresholds = (size_t)(cuts->starts[f + 1] - cuts->starts[f]);
    const double missing = cuts->missing[f] ? b->sums[first + thresholds + 1] : 0.0;
    const uint32_t missed = cuts->missing[f] ? b->counts[first + thresholds + 1] : 0;
    double sum = 0.0;
    uint32_t above = 0;

    for (size_t cut = thresholds; cut-- > 0;) {
        sum += b->sums[first + cut + 1];
        above += b->counts[first + cut + 1];
        for (int with = 0; with <= cuts->missing[f]; with++) {
            const double r = with ? sum + missing : sum;

            if (fabs(r) > fabs(best->r))
                *best = (stump){ r, f, cut, with, with ? above + missed : above };
        }
    }
}

/* 1/2 ln((1 + r) / (1 - r)), smoothed by half a pair on each side so that it is finite. */
static double alpha_of(const gr_rankboost *b, double r)
{
    const double least = 0.5 / b->pairs;

    return 0.5 * (gr_log(1.0 + r + least) - gr_log(1.0 - r + least));
}

static gradus_status add_stump(gr_rankboost *b, const stump *best, gradus_error *err)
{
    const gr_cuts *cuts = &b->bins.cuts;
    const double size = best->r < 1.0 ? best->r : 1.0;
    const double alpha = alpha_of(b, size > -1.0 ? size : -1.0);
    const gr_split split = { .feature = (uint32_t)best->feature,
                             .threshold = cuts->thresholds[cuts->starts[best->feature] + best->cut],
                             .left = ~0,
                             .right = ~1,
                             .gain = (float)fabs(best->r),
                             .missing_left = !best->missing_above };
    const float values[2] = { 0.0f, (float)alpha };
    const uint32_t covers[2] = { (uint32_t)b->bins.rows - best->above, best->above };

    GR_TRY(gr_forest_add(&b->forest, &split, 2, values, covers, err));
    return gr_forest_add_scores(&b->forest, b->forest.trees - 1, b->forest.trees, b->data,
                                b->scores, gr_pool_of(b->context), err);
}

gradus_status gr_rankboost_round(gr_rankboost *b, bool *grew, gradus_error *err)
{
    const size_t places = (size_t)b->starts[b->bins.features];
    const double sum =
        gr_rankboost_potentials(b->problem, &b->order, b->scores, b->potentials, b->scratch);
    stump best = { .r = 0.0 };

    *grew = false;
    if (!isfinite(sum) || !(sum > 0.0))
        return gr_fail(err, GRADUS_BAD_NUMBER, "the weights of pairs are no longer finite");
    memset(b->sums, 0, places * sizeof *b->sums);
    memset(b->counts, 0, places * sizeof *b->counts);
    GR_TRY(gr_pool_try(gr_pool_of(b->context), b->bins.blocks + b->bins.bundles, sum_task, b, err));
    for (size_t f = 0; f < b->bins.features; f++)
        if (b->bins.place[f] != GR_NO_PLACE)
            search_feature(b, f, &best);
    if (best.r == 0.0) { /* every round adds a tree, here one with a single leaf */
        const float none = 0.0f;
        const uint32_t rows = (uint32_t)b->bins.rows;

        return gr_forest_add(&b->forest, NULL, 1, &none, &rows, err);
    }
    *grew = true;
    return add_stump(b, &best, err);
}

const gr_forest *gr_rankboost_forest(const gr_rankboost *b)
{
    return &b->forest;
}

const double *gr_rankboost_scores(const gr_rankboost *b)
{
    return b->scores;
}

double gr_rankboost_seconds(const gr_rankboost *b)
{
    return b->bin_seconds;
}

size_t gr_rankboost_skipped(const gr_rankboost *b)
{
    return b->problem->queries - b->order.queries;
}
