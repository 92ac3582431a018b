/* SPDX-License-Identifier: Apache-2.0 */
/* Brings the rows of each query together. */
#ifndef GR_DATA_REGROUP_H
#define GR_DATA_REGROUP_H

#include "data/dataset.h"

/* Neighbouring rows of one query, in the order of the file. */
typedef struct gr_row_run {
    size_t query, first, rows;
} gr_row_run;

/* Makes query_starts, and if a query has several runs moves the rows of data->owned[] (queries in
 * order of their numbers, rows of a query in the order of the file) and makes file_rows.
 * arrays.rows, .features and .queries are set; *scattered: how many queries had several runs. */
gradus_status gr_regroup(gradus_dataset *data, const gr_row_run *runs, size_t count,
                         size_t *scattered, gradus_error *err);

#endif
