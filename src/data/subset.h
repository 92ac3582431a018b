/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of datasets: complete, or of selected queries. */
#ifndef GR_DATA_SUBSET_H
#define GR_DATA_SUBSET_H

#include "data/dataset.h"

/* Copies the given queries in the given order; a query may occur several times. The rows are in the
 * order of the queries. */
gradus_dataset *gr_dataset_subset(const gradus_dataset *data, const size_t *queries, size_t count,
                                  gr_pool *pool, gradus_error *err);
/* Copies everything, including the file order; dense: convert sparse rows to dense ones. */
gradus_dataset *gr_dataset_copy(const gradus_dataset *data, bool dense, gr_pool *pool,
                                gradus_error *err);

#endif
