#include "kernels/forest_masks.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <math.h>
#include <string.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,popcnt")))
#define VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,popcnt")))
#define INLINE static inline __attribute__((always_inline))

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("popcnt");
}

static bool has_vbmi(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512vbmi");
}

AVX512 INLINE void encode_column(const float *table, bool missing_right, const float *values,
                                 size_t rows, size_t stride, uint8_t *codes)
{
    const __m512 lasts = _mm512_loadu_ps(table);
    const __m512 infinity = _mm512_set1_ps(INFINITY);
    const float *blocks = table + GR_CODE_BLOCK;

    for (size_t r = 0; r < rows; r++) {
        __m512 value = _mm512_set1_ps(values[r * stride]);

        /* No threshold is at most NAN, and all are at most infinity, which the smaller of the two
         * is if the first is NAN. */
        if (missing_right)
            value = _mm512_min_ps(value, infinity);
        const uint32_t full = _mm512_cmp_ps_mask(lasts, value, _CMP_LE_OQ);
        const uint32_t before = (uint32_t)__builtin_popcount(full) * GR_CODE_BLOCK;
        const uint32_t rest =
            _mm512_cmp_ps_mask(_mm512_loadu_ps(blocks + before), value, _CMP_LE_OQ);

        codes[r] = (uint8_t)(before + (uint32_t)__builtin_popcount(rest));
    }
}

AVX512 static void encode(const gr_code_column *columns, size_t count, const float *tables,
                          const float *values, size_t rows, size_t stride, uint8_t *codes,
                          size_t distance)
{
    for (size_t c = 0; c < count; c++) {
        const float *table = tables + columns[c].table, *first = values + columns[c].feature;

        if (columns[c].missing_right)
            encode_column(table, true, first, rows, stride, codes + c * distance);
        else
            encode_column(table, false, first, rows, stride, codes + c * distance);
    }
}

/* The leaves that the rows of tiles fall in. slots: the masks of each tile, 2048 bytes apart. */
AVX512 INLINE void find_leaves(const gr_mask_tree *tree, const uint8_t *codes, size_t distance,
                               uint8_t *slots, __m512i *places, const size_t tiles)
{
    enum { APART = 8 * GR_MASK_LEAVES };

    for (size_t b = 0; b < tiles; b++) {
        places[b] = _mm512_setzero_si512();
        *(uint64_t *)(void *)(slots + b * APART) = UINT64_MAX;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const gr_mask_node *node = &tree->nodes[i];
        const __m512i limit = _mm512_set1_epi32((int)node->code);
        const __m512i passed = _mm512_set1_epi32((int)node->passed);
        const uint32_t left = node->children & 0xffffu, right = node->children >> 16;
        const uint8_t *column = codes + node->column;

        for (size_t b = 0; b < tiles; b++) {
            uint8_t *const slot = slots + b * APART;
            const __mmask64 reach = _load_mask64((__mmask64 *)(void *)(slot + i * 8));
            const __mmask64 go_left = _mm512_mask_cmple_epu8_mask(
                reach, _mm512_load_si512((const void *)(column + b * distance)), limit);
            const __mmask64 go_right = _kandn_mask64(go_left, reach);

            _store_mask64((__mmask64 *)(void *)(slot + left), go_left);
            _store_mask64((__mmask64 *)(void *)(slot + right), go_right);
            places[b] = _mm512_mask_add_epi8(places[b], go_right, places[b], passed);
        }
    }
}

AVX512 INLINE void add_floats(double *sums, __m512 values)
{
    const __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(values));
    const __m512d high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(values, 1));

    _mm512_storeu_pd(sums, _mm512_add_pd(_mm512_loadu_pd(sums), low));
    _mm512_storeu_pd(sums + 8, _mm512_add_pd(_mm512_loadu_pd(sums + 8), high));
}

/* Leaves of up to 64 values are looked up in registers. */
AVX512 INLINE void add_leaves(const gr_mask_tree *tree, const __m512i *place, double *sums)
{
    const float *leaves = tree->leaves;
    uint8_t places[GR_TILE] __attribute__((aligned(64)));

    _mm512_store_si512((void *)places, *place);
    if (tree->count < 64) {
        const size_t upper = tree->count < 32 ? 0 : 32;
        const __m512 a = _mm512_loadu_ps(leaves), b = _mm512_loadu_ps(leaves + 16);
        const __m512 c = _mm512_loadu_ps(leaves + upper), d = _mm512_loadu_ps(leaves + upper + 16);

        for (size_t r = 0; r < GR_TILE; r += 16) {
            const __m512i at =
                _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)(const void *)(places + r)));
            const __mmask16 is_upper = _mm512_movepi32_mask(_mm512_slli_epi32(at, 26));
            const __m512 low = _mm512_permutex2var_ps(a, at, b);
            const __m512 high = _mm512_permutex2var_ps(c, at, d);

            add_floats(sums + r, _mm512_mask_blend_ps(is_upper, low, high));
        }
        return;
    }
    for (size_t r = 0; r < GR_TILE; r += 16) {
        const __m512i at =
            _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)(const void *)(places + r)));

        add_floats(sums + r, _mm512_i32gather_ps(at, leaves, 4));
    }
}

AVX512 static void add_tile(const gr_mask_tree *tree, const uint8_t *codes, double *sums,
                            void *slots)
{
    __m512i place[1];

    find_leaves(tree, codes, 0, slots, place, 1);
    add_leaves(tree, place, sums);
}

AVX512 static void add_tiles(const gr_mask_tree *tree, const uint8_t *codes, size_t distance,
                             double *sums, void *slots)
{
    __m512i places[GR_MASK_TILES];

    find_leaves(tree, codes, distance, slots, places, GR_MASK_TILES);
    for (size_t b = 0; b < GR_MASK_TILES; b++)
        add_leaves(tree, &places[b], sums + b * GR_TILE);
}

/* The leaf of one row: all nodes are compared at once, which gives each node the child that the
 * row goes to; twice that map of nodes is followed by itself, so that a step is four levels. jumps:
 * 64 bytes for it and then 64 to 127, as leaves stay where they are. */
VBMI INLINE uint32_t find_leaf(const gr_row_tree *tree, const __m512i *codes, bool wide,
                               uint8_t *jumps, __m512i stay)
{
    const __m512i column = _mm512_load_si512((const void *)tree->column);
    __m512i code = _mm512_permutex2var_epi8(codes[0], column, codes[1]);

    if (wide)
        code = _mm512_mask_blend_epi8(_mm512_movepi8_mask(column), code,
                                      _mm512_permutex2var_epi8(codes[2], column, codes[3]));
    const __mmask64 go_left =
        _mm512_cmple_epu8_mask(code, _mm512_load_si512((const void *)tree->code));
    const __m512i one = _mm512_mask_mov_epi8(_mm512_load_si512((const void *)tree->right), go_left,
                                             _mm512_load_si512((const void *)tree->left));
    const __m512i two = _mm512_permutex2var_epi8(one, one, stay);
    const __m512i four = _mm512_permutex2var_epi8(two, two, stay);
    uint32_t at;

    _mm512_store_si512((void *)jumps, four);
    at = jumps[jumps[jumps[jumps[0]]]];
    while (__builtin_expect(at < 64, 0))
        at = jumps[at];
    return at - 64;
}

VBMI INLINE void add_trees(const gr_row_tree *rows, const gr_mask_tree *trees, size_t count,
                           const __m512i *codes, bool wide, double *sums, size_t outputs)
{
    uint8_t jumps[128] __attribute__((aligned(64)));
    __m512i stay;

    for (uint8_t i = 0; i < 128; i++)
        jumps[i] = i;
    stay = _mm512_load_si512((const void *)(jumps + 64));
    if (outputs == 1) {
        double sum = sums[0];

        for (size_t t = 0; t < count; t++)
            sum += (double)trees[t].leaves[find_leaf(&rows[t], codes, wide, jumps, stay)];
        sums[0] = sum;
        return;
    }
    for (size_t t = 0, k = 0; t < count; t++, k = k + 1 < outputs ? k + 1 : 0)
        sums[k] += (double)trees[t].leaves[find_leaf(&rows[t], codes, wide, jumps, stay)];
}

VBMI static void add_row(const gr_row_tree *rows, const gr_mask_tree *trees, size_t count,
                         size_t columns, const uint8_t *codes, double *sums, size_t outputs)
{
    uint8_t all[GR_ROW_COLUMNS] __attribute__((aligned(64))) = { 0 };
    __m512i held[4];

    memcpy(all, codes, columns);
    for (size_t i = 0; i < 4; i++)
        held[i] = _mm512_load_si512((const void *)(all + i * 64));
    if (columns > 128)
        add_trees(rows, trees, count, held, true, sums, outputs);
    else
        add_trees(rows, trees, count, held, false, sums, outputs);
}

const gr_forest_kernels gr_forest_kernels_avx512 = {
    .name = "avx512",
    .works = has_avx512,
    .encode = encode,
    .add_tile = add_tile,
    .add_tiles = add_tiles,
};

const gr_forest_kernels gr_forest_kernels_avx512_vbmi = {
    .name = "avx512-vbmi",
    .works = has_vbmi,
    .encode = encode,
    .add_tile = add_tile,
    .add_tiles = add_tiles,
    .add_row = add_row,
    .few = 24,
};

#endif
