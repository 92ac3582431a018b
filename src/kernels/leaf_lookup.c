/* SPDX-License-Identifier: Apache-2.0 */
/* Leaf lookup: a plain walk, and a version that evaluates all nodes at once with AVX-512 VBMI. */
#include "kernels/leaf_lookup.h"

static size_t leaf_of(const gr_place_tree *tree, size_t row)
{
    for (size_t node = 0;;) {
        const gr_place_group *group = &tree->group[tree->bin[node] / GR_PLACE_BYTES];
        const uint8_t bin = group->bins[row * group->stride + tree->bin[node] % GR_PLACE_BYTES];
        const bool left = bin <= tree->most[node] || bin == tree->equal[node];
        const size_t next = left ? tree->left[node] : tree->right[node];

        if (next == node || next >= GR_RIGHT_LEAF)
            return next;
        node = next;
    }
}

void gr_leaf_lookup_plain(const gr_place_tree *tree, const uint32_t *rows, size_t count,
                          uint32_t *leaves)
{
    for (size_t i = 0; i < count; i++)
        leaves[i] = tree->leaf[leaf_of(tree, rows[i])];
}

#if defined(__x86_64__)
#define INLINE static inline __attribute__((always_inline))

bool gr_places_rows_fast(void)
{
    return gr_maps_nodes();
}

enum { AHEAD = 16 }; /* prefetch distance in rows */

/* Loads a row's bins of one group; reads no bytes beyond them. */
GR_TARGET_MAPS INLINE __m256i load_group(const gr_place_group *group, size_t row)
{
    const __mmask8 words = (__mmask8)((1u << group->stride / 8) - 1u);

    return _mm256_maskz_loadu_epi64(words, group->bins + row * group->stride);
}

/* Loads a row's bins of groups g and g + 1. */
GR_TARGET_MAPS INLINE __m512i load_two(const gr_place_tree *tree, size_t g, size_t row)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(load_group(&tree->group[g], row)),
                              load_group(&tree->group[g + 1], row), 1);
}

/* The bin that each node compares; all: there are more than two groups. */
GR_TARGET_MAPS INLINE __m512i look_up(const gr_place_tree *tree, __m512i at, size_t row, bool all)
{
    const __m512i first = load_two(tree, 0, row);

    if (!all)
        return _mm512_permutexvar_epi8(at, first);
    return _mm512_mask_blend_epi8(
        _mm512_movepi8_mask(at), _mm512_permutex2var_epi8(first, at, load_two(tree, 2, row)),
        _mm512_permutex2var_epi8(load_two(tree, 4, row), at, load_two(tree, 6, row)));
}

GR_TARGET_MAPS INLINE void place(const gr_place_tree *tree, const uint32_t *rows, size_t count,
                                 uint32_t *leaves, size_t doublings, bool all)
{
    const __m512i at = _mm512_loadu_si512(tree->bin), most = _mm512_loadu_si512(tree->most);
    const __m512i equal = _mm512_loadu_si512(tree->equal), left = _mm512_loadu_si512(tree->left);
    const __m512i right = _mm512_loadu_si512(tree->right);

    for (size_t i = 0; i < count; i++) {
        const size_t next = rows[i + AHEAD < count ? i + AHEAD : i];
        const __m512i bins = look_up(tree, at, rows[i], all);
        const __mmask64 go_right =
            _mm512_mask_cmpneq_epu8_mask(_mm512_cmpgt_epu8_mask(bins, most), bins, equal);
        const __m512i map = _mm512_mask_mov_epi8(left, go_right, right);

        for (size_t g = 0; g < (all ? GR_PLACE_GROUPS : 2); g++)
            __builtin_prefetch(tree->group[g].bins + next * tree->group[g].stride);
        leaves[i] = tree->leaf[gr_root_of_map(gr_doubled_map(map, doublings))];
    }
}

GR_TARGET_MAPS static void place_fast(const gr_place_tree *tree, const uint32_t *rows, size_t count,
                                      uint32_t *leaves)
{
    gr_place_tree full = *tree;

    for (size_t g = full.groups; g < GR_PLACE_GROUPS; g++)
        full.group[g] = full.group[0];
    if (full.groups <= 2 && full.depth <= 16)
        place(&full, rows, count, leaves, 4, false);
    else if (full.groups <= 2)
        place(&full, rows, count, leaves, GR_MAP_DOUBLINGS, false);
    else if (full.depth <= 16)
        place(&full, rows, count, leaves, 4, true);
    else
        place(&full, rows, count, leaves, GR_MAP_DOUBLINGS, true);
}

void gr_leaf_lookup(const gr_place_tree *tree, const uint32_t *rows, size_t count, uint32_t *leaves)
{
    (gr_places_rows_fast() ? place_fast : gr_leaf_lookup_plain)(tree, rows, count, leaves);
}
#else
bool gr_places_rows_fast(void)
{
    return false;
}

void gr_leaf_lookup(const gr_place_tree *tree, const uint32_t *rows, size_t count, uint32_t *leaves)
{
    gr_leaf_lookup_plain(tree, rows, count, leaves);
}
#endif
