/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of few nodes, all of which a row is compared with at once.
 *
 * A map says of each node where the row goes from it: to a node, or to a leaf, which is named after
 * its parent n: n if it is on the left, GR_RIGHT_LEAF + n on the right. A map that is followed by
 * itself goes twice as far, and leaves stay where they are; so the entry of the root, node 0, is
 * its leaf in the end. */
#ifndef GR_KERNELS_NODE_MAPS_H
#define GR_KERNELS_NODE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_MAP_NODES = 64,               /* one more than a tree may have */
    GR_RIGHT_LEAF = GR_MAP_NODES,    /* added to a node for its right leaf */
    GR_MAP_NAMES = 2 * GR_MAP_NODES, /* of leaves */
    GR_MAP_DOUBLINGS = 6             /* 2 to this is more than the depth of any */
};

#if defined(__x86_64__)
#include <immintrin.h>

#define GR_TARGET_MAPS                                                                             \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,popcnt")))

/* Whether this processor has what GR_TARGET_MAPS says. */
static inline bool gr_maps_nodes(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("popcnt");
}

GR_TARGET_MAPS static inline __attribute__((always_inline)) __m512i gr_doubled_map(__m512i map,
                                                                                   size_t times)
{
    for (size_t i = 0; i < times; i++)
        map = _mm512_permutexvar_epi8(map, map);
    return map;
}

/* Where the root's entry leads to. */
GR_TARGET_MAPS static inline __attribute__((always_inline)) uint8_t gr_root_of_map(__m512i map)
{
    return (uint8_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(map));
}
#endif

#endif
