/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenates datasets. */
#ifndef GR_DATA_JOIN_H
#define GR_DATA_JOIN_H

#include "data/builder.h"

/* Copies the rows of all sets, in order; so are their positions in the input. Queries with the same
 * name are merged; queries without names are numbered. */
gradus_dataset *gr_dataset_join(gradus_context *context, const gradus_dataset *const *sets,
                                size_t count, gradus_error *err);

/* Appends the rows of a set whose parts have been verified (gr_dataset_need). */
gradus_status gr_dataset_append(gr_builder *builder, const gradus_dataset *set, gradus_error *err);

/* Stores the position of each row in the input, of which this set starts at row `first`. */
void gr_dataset_places(const gradus_dataset *set, size_t first, uint64_t *places);

/* Composes positions of appended rows in the input and those of the builder, so that the rows of
 * the result keep their position in all of the input. */
gradus_status gr_dataset_place_rows(gradus_dataset *data, const uint64_t *places,
                                    gradus_error *err);

#endif
