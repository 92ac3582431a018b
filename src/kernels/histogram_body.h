/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the words of rows to bin_sums of type SUM; SUM_WORD(word) converts a row's word. */
#include "kernels/histogram.h"

enum { COLUMN = GR_COLUMN_SUMS, AHEAD = GR_SCAN_AHEAD, NEAR = GR_SCAN_NEAR };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* How many of the listed rows can be added with prefetch. */
ALWAYS_INLINE size_t rows_with_next(const gr_scan *scan)
{
    const size_t known = scan->count + scan->more, sure = known > AHEAD ? known - AHEAD : 0;

    return sure < scan->count ? sure : scan->count;
}

/* Keeps the compiler from merging consecutive shifts: x86 can address the two lowest bytes of a
 * register directly, so that two bins cost three instructions instead of five. */
#if defined(__x86_64__)
#define SHIFT_APART(word) __asm__("" : "+Q"(word))
#else
#define SHIFT_APART(word) ((void)0)
#endif

ALWAYS_INLINE void add_word(SUM *bin_sums, uint64_t word, SUM sum, size_t features)
{
    for (size_t c = 0; c < features; c += 2) {
        bin_sums[c * COLUMN + (word & 255)] += sum;
        bin_sums[(c + 1) * COLUMN + (word >> 8 & 255)] += sum;
        word >>= 16;
        SHIFT_APART(word);
    }
}

/* Adds each row to `blocks` blocks, of whose last one to `last` features. Prefetches row i + ahead:
 * rows[i + ahead] must exist if rows are listed. All arguments but the pointers, stride and count are
 * compile-time constants. */
ALWAYS_INLINE void add_rows(SUM *bin_sums, const uint64_t *words, size_t stride,
                            const uint32_t *rows, const uint64_t *sums, size_t count, size_t blocks,
                            size_t last, size_t ahead)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t *word = words + (rows ? rows[i] : i) * stride;
        const SUM sum = SUM_WORD(sums[i]);

        if (ahead)
            GR_PREFETCH_L2(words + (rows ? rows[i + ahead] : i + ahead) * stride);
        if (ahead && rows)
            GR_PREFETCH_L1(words + rows[i + NEAR] * stride);
        if (ahead && blocks == 3) /* 24 bytes may span two cache lines */
            GR_PREFETCH_L2(words + (rows ? rows[i + ahead] : i + ahead) * stride + 2);
        for (size_t block = 0; block < blocks; block++)
            add_word(bin_sums + 8 * COLUMN * block, word[block], sum,
                     block + 1 == blocks ? last : 8);
    }
}

typedef void (*add_function)(SUM *restrict bin_sums, const uint64_t *words, size_t stride,
                             const uint32_t *rows, const uint64_t *sums, size_t count);

#define ADD_ROWS(name, blocks, last, with_rows, ahead)                                             \
    static __attribute__((noinline)) void name(SUM *restrict bin_sums, const uint64_t *words,      \
                                               size_t stride, const uint32_t *rows,                \
                                               const uint64_t *sums, size_t count)                 \
    {                                                                                              \
        add_rows(bin_sums, words, stride, with_rows, sums, count, blocks, last, ahead);            \
        (void)rows;                                                                                \
    }
#define ADD_ROWS_LAST(name, blocks, with_rows, ahead)                                              \
    ADD_ROWS(name##_2, blocks, 2, with_rows, ahead)                                                \
    ADD_ROWS(name##_4, blocks, 4, with_rows, ahead)                                                \
    ADD_ROWS(name##_6, blocks, 6, with_rows, ahead)                                                \
    ADD_ROWS(name##_8, blocks, 8, with_rows, ahead)
#define BY_LAST(name)                                                                              \
    {                                                                                              \
        name##_2, name##_4, name##_6, name##_8                                                     \
    }
/* One to four blocks: name[blocks - 1][last / 2 - 1]. */
#define ADD_ROWS_ALL(name, with_rows, ahead)                                                       \
    ADD_ROWS_LAST(name##_1, 1, with_rows, ahead)                                                   \
    ADD_ROWS_LAST(name##_2, 2, with_rows, ahead)                                                   \
    ADD_ROWS_LAST(name##_3, 3, with_rows, ahead)                                                   \
    ADD_ROWS_LAST(name##_4, 4, with_rows, ahead)                                                   \
    static const add_function name[4][4] = { BY_LAST(name##_1), BY_LAST(name##_2),                 \
                                             BY_LAST(name##_3), BY_LAST(name##_4) };
