/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of dataset rows to blocks of dense rows. */
#include "learners/forest/forest_block.h"

#include <string.h>

enum { MAX_ROWS = 512, FLOATS = 1 << 18 };

size_t gr_block_rows(size_t features)
{
    const size_t rows = FLOATS / (features ? features : 1);

    return rows > MAX_ROWS ? MAX_ROWS : rows < 64 ? rows + !rows : rows / 64 * 64;
}

void gr_block_fill(const gradus_arrays *arrays, size_t from, size_t to, size_t features,
                   float *room)
{
    const size_t shared = arrays->features < features ? arrays->features : features;

    for (size_t r = from; r < to; r++, room += features) {
        if (!arrays->row_starts) {
            memcpy(room, arrays->values + r * arrays->stride, shared * sizeof *room);
            continue;
        }
        for (uint64_t e = arrays->row_starts[r];
             e < arrays->row_starts[r + 1] && arrays->columns[e] < shared; e++)
            room[arrays->columns[e]] = arrays->entries[e];
    }
}

void gr_block_clear(const gradus_arrays *arrays, size_t from, size_t to, size_t features,
                    float *room)
{
    const size_t shared = arrays->features < features ? arrays->features : features;

    if (!arrays->row_starts) {
        memset(room, 0, (to - from) * features * sizeof *room);
        return;
    }
    for (size_t r = from; r < to; r++, room += features)
        for (uint64_t e = arrays->row_starts[r];
             e < arrays->row_starts[r + 1] && arrays->columns[e] < shared; e++)
            room[arrays->columns[e]] = 0.0f;
}
