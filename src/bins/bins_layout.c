/* SPDX-License-Identifier: Apache-2.0 */
/* Decides how each feature is stored: as a dense column, in a bundle (bundle of sparse features),
 * or not at all. */
#include "bins/bins_work.h"

#include <stdlib.h>

enum {
    BUNDLE_CODES = 16384, /* so that the histogram of a bundle fits in the L2 cache ... */
    WIDE_CODES = 65536,   /* ... unless that would give too many bundles */
    MANY_BUNDLES = 32,
    THREAD_BUNDLES = 4,   /* target number of bundles, so that threads can work in parallel ... */
    SLICE_ROW_ENTRIES = 2 /* ... but with at least this many entries per row each */
};

/* Whether all rows are in one bin. */
static bool has_one_bin(const gr_binning *work, size_t f)
{
    return work->columns[f].thresholds == 0 &&
           (work->misses[f] == 0 || work->misses[f] == gr_binning_rows(work));
}

/* Slots of a feature, including one for missing values, as it is not known yet whether there are
 * any. */
static size_t slots_of(const gr_binning *work, size_t f)
{
    return (size_t)work->columns[f].thresholds + 2;
}

static void place_features(gr_binning *work)
{
    gr_bins *bins = work->bins;

    for (size_t f = 0; f < bins->features; f++)
        if (has_one_bin(work, f)) {
            bins->place[f] = GR_NO_PLACE;
        } else if (gr_binning_is_sparse(work, f)) {
            bins->place[f] = ~(uint32_t)bins->sparses;
            bins->sparse[bins->sparses++] =
                (gr_sparse_feature){ (uint32_t)f, work->columns[f].default_bin, 0 };
        } else {
            bins->place[f] = 0; /* set by gr_binning_groups */
            bins->columns[bins->dense++] = (uint32_t)f;
        }
    bins->blocks = (bins->dense + gr_bins_in_word(bins) - 1) / gr_bins_in_word(bins);
}

/* Divides the sparse features into bundles. */
static void cut_bundles(gr_binning *work)
{
    gr_bins *bins = work->bins;
    uint64_t codes = 0, entries = 0, wanted, held = 0;
    size_t most;

    for (size_t i = 0; i < bins->sparses; i++) {
        codes += slots_of(work, bins->sparse[i].feature);
        entries += work->sampled - work->columns[bins->sparse[i].feature].covered;
    }
    most = codes > (uint64_t)MANY_BUNDLES * BUNDLE_CODES ? WIDE_CODES : BUNDLE_CODES;
    wanted = entries / SLICE_ROW_ENTRIES / (work->sampled ? work->sampled : 1);
    wanted = wanted < 1 ? 1 : wanted > THREAD_BUNDLES ? THREAD_BUNDLES : wanted;
    for (size_t i = 0; i < bins->sparses; i++) {
        const size_t f = bins->sparse[i].feature, more = slots_of(work, f);
        gr_bundle *bundle = bins->bundles ? &bins->bundle[bins->bundles - 1] : NULL;

        if (!bundle || bundle->codes + more > most || held * wanted >= entries) {
            bundle = &bins->bundle[bins->bundles++];
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): allocated above */
            bundle->first = i;
            held = 0;
        }
        work->codes[i] = (uint32_t)bundle->codes;
        bundle->codes += more;
        bundle->end = i + 1;
        held += work->sampled - work->columns[f].covered;
    }
}

gradus_status gr_binning_layout(gr_binning *work, gradus_error *err)
{
    gr_bins *bins = work->bins;
    size_t bytes;

    bins->width = work->options->bins > 255 ? 16 : 8;
    bins->place = gr_new_array(bins->features, sizeof *bins->place);
    bins->columns = gr_new_array(bins->features, sizeof *bins->columns);
    bins->sparse = gr_new_array(bins->features, sizeof *bins->sparse);
    if (!bins->place || !bins->columns || !bins->sparse)
        return gr_fail_memory(err, "the layout of features");
    place_features(work);
    GR_TRY(gr_binning_groups(work, err));
    bins->bundle = gr_new_array(bins->sparses, sizeof *bins->bundle);
    work->codes = gr_new_array(bins->sparses, sizeof *work->codes);
    if (!bins->bundle || !work->codes)
        return gr_fail_memory(err, "bundles of sparse features");
    cut_bundles(work);
    for (size_t s = 0; s < bins->bundles; s++) {
        bins->bundle[s].row_starts = gr_new_array(bins->rows + 1, sizeof(uint64_t));
        if (!bins->bundle[s].row_starts)
            return gr_fail_memory(err, "a bundle of sparse features");
    }
    if (!gr_size_times(bins->blocks, bins->rows, &bytes) ||
        !gr_size_times(bytes, sizeof(uint64_t), &bytes) || !gr_array_reserve(&bins->words, bytes))
        return gr_fail_memory(err, "bins");
    gr_array_use_huge_pages(&bins->words);
    return GRADUS_OK;
}
