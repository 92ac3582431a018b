/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of datasets: all of one, or chosen queries. */
#ifndef GR_DATA_SUBSET_H
#define GR_DATA_SUBSET_H

#include "data/dataset.h"

/* A copy of the chosen queries, in the order given, one query as often as it is named; its rows
 * are in the order of its queries. */
gradus_dataset *gr_dataset_subset(const gradus_dataset *data, const size_t *queries, size_t count,
                                  gr_pool *pool, gradus_error *err);
/* A copy of everything, the order of the file too; with dense rows if they are asked for. */
gradus_dataset *gr_dataset_copy(const gradus_dataset *data, bool dense, gr_pool *pool,
                                gradus_error *err);

#endif
