/* SPDX-License-Identifier: Apache-2.0 */
/* Binning of the features, and the search for the best Gaussian, parallel over features. */
#include "learners/gaussians/gaussians_search.h"

#include "base/bisect.h"
#include "base/text.h"
#include "bins/bins_column.h"
#include "kernels/sigmoid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gr_gaussian_search_free(gr_gaussian_search *search)
{
    gr_array_free(&search->codes);
    free(search->starts);
    free(search->means);
    free(search->deviations);
    free(search->best);
    free(search->terms);
    free(search->room);
    *search = (gr_gaussian_search){ .rows = 0 };
}

/* Parses "auto" or comma-separated numbers. */
static gradus_status read_widths(const char *text, gr_gaussian_search *search, gradus_error *err)
{
    static const double relative[] = { 0.25, 0.5, 1.0, 2.0 };
    const char *at = text, *end = text + strlen(text);

    search->relative = strcmp(text, "auto") == 0;
    if (search->relative) {
        memcpy(search->widths, relative, sizeof relative);
        search->width_count = sizeof relative / sizeof *relative;
        return GRADUS_OK;
    }
    for (;; at++) {
        double width = 0.0;
        const char *after = gr_parse_double(at, end, &width);

        if (!after || (after < end && *after != ',') || !(width >= 1e-6 && width <= 1e6))
            return gr_fail(err, GRADUS_BAD_ARGUMENT,
                           "'widths' takes comma-separated numbers from 1e-6 to 1e6, or 'auto', "
                           "not '%.60s'",
                           at);
        if (search->width_count == GR_MAX_BANDWIDTHS)
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "'widths' takes at most %d numbers",
                           GR_MAX_BANDWIDTHS);
        search->widths[search->width_count++] = width;
        at = after;
        if (at == end)
            return GRADUS_OK;
    }
}

/* Buffers of one thread for binning a column. */
typedef struct cutting {
    uint32_t *keys, *spare;
    gr_distinct *distinct;
    float *thresholds;
} cutting;

typedef struct preparing {
    const gradus_dataset *data;
    gr_gaussian_search *search;
    gr_bin_options options;
    cutting *rooms; /* per thread */
    size_t *bins;   /* per feature: number of bins */
    double *means;  /* features x most_bins */
    double *low;    /* three arrays of that size: smallest values, counts, largest values */
    bool *failed;   /* per thread: out of memory */
} preparing;

static bool make_room(cutting *room, size_t rows, size_t bins)
{
    if (!room->keys)
        room->keys = gr_new_array(rows, sizeof *room->keys);
    if (!room->spare)
        room->spare = gr_new_array(rows + 1, sizeof *room->spare);
    if (!room->distinct)
        room->distinct = gr_new_array(rows + 1, sizeof *room->distinct);
    if (!room->thresholds)
        room->thresholds = gr_new_array(bins, sizeof *room->thresholds);
    return room->keys && room->spare && room->distinct && room->thresholds;
}

static void free_room(cutting *room)
{
    free(room->keys);
    free(room->spare);
    free(room->distinct);
    free(room->thresholds);
}

/* Computes the mean of each bin, exactly the value if the bin has only one, and the standard
 * deviation of the feature. */
static void measure(const preparing *work, size_t f, size_t bins, const double *counts,
                    const double *high)
{
    gr_gaussian_search *search = work->search;
    double *means = work->means + f * search->most_bins, *low = work->low + f * search->most_bins;
    double count = 0.0, mean = 0.0, squares = 0.0;

    for (size_t b = 0; b < bins; b++) {
        means[b] = counts[b] > 0.0 ? (low[b] == high[b] ? low[b] : means[b] / counts[b]) : 0.0;
        count += counts[b];
        mean += counts[b] * means[b];
    }
    mean = count > 0.0 ? mean / count : 0.0;
    for (size_t b = 0; b < bins; b++)
        squares += counts[b] * (means[b] - mean) * (means[b] - mean);
    search->deviations[f] = count > 0.0 ? sqrt(squares / count) : 0.0;
}

static void code_column(const preparing *work, size_t f, const float *thresholds, size_t cuts)
{
    gr_gaussian_search *search = work->search;
    uint16_t *codes = (uint16_t *)search->codes.at + f * search->rows;
    double *means = work->means + f * search->most_bins, *low = work->low + f * search->most_bins;
    double *counts = low + search->features * search->most_bins;
    double *high = counts + search->features * search->most_bins;

    for (size_t r = 0; r < search->rows; r++) {
        const float value = gr_dataset_value(work->data, r, f);
        const size_t bin =
            isfinite(value) ? GR_BISECT(0, cuts, i, thresholds[i] <= value) : GR_NO_BIN;

        codes[r] = (uint16_t)bin;
        if (bin == GR_NO_BIN)
            continue;
        if (counts[bin] == 0.0 || (double)value < low[bin])
            low[bin] = (double)value;
        if (counts[bin] == 0.0 || (double)value > high[bin])
            high[bin] = (double)value;
        means[bin] += (double)value;
        counts[bin]++;
    }
    work->bins[f] = cuts + 1;
    measure(work, f, cuts + 1, counts, high);
}

static void prepare_feature(void *argument, size_t f, size_t worker)
{
    const preparing *work = argument;
    const size_t rows = work->search->rows;
    cutting *room = &work->rooms[worker];
    gr_column column = { .zeros = 0 };
    size_t count = 0;

    if (!make_room(room, rows, work->search->most_bins)) {
        work->failed[worker] = true;
        return;
    }
    for (size_t r = 0; r < rows; r++) {
        const float value = gr_dataset_value(work->data, r, f);

        if (!isfinite(value))
            column.missing++;
        else if (value == 0.0f)
            column.zeros++;
        else
            room->keys[count++] = gr_sort_key(gr_float_key(value));
    }
    gr_column_cut(&work->options, room->keys, count, room->spare, room->distinct, &column,
                  room->thresholds);
    code_column(work, f, room->thresholds, column.thresholds);
}

static gradus_status prepare(preparing *work, gr_pool *pool, gradus_error *err)
{
    gr_gaussian_search *search = work->search;
    const size_t features = search->features, threads = gr_pool_threads(pool);
    size_t cells, bytes;

    search->starts = gr_new_array(features + 1, sizeof *search->starts);
    search->deviations = gr_new_array(features, sizeof *search->deviations);
    search->best = gr_new_array(features, sizeof *search->best);
    search->room = gr_new_array(threads * search->most_bins, 3 * sizeof *search->room);
    if (!search->starts || !search->deviations || !search->best || !search->room ||
        !gr_size_times(features, search->most_bins, &cells) || !gr_size_times(cells, 3, &bytes) ||
        !(work->means = gr_new_array(cells, sizeof(double))) ||
        !(work->low = gr_new_array(bytes, sizeof(double))) ||
        !gr_size_times(features, search->rows, &cells) ||
        !gr_size_times(cells, sizeof(uint16_t), &bytes) || !gr_array_reserve(&search->codes, bytes))
        return gr_fail_memory(err, "kernels");
    GR_TRY(gr_pool_try(pool, features, prepare_feature, work, err));
    for (size_t t = 0; t < threads; t++)
        if (work->failed[t])
            return gr_fail_memory(err, "kernels");
    for (size_t f = 0; f < features; f++)
        search->starts[f + 1] = search->starts[f] + work->bins[f];
    search->means = gr_new_array(search->starts[features], sizeof *search->means);
    if (!search->means)
        return gr_fail_memory(err, "kernels");
    for (size_t f = 0; f < features; f++)
        memcpy(search->means + search->starts[f], work->means + f * search->most_bins,
               work->bins[f] * sizeof *search->means);
    return GRADUS_OK;
}

static gradus_status keep_terms(gr_gaussian_search *search, gradus_error *err)
{
    if (!gr_size_times(search->starts[search->features], search->width_count,
                       &search->term_count) ||
        !(search->terms = gr_new_array(search->term_count, sizeof *search->terms)))
        return gr_fail_memory(err, "kernels");
    return GRADUS_OK;
}

gradus_status gr_gaussian_search_new(const gradus_dataset *data, const gr_gaussian_options *options,
                                     const gr_bin_options *bin, const gradus_context *context,
                                     gr_gaussian_search *search, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(context);
    preparing work = { .data = data, .search = search, .options = *bin };
    gradus_status status;

    *search = (gr_gaussian_search){ .rows = data->arrays.rows,
                                    .features = data->arrays.features,
                                    .most_bins = options->centres < data->arrays.rows
                                                     ? (size_t)options->centres
                                                     : data->arrays.rows };
    work.options.bins = options->centres;
    GR_TRY(read_widths(options->bandwidth, search, err));
    work.rooms = gr_new_array(gr_pool_threads(pool), sizeof *work.rooms);
    work.failed = gr_new_array(gr_pool_threads(pool), sizeof *work.failed);
    work.bins = gr_new_array(search->features, sizeof *work.bins);
    status = work.rooms && work.failed && work.bins ? prepare(&work, pool, err)
                                                    : gr_fail_memory(err, "kernels");
    if (status == GRADUS_OK && options->search == GR_KERNELS_EXACTLY)
        status = keep_terms(search, err);
    for (size_t t = 0; work.rooms && t < gr_pool_threads(pool); t++)
        free_room(&work.rooms[t]);
    free(work.rooms);
    free(work.failed);
    free(work.bins);
    free(work.means);
    free(work.low);
    if (status != GRADUS_OK)
        gr_gaussian_search_free(search);
    return status;
}

typedef struct searching {
    gr_gaussian_search *search;
    const float *gradients, *hessians;
    double gradient, hessian, l2; /* sums over all rows */
    gr_pool *pool;
} searching;

/* Sums gradients and hessians per bin, in row order. */
static void sum_bins(const searching *work, size_t f, double *g, double *h)
{
    const gr_gaussian_search *search = work->search;
    const size_t bins = search->starts[f + 1] - search->starts[f];
    const uint16_t *codes = (const uint16_t *)search->codes.at + f * search->rows;

    memset(g, 0, bins * sizeof *g);
    memset(h, 0, bins * sizeof *h);
    for (size_t r = 0; r < search->rows; r++) {
        const size_t bin = codes[r];

        if (bin == GR_NO_BIN)
            continue;
        g[bin] += (double)work->gradients[r];
        h[bin] += (double)work->hessians[r];
    }
}

/* Evaluates a kernel at a centre: a Newton step on the kernel minus its hessian-weighted mean (the
 * offset), which is the step of the kernel when a constant is fitted jointly. */
static void try_centre(const searching *work, size_t f, double centre, double width,
                       const double *g, const double *h, double *halves, gr_gaussian *best,
                       gr_gaussian *kept)
{
    const gr_gaussian_search *search = work->search;
    const gr_sigmoid_kernels *kernels = gr_sigmoid_here();
    const size_t bins = search->starts[f + 1] - search->starts[f];
    const double *means = search->means + search->starts[f], scale = 1.0 / width;
    double first = 0.0, second = 0.0, slope = 0.0;

    for (size_t b = 0; b < bins; b++) {
        const double z = (means[b] - centre) * scale;

        halves[b] = z * z / 2.0;
    }
    kernels->exp_minus(halves, bins, halves);
    for (size_t b = 0; b < bins; b++) {
        const double e = halves[b];

        slope += g[b] * e;
        first += h[b] * e;
        second += h[b] * e * e;
    }
    if (!(work->hessian > 0.0))
        return;
    const double offset = first / work->hessian;
    const double curvature = second - first * offset;

    slope -= work->gradient * offset;
    if (!(curvature > 1e-9 * second) || !(curvature + work->l2 > 0.0))
        return;
    const gr_gaussian term = { .centre = centre,
                               .bandwidth = width,
                               .weight = -slope / (curvature + work->l2),
                               .offset = offset,
                               .gain = slope * slope / (curvature + work->l2) / 2.0,
                               .feature = f };

    if (term.gain > best->gain)
        *best = term;
    if (kept)
        *kept = term;
}

static void search_feature(void *argument, size_t f, size_t worker)
{
    const searching *work = argument;
    gr_gaussian_search *search = work->search;
    const size_t bins = search->starts[f + 1] - search->starts[f];
    double *g = search->room + worker * 3 * search->most_bins, *h = g + search->most_bins;
    double *halves = h + search->most_bins;
    gr_gaussian *best = &search->best[f];
    gr_gaussian *kept =
        search->terms ? search->terms + search->starts[f] * search->width_count : NULL;

    *best = (gr_gaussian){ .weight = 0.0 };
    if (kept)
        memset(kept, 0, bins * search->width_count * sizeof *kept);
    if (!(search->deviations[f] > 0.0))
        return;
    sum_bins(work, f, g, h);
    for (size_t w = 0; w < search->width_count && !gr_pool_cancelled(work->pool); w++)
        for (size_t b = 0; b < bins; b++)
            try_centre(work, f, search->means[search->starts[f] + b],
                       search->widths[w] * (search->relative ? search->deviations[f] : 1.0), g, h,
                       halves, best, kept ? kept + w * bins + b : NULL);
}

gr_gaussian gr_gaussian_search_run(gr_gaussian_search *search, const float *gradients,
                                   const float *hessians, double l2, gr_pool *pool)
{
    searching work = { search, gradients, hessians, 0.0, 0.0, l2, pool };
    gr_gaussian best = { .weight = 0.0 };

    for (size_t r = 0; r < search->rows; r++) {
        work.gradient += (double)gradients[r];
        work.hessian += (double)hessians[r];
    }
    gr_pool_run(pool, search->features, search_feature, &work);
    for (size_t f = 0; f < search->features; f++)
        if (search->best[f].gain > best.gain)
            best = search->best[f];
    return best;
}
