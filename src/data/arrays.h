/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets from the caller's arrays, borrowed or copied. */
#ifndef GR_DATA_ARRAYS_H
#define GR_DATA_ARRAYS_H

#include "data/dataset.h"

/* Checks the arrays. */
gradus_dataset *gr_arrays_borrow(const gradus_arrays *arrays, gradus_error *err);
/* The same with names, for the caller. */
void gr_arrays_get(const gradus_dataset *data, gradus_arrays *arrays);

/* copy_arrays.c */
/* Groups the rows if the query of each row is given. */
gradus_dataset *gr_arrays_copy(gradus_context *context, const gradus_arrays *arrays,
                               gradus_error *err);

#endif
