/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the entries of all chunks into slices (bundles of sparse features). */
#include "bins/bins_work.h"

#include <stdlib.h>

typedef struct slice_join {
    gr_binning *work;
    uint16_t **map; /* per slice: maps preliminary slots, with one for missing values in each
                       feature, to final slots */
} slice_join;

static void sum_starts(void *argument, size_t s, size_t worker)
{
    slice_join *join = argument;
    gr_slice *slice = &join->work->bins->slice[s];

    (void)worker;
    for (size_t r = 0; r < join->work->bins->rows; r++)
        slice->row_starts[r + 1] += slice->row_starts[r];
}

static void copy_chunk(void *argument, size_t chunk, size_t worker)
{
    slice_join *join = argument;
    gr_bins *bins = join->work->bins;
    const size_t start = chunk * GR_CHUNK;
    const size_t end = bins->rows - start < GR_CHUNK ? bins->rows : start + GR_CHUNK;
    const uint16_t *from = join->work->chunks[chunk].at;

    (void)worker;
    for (size_t r = start; r < end; r += GR_TILE) {
        const size_t next = end - r < GR_TILE ? end : r + GR_TILE;

        for (size_t s = 0; s < bins->slices; s++) {
            const gr_slice *slice = &bins->slice[s];
            const uint16_t *map = join->map[s];

            for (uint64_t e = slice->row_starts[r]; e < slice->row_starts[next]; e++)
                slice->entries[e] = map[*from++];
        }
    }
    gr_array_free(&join->work->chunks[chunk]);
}

static bool map_slice(slice_join *join, size_t s)
{
    gr_bins *bins = join->work->bins;
    gr_slice *slice = &bins->slice[s];
    uint16_t *map = gr_new_array(slice->slots, sizeof *map);
    size_t used = 0;

    join->map[s] = map;
    if (!map)
        return false;
    for (size_t i = slice->first; i < slice->end; i++) {
        gr_sparse_feature *sparse = &bins->sparse[i];
        const size_t count = gr_cuts_bins(&bins->cuts, sparse->feature);

        for (size_t b = 0; b < count; b++)
            map[join->work->slots[i] + b] = (uint16_t)(used + b);
        sparse->slot = (uint32_t)used;
        used += count;
    }
    slice->slots = used;
    return true;
}

gradus_status gr_binning_slices(gr_binning *work, gradus_error *err)
{
    gr_bins *bins = work->bins;
    gr_pool *pool = gr_pool_of(work->context);
    slice_join join = { work, gr_new_array(bins->slices, sizeof *join.map) };
    bool enough = join.map != NULL;

    for (size_t s = 0; s < bins->slices && enough; s++)
        enough = map_slice(&join, s);
    if (enough)
        gr_pool_run(pool, bins->slices, sum_starts, &join);
    for (size_t s = 0; s < bins->slices && enough; s++) {
        gr_slice *slice = &bins->slice[s];

        slice->entries = gr_new_array((size_t)slice->row_starts[bins->rows], sizeof(uint16_t));
        enough = slice->entries != NULL;
    }
    if (enough)
        gr_pool_run(pool, work->chunk_count, copy_chunk, &join);
    for (size_t s = 0; s < bins->slices && join.map; s++)
        free(join.map[s]);
    free(join.map);
    return enough ? GRADUS_OK : gr_fail_memory(err, "entries of sparse features");
}
