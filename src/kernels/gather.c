/* SPDX-License-Identifier: Apache-2.0 */
/* Filtering of rows by their row mask: plain, and 16 at a time with AVX-512 compression. */
#include "kernels/gather.h"

/* Branch-free: every row is written, but the output advances only past those that have the bit. */
static size_t gather_plain(const gr_row_masks *masks, const uint32_t *rows, size_t first,
                           const uint64_t *sums, size_t count, uint32_t *picked,
                           uint64_t *picked_sums)
{
    const gr_row_masks m = *masks;
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        picked[used] = rows ? rows[i] : (uint32_t)(first + i); /* used <= i */
        picked_sums[used] = sums[i];
        used += (m.at[i] & m.bit) != 0;
    }
    return used;
}

const gr_gather_kernels gr_gather_plain = { gather_plain };

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw")))

TARGET static size_t pick_16_at_a_time(const gr_row_masks *masks, const uint32_t *rows,
                                       size_t first, const uint64_t *sums, size_t count,
                                       uint32_t *picked, uint64_t *picked_sums)
{
    const __m128i bit = _mm_set1_epi8((char)masks->bit);
    const __m512i step = _mm512_set1_epi32(16);
    __m512i next =
        _mm512_add_epi32(_mm512_set1_epi32((int)first),
                         _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    size_t used = 0, i = 0;

    for (; i + 16 <= count; i += 16) {
        const __m512i some = rows ? _mm512_loadu_si512(rows + i) : next;
        const unsigned has = _mm_test_epi8_mask(
            _mm_loadu_si128((const __m128i *)(const void *)(masks->at + i)), bit);
        const unsigned low = has & 255, high = has >> 8;
        const size_t lows = (size_t)__builtin_popcount(low);

        /* full vectors are stored; they stay within count, because used <= i */
        _mm512_storeu_si512(picked + used, _mm512_maskz_compress_epi32((__mmask16)has, some));
        _mm512_storeu_si512(picked_sums + used, _mm512_maskz_compress_epi64(
                                                    (__mmask8)low, _mm512_loadu_si512(sums + i)));
        _mm512_storeu_si512(
            picked_sums + used + lows,
            _mm512_maskz_compress_epi64((__mmask8)high, _mm512_loadu_si512(sums + i + 8)));
        used += lows + (size_t)__builtin_popcount(high);
        next = _mm512_add_epi32(next, step);
    }
    const gr_row_masks rest = { masks->at + i, masks->bit };
    return used + gather_plain(&rest, rows ? rows + i : NULL, first + i, sums + i, count - i,
                               picked + used, picked_sums + used);
}

const gr_gather_kernels gr_gather_avx512 = { pick_16_at_a_time };
#endif
