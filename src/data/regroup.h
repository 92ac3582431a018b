/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the rows of each query contiguous. */
#ifndef GR_DATA_REGROUP_H
#define GR_DATA_REGROUP_H

#include "data/dataset.h"

/* Consecutive rows of one query, in file order. */
typedef struct gr_row_run {
    size_t query, first, rows;
} gr_row_run;

/* Sets query_starts. If a query has several runs, also moves the rows of data->owned[] (by query
 * number, then in file order) and sets file_rows. arrays.rows, .features and .queries must be set.
 * *scattered: the number of queries with several runs. */
gradus_status gr_regroup(gradus_dataset *data, const gr_row_run *runs, size_t count,
                         size_t *scattered, gradus_error *err);

#endif
