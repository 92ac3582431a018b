/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the thresholds of sparse features. Data with very many sparse features could have more
 * (feature, bin) pairs than entries, and thus many bundles, each of which stores one offset per
 * row. Features with few values outside the default bin therefore get fewer bins, until there are
 * no more bundles than entries per row (or 16). */
#include "bins/bins_work.h"

#include <string.h>

enum {
    BUNDLE_CODES = 65536,
    FEW_SLICES = 16 /* always allowed */
};

/* Sampled rows outside the default bin. */
static uint64_t other_rows(const gr_binning *work, size_t f)
{
    return work->sampled - work->columns[f].covered;
}

/* The number of thresholds that a feature keeps if its bins should have at least `rows` rows. */
static uint32_t thinned(const gr_binning *work, size_t f, uint64_t rows)
{
    const uint32_t count = work->columns[f].thresholds;
    const uint64_t most = other_rows(work, f) / rows;

    if (!gr_binning_is_sparse(work, f) || count <= 2 || most >= count)
        return count;
    return most < 2 ? 2 : (uint32_t)most;
}

/* Slots of all sparse features, including one each for missing values. */
static uint64_t count_slots(const gr_binning *work, uint64_t rows)
{
    uint64_t codes = 0;

    for (size_t f = 0; f < work->bins->features; f++)
        if (gr_binning_is_sparse(work, f))
            codes += thinned(work, f, rows) + 2;
    return codes;
}

/* Keeps `most` evenly spaced thresholds, always including those next to the default bin. */
static void thin_feature(gr_column *column, const float *from, uint32_t most, float *to)
{
    const uint32_t count = column->thresholds, default_bin = column->default_bin;
    const bool missing = default_bin > count;
    const uint32_t below = missing || default_bin == 0 ? count : default_bin - 1,
                   above = default_bin;
    const uint32_t beside = (below < count ? 1u : 0u) + (above < count ? 1u : 0u);
    uint32_t kept = 0, others = 0;

    for (uint32_t t = 0; t < count; t++) {
        const uint64_t left = count - beside, wanted = most - beside;
        const bool chosen = t == below || t == above;

        if (!chosen) {
            const uint64_t before = left ? others * wanted / left : 0;

            others++;
            if (!left || others * wanted / left == before)
                continue;
        }
        to[kept++] = from[t];
        if (t == below)
            column->default_bin = kept;
    }
    column->thresholds = kept;
    if (missing)
        column->default_bin = kept + 1;
}

static void thin_all(gr_binning *work, uint64_t rows)
{
    gr_cuts *cuts = &work->bins->cuts;
    uint64_t used = 0;

    for (size_t f = 0; f < cuts->features; f++) {
        const uint32_t most = thinned(work, f, rows);
        const float *from = cuts->thresholds + cuts->starts[f];
        float *to = cuts->thresholds + used;

        cuts->starts[f] = used;
        if (most < work->columns[f].thresholds)
            thin_feature(&work->columns[f], from, most, to);
        else
            memmove(to, from, most * sizeof *to);
        used += work->columns[f].thresholds;
    }
    cuts->starts[cuts->features] = used;
}

void gr_binning_prune(gr_binning *work)
{
    uint64_t entries = 0, bundles, rows = 1;

    for (size_t f = 0; f < work->bins->features; f++)
        if (gr_binning_is_sparse(work, f))
            entries += other_rows(work, f);
    bundles = entries / (work->sampled ? work->sampled : 1);
    bundles = bundles > FEW_SLICES ? bundles : FEW_SLICES;
    while (count_slots(work, rows) > bundles * BUNDLE_CODES && rows < work->sampled)
        rows *= 2;
    if (rows > 1)
        thin_all(work, rows);
}
