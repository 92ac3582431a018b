/* SPDX-License-Identifier: Apache-2.0 */
/* Labelled data for the playground, and the values of metrics by query, which are computed when first
 * requested and then kept. */
#ifndef SERVER_PLAYGROUND_DATA_H
#define SERVER_PLAYGROUND_DATA_H

#include "base/json.h"

typedef struct playground_data playground_data;

/* Reads the data of a file, and chooses the metrics that apply to its labels. */
playground_data *playground_data_read(const char *path, gradus_error *err);
void playground_data_free(playground_data *p);
/* The metrics, comma-separated; "" if none applies. */
const char *playground_data_metrics(const playground_data *p);
const char *playground_data_path(const playground_data *p);
const gradus_dataset *playground_data_rows(const playground_data *p);
const gradus_arrays *playground_data_arrays(const playground_data *p);
float playground_data_max_label(const playground_data *p);

/* How a ranking scores the rows of the data. */
typedef struct playground_scorer {
    const char *key;           /* different for different rankings */
    const gradus_model *model; /* NULL: a feature, or the labels */
    size_t feature;            /* SIZE_MAX: the labels, which give the ideal order */
} playground_scorer;

/* Writes a list for each metric: the values of the ranking by query. */
gradus_status playground_data_put_values(playground_data *p, const playground_scorer *scorer,
                                         gr_json_writer *out, gradus_error *err);
/* The value of a feature; absent entries of sparse rows are 0. */
float playground_data_value(const gradus_arrays *a, size_t row, size_t feature);

#endif
