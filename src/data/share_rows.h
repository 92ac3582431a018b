/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one process of a distributed training: a view of consecutive queries. */
#ifndef GR_DATA_SHARE_ROWS_H
#define GR_DATA_SHARE_ROWS_H

#include "data/dataset.h"

/* This rank's queries of a dataset. The values and labels are those of `whole`, which must outlive
 * the result; only the offsets are copied. */
gradus_dataset *gr_dataset_share(const gradus_dataset *whole, const gradus_collectives *with,
                                 gradus_error *err);
/* Verifies the data, but for names of documents. *own: this process's rows, if the data were read by
 * several (data/read_parts.h); NULL: all rows are its rows. */
gradus_status gr_dataset_own_rows(const gradus_dataset *data, gr_pool *pool, gradus_dataset **own,
                                  gradus_error *err);

#endif
