/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the bins of sparse rows. Features that a row omits have the value 0. */
#include "bins/bins_work.h"

#include "kernels/bin_search.h"

#include <stdlib.h>
#include <string.h>

/* The bin of an entry; records missing values and values next to a threshold. */
static uint32_t bin_entry(gr_binning *work, const gr_sparse_fact *fact, size_t f, float value)
{
    const float *thresholds = work->bins->cuts.thresholds + fact->start;
    const uint32_t bin = gr_bin_of(thresholds, fact->thresholds, value);

    if (bin > fact->thresholds)
        gr_raise(&work->bins->cuts.missing[f], 1);
    else
        gr_note_value(work, f, bin, gr_float_key(value));
    return bin;
}

static void put_dense(const gr_bins *bins, size_t column, size_t r, uint32_t bin)
{
    const size_t each = gr_bins_in_word(bins);
    const unsigned shift = (unsigned)(column % each) * bins->width;
    const size_t b = column / each;
    uint64_t *word = gr_block_words(bins, b) + r * gr_block_stride(bins, b);

    *word = (*word & ~((((uint64_t)1 << bins->width) - 1) << shift)) | (uint64_t)bin << shift;
}

/* Initialises the words to the bins of rows in which all values are 0. */
static void fill_zeros(const gr_bins *bins, const gr_sparse_fact *facts, size_t start, size_t end)
{
    const size_t each = gr_bins_in_word(bins);

    for (size_t b = 0; b < bins->blocks; b++) {
        const size_t stride = gr_block_stride(bins, b);
        uint64_t *words = gr_block_words(bins, b);
        uint64_t word = 0;

        for (size_t c = b * each; c < bins->dense && c < (b + 1) * each; c++)
            word |= (uint64_t)facts[bins->columns[c]].zero_bin << (c % each * bins->width);
        for (size_t r = start; r < end; r++)
            words[r * stride] = word;
    }
}

/* The entries of a tile, by row: bundle and code. */
typedef struct sparse_tile {
    gr_binning *work;
    size_t first_row, rows;
    gr_array *pairs; /* uint64_t: bundle << 32 | code */
    size_t pair_count;
    size_t entries; /* entries of the chunk so far */
    gr_array *chunk;
} sparse_tile;

static void add_pair(sparse_tile *tile, size_t r, const gr_sparse_fact *fact, uint32_t bin)
{
    ((uint64_t *)tile->pairs->at)[tile->pair_count++] =
        (uint64_t)fact->bundle << 32 | (fact->code + bin);
    tile->work->bins->bundle[fact->bundle].row_starts[r + 1]++;
}

/* Adds entries for features below `before` that the row omits but whose default bin is not the bin
 * of 0. from: position in work->nonzero; returns the new position. */
static size_t add_absent(sparse_tile *tile, size_t r, size_t from, size_t before)
{
    const gr_binning *work = tile->work;

    for (; from < work->nonzero_count && work->nonzero[from] < before; from++) {
        const gr_sparse_fact *fact = &work->facts[work->nonzero[from]];

        add_pair(tile, r, fact, fact->zero_bin);
    }
    return from;
}

static void fill_row(sparse_tile *tile, size_t r)
{
    gr_binning *work = tile->work;
    const gradus_arrays *a = &work->data->arrays;
    size_t nonzero = 0;

    for (uint64_t e = a->row_starts[r]; e < a->row_starts[r + 1]; e++) {
        const size_t f = a->columns[e];
        const gr_sparse_fact *fact = &work->facts[f];

        if (fact->place == GR_NO_PLACE)
            continue;
        const uint32_t bin = bin_entry(work, fact, f, a->entries[e]);

        if (fact->place < GR_NO_PLACE) {
            put_dense(work->bins, fact->place, r, bin);
            continue;
        }
        nonzero = add_absent(tile, r, nonzero, f);
        if (nonzero < work->nonzero_count && work->nonzero[nonzero] == f)
            nonzero++;
        if (bin != fact->default_bin)
            add_pair(tile, r, fact, bin);
    }
    add_absent(tile, r, nonzero, work->bins->features);
}

static bool reserve_pairs(sparse_tile *tile)
{
    const gradus_arrays *a = &tile->work->data->arrays;
    const uint64_t entries = a->row_starts[tile->first_row + tile->rows] -
                             a->row_starts[tile->first_row] +
                             tile->rows * tile->work->nonzero_count;

    return gr_array_reserve(tile->pairs, (size_t)(entries + tile->work->bins->bundles) * 8);
}

/* Sorts the pairs by bundle and appends them to the chunk's entries. */
static bool flush_pairs(sparse_tile *tile)
{
    const gr_bins *bins = tile->work->bins;
    const uint64_t *pairs = tile->pairs->at;
    size_t sum = tile->entries;
    uint64_t *starts;
    uint16_t *entries;

    if (!gr_array_reserve(tile->chunk, (sum + tile->pair_count) * sizeof *entries))
        return false;
    entries = tile->chunk->at;
    starts = gr_new_array(bins->bundles, sizeof *starts);
    if (!starts)
        return false;
    for (size_t i = 0; i < tile->pair_count; i++)
        starts[pairs[i] >> 32]++;
    for (size_t s = 0; s < bins->bundles; s++) {
        const size_t here = (size_t)starts[s];

        starts[s] = sum;
        sum += here;
    }
    for (size_t i = 0; i < tile->pair_count; i++)
        entries[starts[pairs[i] >> 32]++] = (uint16_t)pairs[i];
    tile->entries = sum;
    tile->pair_count = 0;
    free(starts);
    return true;
}

void gr_assign_sparse(gr_binning *work, size_t chunk, gr_array *scratch)
{
    const size_t rows = work->bins->rows, start = chunk * GR_BIN_CHUNK;
    const size_t end = rows - start < GR_BIN_CHUNK ? rows : start + GR_BIN_CHUNK;
    sparse_tile tile = { .work = work, .pairs = scratch, .chunk = &work->chunks[chunk] };

    fill_zeros(work->bins, work->facts, start, end);
    for (size_t r = start; r < end && !atomic_load(&work->failed); r += GR_BIN_TILE) {
        bool enough;

        tile.first_row = r;
        tile.rows = end - r < GR_BIN_TILE ? end - r : GR_BIN_TILE;
        enough = reserve_pairs(&tile);
        for (size_t i = 0; i < tile.rows && enough; i++)
            fill_row(&tile, r + i);
        if (!enough || !flush_pairs(&tile))
            atomic_store(&work->failed, GRADUS_NO_MEMORY);
    }
}

gradus_status gr_binning_zeros(gr_binning *work, gradus_error *err)
{
    const gr_bins *bins = work->bins;

    work->facts = gr_new_array(bins->features, sizeof *work->facts);
    work->nonzero = gr_new_array(bins->sparses, sizeof *work->nonzero);
    if (!work->facts || !work->nonzero)
        return gr_fail_memory(err, "sparse features");
    for (size_t f = 0; f < bins->features; f++) {
        gr_sparse_fact *fact = &work->facts[f];
        size_t count;
        const float *thresholds = gr_feature_thresholds(&bins->cuts, f, &count);

        *fact = (gr_sparse_fact){ .start = bins->cuts.starts[f],
                                  .thresholds = (uint32_t)count,
                                  .place = bins->place[f],
                                  .zero_bin = gr_bin_of(thresholds, count, 0.0f) };
    }
    for (size_t s = 0; s < bins->bundles; s++)
        for (size_t i = bins->bundle[s].first; i < bins->bundle[s].end; i++) {
            const uint32_t f = bins->sparse[i].feature;

            work->facts[f].default_bin = bins->sparse[i].default_bin;
            work->facts[f].code = work->codes[i];
            work->facts[f].bundle = (uint32_t)s;
            if (work->facts[f].zero_bin != work->facts[f].default_bin)
                work->nonzero[work->nonzero_count++] = f;
        }
    return GRADUS_OK;
}
