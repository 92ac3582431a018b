/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a dataset from blocks of rows in file order. Queries are numbered in order of first
 * appearance, rows of a query that are not contiguous are regrouped at the end, and dense or sparse
 * storage is chosen from the data. */
#ifndef GR_DATA_BUILDER_H
#define GR_DATA_BUILDER_H

#include "base/context.h"
#include "data/dataset.h"
#include "data/read.h"

/* A run of consecutive rows of one query in a block. */
typedef struct gr_query_run {
    size_t first_row; /* in the block */
    const char *name; /* not NUL-terminated */
    size_t name_length;
} gr_query_run;

/* Some consecutive rows of the file. The arrays belong to the caller; append copies them. */
typedef struct gr_block {
    size_t rows;
    const float *labels;
    const float *weights; /* NULL: none */
    /* dense: `width` values per row, rows `stride` apart; sparse: the entries of row r end before
     * row_ends[r], where those of row r + 1 start */
    bool dense;
    size_t width; /* number of columns: one more than the largest in the block */
    size_t stride;
    const float *values;
    size_t first_id; /* feature id of column 0 in the file: 0 or 1 */
    const uint64_t *row_ends;
    const uint32_t *columns; /* ascending within a row */
    const float *entries;
    size_t runs;                    /* 0: the file has no query ids */
    const gr_query_run *query_runs; /* the first starts at row 0 */
    bool has_documents;             /* then there is one name per row, "" for rows without */
    const char *document_bytes;     /* consecutive NUL-terminated names */
    const uint64_t *document_ends;  /* offset after the NUL of each name */
} gr_block;

typedef struct gr_builder gr_builder;

/* context: its memory limit is checked before rows are added; NULL: no limit. name: of the file,
 * for messages. options: storage, features. */
gr_builder *gr_builder_new(const gradus_context *context, const gr_read_options *options,
                           const char *name, gradus_error *err);
/* If a block starts at id 0 after others that started at id 1, the earlier rows are shifted by one
 * column. */
gradus_status gr_builder_append(gr_builder *builder, const gr_block *block, gradus_error *err);
/* Adds the name of the next feature (CSV); optional. */
gradus_status gr_builder_name_feature(gr_builder *builder, const char *name, size_t length,
                                      gradus_error *err);
/* Returns the dataset and reports notes. Frees the builder even on failure. */
gradus_dataset *gr_builder_finish(gr_builder *builder, gradus_context *context, gradus_error *err);
void gr_builder_free(gr_builder *builder);

#endif
