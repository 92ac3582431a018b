#include "learners/tree/partition.h"

#include <stdatomic.h>
#include <string.h>

enum { CHUNK = GR_PARTITION_CHUNK };

gr_route gr_route_for(const gr_bins *bins, uint32_t feature, uint32_t bin, bool missing_left)
{
    const uint32_t place = bins->place[feature], all = (uint32_t)gr_cuts_bins(&bins->cuts, feature);
    const size_t each = gr_bins_in_word(bins);
    gr_route route = { .bin = bin, .bins = all, .missing = UINT32_MAX };

    if (missing_left && bins->cuts.missing[feature])
        route.missing = all - 1;
    if (place <= INT32_MAX) {
        route.words = gr_block_words(bins, place / each);
        route.stride = gr_block_stride(bins, place / each);
        route.shift = (unsigned)(place % each) * bins->width;
        route.mask = (1u << bins->width) - 1u;
    } else {
        const uint32_t position = ~place;
        const gr_slice *slice = bins->slice;

        while (position >= slice->end)
            slice++;
        route.slice = slice;
        route.slot = bins->sparse[position].slot;
        route.usual = bins->sparse[position].usual;
    }
    return route;
}

/* The bin of a sparse feature: its entry is the first of the row that is not below its slots. */
static uint32_t sparse_bin(const gr_route *route, uint32_t row)
{
    const uint16_t *entries = route->slice->entries;
    uint64_t low = route->slice->row_starts[row], high = route->slice->row_starts[row + 1];
    const uint64_t end = high;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (entries[middle] < route->slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && entries[low] < route->slot + route->bins ? entries[low] - route->slot
                                                                 : route->usual;
}

static inline bool goes_left(const gr_route *route, uint32_t bin)
{
    return (bin <= route->bin) | (bin == route->missing);
}

static inline uint32_t dense_bin(const gr_route *route, uint32_t row)
{
    return (uint32_t)(route->words[row * route->stride] >> route->shift) & route->mask;
}

/* Writes each row to both sides and moves on in one: no branch that could be mispredicted. */
static size_t cut_rows(const gr_route *route, const uint32_t *rows, size_t count, uint32_t *left,
                       uint32_t *right)
{
    size_t lefts = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t row = rows[i];
        const bool goes =
            goes_left(route, route->words ? dense_bin(route, row) : sparse_bin(route, row));

        left[lefts] = row;
        right[i - lefts] = row;
        lefts += goes;
    }
    return lefts;
}

typedef struct job {
    const gr_route *route;
    uint32_t *rows, *spare, *counts;
    size_t count, lefts;
    atomic_size_t found;
} job;

static size_t chunk_rows(const job *j, size_t chunk)
{
    const size_t left = j->count - chunk * CHUNK;

    return left < CHUNK ? left : CHUNK;
}

static void count_chunk(void *argument, size_t chunk, size_t worker)
{
    job *j = argument;
    const size_t count = chunk_rows(j, chunk);
    size_t lefts = 0;

    (void)worker;
    for (size_t i = 0; i < count; i++) {
        const uint32_t row = j->rows[chunk * CHUNK + i];

        lefts += goes_left(j->route,
                           j->route->words ? dense_bin(j->route, row) : sparse_bin(j->route, row));
    }
    atomic_fetch_add(&j->found, lefts);
}

size_t gr_count_left(const gr_route *route, const uint32_t *rows, size_t count, gr_pool *pool)
{
    job j = { .route = route, .rows = (uint32_t *)rows, .count = count };

    gr_pool_run(pool, (count + CHUNK - 1) / CHUNK, count_chunk, &j);
    return j.found;
}

/* Within the chunk's part of spare: left rows, then right rows. */
static void cut_chunk(void *argument, size_t chunk, size_t worker)
{
    job *j = argument;
    const size_t count = chunk_rows(j, chunk), first = chunk * CHUNK;
    uint32_t left[CHUNK + 1], right[CHUNK + 1];
    const size_t lefts = cut_rows(j->route, j->rows + first, count, left, right);

    (void)worker;
    memcpy(j->spare + first, left, lefts * sizeof *left);
    memcpy(j->spare + first + lefts, right, (count - lefts) * sizeof *right);
    j->counts[chunk] = (uint32_t)lefts;
}

static void place_chunk(void *argument, size_t chunk, size_t worker)
{
    const job *j = argument;
    const size_t count = chunk_rows(j, chunk), first = chunk * CHUNK;
    const size_t before = j->counts[chunk]; /* left rows of the chunks before this */
    const size_t after =
        chunk + 1 < (j->count + CHUNK - 1) / CHUNK ? j->counts[chunk + 1] : j->lefts;
    const size_t lefts = after - before;

    (void)worker;
    memcpy(j->rows + before, j->spare + first, lefts * sizeof *j->rows);
    memcpy(j->rows + j->lefts + (first - before), j->spare + first + lefts,
           (count - lefts) * sizeof *j->rows);
}

size_t gr_partition(const gr_route *route, uint32_t *rows, size_t count, uint32_t *spare,
                    uint32_t *counts, gr_pool *pool)
{
    const size_t chunks = (count + CHUNK - 1) / CHUNK;
    job j = { .route = route, .rows = rows, .spare = spare, .counts = counts, .count = count };

    gr_pool_run(pool, chunks, cut_chunk, &j);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const uint32_t here = counts[chunk];

        counts[chunk] = (uint32_t)j.lefts;
        j.lefts += here;
    }
    gr_pool_run(pool, chunks, place_chunk, &j);
    return j.lefts;
}
