/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one process of a distributed training: a view of consecutive queries. */
#ifndef GR_DATA_SHARE_ROWS_H
#define GR_DATA_SHARE_ROWS_H

#include "data/dataset.h"

/* This rank's queries of a dataset. The values and labels are those of `whole`, which must outlive
 * the result; only the offsets are copied. */
gradus_dataset *gr_dataset_share(const gradus_dataset *whole, const gradus_collectives *with,
                                 gradus_error *err);

#endif
