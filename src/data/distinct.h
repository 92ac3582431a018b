/* SPDX-License-Identifier: Apache-2.0 */
/* Several collections of the same data as one dataset, without the rows they have in common. */
#ifndef GR_DATA_DISTINCT_H
#define GR_DATA_DISTINCT_H

#include "data/dataset.h"

/* A copy of all rows of the first collection, and of those rows of each next one that the copy does
 * not have yet. sets: collections x each, NULL where there is none. Rows are the same if query,
 * document, label, weight and features are; a row that one collection has twice is there twice.
 * Queries of the same name become one. Memory: 40 bytes per row of the copy and of a collection. */
gradus_dataset *gr_dataset_join_distinct(gradus_context *context, const gradus_dataset *const *sets,
                                         size_t collections, size_t each, gradus_error *err);

#endif
