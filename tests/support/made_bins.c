/* SPDX-License-Identifier: Apache-2.0 */
/* Bins built by hand or at random, and bitwise comparison of trees. */
#include "made_bins.h"

#include <stdlib.h>
#include <string.h>

gr_bins make_patchy_bins(const made_feature *made, size_t features, const uint32_t *table,
                         size_t rows, unsigned width, size_t per_bundle, size_t masked)
{
    static const size_t patchy_blocks[] = { 1, 2, 1, 2, 1, 2, 1, 2 };
    gr_bins bins = { .rows = rows, .features = features, .width = width };
    const size_t each = 64 / width;
    uint64_t at = 0;

    bins.cuts.features = features;
    bins.cuts.starts = gr_new_array(features + 1, sizeof(uint64_t));
    bins.cuts.missing = gr_new_array(features, sizeof(bool));
    bins.place = gr_new_array(features, sizeof(uint32_t));
    bins.columns = gr_new_array(features, sizeof(uint32_t));
    bins.sparse = gr_new_array(features, sizeof(gr_sparse_feature));
    bins.bundle = gr_new_array(features, sizeof(gr_bundle));
    for (size_t f = 0; f < features; f++) {
        bins.cuts.starts[f + 1] = bins.cuts.starts[f] + made[f].bins - 1;
        bins.cuts.missing[f] = made[f].missing;
        bins.place[f] = GR_NO_PLACE;
        if (gr_cuts_bins(&bins.cuts, f) < 2)
            continue;
        if (!made[f].sparse) {
            bins.place[f] = (uint32_t)bins.dense;
            bins.columns[bins.dense++] = (uint32_t)f;
        } else {
            gr_bundle *bundle = &bins.bundle[bins.sparses / per_bundle];

            if (bins.sparses % per_bundle == 0)
                bundle->first = bins.sparses;
            bins.sparse[bins.sparses] =
                (gr_sparse_feature){ (uint32_t)f, made[f].default_bin, (uint32_t)bundle->codes };
            bins.place[f] = ~(uint32_t)bins.sparses++;
            bundle->codes += gr_cuts_bins(&bins.cuts, f);
            bundle->end = bins.sparses;
            bins.bundles = (bins.sparses + per_bundle - 1) / per_bundle;
        }
    }
    bins.cuts.thresholds = gr_new_array((size_t)bins.cuts.starts[features], sizeof(float));
    for (size_t f = 0; f < features; f++)
        for (uint32_t b = 0; b + 1 < made[f].bins; b++)
            bins.cuts.thresholds[at++] = (float)b + 0.5f;
    bins.blocks = (bins.dense + each - 1) / each;
    bins.default_bin = gr_new_array(bins.dense, sizeof(uint32_t));
    for (size_t c = 0; c < bins.dense; c++)
        bins.default_bin[c] = made[bins.columns[c]].default_bin;
    while (masked > 0 && (width != 8 || masked / 2 * 3 + masked % 2 > bins.dense / 8))
        masked--;
    assert_int_equal(gr_bins_group(&bins, patchy_blocks, masked, NULL), GRADUS_OK);
    assert_true(gr_array_reserve(&bins.words, bins.blocks * rows * sizeof(uint64_t) + 1));
    memset(bins.words.at, 0, bins.blocks * rows * sizeof(uint64_t));
    for (size_t c = 0; c < bins.dense; c++)
        for (size_t r = 0; r < rows; r++)
            gr_block_words(&bins, c / each)[r * gr_block_stride(&bins, c / each)] |=
                (uint64_t)table[bins.columns[c] * rows + r] << (c % each * width);
    for (size_t s = 0; s < bins.bundles; s++) {
        gr_bundle *bundle = &bins.bundle[s];
        uint64_t count = 0;

        bundle->row_starts = gr_new_array(rows + 1, sizeof(uint64_t));
        bundle->entries = gr_new_array(rows * (bundle->end - bundle->first), sizeof(uint16_t));
        for (size_t r = 0; r < rows; r++) {
            for (size_t p = bundle->first; p < bundle->end; p++) {
                const uint32_t bin = table[bins.sparse[p].feature * rows + r];

                if (bin != bins.sparse[p].default_bin)
                    bundle->entries[count++] = (uint16_t)(bins.sparse[p].code + bin);
            }
            bundle->row_starts[r + 1] = count;
        }
    }
    assert_int_equal(gr_bins_mask_rows(&bins, NULL, NULL), GRADUS_OK);
    return bins;
}

gr_bins make_bins(const made_feature *made, size_t features, const uint32_t *table, size_t rows,
                  unsigned width, size_t per_bundle)
{
    return make_patchy_bins(made, features, table, rows, width, per_bundle, 0);
}

void free_bins(gr_bins *bins)
{
    for (size_t s = 0; s < bins->bundles; s++) {
        free(bins->bundle[s].row_starts);
        free(bins->bundle[s].entries);
    }
    free(bins->cuts.starts);
    free(bins->cuts.missing);
    free(bins->cuts.thresholds);
    free(bins->place);
    free(bins->columns);
    free(bins->default_bin);
    free(bins->group);
    free(bins->group_of);
    gr_array_free(&bins->row_masks);
    free(bins->sparse);
    free(bins->bundle);
    gr_array_free(&bins->words);
}

gr_tree_options plain_options(void)
{
    return (gr_tree_options){ .leaves = 31, .min_rows = 1, .feature_share = 1, .monotone = "" };
}

void check_same_tree(const gr_grown *a, const gr_grown *b, size_t rows)
{
    assert_int_equal(a->leaves, b->leaves);
    for (size_t s = 0; s + 1 < a->leaves; s++) {
        assert_int_equal(a->splits[s].feature, b->splits[s].feature);
        assert_int_equal(a->splits[s].left, b->splits[s].left);
        assert_int_equal(a->splits[s].right, b->splits[s].right);
        assert_int_equal(a->splits[s].missing_left, b->splits[s].missing_left);
        assert_memory_equal(&a->splits[s], &b->splits[s], sizeof a->splits[s]);
    }
    assert_memory_equal(a->starts, b->starts, (a->leaves + 1) * sizeof *a->starts);
    assert_memory_equal(a->rows, b->rows, rows * sizeof *a->rows);
    assert_memory_equal(a->gradients, b->gradients, a->leaves * sizeof *a->gradients);
    assert_memory_equal(a->hessians, b->hessians, a->leaves * sizeof *a->hessians);
}
