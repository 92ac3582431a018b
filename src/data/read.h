/* SPDX-License-Identifier: Apache-2.0 */
/* Reads data files of any supported format. */
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
    bool absent_is_missing; /* features absent from a text row are missing, not 0 */
    uint64_t features;      /* 0: from the data */
    const char *label_column, *query_column, *weight_column, *document_column; /* "": auto */
    bool label_optional;                        /* without a label column all labels are 0 */
    const char *ignore_column;                  /* CSV columns to ignore, comma-separated */
    const char *use_features, *ignore_features; /* names, ids and ranges; "": all, none */
    const char *row_weights, *query_weights;    /* files; "": none */
    bool join_queries;                          /* a query id may occur in several files */
    bool side_files;      /* read queries and weights from files next to the data */
    uint64_t first_query; /* number of queries in earlier files; not an option */
    bool in_memory;       /* there is no file; not an option */
    /* Not options; NULL: none. The rows to read, and windows that take the values of rows instead
     * of the dataset, whose arrays.values is then NULL: reading fails if the rows turn out to be
     * sparse, to have other features or to be out of order. */
    struct gr_row_filter *filter;
    struct gr_row_windows *windows;
} gr_read_options;

extern const gr_operation gr_operation_read;

/* The format of the source's content. */
gradus_status gr_read_format_of(gr_source *source, const gr_read_options *options,
                                gr_read_format *format, gradus_error *err);
/* path: of the source if it is a file, otherwise NULL. */
gradus_dataset *gr_read_source(gradus_context *context, gr_source *source, const char *path,
                               const gr_read_options *options, gradus_error *err);
/* Last step, once all rows are read: reads the weights named in the options, and sets ignored
 * features to 0. */
gradus_status gr_read_finish(gradus_context *context, gradus_dataset *data,
                             const gr_read_options *options, gradus_error *err);
/* Reads the rows of a file without gr_read_finish. */
gradus_dataset *gr_read_rows(gradus_context *context, const char *path,
                             const gr_read_options *options, gradus_error *err);
gradus_dataset *gr_read(gradus_context *context, const char *path, const gr_read_options *options,
                        gradus_error *err);

#endif
