/* SPDX-License-Identifier: Apache-2.0 */
/* Reading data of any form that gradus knows. */
#ifndef GR_DATA_READ_H
#define GR_DATA_READ_H

#include "base/param.h"
#include "base/source.h"
#include "data/dataset.h"

typedef enum gr_read_format {
    GR_READ_AUTO,
    GR_READ_TEXT,
    GR_READ_CSV,
    GR_READ_BINARY
} gr_read_format;
typedef enum gr_storage { GR_STORE_AUTO, GR_STORE_DENSE, GR_STORE_SPARSE } gr_storage;
typedef enum gr_first_id { GR_FIRST_AUTO, GR_FIRST_0, GR_FIRST_1 } gr_first_id;

typedef struct gr_read_options {
    int format;             /* gr_read_format */
    int storage;            /* gr_storage */
    int first_id;           /* gr_first_id */
    bool absent_is_missing; /* a feature that a text row does not name is missing, not 0 */
    uint64_t features;      /* 0: as many as the data have */
    const char *label_column, *query_column, *weight_column, *document_column; /* "": find it */
    const char *ignore_column; /* CSV columns that are not features, comma-separated */
    const char *use_features, *ignore_features; /* names, ids and ranges; "": all, none */
    const char *row_weights, *query_weights;    /* files; "": none */
    bool join_queries;                          /* a query id may be in several files */
    bool side_files;      /* queries and weights are in files beside the data */
    uint64_t first_query; /* queries of side files before those of this file; not an option */
} gr_read_options;

extern const gr_operation gr_operation_read;

/* path: of the source if it is a file, else NULL. */
gradus_dataset *gr_read_source(gradus_context *context, gr_source *source, const char *path,
                               const gr_read_options *options, gradus_error *err);
/* What is done once all rows are there: reads the weights that the options name, and sets features
 * that they leave out to 0. */
gradus_status gr_read_finish(gradus_context *context, gradus_dataset *data,
                             const gr_read_options *options, gradus_error *err);
/* The rows of a file, not finished. */
gradus_dataset *gr_read_rows(gradus_context *context, const char *path,
                             const gr_read_options *options, gradus_error *err);
gradus_dataset *gr_read(gradus_context *context, const char *path, const gr_read_options *options,
                        gradus_error *err);

#endif
