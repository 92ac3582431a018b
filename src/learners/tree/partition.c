/* SPDX-License-Identifier: Apache-2.0 */
/* Partitioning of the rows of several nodes in two parallel passes: each chunk is partitioned within
 * itself, then its two halves are copied to positions given by the prefix sums of the chunks' left
 * counts. A node of one chunk is finished in the first pass. */
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

typedef struct job {
    gr_partition_work *works;
    size_t count;
    uint32_t *counts;
} job;

/* A chunk of one of the nodes. */
typedef struct chunk {
    gr_partition_work *work;
    size_t first, count; /* its rows, from the node's first */
    size_t index;        /* among the chunks of all nodes */
    bool last;
} chunk;

static chunk chunk_at(const job *j, size_t index)
{
    gr_partition_work *work =
        &j->works[GR_BISECT(1, j->count, i, j->works[i].first_chunk <= index) - 1];
    const size_t first = (index - work->first_chunk) * CHUNK, left = work->count - first;

    return (chunk){ work, first, left < CHUNK ? left : CHUNK, index, left <= CHUNK };
}

static void put_rows(const gr_partition_work *work, const uint32_t *from, size_t count, size_t to,
                     bool with_words)
{
    const uint64_t *words = work->words;
    uint64_t *ordered = work->ordered + to;
    const size_t sure = count > AHEAD ? count - AHEAD : 0;

    memcpy(work->rows + to, from, count * sizeof *from);
    for (size_t i = 0; with_words && i < count; i++) {
        __builtin_prefetch(words + from[i < sure ? i + AHEAD : i]);
        ordered[i] = words[from[i]];
    }
    for (size_t i = 0; with_words && work->masks && i < count; i++)
        work->ordered_masks[to + i] = work->masks[from[i]];
}

/* Copies the two halves of a chunk, now in spare, to their positions. before: left rows of all
 * earlier chunks. */
static void put_halves(const chunk *c, size_t lefts, size_t before)
{
    const gr_partition_work *work = c->work;
    gr_gathered sides = work->gathered;

    if (sides == GR_GATHER_SMALLER)
        sides = work->lefts <= work->count - work->lefts ? GR_GATHER_LEFT : GR_GATHER_RIGHT;
    put_rows(work, work->spare + c->first, lefts, before, work->words && sides != GR_GATHER_RIGHT);
    put_rows(work, work->spare + c->first + lefts, c->count - lefts,
             work->lefts + (c->first - before), work->words && sides != GR_GATHER_LEFT);
}

/* Partitions one chunk into its part of spare: left rows, then right rows. */
static void cut_chunk(void *argument, size_t index, size_t worker)
{
    const job *j = argument;
    const chunk c = chunk_at(j, index);
    gr_partition_work *work = c.work;
    uint32_t *spare = work->spare + c.first, right[CHUNK];
    const size_t lefts = gr_part_rows(&work->route, work->rows + c.first, c.count, spare, right);

    (void)worker;
    memcpy(spare + lefts, right, (c.count - lefts) * sizeof *right);
    j->counts[index] = (uint32_t)lefts;
    if (work->count <= CHUNK) {
        work->lefts = lefts;
        put_halves(&c, lefts, 0);
    }
}

static void place_chunk(void *argument, size_t index, size_t worker)
{
    const job *j = argument;
    const chunk c = chunk_at(j, index);
    const size_t before = j->counts[index];
    const size_t after = c.last ? c.work->lefts : j->counts[index + 1];

    (void)worker;
    if (c.work->count > CHUNK)
        put_halves(&c, after - before, before);
}

/* Replaces the left counts of a node's chunks by their prefix sums. */
static void add_up_counts(gr_partition_work *work, uint32_t *counts)
{
    const size_t chunks = gr_range_count(work->count, CHUNK);

    work->lefts = 0;
    for (size_t c = work->first_chunk; c < work->first_chunk + chunks; c++) {
        const uint32_t here = counts[c];

        counts[c] = (uint32_t)work->lefts;
        work->lefts += here;
    }
}

void gr_partition_all(gr_partition_work *works, size_t count, uint32_t *counts, gr_pool *pool)
{
    job j = { works, count, counts };
    size_t chunks = 0;
    bool more = false;

    for (size_t w = 0; w < count; w++) {
        works[w].first_chunk = chunks;
        chunks += gr_range_count(works[w].count, CHUNK);
        more |= works[w].count > CHUNK;
    }
    gr_pool_run(pool, chunks, cut_chunk, &j);
    for (size_t w = 0; w < count; w++)
        add_up_counts(&works[w], counts);
    if (more)
        gr_pool_run(pool, chunks, place_chunk, &j);
}
