#include "kernels/forest_masks.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Vectors that the compiler takes apart where registers are smaller. */
typedef uint8_t half_tile __attribute__((vector_size(32), may_alias));
typedef uint32_t half_words __attribute__((vector_size(32), may_alias));

static bool always(void)
{
    return true;
}

/* How many of the thresholds are not above the value. */
static inline uint8_t code_of(const gr_code_column *column, const float *blocks, float value)
{
    size_t low = 0, count = column->count;

    if (isnan(value))
        return (uint8_t)(column->missing_right ? count : 0);
    while (count > 0) {
        const size_t half = (count + 1) / 2;

        low += blocks[low + half - 1] <= value ? half : 0;
        count -= half;
    }
    return (uint8_t)low;
}

static void encode_plain(const gr_code_column *columns, size_t count, const float *tables,
                         const float *values, size_t rows, size_t stride, uint8_t *codes,
                         size_t distance)
{
    for (size_t c = 0; c < count; c++)
        for (size_t r = 0; r < rows; r++)
            codes[c * distance + r] =
                code_of(&columns[c], tables + columns[c].table + GR_CODE_BLOCK,
                        values[r * stride + columns[c].feature]);
}

static inline __attribute__((always_inline)) void
run_half(const gr_mask_tree *tree, const uint8_t *codes, uint8_t *slots, uint8_t *places)
{
    half_tile place = { 0 };

    *(half_tile *)slots = ~(half_tile){ 0 };
    for (uint32_t i = 0; i < tree->count; i++) {
        const gr_mask_node *node = &tree->nodes[i];
        const half_tile limit = (half_tile)((half_words){ 0 } + node->code);
        const half_tile passed = (half_tile)((half_words){ 0 } + node->passed);
        const half_tile reach = *(const half_tile *)(slots + i * sizeof reach);
        const half_tile below = (half_tile)(*(const half_tile *)(codes + node->column) <= limit);
        const half_tile right = reach & ~below;

        *(half_tile *)(slots + (node->children & 0xffffu) * 4) = reach & below;
        *(half_tile *)(slots + (node->children >> 16) * 4) = right;
        place += right & passed;
    }
    *(half_tile *)places = place;
}

static inline __attribute__((always_inline)) void
run_tile(const gr_mask_tree *tree, const uint8_t *codes, double *sums, void *slots)
{
    uint8_t places[GR_TILE] __attribute__((aligned(64)));

    run_half(tree, codes, slots, places);
    run_half(tree, codes + 32, slots, places + 32);
    for (size_t r = 0; r < GR_TILE; r++)
        sums[r] += (double)tree->leaves[places[r]];
}

static void add_tile_plain(const gr_mask_tree *tree, const uint8_t *codes, double *sums,
                           void *slots)
{
    run_tile(tree, codes, sums, slots);
}

static void add_tiles_plain(const gr_mask_tree *tree, const uint8_t *codes, size_t distance,
                            double *sums, void *slots)
{
    for (size_t b = 0; b < GR_MASK_TILES; b++)
        run_tile(tree, codes + b * distance, sums + b * GR_TILE, slots);
}

const gr_forest_kernels gr_forest_kernels_plain = {
    .name = "plain",
    .works = always,
    .encode = encode_plain,
    .add_tile = add_tile_plain,
    .add_tiles = add_tiles_plain,
};

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2,popcnt")))

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

AVX2 static void encode_avx2(const gr_code_column *columns, size_t count, const float *tables,
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

AVX2 static void add_tile_avx2(const gr_mask_tree *tree, const uint8_t *codes, double *sums,
                               void *slots)
{
    run_tile(tree, codes, sums, slots);
}

AVX2 static void add_tiles_avx2(const gr_mask_tree *tree, const uint8_t *codes, size_t distance,
                                double *sums, void *slots)
{
    for (size_t b = 0; b < GR_MASK_TILES; b++)
        run_tile(tree, codes + b * distance, sums + b * GR_TILE, slots);
}

const gr_forest_kernels gr_forest_kernels_avx2 = {
    .name = "avx2",
    .works = has_avx2,
    .encode = encode_avx2,
    .add_tile = add_tile_avx2,
    .add_tiles = add_tiles_avx2,
};

#endif

static const gr_forest_kernels *const all_kernels[] = {
    &gr_forest_kernels_plain,
#if defined(__x86_64__)
    &gr_forest_kernels_avx2,
    &gr_forest_kernels_avx512,
    &gr_forest_kernels_avx512_vbmi,
#endif
};

const gr_forest_kernels *gr_forest_kernels_at(size_t index)
{
    return index < sizeof all_kernels / sizeof *all_kernels ? all_kernels[index] : NULL;
}

const gr_forest_kernels *gr_forest_kernels_best(void)
{
    size_t best = sizeof all_kernels / sizeof *all_kernels - 1;

    while (!all_kernels[best]->works())
        best--;
    return all_kernels[best];
}
