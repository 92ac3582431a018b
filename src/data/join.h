/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenates datasets. */
#ifndef GR_DATA_JOIN_H
#define GR_DATA_JOIN_H

#include "data/builder.h"

/* Copies the rows of all sets, in order. Queries with the same name are merged. */
gradus_dataset *gr_dataset_join(gradus_context *context, const gradus_dataset *const *sets,
                                size_t count, gradus_error *err);

/* Appends the rows of a set whose parts have been verified (gr_dataset_need). */
gradus_status gr_dataset_append(gr_builder *builder, const gradus_dataset *set, gradus_error *err);

#endif
