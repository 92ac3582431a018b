/* SPDX-License-Identifier: Apache-2.0 */
/* What there is in a dataset: sizes, labels, density, useless features, empty queries. */
#ifndef GR_DATA_DESCRIBE_H
#define GR_DATA_DESCRIBE_H

#include "data/dataset.h"

gradus_description *gr_describe(const gradus_dataset *data, gr_pool *pool, gradus_error *err);

/* Steps of it, on parts of the description that are the step's own. */
gradus_status gr_describe_columns(const gradus_dataset *data, gr_pool *pool,
                                  gradus_description *description, gradus_error *err);
gradus_status gr_describe_labels(const gradus_dataset *data, gradus_description *description,
                                 gradus_error *err);
void gr_describe_queries(const gradus_dataset *data, gradus_description *description);

#endif
