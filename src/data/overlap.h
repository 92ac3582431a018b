/* SPDX-License-Identifier: Apache-2.0 */
/* What a training and a test set share that they should not. */
#ifndef GR_DATA_OVERLAP_H
#define GR_DATA_OVERLAP_H

#include "data/dataset.h"

/* Linear in the sizes of both. Memory: 8 bytes a row of each, 12 more a row of the first. */
gradus_overlap *gr_overlap_find(const gradus_dataset *first, const gradus_dataset *second,
                                gr_pool *pool, gradus_error *err);

#endif
