/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the bin table of a binned file. Nothing in it is trusted: every number is checked before it
 * is used, so that any file gives bins that are safe to use, or an error. The bins of the rows stay
 * in the file and are checked when they are used (bins_view.c). */
#include "bins/bins_file.h"

#include "bins/attached.h"
#include "bins/bins_work.h"
#include "data/binary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct table_reader {
    const gradus_dataset *data;
    const unsigned char *at;
    uint64_t left;
    gr_bin_file_table table;
    gr_bins bins;
    gr_binned values; /* sums */
    uint64_t *ends;   /* per bundle */
    uint32_t *features, *default_bins;
    gradus_error *err;
} table_reader;

static bool damaged(const table_reader *r, const char *what)
{
    gr_fail(r->err, GRADUS_BAD_FORMAT, "'%.300s' is damaged: %s", gr_binary_name(r->data->binary),
            what);
    return false;
}

/* A copy of the next `count` items; NULL if there are fewer or memory is exhausted. */
static void *take(table_reader *r, uint64_t count, size_t size)
{
    void *copy;

    if (count > r->left / size) {
        damaged(r, "the bin table is too short");
        return NULL;
    }
    copy = gr_new_array((size_t)count, size);
    if (!copy) {
        gr_fail_memory(r->err, "bins");
        return NULL;
    }
    memcpy(copy, r->at, (size_t)count * size);
    r->at += count * size;
    r->left -= count * size;
    return copy;
}

/* ---- The numbers ---- */

static bool options_fit(const gr_bin_file_table *t)
{
    return t->scheme <= GR_BINS_ADAPTIVE && t->bins >= 2 && t->bins <= 65535 &&
           t->sample <= UINT32_MAX;
}

static bool counts_fit(const gr_bin_file_table *t, const gradus_arrays *a)
{
    uint64_t sums = 0, blocks = 0;
    const uint64_t each = t->bins > 255 ? 4 : 8;

    for (size_t i = 0; i < 3; i++)
        sums += i < t->array_count ? t->array_bytes[i] / GR_SUM_BYTES + 1 : 0;
    for (size_t g = 0; g < GR_MAX_MASKED && g < t->masked; g++) {
        if (t->masked_blocks[g] == 0 || t->masked_blocks[g] > GR_GROUP_BLOCKS)
            return false;
        blocks += t->masked_blocks[g];
    }
    return t->dense <= a->features && t->sparses <= a->features - t->dense &&
           t->bundles <= t->sparses && (t->bundles > 0) == (t->sparses > 0) &&
           t->masked <= GR_MAX_MASKED && blocks <= (t->dense + each - 1) / each &&
           (t->masked == 0 || each == 8) && (t->array_count == 1 || t->array_count == 3) &&
           t->sum_count == sums && a->rows < UINT32_MAX && a->features < GR_NO_PLACE;
}

static bool read_numbers(table_reader *r)
{
    if (r->left < sizeof r->table)
        return damaged(r, "the bin table is too short");
    memcpy(&r->table, r->at, sizeof r->table);
    r->at += sizeof r->table;
    r->left -= sizeof r->table;
    if (!options_fit(&r->table) || !counts_fit(&r->table, &r->data->arrays))
        return damaged(r, "invalid bin table");
    return true;
}

/* ---- The arrays ---- */

static bool read_arrays(table_reader *r)
{
    const gr_bin_file_table *t = &r->table;
    gr_bins *bins = &r->bins;

    bins->rows = r->data->arrays.rows;
    bins->features = r->data->arrays.features;
    bins->width = t->bins > 255 ? 16 : 8;
    bins->dense = (size_t)t->dense;
    bins->blocks = (bins->dense + gr_bins_in_word(bins) - 1) / gr_bins_in_word(bins);
    bins->sparses = (size_t)t->sparses;
    bins->mapped = true;
    r->values.array_count = (size_t)t->array_count;
    memcpy(r->values.array_bytes, t->array_bytes, sizeof t->array_bytes);
    r->values.sum_count = (size_t)t->sum_count;
    if (!(bins->cuts.starts = take(r, (uint64_t)bins->features + 1, sizeof(uint64_t))) ||
        !(r->ends = take(r, t->bundles, sizeof(uint64_t))) ||
        !(bins->cuts.thresholds = take(r, t->thresholds, sizeof(float))) ||
        !(bins->columns = take(r, t->dense, sizeof(uint32_t))) ||
        !(bins->default_bin = take(r, t->dense, sizeof(uint32_t))) ||
        !(r->features = take(r, t->sparses, sizeof(uint32_t))) ||
        !(r->default_bins = take(r, t->sparses, sizeof(uint32_t))) ||
        !(r->values.sums = take(r, t->sum_count, sizeof(uint32_t))) ||
        !(bins->cuts.missing = take(r, bins->features, sizeof(bool))))
        return false;
    bins->cuts.features = bins->features;
    return r->left == 0 || damaged(r, "the bin table is too long");
}

static bool thresholds_fit(const table_reader *r)
{
    const gr_cuts *cuts = &r->bins.cuts;
    const uint8_t *missing = (const uint8_t *)cuts->missing;

    for (size_t f = 0; f < cuts->features; f++) {
        const uint64_t first = cuts->starts[f], end = cuts->starts[f + 1];

        if (end < first || end > r->table.thresholds || end - first >= r->table.bins ||
            missing[f] > 1)
            return false;
        for (uint64_t i = first; i < end; i++)
            if (!isfinite(cuts->thresholds[i]) ||
                (i > first && !(cuts->thresholds[i - 1] < cuts->thresholds[i])))
                return false;
    }
    return cuts->starts[0] == 0 && cuts->starts[cuts->features] == r->table.thresholds;
}

/* Gives each feature its place; false if two columns have the same feature. */
static bool place_features(table_reader *r)
{
    gr_bins *bins = &r->bins;

    for (size_t f = 0; f < bins->features; f++)
        bins->place[f] = GR_NO_PLACE;
    for (size_t c = 0; c < bins->dense + bins->sparses; c++) {
        const bool dense = c < bins->dense;
        const size_t i = dense ? c : c - bins->dense;
        const uint32_t f = dense ? bins->columns[i] : r->features[i];
        const uint32_t default_bin = dense ? bins->default_bin[i] : r->default_bins[i];

        if (f >= bins->features || bins->place[f] != GR_NO_PLACE ||
            default_bin >= gr_cuts_bins(&bins->cuts, f) ||
            (dense && gr_cuts_bins(&bins->cuts, f) > (size_t)1 << bins->width))
            return false;
        bins->place[f] = dense ? (uint32_t)i : ~(uint32_t)i;
        if (!dense)
            bins->sparse[i] = (gr_sparse_feature){ f, default_bin, 0 };
    }
    return true;
}

/* Codes are numbered in the order of features, without gaps. */
static bool number_codes(table_reader *r)
{
    gr_bins *bins = &r->bins;
    size_t first = 0;

    for (size_t s = 0; s < r->table.bundles; s++) {
        gr_bundle *bundle = &bins->bundle[s];

        if (r->ends[s] <= first || r->ends[s] > bins->sparses)
            return false;
        bundle->first = first;
        bundle->end = (size_t)r->ends[s];
        for (size_t i = first; i < bundle->end; i++) {
            bins->sparse[i].code = (uint32_t)bundle->codes;
            bundle->codes += gr_cuts_bins(&bins->cuts, bins->sparse[i].feature);
            if (bundle->codes > 65536)
                return false;
        }
        first = bundle->end;
    }
    return first == bins->sparses;
}

static bool lay_out(table_reader *r)
{
    gr_bins *bins = &r->bins;
    size_t blocks[GR_MAX_MASKED];

    bins->place = gr_new_array(bins->features, sizeof *bins->place);
    bins->sparse = gr_new_array(bins->sparses, sizeof *bins->sparse);
    bins->bundle = gr_new_array((size_t)r->table.bundles, sizeof *bins->bundle);
    if (!bins->place || !bins->sparse || !bins->bundle) {
        gr_fail_memory(r->err, "bins");
        return false;
    }
    if (!thresholds_fit(r) || !place_features(r) || !number_codes(r))
        return damaged(r, "invalid bin table");
    for (size_t g = 0; g < GR_MAX_MASKED; g++)
        blocks[g] = (size_t)r->table.masked_blocks[g];
    return gr_bins_group(bins, blocks, (size_t)r->table.masked, r->err) == GRADUS_OK;
}

/* ---- The rows ---- */

static bool point_at_rows(table_reader *r)
{
    gr_bins *bins = &r->bins;
    const struct gr_binary *binary = r->data->binary;
    const uint64_t each = (uint64_t)bins->rows + 1;
    uint64_t words, starts, entries, used = 0;
    const void *word = gr_binary_section(binary, GR_BIN_WORDS, &words);
    const uint64_t *start = gr_binary_section(binary, GR_BIN_STARTS, &starts);
    const uint16_t *entry = gr_binary_section(binary, GR_BIN_ENTRIES, &entries);

    if (words / sizeof(uint64_t) / bins->rows != bins->blocks ||
        words != (uint64_t)bins->blocks * bins->rows * sizeof(uint64_t) ||
        starts / sizeof(uint64_t) / each != r->table.bundles ||
        starts != r->table.bundles * each * sizeof(uint64_t))
        return damaged(r, "wrong size of the bins");
    /* nothing writes to them */
    bins->words = (gr_array){ (void *)(uintptr_t)word, (size_t)words, true };
    for (; bins->bundles < r->table.bundles; bins->bundles++) {
        gr_bundle *bundle = &bins->bundle[bins->bundles];

        bundle->row_starts = (uint64_t *)(uintptr_t)(start + bins->bundles * each);
        bundle->entries = (uint16_t *)(uintptr_t)(entry + used);
        if (bundle->row_starts[bins->rows] > entries / sizeof *entry - used)
            return damaged(r, "wrong size of the sparse bins");
        used += bundle->row_starts[bins->rows];
    }
    return used == entries / sizeof *entry || damaged(r, "wrong size of the sparse bins");
}

static gradus_status attach(table_reader *r, gradus_dataset *data)
{
    const gr_bin_options options = { .scheme = (int)r->table.scheme,
                                     .bins = r->table.bins,
                                     .sample = r->table.sample,
                                     .seed = r->table.seed };
    gr_binned binned = r->values;

    binned.separates = gr_attached_separates;
    binned.decode = gr_attached_decode;
    binned.free = gr_attached_free;
    binned.state = gr_attached_new(&r->bins, &options, NULL, NULL, r->err);
    if (!binned.state)
        return GRADUS_NO_MEMORY;
    r->bins = (gr_bins){ 0 };
    r->values.sums = NULL;
    return gr_binned_attach(data, &binned, r->err);
}

gradus_status gr_bins_file_attach(gradus_dataset *data, gr_pool *pool, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    table_reader r = { .data = data, .err = &failure };

    if (!data->binary || !gr_dataset_is_binned(data) || data->binned->state)
        return GRADUS_OK;
    GR_TRY(gr_binary_check(data->binary, 1u << GR_BIN_TABLE, pool, err));
    r.at = gr_binary_section(data->binary, GR_BIN_TABLE, &r.left);
    if (read_numbers(&r) && read_arrays(&r) && lay_out(&r) && point_at_rows(&r))
        attach(&r, data);
    gr_bins_free(&r.bins);
    free(r.values.sums);
    free(r.ends);
    free(r.features);
    free(r.default_bins);
    return failure.status ? gr_fail(err, failure.status, "%s", failure.message) : GRADUS_OK;
}
