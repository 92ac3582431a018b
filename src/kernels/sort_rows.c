/* SPDX-License-Identifier: Apache-2.0 */
/* Partitioning of rows: plain, and 16 at a time with AVX-512 gathers and compression. */
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

GR_TARGET_8 static size_t sort_16_at_a_time(const gr_sides *sides, const uint32_t *rows,
                                            size_t count, uint32_t *left, uint32_t *right)
{
    const __m512i most = _mm512_set1_epi32((int)sides->most), byte = _mm512_set1_epi32(255);
    const __m512i missing = _mm512_set1_epi32((int)sides->missing);
    const __m512i stride = _mm512_set1_epi32((int)sides->stride);
    const __m128i shift = _mm_cvtsi32_si128((int)sides->shift);
    size_t lefts = 0, i = 0;

    for (; i + 16 <= count; i += 16) {
        const __m512i some = _mm512_loadu_si512(rows + i);
        const __m512i from = _mm512_mullo_epi32(some, stride);
        const __m512i read = _mm512_i32gather_epi32(from, sides->bytes, 1);
        const __m512i bins = _mm512_and_si512(_mm512_srl_epi32(read, shift), byte);
        const __mmask16 goes_left =
            _mm512_cmple_epu32_mask(bins, most) | _mm512_cmpeq_epi32_mask(bins, missing);

        /* full vectors are stored; they stay within count, because lefts <= i */
        _mm512_storeu_si512(left + lefts, _mm512_maskz_compress_epi32(goes_left, some));
        _mm512_storeu_si512(right + i - lefts,
                            _mm512_maskz_compress_epi32((__mmask16)~goes_left, some));
        lefts += (size_t)__builtin_popcount(goes_left);
    }
    const size_t rights = i - lefts;
    return lefts + sort_plain(sides, rows + i, count - i, left + lefts, right + rights);
}

const gr_sort_rows_kernels gr_sort_rows_avx512 = { sort_16_at_a_time };
#endif
