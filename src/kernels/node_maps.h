/* SPDX-License-Identifier: Apache-2.0 */
/* Small trees in which a row is compared with all nodes at once (pointer doubling).
 *
 * A map gives for each node the next one on the row's path: a child node, or a leaf. A leaf is
 * named after its parent n: n if it is the left child, GR_RIGHT_LEAF + n if it is the right one.
 * Composing a map with itself doubles the number of steps it takes, and leaves map to themselves;
 * so after enough doublings the entry of the root, node 0, is the row's leaf. */
#ifndef GR_KERNELS_NODE_MAPS_H
#define GR_KERNELS_NODE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_MAP_NODES = 64,               /* one more than the maximum nodes of a tree */
    GR_RIGHT_LEAF = GR_MAP_NODES,    /* node + this: the name of its right leaf */
    GR_MAP_NAMES = 2 * GR_MAP_NODES, /* possible names of leaves */
    GR_MAP_DOUBLINGS = 6             /* 2^6 exceeds the depth of any such tree */
};

#if defined(__x86_64__)
#include <immintrin.h>

#define GR_TARGET_MAPS                                                                             \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,popcnt")))

GR_TARGET_MAPS static inline __attribute__((always_inline)) __m512i gr_doubled_map(__m512i map,
                                                                                   size_t times)
{
    for (size_t i = 0; i < times; i++)
        map = _mm512_permutexvar_epi8(map, map);
    return map;
}

/* The entry of the root. */
GR_TARGET_MAPS static inline __attribute__((always_inline)) uint8_t gr_root_of_map(__m512i map)
{
    return (uint8_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(map));
}
#endif

#endif
