/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a dataset: sizes, labels, density, useless features, queries without relevant
 * documents. */
#ifndef GR_DATA_DESCRIBE_H
#define GR_DATA_DESCRIBE_H

#include "data/dataset.h"

gradus_description *gr_describe(const gradus_dataset *data, gr_pool *pool, gradus_error *err);

/* describe_columns.c */
/* Its steps; each fills its own fields of the description. own: this process's rows of the data. */
gradus_status gr_describe_columns(const gradus_dataset *own, gr_pool *pool,
                                  gradus_description *description, gradus_error *err);

/* describe_labels.c */
gradus_status gr_describe_labels(const gradus_dataset *data, gradus_description *description,
                                 gradus_error *err);

/* describe.c */
void gr_describe_queries(const gradus_dataset *data, gradus_description *description);

#endif
