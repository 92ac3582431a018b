/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the cut of a feature with the best score: the inner loop of the split search, for sums of 32
 * bits, without monotone constraints or row counts. */
#ifndef GR_KERNELS_SPLIT_CUTS_H
#define GR_KERNELS_SPLIT_CUTS_H

#include "kernels/versions.h"

#include <stdint.h>

enum { GR_CUT_LANES = 4 };

/* The gradient of a word is its signed upper half, the hessian its unsigned lower half. */
static inline double gr_upper_half(uint64_t word)
{
    return (double)(int32_t)(uint32_t)(word >> 32);
}

static inline double gr_lower_half(uint64_t word)
{
    return (double)(uint32_t)word;
}

/* Cut b has sums[b] plus `more` on the left. sums is padded to a multiple of GR_CUT_LANES with cuts
 * that are rejected. */
typedef struct gr_split_cuts {
    const uint64_t *sums;
    size_t cuts;
    double more_gradient, more_hessian;
    double gradient, hessian; /* of the node */
    double need;              /* minimum hessian of a side */
    double l2;
} gr_split_cuts;

typedef struct gr_split_cut {
    double score; /* GL^2 / (HL + l2) + GR^2 / (HR + l2); negative: no valid cut */
    uint32_t bin; /* the first with this score */
} gr_split_cut;

typedef struct gr_split_cuts_kernels {
    gr_split_cut (*best)(const gr_split_cuts *cuts);
} gr_split_cuts_kernels;

GR_KERNEL_VERSIONS(split_cuts, gr_split_cuts_kernels)

#endif
