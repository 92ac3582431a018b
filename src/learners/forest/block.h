/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a dataset, some at a time, as the dense rows that trees want: as many columns as a model
 * has features, whether the dataset has more, fewer or sparse ones. */
#ifndef GR_LEARNERS_FOREST_BLOCK_H
#define GR_LEARNERS_FOREST_BLOCK_H

#include "data/dataset.h"

/* How many rows of so many features are taken at a time: 1 to 512, so that they stay in the
 * cache. */
size_t gr_block_rows(size_t features);

/* Whether rows can be used where they are. */
static inline bool gr_block_in_place(const gradus_arrays *arrays, size_t features)
{
    return !arrays->row_starts && arrays->features >= features;
}

/* Writes rows [from, to) into room, which holds 0 only: features floats a row. */
void gr_block_fill(const gradus_arrays *arrays, size_t from, size_t to, size_t features,
                   float *room);
/* Makes room hold 0 only again, by going over what was written. */
void gr_block_clear(const gradus_arrays *arrays, size_t from, size_t to, size_t features,
                    float *room);

#endif
