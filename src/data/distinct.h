/* SPDX-License-Identifier: Apache-2.0 */
/* Merges several collections of the same data into one dataset, without the rows they have in
 * common. */
#ifndef GR_DATA_DISTINCT_H
#define GR_DATA_DISTINCT_H

#include "data/dataset.h"

/* Copies all rows of the first collection, and from each further one the rows that the copy does
 * not have yet. sets: collections x each, NULL for absent sets. Rows are equal if query, document,
 * label, weight and features are; duplicates within one collection are kept. Queries with the same
 * name are merged. Memory: 40 bytes per row of the copy and of a collection. */
gradus_dataset *gr_dataset_join_distinct(gradus_context *context, const gradus_dataset *const *sets,
                                         size_t collections, size_t each, gradus_error *err);

#endif
