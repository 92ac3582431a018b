/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of dataset rows as the dense rows that trees need: one column per model feature, whether
 * the dataset has more or fewer features or is sparse. */
#ifndef GR_LEARNERS_FOREST_FOREST_BLOCK_H
#define GR_LEARNERS_FOREST_FOREST_BLOCK_H

#include "data/dataset.h"

/* Rows per block, 1 to 512, chosen so that a block stays in the cache. */
size_t gr_block_rows(size_t features);

/* Whether the dataset's rows can be used without copying. */
static inline bool gr_block_in_place(const gradus_arrays *arrays, size_t features)
{
    return !arrays->row_starts && arrays->features >= features;
}

/* Writes rows [from, to) to `room`, `features` floats per row. `room` must be all 0. */
void gr_block_fill(const gradus_arrays *arrays, size_t from, size_t to, size_t features,
                   float *room);
/* Resets `room` to 0, touching only what gr_block_fill wrote. */
void gr_block_clear(const gradus_arrays *arrays, size_t from, size_t to, size_t features,
                    float *room);

#endif
