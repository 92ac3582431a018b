/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rows block by block in any output format: text, CSV, TSV or binary. The file does not
 * depend on how the rows are divided into blocks. */
#ifndef GR_DATA_ROW_WRITER_H
#define GR_DATA_ROW_WRITER_H

#include "base/param.h"
#include "data/dataset.h"

typedef enum gr_data_format {
    GR_FORMAT_AUTO, /* by file extension; otherwise text */
    GR_FORMAT_TEXT,
    GR_FORMAT_CSV,
    GR_FORMAT_TSV,
    GR_FORMAT_BINARY
} gr_data_format;

/* Options of the operation "write". */
typedef struct gr_write_options {
    int format;      /* gr_data_format */
    int compress;    /* auto (by file extension), none, gzip, zstd */
    bool skip_zeros; /* text: omit zeros of dense rows */
    bool no_header;  /* CSV, TSV */
} gr_write_options;

extern const gr_operation gr_operation_write;

/* What all blocks have in common. */
typedef struct gr_row_shape {
    size_t features;
    size_t first_id;        /* id of the first feature in text: 0 or 1 */
    unsigned parts;         /* the arrays present in every block: a set of 1u << gr_part */
    bool one_query;         /* all rows of all blocks form one unnamed query */
    bool names_last;        /* sparse text: the first row includes the last feature, as 0 if
                               necessary, so that a reader finds the number of features */
    bool names_first;       /* the same for the first feature, so that a reader finds that ids
                               start at 0 */
    gr_names feature_names; /* count 0: none; must outlive the writer */
} gr_row_shape;

/* write.c */
/* The shape for writing a dataset as the only block, or as the first of many. */
gr_row_shape gr_row_shape_of(const gradus_dataset *data);

typedef struct gr_row_writer gr_row_writer;

/* Opens the file. The binary format needs an uncompressed file that is not a pipe. Memory: one
 * block; binary also keeps until the end 4 bytes per row (the label), 4 more if rows have weights,
 * 8 more if rows are sparse or not in file order, 8 bytes per query, all names and 8 bytes per
 * name. */
gr_row_writer *gr_row_writer_open(const char *path, const gr_write_options *options,
                                  const gr_row_shape *shape, gr_pool *pool, gradus_error *err);

/* Appends a dataset of complete queries (of any rows if shape.one_query), in its own file order.
 * Unnamed queries are numbered from 1 across all blocks. Runs tasks of the pool, so it must not be
 * called inside a task; it may be called from `take` of gr_pool_stream. */
gradus_status gr_row_writer_append(gr_row_writer *writer, const gradus_dataset *block,
                                   gradus_error *err);

/* Completes the file and gives it its name. Frees the writer even on failure. */
gradus_status gr_row_writer_close(gr_row_writer *writer, gradus_error *err);
/* Discards the file and frees the writer; accepts NULL. */
void gr_row_writer_abandon(gr_row_writer *writer);

#endif
