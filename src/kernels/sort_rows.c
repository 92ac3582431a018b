/* SPDX-License-Identifier: Apache-2.0 */
/* Partitioning of rows: plain, and 16 at a time with AVX-512 compression. */
#include "kernels/sort_rows.h"

/* Branch-free: each row is written to both sides, and only one side advances. */
static size_t sort_plain(const gr_sides *sides, const uint32_t *rows, size_t count, uint32_t *left,
                         uint32_t *right)
{
    const gr_sides s = *sides;
    size_t lefts = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t row = rows[i], bin = s.bytes[(size_t)row * s.stride + s.shift / 8];

        left[lefts] = row; /* lefts <= i */
        right[i - lefts] = row;
        lefts += (bin <= s.most) | (bin == s.missing);
    }
    return lefts;
}

const gr_sort_rows_kernels gr_sort_rows_plain = { sort_plain };

#if defined(__x86_64__)
#include <immintrin.h>

enum {
    SOME = 256, /* rows whose bins are copied before they are compared: gathers would be slower */
    AHEAD = 64  /* prefetch distance in rows */
};

#define TARGET_BYTES __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))

/* Copies the bins of the first `count` of `all` rows. A column stays in the L2 cache; words are
 * prefetched. */
static inline void copy_bins(const gr_sides *sides, const uint32_t *rows, size_t count, size_t all,
                             uint8_t *bins)
{
    const uint8_t *bytes = sides->bytes + sides->shift / 8;
    const size_t stride = sides->stride, sure = all > AHEAD ? all - AHEAD : 0;

    if (stride == 1)
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++)
            bins[i] = bytes[rows[i]];
    else
#pragma GCC unroll 4
        for (size_t i = 0; i < count; i++) {
            __builtin_prefetch(bytes + rows[i < sure ? i + AHEAD : i] * stride, 0, 2);
            bins[i] = bytes[rows[i] * stride];
        }
}

TARGET_BYTES static size_t sort_16_at_a_time(const gr_sides *sides, const uint32_t *rows,
                                             size_t count, uint32_t *left, uint32_t *right)
{
    const __m128i most = _mm_set1_epi8((char)sides->most);
    const __m128i missing = _mm_set1_epi8((char)sides->missing);
    const __mmask16 has_missing = sides->missing < 256 ? 0xffff : 0;
    uint8_t bins[SOME] __attribute__((aligned(16)));
    size_t lefts = 0, i = 0;

    while (count - i >= 16) {
        const size_t end = count - i < SOME ? i + (count - i) / 16 * 16 : i + SOME;

        copy_bins(sides, rows + i, end - i, count - i, bins);
        for (const uint8_t *from = bins; i < end; i += 16, from += 16) {
            const __m128i some_bins = _mm_load_si128((const __m128i *)(const void *)from);
            const __m512i some = _mm512_loadu_si512(rows + i);
            const __mmask16 goes_left = _mm_cmple_epu8_mask(some_bins, most) |
                                        _mm_mask_cmpeq_epi8_mask(has_missing, some_bins, missing);

            /* full vectors are stored; they stay within count, because lefts <= i */
            _mm512_storeu_si512(left + lefts, _mm512_maskz_compress_epi32(goes_left, some));
            _mm512_storeu_si512(right + i - lefts,
                                _mm512_maskz_compress_epi32((__mmask16)~goes_left, some));
            lefts += (size_t)__builtin_popcount(goes_left);
        }
    }
    const size_t rights = i - lefts;
    return lefts + sort_plain(sides, rows + i, count - i, left + lefts, right + rights);
}

const gr_sort_rows_kernels gr_sort_rows_avx512 = { sort_16_at_a_time };
#endif
