/* Several datasets as one. */
#ifndef GR_DATA_JOIN_H
#define GR_DATA_JOIN_H

#include "data/dataset.h"

/* A copy of all rows, those of the first set first. Queries of the same name become one. */
gradus_dataset *gr_dataset_join(gradus_context *context, const gradus_dataset *const *sets,
                                size_t count, gradus_error *err);

#endif
