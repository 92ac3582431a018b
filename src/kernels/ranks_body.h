/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of ranks.h over vectors of 2 * WIDTH integers. */
#include "kernels/float_lanes.h"

enum { LANED(PARTS) = GR_RANKS_STEP / (2 * WIDTH) };

TARGET static void LANED(ranks_above)(const int32_t *keys, size_t count, int32_t *ranks)
{
    for (size_t i = 0; i < count; i += GR_RANKS_STEP) {
        marks own[LANED(PARTS)], above[LANED(PARTS)] = { { 0 } };

        memcpy(own, keys + i, sizeof own);
        for (size_t j = 0; j < count; j++)
            for (int part = 0; part < LANED(PARTS); part++)
                above[part] -= own[part] < keys[j];
        memcpy(ranks + i, above, sizeof above);
    }
}

const gr_ranks_kernels LANED(gr_ranks) = { LANED(ranks_above) };

#include "kernels/lanes_end.h"
