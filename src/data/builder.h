/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a dataset of blocks of rows that come in the order of a file: queries are numbered as they
 * first appear, rows of a query that lie apart are brought together at the end, and dense or
 * sparse storage is settled by what the data turn out to be. */
#ifndef GR_DATA_BUILDER_H
#define GR_DATA_BUILDER_H

#include "base/context.h"
#include "data/dataset.h"
#include "data/read.h"

/* A run of neighbouring rows of one query in a block. */
typedef struct gr_query_run {
    size_t first_row; /* in the block */
    const char *name; /* not ended by NUL */
    size_t name_length;
} gr_query_run;

/* Rows of a stretch of the file. All arrays are the maker's; append copies them. */
typedef struct gr_block {
    size_t rows;
    const float *labels;
    const float *weights; /* NULL: the file has none */
    /* dense: `width` values a row, `stride` apart; else sparse: entries row_ends[r-1]..row_ends[r]
     */
    bool dense;
    size_t width; /* columns: one more than the largest in the block */
    size_t stride;
    const float *values;
    size_t first_id; /* the id in the file of column 0: 0 or 1 */
    const uint64_t *row_ends;
    const uint32_t *columns; /* ascending in a row */
    const float *entries;
    size_t runs;                    /* 0: the file names no queries */
    const gr_query_run *query_runs; /* the first begins at row 0 */
    bool has_documents;             /* then one document name a row, "" where a row has none */
    const char *document_bytes;     /* each with its NUL, one after the other */
    const uint64_t *document_ends;  /* after the NUL of each */
} gr_block;

typedef struct gr_builder gr_builder;

/* context: its memory limit is checked before the rows take more; NULL: none. name: of the file, for
 * messages. options: storage, features. */
gr_builder *gr_builder_new(const gradus_context *context, const gr_read_options *options,
                           const char *name, gradus_error *err);
/* A block that begins at id 0 after others that begin at id 1 moves those up by a column. */
gradus_status gr_builder_append(gr_builder *builder, const gr_block *block, gradus_error *err);
/* The features' names, in order (CSV); optional. */
gradus_status gr_builder_name_feature(gr_builder *builder, const char *name, size_t length,
                                      gradus_error *err);
/* The dataset. Frees the builder, whatever happens. Notes what was noticed. */
gradus_dataset *gr_builder_finish(gr_builder *builder, gradus_context *context, gradus_error *err);
void gr_builder_free(gr_builder *builder);

#endif
