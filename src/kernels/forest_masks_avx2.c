/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of forest_masks.h with AVX2: 32 rows per vector. */
#include "kernels/forest_masks.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <math.h>

#define AVX2 __attribute__((target("avx2,popcnt")))

enum { HALF = 32 };

/* The number of 16 thresholds that are not above the value. */
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
            const float value = values[r * stride + column->feature];
            const __m256 spread = _mm256_set1_ps(value);
            const uint32_t before = count16(lasts, spread) * GR_CODE_BLOCK;

            const uint32_t code = before + count16(blocks + before, spread);

            codes[c * distance + r] = isnan(value) ? column->missing : (uint8_t)code;
        }
    }
}

AVX2 static inline __m256i load(const uint8_t *at)
{
    return _mm256_load_si256((const __m256i *)(const void *)at);
}

AVX2 static inline void store(uint8_t *at, __m256i bytes)
{
    _mm256_store_si256((__m256i *)(void *)at, bytes);
}

/* Finds the leaves of a tile. Masks are bytes, one per row; the masks of the second half of the
 * tile are stored after all those of the first half. */
AVX2 static void find_leaves(const gr_mask_tree *tree, const uint8_t *codes, size_t copies,
                             uint8_t *slots, __m256i places[2])
{
    enum { APART = GR_MASK_SLOT * GR_MASK_LEAVES };

    for (size_t half = 0; half < 2; half++) {
        places[half] = _mm256_setzero_si256();
        store(slots + half * APART, _mm256_set1_epi8(-1));
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const gr_mask_node *node = &tree->nodes[i];
        const __m256i limit = _mm256_set1_epi32((int)node->code);
        const __m256i passed = _mm256_set1_epi32((int)node->passed);
        const uint8_t *column =
            codes + node->column + (node->children & GR_MASK_COPIED ? copies : 0);

        for (size_t half = 0; half < 2; half++) {
            uint8_t *slot = slots + half * APART;
            const __m256i reach = load(slot + i * GR_MASK_SLOT);
            const __m256i code = load(column + half * HALF);
            const __m256i below = _mm256_cmpeq_epi8(_mm256_max_epu8(code, limit), limit);
            const __m256i go_right = _mm256_andnot_si256(below, reach);

            store(slot + gr_mask_left(node->children), _mm256_and_si256(below, reach));
            store(slot + gr_mask_right(node->children), go_right);
            places[half] = _mm256_add_epi8(places[half], _mm256_and_si256(go_right, passed));
        }
    }
}

AVX2 static void add_one(const gr_mask_tree *tree, const gr_tiles *tiles, size_t tile, double *sums,
                         void *slots)
{
    __m256i places[2];
    uint8_t place[GR_TILE] __attribute__((aligned(HALF)));

    find_leaves(tree, tiles->codes + tile * tiles->distance, tiles->copies, slots, places);
    store(place, places[0]);
    store(place + HALF, places[1]);
    for (size_t r = 0; r < GR_TILE; r++)
        sums[tile * GR_TILE + r] += (double)tree->leaves[place[r]];
}

AVX2 static void add_tile(const gr_mask_tree *tree, const gr_tiles *tiles, double *sums,
                          void *slots)
{
    add_one(tree, tiles, 0, sums, slots);
}

AVX2 static void add_tiles(const gr_mask_tree *tree, const gr_tiles *tiles, double *sums,
                           void *slots)
{
    for (size_t b = 0; b < GR_MASK_TILES; b++)
        add_one(tree, tiles, b, sums, slots);
}

const gr_forest_kernels gr_forest_masks_avx2 = {
    .encode = encode,
    .add_tile = add_tile,
    .add_tiles = add_tiles,
};

#endif
