/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the bins of all rows; each task bins one chunk of rows. For dense rows, values are
 * transposed in tiles and searched feature by feature. */
#include "bins/bins_work.h"

#include "kernels/bin_search.h"

#include <stdlib.h>
#include <string.h>

enum {
    PANEL = 128,              /* features transposed together, so that rows are read sequentially */
    ACROSS = GR_BIN_TILE + 16 /* not a power of two, which would map to few cache sets */
};

/* State while a tile of rows is binned: the transposed keys of one panel of features, and the words
 * being assembled. */
typedef struct dense_tile {
    gr_binning *work;
    gr_bin_search search;
    size_t first_row, rows;
    const float *values; /* of its first row */
    size_t stride;
    int32_t keys[PANEL][ACROSS];
    uint32_t (*halves)[2][GR_BIN_TILE]; /* per block: lower and upper half of its words */
    uint32_t bins[GR_BIN_TILE];         /* bins of one sparse feature */
    gr_array *pairs; /* uint32_t: row in the tile << 16 | code; for one bundle, by feature */
    size_t pair_count;
    size_t entries; /* entries of the chunk so far */
    gr_array *chunk;
} dense_tile;

static void turn_tile(dense_tile *tile, size_t first, size_t end)
{
    const float *rows[GR_BIN_TILE];

    for (size_t r = 0; r < tile->rows; r++)
        rows[r] = tile->values + r * tile->stride + first;
    gr_transpose_keys(rows, tile->rows, end - first, tile->keys[0], ACROSS);
}

/* Finds the bins of a feature in the rows of the tile and ORs them into halves, shifted by
 * `shift`. */
static void search_feature(dense_tile *tile, size_t f, const int32_t *keys, unsigned shift,
                           uint32_t *halves)
{
    gr_binning *work = tile->work;
    const size_t start = work->table_starts[f];
    const gr_bin_table table = { work->tables + start, work->columns[f].thresholds,
                                 (uint32_t)(work->table_starts[f + 1] - start) };
    const unsigned saw = tile->search(&table, keys, tile->rows, shift, halves);
    const uint32_t mask = (1u << work->bins->width) - 1;

    if (saw & GR_SAW_MISSING)
        gr_raise(&work->bins->cuts.missing[f], 1);
    if (!(saw & GR_SAW_CLOSE) || !work->seen)
        return;
    for (size_t r = 0; r < tile->rows; r++)
        if (!gr_key_is_missing(keys[r]))
            gr_note_value(work, f, halves[r] >> shift & mask, keys[r]);
}

static void flush_words(dense_tile *tile, size_t block)
{
    const gr_bins *bins = tile->work->bins;
    const size_t stride = gr_block_stride(bins, block);
    uint64_t *words = gr_block_words(bins, block) + tile->first_row * stride;

    uint32_t(*halves)[GR_BIN_TILE] = tile->halves[block];

    for (size_t r = 0; r < tile->rows; r++)
        words[r * stride] = (uint64_t)halves[1][r] << 32 | halves[0][r];
    memset(halves, 0, sizeof tile->halves[block]);
}

static void add_column(dense_tile *tile, size_t column, const int32_t *keys)
{
    const gr_bins *bins = tile->work->bins;
    const size_t each = gr_bins_in_word(bins);
    const unsigned bit = (unsigned)(column % each) * bins->width;

    search_feature(tile, bins->columns[column], keys, bit % 32,
                   tile->halves[column / each][bit / 32]);
}

/* Sorts the pairs of a bundle by row and appends them to the chunk's entries. */
static void flush_bundle(dense_tile *tile, gr_bundle *bundle)
{
    const uint32_t *pairs = tile->pairs->at;
    uint64_t *counts = bundle->row_starts + tile->first_row + 1;
    size_t starts[GR_BIN_TILE], sum = tile->entries;
    uint16_t *entries;

    for (size_t i = 0; i < tile->pair_count; i++)
        counts[pairs[i] >> 16]++;
    for (size_t r = 0; r < tile->rows; r++) {
        starts[r] = sum;
        sum += (size_t)counts[r];
    }
    if (!gr_array_reserve(tile->chunk, sum * sizeof *entries)) {
        atomic_store(&tile->work->failed, GRADUS_NO_MEMORY);
        return;
    }
    entries = tile->chunk->at;
    for (size_t i = 0; i < tile->pair_count; i++)
        entries[starts[pairs[i] >> 16]++] = (uint16_t)pairs[i];
    tile->entries = sum;
    tile->pair_count = 0;
}

static void add_sparse(dense_tile *tile, size_t position, size_t bundle, const int32_t *keys)
{
    const gr_bins *bins = tile->work->bins;
    const gr_sparse_feature *sparse = &bins->sparse[position];
    const uint32_t code = tile->work->codes[position];
    size_t used = tile->pair_count;
    uint32_t *pairs;

    memset(tile->bins, 0, sizeof tile->bins);
    search_feature(tile, sparse->feature, keys, 0, tile->bins);
    if (!gr_array_reserve(tile->pairs, (used + GR_BIN_TILE) * sizeof *pairs)) {
        atomic_store(&tile->work->failed, GRADUS_NO_MEMORY);
        return;
    }
    pairs = tile->pairs->at;
    for (size_t r = 0; r < tile->rows; r++) {
        pairs[used] = (uint32_t)r << 16 | (code + tile->bins[r]);
        used += tile->bins[r] != sparse->default_bin;
    }
    tile->pair_count = used;
    if (position + 1 == bins->bundle[bundle].end)
        flush_bundle(tile, &bins->bundle[bundle]);
}

static void fill_tile(dense_tile *tile)
{
    const gr_bins *bins = tile->work->bins;
    size_t bundle = 0;

    for (size_t first = 0; first < bins->features; first += PANEL) {
        const size_t end = bins->features - first < PANEL ? bins->features : first + PANEL;

        turn_tile(tile, first, end);
        for (size_t f = first; f < end; f++) {
            const uint32_t place = bins->place[f];

            if (place < GR_NO_PLACE) {
                add_column(tile, place, tile->keys[f - first]);
            } else if (place != GR_NO_PLACE) {
                while (bins->bundle[bundle].end <= ~place)
                    bundle++;
                add_sparse(tile, ~place, bundle, tile->keys[f - first]);
            }
        }
    }
    for (size_t block = 0; block < bins->blocks; block++)
        flush_words(tile, block);
}

void gr_assign_dense(gr_binning *work, size_t chunk, const float *values, size_t stride,
                     gr_array *scratch)
{
    const size_t rows = work->bins->rows, start = chunk * GR_BIN_CHUNK;
    const size_t end = rows - start < GR_BIN_CHUNK ? rows : start + GR_BIN_CHUNK;
    const size_t halves = work->bins->blocks * sizeof *(dense_tile){ 0 }.halves;
    dense_tile *tile;

    if (!gr_array_reserve(&scratch[1], sizeof *tile + halves)) {
        atomic_store(&work->failed, GRADUS_NO_MEMORY);
        return;
    }
    tile = scratch[1].at;
    tile->halves = (void *)(tile + 1);
    memset(tile->halves, 0, halves);
    tile->work = work;
    tile->search = gr_bin_search_here()->search;
    tile->pairs = &scratch[0];
    tile->pair_count = tile->entries = 0;
    tile->chunk = &work->chunks[chunk];
    for (size_t r = start; r < end && !atomic_load(&work->failed); r += GR_BIN_TILE) {
        tile->first_row = r;
        tile->values = values + (r - start) * stride;
        tile->stride = stride;
        tile->rows = end - r < GR_BIN_TILE ? end - r : GR_BIN_TILE;
        fill_tile(tile);
    }
}

gradus_status gr_binning_tables(gr_binning *work, gradus_error *err)
{
    const gr_bins *bins = work->bins;
    size_t bytes;

    work->table_starts = gr_new_array(bins->features + 1, sizeof *work->table_starts);
    if (!work->table_starts)
        return gr_fail_memory(err, "threshold tables");
    for (size_t f = 0; f < bins->features; f++) {
        const bool searched = bins->place[f] != GR_NO_PLACE;

        work->table_starts[f + 1] =
            work->table_starts[f] + (searched ? gr_table_room(work->columns[f].thresholds) : 0);
    }
    if (!gr_size_times(work->table_starts[bins->features] + GR_LINE, sizeof(int32_t), &bytes) ||
        !(work->table_memory = gr_new_array(bytes, 1)))
        return gr_fail_memory(err, "threshold tables");
    work->tables = (int32_t *)(((uintptr_t)work->table_memory + 63) / 64 * 64);
    for (size_t f = 0; f < bins->features; f++) {
        const size_t start = work->table_starts[f], room = work->table_starts[f + 1] - start;
        size_t count;
        const float *thresholds = gr_feature_thresholds(&bins->cuts, f, &count);

        for (size_t t = 0; t < room; t++)
            work->tables[start + t] = t < count ? gr_float_key(thresholds[t]) : INT32_MAX;
    }
    return GRADUS_OK;
}

typedef struct chunk_run {
    gr_binning *work;
    gr_array (*scratch)[2]; /* per worker */
    gradus_error *err;
} chunk_run;

static void assign_chunk(void *argument, size_t chunk, size_t worker)
{
    chunk_run *run = argument;
    gr_binning *work = run->work;
    const gradus_arrays *a = &work->data->arrays;
    size_t done;

    if (atomic_load(&work->failed))
        return;
    if (gr_dataset_is_dense(work->data))
        gr_assign_dense(work, chunk, a->values + chunk * GR_BIN_CHUNK * a->stride, a->stride,
                        run->scratch[worker]);
    else
        gr_assign_sparse(work, chunk, run->scratch[worker]);
    done = atomic_fetch_add(&work->chunks_done, 1) + 1;
    if (worker == 0 && done < work->chunk_count) { /* only the calling thread reports */
        const gradus_status status =
            gr_progress(work->context, "binning",
                        0.5 + 0.5 * (double)done / (double)work->chunk_count, run->err);

        if (status != GRADUS_OK)
            atomic_store(&work->failed, status);
    }
}

gradus_status gr_binning_assign_begin(gr_binning *work, gradus_error *err)
{
    work->chunk_count = (work->bins->rows + GR_BIN_CHUNK - 1) / GR_BIN_CHUNK;
    work->chunks = gr_new_array(work->chunk_count, sizeof *work->chunks);
    if (work->sample_rows) /* otherwise no value equals a threshold */
        work->seen = gr_new_array((size_t)work->bins->cuts.starts[work->bins->features], 1);
    return work->chunks && (work->seen || !work->sample_rows) ? GRADUS_OK
                                                              : gr_fail_memory(err, "bins");
}

gradus_status gr_binning_assign(gr_binning *work, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(work->context);
    const size_t threads = gr_pool_threads(pool);
    GR_TRY(gr_binning_assign_begin(work, err));
    chunk_run run = { work, gr_new_array(threads, sizeof *run.scratch), err };

    if (!run.scratch)
        return gr_fail_memory(err, "bins");
    gr_pool_run(pool, work->chunk_count, assign_chunk, &run);
    for (size_t t = 0; t < threads; t++)
        for (size_t i = 0; i < 2; i++)
            gr_array_free(&run.scratch[t][i]);
    free(run.scratch);
    if (atomic_load(&work->failed) == GRADUS_NO_MEMORY)
        return gr_fail_memory(err, "sparse bins");
    return (gradus_status)atomic_load(&work->failed);
}
