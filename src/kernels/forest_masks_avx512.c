/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of forest_masks.h with AVX-512: a tile of 64 rows per vector, with 64-bit masks; and
 * with VBMI, single rows that are compared with all nodes of a tree at once. */
#include "kernels/forest_masks.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <math.h>
#include <string.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,popcnt")))
#define INLINE static inline __attribute__((always_inline))

AVX512 static void encode_column(const gr_code_column *column, const float *table,
                                 const float *values, size_t rows, size_t stride, uint8_t *codes)
{
    const __m512 lasts = _mm512_loadu_ps(table);
    const float *blocks = table + GR_CODE_BLOCK;
    const uint32_t missing = column->missing;

    for (size_t r = 0; r < rows; r++) {
        const float read = values[r * stride];
        const __m512 value = _mm512_set1_ps(read);
        const uint32_t full = _mm512_cmp_ps_mask(lasts, value, _CMP_LE_OQ);
        const uint32_t before = (uint32_t)__builtin_popcount(full) * GR_CODE_BLOCK;
        const uint32_t rest =
            _mm512_cmp_ps_mask(_mm512_loadu_ps(blocks + before), value, _CMP_LE_OQ);
        const uint32_t code = before + (uint32_t)__builtin_popcount(rest);

        codes[r] = (uint8_t)(isnan(read) ? missing : code);
    }
}

/* The number of GR_CODE_BLOCK thresholds that are not above a value. */
AVX512 INLINE uint32_t count_le(const float *thresholds, __m512 value)
{
    const __mmask16 le = _mm512_cmp_ps_mask(_mm512_loadu_ps(thresholds), value, _CMP_LE_OQ);

    return (uint32_t)_mm_popcnt_u32(_cvtmask16_u32(le));
}

/* Encodes a single row; the columns are independent, so their latencies overlap. */
AVX512 static void encode_row(const gr_code_column *columns, size_t count, const float *tables,
                              const float *values, uint8_t *codes)
{
    for (size_t c = 0; c < count; c++) {
        const float *table = tables + columns[c].table, read = values[columns[c].feature];
        const __m512 value = _mm512_set1_ps(read);
        const uint32_t before = GR_CODE_BLOCK * count_le(table, value);
        const uint32_t code = before + count_le(table + GR_CODE_BLOCK + before, value);

        codes[c] = (uint8_t)(isnan(read) ? columns[c].missing : code);
    }
}

AVX512 static void encode(const gr_code_column *columns, size_t count, const float *tables,
                          const float *values, size_t rows, size_t stride, uint8_t *codes,
                          size_t distance)
{
    if (rows == 1 && distance == 1) {
        encode_row(columns, count, tables, values, codes);
        return;
    }
    for (size_t c = 0; c < count; c++)
        encode_column(&columns[c], tables + columns[c].table, values + columns[c].feature, rows,
                      stride, codes + c * distance);
}

/* Finds the leaves of the rows of tiles. slots: for each node the masks of all tiles, side by
 * side. */
AVX512 INLINE void find_leaves(const gr_mask_tree *tree, const gr_tiles *from, bool copies,
                               uint8_t *slots, __m512i *places, const size_t tiles)
{
    for (size_t b = 0; b < tiles; b++) {
        places[b] = _mm512_setzero_si512();
        *(uint64_t *)(void *)(slots + b * 8) = UINT64_MAX;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const gr_mask_node *node = &tree->nodes[i];
        const __m512i limit = _mm512_set1_epi32((int)node->code);
        const __m512i passed = _mm512_set1_epi32((int)node->passed);
        const uint8_t *column = from->codes + node->column;
        __mmask64 *reaches = (__mmask64 *)(void *)(slots + i * GR_MASK_SLOT);
        __mmask64 *left = (__mmask64 *)(void *)(slots + gr_mask_left(node->children));
        __mmask64 *right = (__mmask64 *)(void *)(slots + gr_mask_right(node->children));

        if (copies)
            column += node->children & GR_MASK_COPIED ? from->copies : 0;
        for (size_t b = 0; b < tiles; b++) {
            const __mmask64 reach = _load_mask64(&reaches[b]);
            const __mmask64 go_left = _mm512_mask_cmpge_epu8_mask(
                reach, limit, _mm512_load_si512((const void *)(column + b * from->distance)));
            const __mmask64 go_right = _kandn_mask64(go_left, reach);

            _store_mask64(&left[b], go_left);
            _store_mask64(&right[b], go_right);
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

/* Adds leaf values to sums. Up to 64 leaves are looked up in registers, more by gathers. */
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

AVX512 INLINE void add_some(const gr_mask_tree *tree, const gr_tiles *from, double *sums,
                            void *slots, const size_t tiles)
{
    __m512i places[GR_MASK_TILES];

    if (from->copies)
        find_leaves(tree, from, true, slots, places, tiles);
    else
        find_leaves(tree, from, false, slots, places, tiles);
    for (size_t b = 0; b < tiles; b++)
        add_leaves(tree, &places[b], sums + b * GR_TILE);
}

AVX512 static void add_tile(const gr_mask_tree *tree, const gr_tiles *tiles, double *sums,
                            void *slots)
{
    add_some(tree, tiles, sums, slots, 1);
}

AVX512 static void add_tiles(const gr_mask_tree *tree, const gr_tiles *tiles, double *sums,
                             void *slots)
{
    add_some(tree, tiles, sums, slots, GR_MASK_TILES);
}

/* The codes of a row in registers. */
typedef struct row_codes {
    __m512i codes[4];
    bool missing; /* some code is GR_MISSING_CODE */
} row_codes;

/* Computes the map of kernels/node_maps.h for a row and a tree: for each node the next one on the
 * path, all at once. */
GR_TARGET_MAPS INLINE __m512i map_nodes(const gr_row_trees *trees, size_t t, const row_codes *row,
                                        bool wide, bool missing)
{
    const gr_row_tree *tree = &trees->trees[t];
    const __m512i column = _mm512_load_si512((const void *)tree); /* the last byte is `wide` */
    const __m512i left = _mm512_load_si512((const void *)tree->left);
    const __m512i right = _mm512_load_si512((const void *)tree->right);
    __m512i code = _mm512_permutex2var_epi8(row->codes[0], column, row->codes[1]);
    __mmask64 go_right;

    if (wide)
        code =
            _mm512_mask_blend_epi8(_mm512_movepi8_mask(column), code,
                                   _mm512_permutex2var_epi8(row->codes[2], column, row->codes[3]));
    go_right = _mm512_cmpgt_epu8_mask(code, _mm512_load_si512((const void *)tree->code));
    if (missing)
        go_right &= ~_mm512_mask_cmpeq_epu8_mask(trees->copied[t], code, _mm512_set1_epi8(-1));
    return _mm512_mask_mov_epi8(left, go_right, right);
}

/* The sums of the outputs, to which trees are added in turn. A single sum stays in a register. */
typedef struct row_sums {
    double *sums, sum;
    size_t outputs, next;
} row_sums;

INLINE void add_leaf(row_sums *to, double leaf)
{
    if (to->outputs == 1) {
        to->sum += leaf;
        return;
    }
    to->sums[to->next] += leaf;
    to->next = to->next + 1 < to->outputs ? to->next + 1 : 0;
}

/* Software pipeline: the steps of one tree depend on each other, so the steps of GR_ROW_BEGUN
 * consecutive trees are interleaved. Each iteration advances every tree in flight by one stage. */
GR_TARGET_MAPS INLINE void add_trees(const gr_row_trees *trees, const row_codes *row, bool missing,
                                     size_t doublings, row_sums *to)
{
    __m512i begun = _mm512_setzero_si512(), half = begun, whole = begun;
    size_t leaf = 0;
    double value = 0.0;

    for (size_t t = 0; t < trees->count + GR_ROW_BEGUN; t++) {
        if (t > GR_ROW_BEGUN)
            add_leaf(to, value);
        if (t >= GR_ROW_BEGUN)
            value = trees->leaves[(t - GR_ROW_BEGUN) * GR_MAP_NAMES + leaf];
        leaf = gr_root_of_map(whole);
        whole = gr_doubled_map(half, doublings - 2);
        half = gr_doubled_map(begun, 2);
        begun = trees->trees[t].wide ? map_nodes(trees, t, row, true, missing)
                                     : map_nodes(trees, t, row, false, missing);
    }
    if (trees->count)
        add_leaf(to, value);
}

GR_TARGET_MAPS static void add_row(const gr_row_trees *trees, size_t columns, const uint8_t *codes,
                                   double *sums, size_t outputs)
{
    uint8_t all[GR_ROW_COLUMNS] __attribute__((aligned(64))) = { 0 };
    row_codes row = { .missing = false };
    row_sums to = { sums, sums[0], outputs, 0 };

    memcpy(all, codes, columns);
    for (size_t i = 0; i < 4; i++) {
        row.codes[i] = _mm512_load_si512((const void *)(all + i * 64));
        row.missing |= _mm512_cmpeq_epu8_mask(row.codes[i], _mm512_set1_epi8(-1)) != 0;
    }
    if (row.missing)
        add_trees(trees, &row, true, GR_MAP_DOUBLINGS, &to);
    else if (trees->depth > 32)
        add_trees(trees, &row, false, GR_MAP_DOUBLINGS, &to);
    else if (trees->depth > 16)
        add_trees(trees, &row, false, 5, &to);
    else
        add_trees(trees, &row, false, 4, &to);
    if (outputs == 1)
        sums[0] = to.sum;
}

const gr_forest_kernels gr_forest_masks_avx512 = {
    .encode = encode,
    .add_tile = add_tile,
    .add_tiles = add_tiles,
};

const gr_forest_kernels gr_forest_masks_avx512_vbmi = {
    .encode = encode,
    .add_tile = add_tile,
    .add_tiles = add_tiles,
    .add_row = add_row,
    .few = 60,
};

#endif
