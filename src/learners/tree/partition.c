/* SPDX-License-Identifier: Apache-2.0 */
/* Partitioning of rows in two parallel passes: each chunk is partitioned within itself, then its
 * two halves are copied to positions given by the prefix sums of the chunks' left counts. */
#include "learners/tree/partition.h"

#include "base/bisect.h"
#include "base/ranges.h"
#include "kernels/sort_rows.h"

#include <string.h>

enum {
    CHUNK = GR_PARTITION_CHUNK,
    AHEAD = 64 /* prefetch distance in rows */
};

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
        route.bytes = bins->width == 8 && bins->rows < INT32_MAX / (route.stride * 8);
    } else {
        const uint32_t position = ~place;
        const gr_bundle *bundle = bins->bundle;

        while (position >= bundle->end)
            bundle++;
        route.bundle = bundle;
        route.code = bins->sparse[position].code;
        route.default_bin = bins->sparse[position].default_bin;
    }
    return route;
}

/* The bin of a sparse feature. The row's entries are ascending, so the feature's entry, if there is
 * one, is the first that is not below its first code. */
static uint32_t sparse_bin(const gr_route *route, uint32_t row)
{
    const uint16_t *entries = route->bundle->entries;
    const uint64_t end = route->bundle->row_starts[row + 1];
    const uint64_t e = GR_BISECT(route->bundle->row_starts[row], end, i, entries[i] < route->code);

    return e < end && entries[e] < route->code + route->bins ? entries[e] - route->code
                                                             : route->default_bin;
}

/* Whether rows go left, for a dense feature. */
static void read_words(const gr_route *route, const uint32_t *rows, size_t count, bool *left)
{
    const uint64_t *words = route->words;
    const size_t stride = route->stride, sure = count > AHEAD ? count - AHEAD : 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t bin = (uint32_t)(words[rows[i] * stride] >> route->shift) & route->mask;

        __builtin_prefetch(words + rows[i < sure ? i + AHEAD : i] * stride);
        left[i] = (bin <= route->bin) | (bin == route->missing);
    }
}

static void read_bins(const gr_route *route, const uint32_t *rows, size_t count, bool *left)
{
    if (route->words) {
        read_words(route, rows, count, left);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t bin = sparse_bin(route, rows[i]);

        left[i] = (bin <= route->bin) | (bin == route->missing);
    }
}

typedef struct job {
    const gr_route *route;
    const gr_partition_work *work;
    size_t lefts;
} job;

typedef struct count_job {
    const gr_route *route;
    const uint32_t *rows;
    uint32_t *counts;
    size_t room;
} count_job;

static void count_words(const gr_route *route, const uint32_t *rows, size_t count, uint32_t *counts)
{
    const uint64_t *words = route->words;
    const size_t stride = route->stride, sure = count > AHEAD ? count - AHEAD : 0;

    for (size_t i = 0; i < count; i++) {
        counts[(uint32_t)(words[rows[i] * stride] >> route->shift) & route->mask]++;
        __builtin_prefetch(words + rows[i < sure ? i + AHEAD : i] * stride);
    }
}

static void count_chunk(void *argument, gr_range range)
{
    const count_job *j = argument;
    const size_t count = range.end - range.first;
    const uint32_t *rows = j->rows + range.first;
    uint32_t *counts = j->counts + range.worker * j->room;

    if (j->route->column) {
        for (size_t i = 0; i < count; i++)
            counts[j->route->column[rows[i]]]++;
    } else if (j->route->words) {
        count_words(j->route, rows, count, counts);
    } else {
        for (size_t i = 0; i < count; i++)
            counts[sparse_bin(j->route, rows[i])]++;
    }
}

void gr_count_bins(const gr_route *route, const uint32_t *rows, size_t count, gr_pool *pool,
                   uint32_t *counts, size_t room)
{
    const size_t threads = gr_pool_threads(pool);
    count_job j = { route, rows, counts, room };

    memset(counts, 0, threads * room * sizeof *counts);
    gr_for_ranges(pool, count, CHUNK, count_chunk, &j);
    for (size_t w = 1; w < threads; w++)
        for (size_t b = 0; b < room; b++)
            counts[b] += counts[w * room + b];
}

/* The bins as bytes: of a cached column, or within the words of a block. */
static gr_sides bytes_of(const gr_route *route)
{
    const gr_sides column = { route->column, 1, 0, route->bin, route->missing };
    const gr_sides words = { (const uint8_t *)route->words + route->shift / 32 * 4,
                             (uint32_t)(route->stride * sizeof *route->words), route->shift % 32,
                             route->bin, route->missing };

    return route->column ? column : words;
}

size_t gr_part_rows(const gr_route *route, const uint32_t *rows, size_t count, uint32_t *left,
                    uint32_t *right)
{
    const gr_sides sides = bytes_of(route);
    bool goes_left[CHUNK];
    size_t lefts = 0;

    if (route->column || route->bytes)
        return gr_sort_rows_here()->sort(&sides, rows, count, left, right);
    read_bins(route, rows, count, goes_left);
    for (size_t i = 0; i < count; i++) {
        left[lefts] = rows[i];
        right[i - lefts] = rows[i];
        lefts += goes_left[i];
    }
    return lefts;
}

/* Partitions one chunk into its part of spare: left rows, then right rows. */
static void cut_chunk(void *argument, gr_range range)
{
    const job *j = argument;
    const size_t count = range.end - range.first;
    uint32_t *spare = j->work->spare + range.first, right[CHUNK];
    const size_t lefts = gr_part_rows(j->route, j->work->rows + range.first, count, spare, right);

    memcpy(spare + lefts, right, (count - lefts) * sizeof *right);
    j->work->counts[range.index] = (uint32_t)lefts;
}

static void put_rows(const gr_partition_work *work, const uint32_t *from, size_t count, size_t to,
                     bool with_words, size_t ordered_to)
{
    memcpy(work->rows + to, from, count * sizeof *from);
    for (size_t i = 0; with_words && i < count; i++)
        work->ordered[ordered_to + i] = work->words[from[i]];
}

static void place_chunk(void *argument, gr_range range)
{
    const job *j = argument;
    const gr_partition_work *work = j->work;
    const size_t count = range.end - range.first, first = range.first;
    const size_t before = work->counts[range.index]; /* left rows of all earlier chunks */
    const size_t after = range.end < work->count ? work->counts[range.index + 1] : j->lefts;
    const size_t lefts = after - before;
    const bool left_smaller = j->lefts <= work->count - j->lefts;

    put_rows(work, work->spare + first, lefts, before, work->words && left_smaller, before);
    put_rows(work, work->spare + first + lefts, count - lefts, j->lefts + (first - before),
             work->words && !left_smaller, first - before);
}

size_t gr_partition(const gr_route *route, const gr_partition_work *work, gr_pool *pool)
{
    const size_t chunks = gr_range_count(work->count, CHUNK);
    job j = { .route = route, .work = work };

    gr_for_ranges(pool, work->count, CHUNK, cut_chunk, &j);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const uint32_t here = work->counts[chunk];

        work->counts[chunk] = (uint32_t)j.lefts;
        j.lefts += here;
    }
    gr_for_ranges(pool, work->count, CHUNK, place_chunk, &j);
    return j.lefts;
}
