/* SPDX-License-Identifier: Apache-2.0 */
/* Filtering of rows by their row mask: plain, and 16 at a time with AVX-512 compression. */
#include "kernels/gather.h"

#include "kernels/versions.h"

/* Branch-free: every row is written, but the output advances only past those that have the bit. */
size_t gr_gather_rows_plain(const gr_row_mask *mask, const uint32_t *rows, size_t first,
                            const uint64_t *sums, size_t count, uint32_t *picked,
                            uint64_t *picked_sums)
{
    const gr_row_mask p = *mask;
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t row = rows ? rows[i] : (uint32_t)(first + i);

        picked[used] = row; /* used <= i */
        picked_sums[used] = sums[i];
        used += (p.bytes[row] & p.bit) != 0;
    }
    return used;
}

#if defined(__x86_64__)
#include <immintrin.h>

GR_TARGET_8 static size_t pick_16_at_a_time(const gr_row_mask *mask, const uint32_t *rows,
                                            size_t first, const uint64_t *sums, size_t count,
                                            uint32_t *picked, uint64_t *picked_sums)
{
    const __m512i bit = _mm512_set1_epi32(mask->bit), step = _mm512_set1_epi32(16);
    __m512i next =
        _mm512_add_epi32(_mm512_set1_epi32((int)first),
                         _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    size_t used = 0, i = 0;

    for (; i + 16 <= count; i += 16) {
        const __m512i some = rows ? _mm512_loadu_si512(rows + i) : next;
        const __m512i bytes = rows ? _mm512_i32gather_epi32(some, mask->bytes, 1)
                                   : _mm512_cvtepu8_epi32(_mm_loadu_si128(
                                         (const __m128i *)(const void *)(mask->bytes + first + i)));
        const unsigned has = _mm512_test_epi32_mask(bytes, bit), low = has & 255, high = has >> 8;
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
    return used + gr_gather_rows_plain(mask, rows ? rows + i : NULL, first + i, sums + i, count - i,
                                       picked + used, picked_sums + used);
}

size_t gr_gather_rows(const gr_row_mask *mask, const uint32_t *rows, size_t first,
                      const uint64_t *sums, size_t count, uint32_t *picked, uint64_t *picked_sums)
{
    return (gr_versions_here() == 3 ? pick_16_at_a_time : gr_gather_rows_plain)(
        mask, rows, first, sums, count, picked, picked_sums);
}
#else
size_t gr_gather_rows(const gr_row_mask *mask, const uint32_t *rows, size_t first,
                      const uint64_t *sums, size_t count, uint32_t *picked, uint64_t *picked_sums)
{
    return gr_gather_rows_plain(mask, rows, first, sums, count, picked, picked_sums);
}
#endif
