/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a few keys, by comparing each with all others: without branches, and for a hundred keys faster
 * than sorting. */
#ifndef GR_KERNELS_RANKS_H
#define GR_KERNELS_RANKS_H

#include "kernels/versions.h"

#include <stdint.h>

enum { GR_RANKS_STEP = 32 };

typedef struct gr_ranks_kernels {
    /* ranks[i]: how many of the `count` keys are above keys[i]. Both arrays are aligned to 64 bytes and
     * padded to a multiple of GR_RANKS_STEP; the padding of ranks is overwritten. */
    void (*above)(const int32_t *keys, size_t count, int32_t *ranks);
} gr_ranks_kernels;

GR_KERNEL_VERSIONS(ranks, gr_ranks_kernels)

#endif
