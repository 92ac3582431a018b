/* SPDX-License-Identifier: Apache-2.0 */
/* Writing rows to a file as they come, block by block, in any form gradus writes: text, CSV, TSV
 * or binary. What is written does not depend on how the rows are cut into blocks. */
#ifndef GR_DATA_ROW_WRITER_H
#define GR_DATA_ROW_WRITER_H

#include "base/param.h"
#include "data/dataset.h"

typedef enum gr_format {
    GR_FORMAT_AUTO, /* by the file's name; else text */
    GR_FORMAT_TEXT,
    GR_FORMAT_CSV,
    GR_FORMAT_TSV,
    GR_FORMAT_BINARY
} gr_format;

/* Options of operation "write". */
typedef struct gr_write_options {
    int format;      /* gr_format */
    int compress;    /* auto (by the file's name), none, gzip, zstd */
    bool skip_zeros; /* text: leave zeros of dense rows out */
    bool no_header;  /* CSV, TSV */
} gr_write_options;

extern const gr_operation gr_operation_write;

/* What all blocks have in common. */
typedef struct gr_row_shape {
    size_t features;
    size_t first_id;        /* the number of the first feature in text: 0 or 1 */
    unsigned parts;         /* the arrays every block has: a set of 1u << gr_part */
    bool one_query;         /* all rows of all blocks are one query without a name */
    bool names_last;        /* sparse text: name the last feature in the first row, as 0 if need be,
                             * so that a reader sees how many features there are */
    bool names_first;       /* the same for the first, so that a reader sees that it has number 0 */
    gr_names feature_names; /* count 0: none. Must outlive the writer */
} gr_row_shape;

/* The shape of a dataset: of itself as the only block, or as the first of many. */
gr_row_shape gr_row_shape_of(const gradus_dataset *data);

typedef struct gr_row_writer gr_row_writer;

/* Begins the file. Binary needs a plain file that is not a pipe. Memory: what a block needs, and
 * for binary what is kept until the end: 4 bytes a row (the label), 4 more if rows have weights,
 * 8 more if rows are sparse or scattered; 8 bytes a query; all names and 8 bytes a name. */
gr_row_writer *gr_row_writer_open(const char *path, const gr_write_options *options,
                                  const gr_row_shape *shape, gr_pool *pool, gradus_error *err);

/* Adds rows: a dataset made of whole queries (of any rows if shape.one_query), in its own
 * file order. Queries without names are numbered from 1 on over all blocks. Runs tasks of the
 * pool, so it may not be called inside a task; take of gr_pool_stream is the place. */
gradus_status gr_row_writer_append(gr_row_writer *writer, const gradus_dataset *block,
                                   gradus_error *err);

/* Ends the file and gives it its name. Frees the writer, whatever happens. */
gradus_status gr_row_writer_close(gr_row_writer *writer, gradus_error *err);
/* Leaves no file behind. NULL is accepted. */
void gr_row_writer_abandon(gr_row_writer *writer);

#endif
