/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of features with labels, grouped by query: what readers make and everything else reads. */
#ifndef GR_DATA_DATASET_H
#define GR_DATA_DATASET_H

#include "base/context.h"
#include "base/memory.h"
#include "base/names.h"

/* Arrays that belong to a dataset, in the order of this list. */
typedef enum gr_part {
    GR_VALUES,        /* float: dense rows, row by row */
    GR_ROW_STARTS,    /* uint64_t, rows + 1: sparse rows */
    GR_COLUMNS,       /* uint32_t, ascending in a row */
    GR_ENTRIES,       /* float */
    GR_LABELS,        /* float */
    GR_QUERY_STARTS,  /* uint64_t, queries + 1 */
    GR_ROW_WEIGHTS,   /* float */
    GR_QUERY_WEIGHTS, /* float */
    GR_FILE_ROWS,     /* uint64_t: the place of each row among the rows of its file */
    GR_QUERY_BYTES,   /* the names of queries, see gr_names */
    GR_QUERY_NAMES,   /* uint64_t, queries + 1 */
    GR_DOCUMENT_BYTES,
    GR_DOCUMENT_NAMES,
    GR_FEATURE_BYTES,
    GR_FEATURE_NAMES,
    GR_PARTS
} gr_part;

struct gradus_dataset {
    gradus_arrays arrays;      /* what is there; queries is at least 1, query_starts not NULL */
    const uint64_t *file_rows; /* NULL: rows are in the order of the file */
    gr_names query_names;      /* count 0: the file named none */
    gr_names document_names;   /* count 0: the file named none */
    gr_names feature_names;    /* count 0: features are known by number */
    bool lacks_queries;        /* the source has no query ids: all rows are one query */
    size_t first_id;           /* the number of the first feature in the file: 0 or 1 */
    uint64_t one_query[2];     /* query_starts, when all rows are one query */
    gr_array owned[GR_PARTS];  /* empty where the memory is somebody else's */
    struct gr_binary *binary;  /* the mapped file behind the arrays, or NULL */
};

gradus_dataset *gr_dataset_new(gradus_error *err);

/* Points the dataset at what it owns, once owned[] is filled and rows, features, queries, names
 * counts are set: arrays.* and the names. dense tells which form the rows have. */
void gr_dataset_adopt(gradus_dataset *data);

/* Gives an owned array room for `count` items of `size` bytes. */
gradus_status gr_dataset_reserve(gradus_dataset *data, gr_part part, size_t count, size_t size,
                                 gradus_error *err);

static inline bool gr_dataset_is_dense(const gradus_dataset *data)
{
    return data->arrays.row_starts == NULL;
}

/* Verifies, once, the parts of a mapped file that a call is about to use (a set of 1u << gr_part);
 * at once for data in memory. Every public function calls it before it reads content. */
enum {
    GR_NEED_LABELS =
        1u << GR_LABELS | 1u << GR_ROW_WEIGHTS | 1u << GR_QUERY_WEIGHTS | 1u << GR_FILE_ROWS,
    GR_NEED_DOCUMENTS = 1u << GR_DOCUMENT_BYTES | 1u << GR_DOCUMENT_NAMES,
    GR_NEED_VALUES = 1u << GR_VALUES | 1u << GR_ROW_STARTS | 1u << GR_COLUMNS | 1u << GR_ENTRIES,
    GR_NEED_ALL = (1u << GR_PARTS) - 1
};
gradus_status gr_dataset_need(const gradus_dataset *data, unsigned parts, gr_pool *pool,
                              gradus_error *err);

/* Checks that grades are non-negative whole numbers, at most `most`: the error names the row. */
gradus_status gr_dataset_check_grades(const gradus_dataset *data, double most, gradus_error *err);

/* A row as dense values: copies or scatters into `row` (features floats). */
void gr_dataset_row(const gradus_dataset *data, size_t r, float *row);

/* A feature of a row. Sparse rows are searched. */
float gr_dataset_value(const gradus_dataset *data, size_t r, size_t feature);

#endif
