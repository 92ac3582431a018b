#include "kernels/forest_masks.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <math.h>

#define AVX2 __attribute__((target("avx2,popcnt")))

enum { HALF = 32 };

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}

/* How many of 16 are not above the value. */
AVX2 static inline uint32_t count16(const float *block, __m256 value)
{
    const __m256 low = _mm256_cmp_ps(_mm256_loadu_ps(block), value, _CMP_LE_OQ);
    const __m256 high = _mm256_cmp_ps(_mm256_loadu_ps(block + 8), value, _CMP_LE_OQ);
    const int bits = _mm256_movemask_ps(low) | _mm256_movemask_ps(high) << 8;

    return (uint32_t)__builtin_popcount((unsigned)bits);
}

AVX2 static void encode(const gr_code_column *columns, size_t count, const float *tables,
                        const float *values, size_t rows, size_t stride, uint8_t *codes,
                        size_t distance)
{
    for (size_t c = 0; c < count; c++) {
        const gr_code_column *column = &columns[c];
        const float *lasts = tables + column->table, *blocks = lasts + GR_CODE_BLOCK;

        for (size_t r = 0; r < rows; r++) {
            const float read = values[r * stride + column->feature];
            /* No threshold is at most NAN, and all are at most infinity. */
            const float value = column->missing_right && isnan(read) ? INFINITY : read;
            const __m256 spread = _mm256_set1_ps(value);
            const uint32_t before = count16(lasts, spread) * GR_CODE_BLOCK;

            codes[c * distance + r] = (uint8_t)(before + count16(blocks + before, spread));
        }
    }
}

/* The masks of a node are bytes, one a row. */
AVX2 static void find_leaves(const gr_mask_tree *tree, const uint8_t *codes, uint8_t *slots,
                             __m256i places[2])
{
    places[0] = places[1] = _mm256_setzero_si256();
    for (size_t half = 0; half < 2; half++)
        _mm256_store_si256((__m256i *)(void *)(slots + half * HALF), _mm256_set1_epi8(-1));
    for (uint32_t i = 0; i < tree->count; i++) {
        const gr_mask_node *node = &tree->nodes[i];
        const __m256i limit = _mm256_set1_epi32((int)node->code);
        const __m256i passed = _mm256_set1_epi32((int)node->passed);
        uint8_t *left = slots + (node->children & 0xffffu) * 8;
        uint8_t *right = slots + (node->children >> 16) * 8;

        for (size_t half = 0; half < 2; half++) {
            const __m256i reach =
                _mm256_load_si256((const __m256i *)(const void *)(slots + i * 64 + half * HALF));
            const __m256i code = _mm256_load_si256(
                (const __m256i *)(const void *)(codes + node->column + half * HALF));
            const __m256i below = _mm256_cmpeq_epi8(_mm256_max_epu8(code, limit), limit);
            const __m256i go_right = _mm256_andnot_si256(below, reach);

            _mm256_store_si256((__m256i *)(void *)(left + half * HALF),
                               _mm256_and_si256(below, reach));
            _mm256_store_si256((__m256i *)(void *)(right + half * HALF), go_right);
            places[half] = _mm256_add_epi8(places[half], _mm256_and_si256(go_right, passed));
        }
    }
}

AVX2 static void add_tile(const gr_mask_tree *tree, const uint8_t *codes, double *sums, void *slots)
{
    __m256i places[2];
    uint8_t place[GR_TILE];

    find_leaves(tree, codes, slots, places);
    for (size_t half = 0; half < 2; half++)
        _mm256_storeu_si256((__m256i *)(void *)(place + half * HALF), places[half]);
    for (size_t r = 0; r < GR_TILE; r++)
        sums[r] += (double)tree->leaves[place[r]];
}

AVX2 static void add_tiles(const gr_mask_tree *tree, const uint8_t *codes, size_t distance,
                           double *sums, void *slots)
{
    for (size_t b = 0; b < GR_MASK_TILES; b++)
        add_tile(tree, codes + b * distance, sums + b * GR_TILE, slots);
}

const gr_forest_kernels gr_forest_kernels_avx2 = {
    .name = "avx2",
    .works = has_avx2,
    .encode = encode,
    .add_tile = add_tile,
    .add_tiles = add_tiles,
};

#endif
