/* SPDX-License-Identifier: Apache-2.0 */
/* Several datasets as one. */
#ifndef GR_DATA_JOIN_H
#define GR_DATA_JOIN_H

#include "data/builder.h"

/* A copy of all rows, those of the first set first. Queries of the same name become one. */
gradus_dataset *gr_dataset_join(gradus_context *context, const gradus_dataset *const *sets,
                                size_t count, gradus_error *err);

/* Appends the rows of a set whose parts have been verified (gr_dataset_need). */
gradus_status gr_dataset_append(gr_builder *builder, const gradus_dataset *set, gradus_error *err);

#endif
