/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms with narrow and wide bin_sums, of dense rows and of sparse lists. */
#include "kernels/histogram.h"

enum {
    TILE = 1024,     /* rows added to two blocks before going on to the next two: their words stay
                        in the L2 cache and the bin_sums of two blocks in the L1 cache */
    WIDE_TILE = 256, /* the same for wide bin_sums, one block at a time */
    LISTS_AHEAD = 48 /* prefetch distance in rows */
};

#define SUM uint64_t
#define SUM_WORD(word) (word)
#include "kernels/histogram_body.h"

/* "in_order": consecutive rows; "picked": listed rows; "far": with prefetch */
ADD_ROWS_ALL(in_order, NULL, 0)
ADD_ROWS_ALL(in_order_far, NULL, AHEAD)
ADD_ROWS_ALL(picked, rows, 0)
ADD_ROWS_ALL(picked_far, rows, AHEAD)

/* Consecutive rows, two blocks at a time, so that their bin_sums stay in the L1 cache. */
static void add_tile(uint64_t *bin_sums, const gr_scan *scan, size_t first, size_t count)
{
    const uint64_t *words = scan->words + first * scan->stride;

    for (size_t block = 0; block < scan->blocks; block += 2) {
        const size_t blocks = scan->blocks - block < 2 ? 1 : 2;
        const size_t last = block + blocks == scan->blocks ? scan->last : 8;
        const add_function add = block == 0 ? in_order_far[blocks - 1][last / 2 - 1]
                                            : in_order[blocks - 1][last / 2 - 1];

        add(bin_sums + 8 * COLUMN * block, words + block, scan->stride, NULL, scan->sums + first,
            count);
    }
}

/* Listed rows, all blocks at once: one cache miss per row. */
static void add_picked(uint64_t *bin_sums, const gr_scan *scan)
{
    const size_t sure = rows_with_next(scan);

    picked_far[scan->blocks - 1][scan->last / 2 - 1](bin_sums, scan->words, scan->stride,
                                                     scan->rows, scan->sums, sure);
    picked[scan->blocks - 1][scan->last / 2 - 1](bin_sums, scan->words, scan->stride,
                                                 scan->rows + sure, scan->sums + sure,
                                                 scan->count - sure);
}

void gr_histogram_8(uint64_t *bin_sums, const gr_scan *scan)
{
    if (scan->rows) {
        add_picked(bin_sums, scan);
        return;
    }
    for (size_t first = 0; first < scan->count; first += TILE)
        add_tile(bin_sums, scan, first, first + TILE < scan->count ? TILE : scan->count - first);
}

static inline uint64_t upper(uint64_t sum)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)(sum >> 32);
}

static inline void add_wide(uint64_t *bin_sums, size_t bin_sum, uint64_t sum)
{
    bin_sums[2 * bin_sum] += upper(sum);
    bin_sums[2 * bin_sum + 1] += (uint32_t)sum;
}

static inline const uint64_t *words_of(const gr_scan *scan, size_t i)
{
    return scan->words + (scan->rows ? scan->rows[i] : i) * scan->stride;
}

/* Gradient and hessian as one vector: a single 128-bit addition. */
typedef uint64_t both __attribute__((vector_size(16), aligned(8)));

ALWAYS_INLINE void add_rows_wide(uint64_t *bin_sums, const uint64_t *words, size_t stride,
                                 const uint32_t *rows, const uint64_t *sums, size_t count,
                                 bool half, size_t ahead)
{
    both *at = (both *)(void *)bin_sums;

    for (size_t i = 0; i < count; i++) {
        const uint64_t word = words[(rows ? rows[i] : i) * stride];
        const both sum = { upper(sums[i]), (uint32_t)sums[i] };

        if (ahead)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): ahead is 0 without rows */
            GR_PREFETCH_L2(words + rows[i + ahead] * stride);
        for (size_t c = 0; c < (half ? 4 : 8); c++)
            at[COLUMN * c + (word >> 8 * c & 255)] += sum;
    }
}

#define ADD_WIDE(name, half, with_rows, ahead)                                                     \
    static __attribute__((noinline)) void name(uint64_t *restrict bin_sums, const uint64_t *words, \
                                               size_t stride, const uint32_t *rows,                \
                                               const uint64_t *sums, size_t count)                 \
    {                                                                                              \
        add_rows_wide(bin_sums, words, stride, with_rows, sums, count, half, ahead);               \
        (void)rows;                                                                                \
    }

ADD_WIDE(wide_in_order, false, NULL, 0)
ADD_WIDE(wide_in_order_half, true, NULL, 0)
ADD_WIDE(wide_picked, false, rows, 0)
ADD_WIDE(wide_picked_half, true, rows, 0)
ADD_WIDE(wide_picked_tile, false, rows, WIDE_TILE)
ADD_WIDE(wide_picked_tile_half, true, rows, WIDE_TILE)

static const add_function wide_functions[3][2] = { { wide_in_order, wide_in_order_half },
                                                   { wide_picked, wide_picked_half },
                                                   { wide_picked_tile, wide_picked_tile_half } };

/* One block at a time, because its wide bin_sums fill the L1 cache. */
void gr_histogram_8_wide(uint64_t *bin_sums, const gr_scan *scan)
{
    for (size_t first = 0; first < scan->count; first += WIDE_TILE) {
        const size_t count = first + WIDE_TILE < scan->count ? WIDE_TILE : scan->count - first;
        const uint32_t *rows = scan->rows ? scan->rows + first : NULL;
        const uint64_t *words = scan->words + (rows ? 0 : first * scan->stride);
        const bool next = rows && first + count + WIDE_TILE <= scan->count;

        for (size_t block = 0; block < scan->blocks; block++) {
            const bool half = scan->last <= 4 && block + 1 == scan->blocks;
            const size_t way = !rows ? 0 : next && block == 0 ? 2 : 1;

            wide_functions[way][half](bin_sums + 2 * 8 * COLUMN * block, words + block,
                                      scan->stride, rows, scan->sums + first, count);
        }
    }
}

void gr_histogram_16(uint64_t *bin_sums, const size_t *offsets, const gr_scan *scan)
{
    for (size_t block = 0; block < scan->blocks; block++, offsets += 4) {
        uint64_t *const at[4] = { bin_sums + offsets[0], bin_sums + offsets[1],
                                  bin_sums + offsets[2], bin_sums + offsets[3] };

        for (size_t i = 0; i < scan->count; i++) {
            const uint64_t word = words_of(scan, i)[block], sum = scan->sums[i];

            at[0][word & 65535] += sum;
            at[1][word >> 16 & 65535] += sum;
            at[2][word >> 32 & 65535] += sum;
            at[3][word >> 48] += sum;
        }
    }
}

void gr_histogram_16_wide(uint64_t *bin_sums, const size_t *offsets, const gr_scan *scan)
{
    for (size_t i = 0; i < scan->count; i++)
        for (size_t block = 0; block < scan->blocks; block++) {
            const uint64_t word = words_of(scan, i)[block];

            for (size_t c = 0; c < 4; c++)
                add_wide(bin_sums, offsets[4 * block + c] + (word >> 16 * c & 65535),
                         scan->sums[i]);
        }
}

/* Most lists are short and their lengths are unpredictable. So the first four entries are added
 * without a branch; those past the end of the list, which belong to later rows, add 0. */
static void add_list(uint64_t *bin_sums, const gr_row_lists *lists, size_t row, uint64_t sum)
{
    const uint64_t start = lists->starts[row], length = lists->starts[row + 1] - start;
    const uint16_t *entries = lists->entries + start;
    uint64_t e = 0;

    if (start + 4 <= lists->end)
        for (; e < 4; e++)
            bin_sums[entries[e]] += sum & (0 - (uint64_t)(e < length));
    for (; e < length; e++)
        bin_sums[entries[e]] += sum;
}

void gr_histogram_lists(uint64_t *bin_sums, const gr_row_lists *lists, const gr_scan *scan)
{
    const uint32_t *rows = scan->rows;
    const size_t sure = scan->count > 2 * LISTS_AHEAD ? scan->count - 2 * LISTS_AHEAD : 0;
    size_t i = 0;

    for (; rows && i < sure; i++) {
        __builtin_prefetch(&lists->starts[rows[i + 2 * LISTS_AHEAD]]);
        __builtin_prefetch(&lists->entries[lists->starts[rows[i + LISTS_AHEAD]]]);
        add_list(bin_sums, lists, rows[i], scan->sums[i]);
    }
    for (; i < scan->count; i++)
        add_list(bin_sums, lists, rows ? rows[i] : i, scan->sums[i]);
}

void gr_histogram_lists_wide(uint64_t *bin_sums, const gr_row_lists *lists, const gr_scan *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        const size_t row = scan->rows ? scan->rows[i] : i;

        for (uint64_t e = lists->starts[row]; e < lists->starts[row + 1]; e++)
            add_wide(bin_sums, lists->entries[e], scan->sums[i]);
    }
}

void gr_histogram_subtract(uint64_t *from, const uint64_t *less, size_t words)
{
    for (size_t i = 0; i < words; i++)
        from[i] -= less[i];
}

void gr_histogram_add(uint64_t *into, const uint64_t *more, size_t words)
{
    for (size_t i = 0; i < words; i++)
        into[i] += more[i];
}
