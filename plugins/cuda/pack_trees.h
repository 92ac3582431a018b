/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of a round as one piece of memory, which is copied at once. Host code, in C and C++. */
#ifndef GR_PLUGINS_CUDA_PACK_TREES_H
#define GR_PLUGINS_CUDA_PACK_TREES_H

#include "backend/score_device.h"

#include <string.h>

/* Where the arrays start; those with the largest items come first, so that all are aligned. */
typedef struct gr_packed_trees {
    size_t nodes, bases, starts, leaves, bytes;
} gr_packed_trees;

static inline gr_packed_trees gr_trees_measure(const gr_score_trees *trees)
{
    const size_t nodes = (size_t)trees->starts[trees->trees];
    gr_packed_trees packed;

    packed.nodes = 0;
    packed.bases = packed.nodes + nodes * sizeof *trees->nodes;
    packed.starts = packed.bases + (trees->bases ? trees->outputs : 0) * sizeof *trees->bases;
    packed.leaves = packed.starts + (size_t)(trees->trees + 1) * sizeof *trees->starts;
    packed.bytes = packed.leaves + (nodes + (size_t)trees->trees) * sizeof *trees->leaves;
    return packed;
}

/* Writes the arrays to `to`, from where they are copied to `at`; the result has addresses there. */
static inline gr_score_trees gr_trees_pack(const gr_score_trees *trees, void *to, const void *at)
{
    const gr_packed_trees packed = gr_trees_measure(trees);
    unsigned char *bytes = (unsigned char *)to;
    const char *there = (const char *)at;
    gr_score_trees result = *trees;

    if (packed.bases > packed.nodes)
        memcpy(bytes + packed.nodes, trees->nodes, packed.bases - packed.nodes);
    if (trees->bases)
        memcpy(bytes + packed.bases, trees->bases, packed.starts - packed.bases);
    memcpy(bytes + packed.starts, trees->starts, packed.leaves - packed.starts);
    memcpy(bytes + packed.leaves, trees->leaves, packed.bytes - packed.leaves);
    result.nodes = (const gr_score_node *)(const void *)(there + packed.nodes);
    result.bases = trees->bases ? (const double *)(const void *)(there + packed.bases) : NULL;
    result.starts = (const uint64_t *)(const void *)(there + packed.starts);
    result.leaves = (const float *)(const void *)(there + packed.leaves);
    return result;
}

#endif
