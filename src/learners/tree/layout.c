/* SPDX-License-Identifier: Apache-2.0 */
/* The positions of features in a histogram, and the pool of histogram memory. */
#include "learners/tree/grow.h"

#include "base/bisect.h"
#include "kernels/histogram.h"

#include <stdlib.h>
#include <string.h>

gradus_status gr_layout_new(gr_layout *layout, const gr_bins *bins, gradus_error *err)
{
    const size_t each = gr_bins_in_word(bins);
    const size_t scanned = (bins->dense + 3) / 4 * 4; /* columns that some kernel adds to */
    size_t at = 0;

    layout->units = bins->blocks + bins->bundles;
    layout->starts = gr_new_array(layout->units + 1, sizeof *layout->starts);
    layout->columns = gr_new_array(bins->blocks * each, sizeof *layout->columns);
    if (!layout->starts || !layout->columns)
        return gr_fail_memory(err, "the layout of histograms");
    for (size_t b = 0; b < bins->blocks; b++) {
        layout->starts[b] = at;
        for (size_t column = b * each; column < (b + 1) * each; column++) {
            layout->columns[column] = at;
            if (bins->width == 8)
                at += column < scanned ? GR_COLUMN_SUMS : 0;
            else
                at += 1 +
                      (column < bins->dense ? gr_cuts_bins(&bins->cuts, bins->columns[column]) : 0);
        }
        at = (at + 7) / 8 * 8;
    }
    for (size_t s = 0; s < bins->bundles; s++) {
        layout->starts[bins->blocks + s] = at;
        at += (bins->bundle[s].codes + 7) / 8 * 8;
    }
    layout->starts[layout->units] = layout->bin_sums = at;
    return GRADUS_OK;
}

void gr_layout_free(gr_layout *layout)
{
    free(layout->starts);
    free(layout->columns);
}

/* The rows with a mask bit. */
static size_t masked_rows(const gr_bins *bins, uint8_t bit)
{
    const uint8_t *masks = bins->row_masks.at;
    size_t rows = 0;

    for (size_t r = 0; r < bins->rows; r++)
        rows += (masks[r] & bit) != 0;
    return rows;
}

double gr_scan_work(const gr_bins *bins, double *work)
{
    const double each_row = 3, each_entry = 3; /* in additions to a dense feature */
    const size_t each = gr_bins_in_word(bins), units = bins->groups + bins->bundles;
    double largest = 0, sum = 0;

    for (size_t u = 0; u < units; u++) {
        const gr_group *group = &bins->group[u];

        if (u >= bins->groups) {
            work[u] = each_entry * (double)bins->bundle[u - bins->groups].row_starts[bins->rows];
        } else {
            const size_t end = group->end * each < bins->dense ? group->end * each : bins->dense;

            work[u] = (double)(end - group->first * each) *
                      (double)(group->mask_bit ? masked_rows(bins, group->mask_bit) : bins->rows);
        }
        work[u] += each_row * (double)bins->rows + 1; /* not 0 without rows */
        largest = work[u] > largest ? work[u] : largest;
    }
    for (size_t u = 0; u < units; u++)
        sum += work[u] /= largest;
    return sum > 0 ? sum : 1;
}

gradus_status gr_histograms_start(gr_histograms *histograms, size_t words, size_t count,
                                  gradus_error *err)
{
    size_t bytes;

    if (!gr_size_times(words, count, &bytes) || !gr_size_times(bytes, sizeof(uint64_t), &bytes) ||
        !gr_array_reserve(&histograms->memory, bytes))
        return gr_fail_memory(err, "histograms");
    if (count != histograms->count) {
        free(histograms->free);
        histograms->count = 0;
        histograms->free = gr_new_array(count, sizeof *histograms->free);
        if (!histograms->free)
            return gr_fail_memory(err, "histograms");
    }
    histograms->words = words;
    histograms->count = histograms->idle = count;
    for (size_t i = 0; i < count; i++)
        histograms->free[i] = (uint32_t)(count - 1 - i);
    return GRADUS_OK;
}

void gr_histograms_free(gr_histograms *histograms)
{
    gr_array_free(&histograms->memory);
    free(histograms->free);
}

uint64_t *gr_histogram_at(const gr_histograms *histograms, size_t number)
{
    return (uint64_t *)histograms->memory.at + number * histograms->words;
}

size_t gr_histogram_take(gr_histograms *histograms)
{
    return histograms->idle ? histograms->free[--histograms->idle] : GR_NO_HISTOGRAM;
}

void gr_histogram_give(gr_histograms *histograms, size_t *number)
{
    if (*number == GR_NO_HISTOGRAM)
        return;
    histograms->free[histograms->idle++] = (uint32_t)*number;
    *number = GR_NO_HISTOGRAM;
}

/* The position (gr_feature_at) of the first feature of a unit, or of the end. */
static size_t first_feature(const gr_bins *bins, size_t unit)
{
    const size_t column = unit * gr_bins_in_word(bins);

    if (unit < bins->blocks)
        return column < bins->dense ? column : bins->dense;
    return bins->dense + (unit - bins->blocks < bins->bundles
                              ? bins->bundle[unit - bins->blocks].first
                              : bins->sparses);
}

/* The bundle of a sparse feature. */
static size_t bundle_of(const gr_bins *bins, size_t i)
{
    return GR_BISECT(0, bins->bundles, s, bins->bundle[s].end <= i - bins->dense);
}

size_t gr_first_sum(const gr_layout *layout, const gr_bins *bins, size_t i)
{
    if (i < bins->dense)
        return layout->columns[i];
    return i == bins->dense + bins->sparses ? layout->bin_sums
                                            : layout->starts[bins->blocks + bundle_of(bins, i)] +
                                                  bins->sparse[i - bins->dense].code;
}

/* A bin_sum of a feature that scans add no row to: between dense columns there is at least one, and
 * sparse rows do not list the default bin. */
static size_t unused_sum(const gr_layout *layout, const gr_bins *bins, size_t i)
{
    const size_t first = gr_first_sum(layout, bins, i);

    return i < bins->dense ? first + gr_cuts_bins(&bins->cuts, bins->columns[i])
                           : first + bins->sparse[i - bins->dense].default_bin;
}

uint64_t gr_owner_work(const gr_layout *layout, const gr_bins *bins, size_t i, size_t size)
{
    const size_t search = 4; /* a bin of two nodes, in additions of a bin_sum */

    return (gr_first_sum(layout, bins, i + 1) - gr_first_sum(layout, bins, i)) * (size - 1) +
           gr_cuts_bins(&bins->cuts, gr_feature_at(bins, i)) * search;
}

/* Gives each feature to the process in whose part of the work its middle is. */
static void cut_features(const gr_layout *layout, const gr_bins *bins, size_t size,
                         uint64_t *features)
{
    const size_t count = bins->dense + bins->sparses;
    uint64_t all = 0, before = 0;
    size_t rank = 0;

    for (size_t i = 0; i < count; i++)
        all += gr_owner_work(layout, bins, i, size);
    for (size_t i = 0; i < count; i++) {
        const uint64_t work = gr_owner_work(layout, bins, i, size);
        const size_t owner = (size_t)((2 * before + work) * size / (2 * all));

        while (rank < owner)
            features[++rank] = i;
        before += work;
    }
    while (rank < size)
        features[++rank] = count;
}

gradus_status gr_features_cut(gr_feature_cuts *cuts, const gr_layout *layout, const gr_bins *bins,
                              const gr_share *share, gradus_error *err)
{
    const size_t size = share ? share->with->size : 1, rank = share ? share->with->rank : 0;

    *cuts = (gr_feature_cuts){ .features = gr_new_array(size + 1, sizeof *cuts->features),
                               .sums = gr_new_array(size + 1, sizeof *cuts->sums),
                               .unused = gr_new_array(size, sizeof *cuts->unused) };
    if (!cuts->features || !cuts->sums || !cuts->unused)
        return gr_fail_memory(err, "the layout of histograms");
    cut_features(layout, bins, size, cuts->features);
    cuts->sums[size] = layout->bin_sums;
    for (size_t i = 0; i < size; i++) {
        const size_t first = (size_t)cuts->features[i];

        cuts->sums[i] = gr_first_sum(layout, bins, first);
        cuts->unused[i] =
            first < cuts->features[i + 1] ? unused_sum(layout, bins, first) : SIZE_MAX;
    }
    cuts->first_feature = (size_t)cuts->features[rank];
    cuts->end_feature = (size_t)cuts->features[rank + 1];
    cuts->end = layout->units;
    while (cuts->first < layout->units &&
           first_feature(bins, cuts->first + 1) <= cuts->first_feature)
        cuts->first++;
    while (cuts->end > cuts->first && first_feature(bins, cuts->end - 1) >= cuts->end_feature)
        cuts->end--;
    if (cuts->first_feature == cuts->end_feature)
        cuts->end = cuts->first;
    return GRADUS_OK;
}

void gr_features_cut_free(gr_feature_cuts *cuts)
{
    free(cuts->features);
    free(cuts->sums);
    free(cuts->unused);
}

gr_unit_part gr_own_part(const gr_grower *grower, size_t unit)
{
    const gr_feature_cuts *cuts = &grower->cuts;
    const size_t rank = grower->bins->share ? grower->bins->share->with->rank : 0;
    const size_t *starts = grower->layout.starts;
    const size_t first = first_feature(grower->bins, unit);
    const size_t end = first_feature(grower->bins, unit + 1);
    const size_t sum = starts[unit] > cuts->sums[rank] ? starts[unit] : cuts->sums[rank];
    const size_t end_sum =
        starts[unit + 1] < cuts->sums[rank + 1] ? starts[unit + 1] : cuts->sums[rank + 1];

    return (gr_unit_part){ first > cuts->first_feature ? first : cuts->first_feature,
                           end < cuts->end_feature ? end : cuts->end_feature, sum, end_sum - sum };
}

gradus_status gr_features_sum(const gr_feature_cuts *cuts, const gr_share *share, size_t words,
                              uint64_t *histograms, size_t count, gradus_error *err)
{
    size_t *counts;
    gradus_status status;

    if (!share || count == 0)
        return GRADUS_OK;
    counts = gr_new_array(share->with->size, sizeof *counts);
    if (!counts)
        return gr_fail_memory(err, "histograms of processes");
    for (size_t i = 0; i < share->with->size; i++)
        counts[i] = (cuts->sums[i + 1] - cuts->sums[i]) * words;
    status = share->with->sum_parts(share->with->state, (int64_t *)histograms, count, counts, err);
    free(counts);
    return status;
}
