/* A step of the search halves what is left of the table: with room for 2^n thresholds there are n
 * steps whatever the key, and no branch. The vector kernels make the first steps among pivots that
 * they hold in registers, where a shuffle finds the pivot of each lane; the others gather.
 *
 * The nearest thresholds on both sides are among those the search compares with: it keeps them, to
 * tell whether a key is close. */
#include "kernels/bin_search.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static uint32_t find_bin(const gr_bin_table *table, int32_t key)
{
    size_t at = 0;

    for (size_t half = table->room / 2; half > 0; half /= 2)
        at += table->thresholds[at + half - 1] <= key ? half : 0;
    return (uint32_t)at;
}

unsigned gr_bin_search_plain(const gr_bin_table *table, const int32_t *keys, size_t count,
                             unsigned shift, uint32_t *halves)
{
    unsigned saw = 0;

    for (size_t i = 0; i < count; i++) {
        const bool missing = gr_key_is_missing(keys[i]);
        const uint32_t bin = missing ? table->count + 1 : find_bin(table, keys[i]);

        if (missing)
            saw |= GR_SAW_MISSING;
        else if ((bin > 0 && table->thresholds[bin - 1] == keys[i]) ||
                 table->thresholds[bin] == keys[i] + 1)
            saw |= GR_SAW_CLOSE;
        halves[i] |= bin << shift;
    }
    return saw;
}

#if defined(__x86_64__)

#define TARGET_512 __attribute__((target("avx512f")))

/* What a search knows of 16 keys: where the rest of the table begins, and the nearest thresholds so
 * far. */
typedef struct search_512 {
    __m512i key, at, low, high;
} search_512;

TARGET_512 static inline void step_512(search_512 *s, __m512i threshold, __m512i half)
{
    const __mmask16 right = _mm512_cmple_epi32_mask(threshold, s->key);

    s->low = _mm512_mask_mov_epi32(s->low, right, threshold);
    s->high = _mm512_mask_mov_epi32(threshold, right, s->high);
    s->at = _mm512_mask_add_epi32(s->at, right, s->at, half);
}

/* Among 32 pivots in two registers. */
TARGET_512 static inline void steps_in_registers_512(search_512 *s, __m512i first, __m512i second)
{
    step_512(s, _mm512_permutexvar_epi32(_mm512_set1_epi32(15), first), _mm512_set1_epi32(16));
    for (int half = 8; half > 0; half /= 2) {
        const __m512i probe = _mm512_add_epi32(s->at, _mm512_set1_epi32(half - 1));

        step_512(s, _mm512_permutex2var_epi32(first, probe, second), _mm512_set1_epi32(half));
    }
}

TARGET_512 static inline void steps_in_table_512(search_512 *s, const int32_t *thresholds,
                                                 uint32_t stride)
{
    s->at = _mm512_mullo_epi32(s->at, _mm512_set1_epi32((int)stride));
    for (uint32_t half = stride / 2; half > 0; half /= 2)
        step_512(s, _mm512_i32gather_epi32(s->at, thresholds + half - 1, 4),
                 _mm512_set1_epi32((int)half));
}

TARGET_512 static unsigned search_avx512(const gr_bin_table *table, const int32_t *keys,
                                         size_t count, unsigned shift, uint32_t *halves)
{
    const uint32_t stride = table->room / 32;
    const __m512i strides =
        _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                           _mm512_set1_epi32((int)stride));
    const int32_t *pivots = table->thresholds + stride - 1;
    const __m512i first = _mm512_i32gather_epi32(strides, pivots, 4);
    const __m512i second = _mm512_i32gather_epi32(strides, pivots + 16 * (size_t)stride, 4);
    const __m512i infinity = _mm512_set1_epi32(GR_KEY_INFINITY);
    const __m512i missing_bin = _mm512_set1_epi32((int)table->count + 1);
    const __m128i by = _mm_cvtsi32_si128((int)shift);
    __mmask16 any_missing = 0, any_close = 0;

    for (size_t i = 0; i < count; i += 16) {
        const __mmask16 lanes = (__mmask16)(count - i < 16 ? (1u << (count - i)) - 1 : 0xffffu);
        const __m512i old = _mm512_maskz_loadu_epi32(lanes, halves + i);
        search_512 s = { _mm512_maskz_loadu_epi32(lanes, keys + i), _mm512_setzero_si512(),
                         _mm512_set1_epi32(INT32_MIN), _mm512_set1_epi32(INT32_MAX) };
        __mmask16 missing, close;

        steps_in_registers_512(&s, first, second);
        steps_in_table_512(&s, table->thresholds, stride);
        missing = _mm512_mask_cmpgt_epi32_mask(lanes, _mm512_abs_epi32(s.key), infinity);
        close = _mm512_cmpeq_epi32_mask(s.low, s.key);
        close |= _mm512_cmpeq_epi32_mask(s.high, _mm512_add_epi32(s.key, _mm512_set1_epi32(1)));
        any_missing |= missing;
        any_close |= close & (__mmask16)~missing & lanes;
        s.at = _mm512_mask_mov_epi32(s.at, missing, missing_bin);
        _mm512_mask_storeu_epi32(halves + i, lanes,
                                 _mm512_or_si512(old, _mm512_sll_epi32(s.at, by)));
    }
    return (any_missing ? GR_SAW_MISSING : 0) | (any_close ? GR_SAW_CLOSE : 0);
}

#define TARGET_256 __attribute__((target("avx2")))

typedef struct search_256 {
    __m256i key, at, low, high;
} search_256;

TARGET_256 static inline void step_256(search_256 *s, __m256i threshold, __m256i half)
{
    const __m256i left = _mm256_cmpgt_epi32(threshold, s->key);

    s->low = _mm256_blendv_epi8(threshold, s->low, left);
    s->high = _mm256_blendv_epi8(s->high, threshold, left);
    s->at = _mm256_add_epi32(s->at, _mm256_andnot_si256(left, half));
}

/* Eight pivots in a register, then gathers; a short rest is searched by the plain kernel. */
TARGET_256 static unsigned search_avx2(const gr_bin_table *table, const int32_t *keys, size_t count,
                                       unsigned shift, uint32_t *halves)
{
    const uint32_t stride = table->room / 8;
    const __m256i strides = _mm256_mullo_epi32(_mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0),
                                               _mm256_set1_epi32((int)stride));
    const __m256i pivots = _mm256_i32gather_epi32(table->thresholds + stride - 1, strides, 4);
    const __m256i infinity = _mm256_set1_epi32(GR_KEY_INFINITY), one = _mm256_set1_epi32(1);
    const __m256i missing_bin = _mm256_set1_epi32((int)table->count + 1);
    const __m128i by = _mm_cvtsi32_si128((int)shift);
    __m256i any_missing = _mm256_setzero_si256(), any_close = _mm256_setzero_si256();
    size_t i = 0;
    unsigned saw;

    for (; i + 8 <= count; i += 8) {
        search_256 s = { _mm256_loadu_si256((const __m256i *)(keys + i)), _mm256_setzero_si256(),
                         _mm256_set1_epi32(INT32_MIN), _mm256_set1_epi32(INT32_MAX) };
        const __m256i old = _mm256_loadu_si256((const __m256i *)(halves + i));
        __m256i missing, close;

        for (int half = 4; half > 0; half /= 2) {
            const __m256i probe = _mm256_add_epi32(s.at, _mm256_set1_epi32(half - 1));

            step_256(&s, _mm256_permutevar8x32_epi32(pivots, probe), _mm256_set1_epi32(half));
        }
        s.at = _mm256_mullo_epi32(s.at, _mm256_set1_epi32((int)stride));
        for (uint32_t half = stride / 2; half > 0; half /= 2)
            step_256(&s, _mm256_i32gather_epi32(table->thresholds + half - 1, s.at, 4),
                     _mm256_set1_epi32((int)half));
        missing = _mm256_cmpgt_epi32(_mm256_abs_epi32(s.key), infinity);
        close = _mm256_or_si256(_mm256_cmpeq_epi32(s.low, s.key),
                                _mm256_cmpeq_epi32(s.high, _mm256_add_epi32(s.key, one)));
        any_missing = _mm256_or_si256(any_missing, missing);
        any_close = _mm256_or_si256(any_close, _mm256_andnot_si256(missing, close));
        s.at = _mm256_blendv_epi8(s.at, missing_bin, missing);
        _mm256_storeu_si256((__m256i *)(halves + i),
                            _mm256_or_si256(old, _mm256_sll_epi32(s.at, by)));
    }
    saw = gr_bin_search_plain(table, keys + i, count - i, shift, halves + i);
    saw |= _mm256_testz_si256(any_missing, any_missing) ? 0 : GR_SAW_MISSING;
    return saw | (_mm256_testz_si256(any_close, any_close) ? 0 : GR_SAW_CLOSE);
}

gr_bin_search gr_bin_search_number(size_t number)
{
    if (__builtin_cpu_supports("avx512f") && number-- == 0)
        return search_avx512;
    if (__builtin_cpu_supports("avx2") && number-- == 0)
        return search_avx2;
    return number == 0 ? gr_bin_search_plain : NULL;
}

#else

gr_bin_search gr_bin_search_number(size_t number)
{
    return number == 0 ? gr_bin_search_plain : NULL;
}

#endif
