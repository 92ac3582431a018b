/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the entries of all chunks into bundles (bundles of sparse features). */
#include "bins/bins_work.h"

#include "base/ranges.h"

#include <stdlib.h>

typedef struct bundle_join {
    gr_binning *work;
    uint16_t **map; /* per bundle: maps preliminary codes, with one for missing values in each
                       feature, to final codes */
} bundle_join;

static void sum_starts(void *argument, size_t s, size_t worker)
{
    bundle_join *join = argument;
    gr_bundle *bundle = &join->work->bins->bundle[s];

    (void)worker;
    for (size_t r = 0; r < join->work->bins->rows; r++)
        bundle->row_starts[r + 1] += bundle->row_starts[r];
}

static void copy_chunk(void *argument, gr_range range)
{
    bundle_join *join = argument;
    gr_bins *bins = join->work->bins;
    const uint16_t *from = join->work->chunks[range.index].at;

    for (size_t r = range.first; r < range.end; r += GR_BIN_TILE) {
        const size_t next = range.end - r < GR_BIN_TILE ? range.end : r + GR_BIN_TILE;

        for (size_t s = 0; s < bins->bundles; s++) {
            const gr_bundle *bundle = &bins->bundle[s];
            const uint16_t *map = join->map[s];

            for (uint64_t e = bundle->row_starts[r]; e < bundle->row_starts[next]; e++)
                bundle->entries[e] = map[*from++];
        }
    }
    gr_array_free(&join->work->chunks[range.index]);
}

static bool map_bundle(bundle_join *join, size_t s)
{
    gr_bins *bins = join->work->bins;
    gr_bundle *bundle = &bins->bundle[s];
    uint16_t *map = gr_new_array(bundle->codes, sizeof *map);
    size_t used = 0;

    join->map[s] = map;
    if (!map)
        return false;
    for (size_t i = bundle->first; i < bundle->end; i++) {
        gr_sparse_feature *sparse = &bins->sparse[i];
        const size_t count = gr_cuts_bins(&bins->cuts, sparse->feature);

        for (size_t b = 0; b < count; b++)
            map[join->work->codes[i] + b] = (uint16_t)(used + b);
        sparse->code = (uint32_t)used;
        used += count;
    }
    bundle->codes = used;
    return true;
}

gradus_status gr_binning_bundles(gr_binning *work, gradus_error *err)
{
    gr_bins *bins = work->bins;
    gr_pool *pool = gr_pool_of(work->context);
    bundle_join join = { work, gr_new_array(bins->bundles, sizeof *join.map) };
    bool enough = join.map != NULL;

    for (size_t s = 0; s < bins->bundles && enough; s++)
        enough = map_bundle(&join, s);
    if (enough)
        gr_pool_run(pool, bins->bundles, sum_starts, &join);
    for (size_t s = 0; s < bins->bundles && enough; s++) {
        gr_bundle *bundle = &bins->bundle[s];

        bundle->entries = gr_new_array((size_t)bundle->row_starts[bins->rows], sizeof(uint16_t));
        enough = bundle->entries != NULL;
    }
    if (enough)
        gr_for_ranges(pool, bins->rows, GR_BIN_CHUNK, copy_chunk, &join);
    for (size_t s = 0; s < bins->bundles && join.map; s++)
        free(join.map[s]);
    free(join.map);
    return enough ? GRADUS_OK : gr_fail_memory(err, "entries of sparse features");
}
