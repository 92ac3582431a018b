/* SPDX-License-Identifier: Apache-2.0 */
/* Instantiates the kernels of axpy.h for float and double weights: plain (axpy_plain.h), AVX2 and
 * AVX-512 (axpy_body.h). The few_of_* functions load fewer floats than fill a vector. */
#include "kernels/axpy.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))

#define ALWAYS static inline __attribute__((always_inline))

AVX2 ALWAYS void few_of_8(void *to, const float *from, size_t count)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256 read =
        _mm256_maskload_ps(from, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), lanes));

    memcpy(to, &read, sizeof read);
}

AVX2 ALWAYS void few_of_4(void *to, const float *from, size_t count)
{
    const __m128i lanes = _mm_setr_epi32(0, 1, 2, 3);
    const __m128 read = _mm_maskload_ps(from, _mm_cmpgt_epi32(_mm_set1_epi32((int)count), lanes));

    memcpy(to, &read, sizeof read);
}

AVX512 ALWAYS void few_of_16(void *to, const float *from, size_t count)
{
    const __m512 read = _mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1u), from);

    memcpy(to, &read, sizeof read);
}

AVX512 ALWAYS void few_of_8_by_mask(void *to, const float *from, size_t count)
{
    const __m256 read = _mm256_maskz_loadu_ps((__mmask8)((1u << count) - 1u), from);

    memcpy(to, &read, sizeof read);
}
#endif

/* The sum of a vector by halving, with shuffles that stay in registers. */
#define HALVES_2(v) ((v)[0] + (v)[1])
#define HALVES_4(v)                                                                                \
    HALVES_2(__builtin_shufflevector(v, v, 0, 1) + __builtin_shufflevector(v, v, 2, 3))
#define HALVES_8(v)                                                                                \
    HALVES_4(                                                                                      \
        (__builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7)))
#define HALVES_16(v)                                                                               \
    HALVES_8((__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +                              \
              __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)))

#define REAL float
#define MASK int32_t
#define LANES GR_FLOAT_LANES
#define TABLE gr_float_rows
#define NAMED(name) float_##name
#include "kernels/axpy_plain.h"
#define PLAIN(name) float_plain_##name
#define VERSION gr_float_rows_plain
#define ATTRIBUTE
#define float_plain_any_dot float_any_dot
#define float_plain_any_add float_any_add
#include "kernels/axpy_table.h"
#if defined(__x86_64__)
#define TARGET AVX2
#define WIDE(name) float_avx2_##name
#define VERSION gr_float_rows_avx2
#define LOAD_FEW few_of_8
#define PARTS 2
#define SUM_HALVES HALVES_8
#include "kernels/axpy_body.h"
#define TARGET AVX512
#define WIDE(name) float_avx512_##name
#define VERSION gr_float_rows_avx512
#define LOAD_FEW few_of_16
#define PARTS 1
#define SUM_HALVES HALVES_16
#include "kernels/axpy_body.h"
#endif
#undef REAL
#undef MASK
#undef LANES
#undef TABLE
#undef NAMED

#define REAL double
#define MASK int64_t
#define LANES GR_DOUBLE_LANES
#define TABLE gr_double_rows
#define NAMED(name) double_##name
#include "kernels/axpy_plain.h"
#define PLAIN(name) double_plain_##name
#define VERSION gr_double_rows_plain
#define ATTRIBUTE
#define double_plain_any_dot double_any_dot
#define double_plain_any_add double_any_add
#include "kernels/axpy_table.h"
#if defined(__x86_64__)
#define TARGET AVX2
#define WIDE(name) double_avx2_##name
#define VERSION gr_double_rows_avx2
#define LOAD_FEW few_of_4
#define PARTS 2
#define SUM_HALVES HALVES_4
#include "kernels/axpy_body.h"
#define TARGET AVX512
#define WIDE(name) double_avx512_##name
#define VERSION gr_double_rows_avx512
#define LOAD_FEW few_of_8_by_mask
#define PARTS 1
#define SUM_HALVES HALVES_8
#include "kernels/axpy_body.h"
#endif
