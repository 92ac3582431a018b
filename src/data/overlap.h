/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what a training and a test set have in common that they should not. */
#ifndef GR_DATA_OVERLAP_H
#define GR_DATA_OVERLAP_H

#include "data/dataset.h"

/* Linear time. Memory: 8 bytes per row of each set, and 12 more per row of the first. */
gradus_overlap *gr_overlap_find(const gradus_dataset *first, const gradus_dataset *second,
                                gr_pool *pool, gradus_error *err);

#endif
