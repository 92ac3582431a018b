/* SPDX-License-Identifier: Apache-2.0 */
/* Writes bins to a file: a table of thresholds and layout, and the arrays of the rows. */
#include "bins/bins_file.h"

#include "data/binary.h"

#include <stdlib.h>

static gr_bin_file_table table_of(const gr_bins *bins, const gr_bin_options *options,
                                  const gr_binned *values)
{
    gr_bin_file_table table = {
        .scheme = (uint64_t)options->scheme,
        .bins = options->bins,
        .sample = options->sample,
        .seed = options->seed,
        .thresholds = bins->cuts.starts[bins->features],
        .dense = bins->dense,
        .sparses = bins->sparses,
        .bundles = bins->bundles,
        .array_count = values->array_count,
        .sum_count = values->sum_count,
    };

    for (size_t i = 0; i < values->array_count; i++)
        table.array_bytes[i] = values->array_bytes[i];
    for (size_t g = 0; g < bins->groups && bins->group[g].mask_bit; g++)
        table.masked_blocks[table.masked++] = bins->group[g].end - bins->group[g].first;
    return table;
}

/* The numbers of bundles and sparse features that the table needs. */
typedef struct sparse_tables {
    uint64_t *ends; /* per bundle: the end of its features */
    uint32_t *features, *default_bins;
    const void **starts, **entries; /* per bundle: its arrays */
    uint64_t *start_bytes, *entry_bytes;
} sparse_tables;

static bool fill_sparse(sparse_tables *t, const gr_bins *bins, gr_arena *arena)
{
    t->ends = gr_arena_array(arena, bins->bundles, sizeof *t->ends);
    t->features = gr_arena_array(arena, bins->sparses, sizeof *t->features);
    t->default_bins = gr_arena_array(arena, bins->sparses, sizeof *t->default_bins);
    t->starts = gr_arena_array(arena, bins->bundles, sizeof *t->starts);
    t->entries = gr_arena_array(arena, bins->bundles, sizeof *t->entries);
    t->start_bytes = gr_arena_array(arena, bins->bundles, sizeof *t->start_bytes);
    t->entry_bytes = gr_arena_array(arena, bins->bundles, sizeof *t->entry_bytes);
    if (arena->failed)
        return false;
    for (size_t i = 0; i < bins->sparses; i++) {
        t->features[i] = bins->sparse[i].feature;
        t->default_bins[i] = bins->sparse[i].default_bin;
    }
    for (size_t s = 0; s < bins->bundles; s++) {
        const gr_bundle *bundle = &bins->bundle[s];

        t->ends[s] = bundle->end;
        t->starts[s] = bundle->row_starts;
        t->entries[s] = bundle->entries;
        t->start_bytes[s] = (bins->rows + 1) * sizeof *bundle->row_starts;
        t->entry_bytes[s] = bundle->row_starts[bins->rows] * sizeof *bundle->entries;
    }
    return true;
}

gradus_status gr_bins_file_write(const gradus_dataset *data, const gr_bins *bins,
                                 const gr_bin_options *options, const gr_binned *values,
                                 gr_sink *sink, gr_pool *pool, gradus_error *err)
{
    const gr_bin_file_table table = table_of(bins, options, values);
    const gr_cuts *cuts = &bins->cuts;
    gr_arena arena = { NULL, false };
    sparse_tables t;
    gradus_status status;

    if (!fill_sparse(&t, bins, &arena)) {
        gr_arena_free(&arena);
        return gr_fail_memory(err, "a binned file");
    }
    const void *const at[] = { &table,        cuts->starts,      t.ends,     cuts->thresholds,
                               bins->columns, bins->default_bin, t.features, t.default_bins,
                               values->sums,  cuts->missing };
    const uint64_t bytes[] = { sizeof table,
                               (bins->features + 1) * sizeof *cuts->starts,
                               bins->bundles * sizeof *t.ends,
                               table.thresholds * sizeof *cuts->thresholds,
                               bins->dense * sizeof *bins->columns,
                               bins->dense * sizeof *bins->default_bin,
                               bins->sparses * sizeof *t.features,
                               bins->sparses * sizeof *t.default_bins,
                               values->sum_count * sizeof *values->sums,
                               bins->features * sizeof *cuts->missing };
    const void *const words = bins->words.at;
    const uint64_t word_bytes = (uint64_t)bins->blocks * bins->rows * sizeof(uint64_t);
    const gr_section_pieces sections[4] = {
        { sizeof bytes / sizeof *bytes, at, bytes },
        { 1, &words, &word_bytes },
        { bins->bundles, t.starts, t.start_bytes },
        { bins->bundles, t.entries, t.entry_bytes },
    };

    status = gr_binary_write_binned(data, sections, sink, pool, err);
    gr_arena_free(&arena);
    return status;
}
