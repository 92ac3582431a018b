/* SPDX-License-Identifier: Apache-2.0 */
/* A scored dataset as the lists that metrics evaluate. */
#ifndef GR_PIPELINE_DATASET_LISTS_H
#define GR_PIPELINE_DATASET_LISTS_H

#include "data/dataset.h"
#include "metrics/evaluate.h"

/* scores: one per row. The lists point into the dataset. */
static inline gr_lists gr_dataset_lists(const gradus_dataset *data, const double *scores)
{
    const gradus_arrays *a = &data->arrays;
    const gr_names *names = &data->document_names;

    return (gr_lists){ .queries = a->queries,
                       .starts = a->query_starts,
                       .labels = a->labels,
                       .scores = scores,
                       .name_bytes = names->bytes,
                       .name_starts = names->count > 0 ? names->starts : NULL,
                       .row_weights = a->row_weights,
                       .query_weights = a->query_weights,
                       .file_rows = data->file_rows };
}

#endif
