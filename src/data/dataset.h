/* SPDX-License-Identifier: Apache-2.0 */
/* A dataset: rows of features with labels, grouped by query. Readers produce it and everything else
 * consumes it. */
#ifndef GR_DATA_DATASET_H
#define GR_DATA_DATASET_H

#include "backend/share.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/names.h"

/* The arrays of a dataset. */
typedef enum gr_part {
    GR_VALUES,        /* float: dense rows, row-major */
    GR_ROW_STARTS,    /* uint64_t, rows + 1: sparse rows */
    GR_COLUMNS,       /* uint32_t, ascending within a row */
    GR_ENTRIES,       /* float */
    GR_LABELS,        /* float */
    GR_QUERY_STARTS,  /* uint64_t, queries + 1 */
    GR_ROW_WEIGHTS,   /* float */
    GR_QUERY_WEIGHTS, /* float */
    GR_FILE_ROWS,     /* uint64_t: the position of each row in its file */
    GR_QUERY_BYTES,   /* query names, see gr_names */
    GR_QUERY_NAMES,   /* uint64_t, queries + 1 */
    GR_DOCUMENT_BYTES,
    GR_DOCUMENT_NAMES,
    GR_FEATURE_BYTES,
    GR_FEATURE_NAMES,
    /* Of a binned file, instead of values; bins/bins_file.h knows their content. */
    GR_BIN_TABLE,   /* bytes: thresholds and layout */
    GR_BIN_WORDS,   /* uint64_t: dense bins */
    GR_BIN_STARTS,  /* uint64_t: row starts of bundles */
    GR_BIN_ENTRIES, /* uint16_t */
    GR_PARTS
} gr_part;

struct gradus_dataset {
    gradus_arrays arrays;      /* the data; queries is at least 1, query_starts not NULL */
    const uint64_t *file_rows; /* NULL: rows are in file order */
    gr_names query_names;      /* count 0: none */
    gr_names document_names;   /* count 0: none */
    gr_names feature_names;    /* count 0: features have numbers only */
    bool lacks_queries;        /* the source has no query ids: all rows form one query */
    size_t first_id;           /* the id of the first feature in the file: 0 or 1 */
    uint64_t one_query[2];     /* query_starts if all rows form one query */
    gr_array owned[GR_PARTS];  /* empty for arrays that are not owned */
    struct gr_binary *binary;  /* the mapped file that the arrays point into, or NULL */
    struct gr_binned *binned;  /* bins, which may replace the values (data/binned.h), or NULL */
    /* For a copy with the used columns of wide data (data/used_columns.h): the data, and the
     * columns. NULL: features are those of the file. */
    const struct gradus_dataset *wide;
    const struct gr_used *columns;
    /* For the rows of one process of a distributed training (data/share_rows.h): the data of all
     * processes, and the cuts between them. NULL: these are all rows. */
    const struct gradus_dataset *whole;
    gr_share *share;
    /* For data read by several processes (data/read_parts.h): the rows of each, and if arrays has
     * no values, those of the rows of this process, row-major. NULL: read by one process. */
    gr_share *part;
    gr_array own_values;
};

/* Whether the values of rows are divided among processes. */
static inline bool gr_dataset_is_divided(const gradus_dataset *data)
{
    return data->own_values.at;
}

gradus_dataset *gr_dataset_new(gradus_error *err);

/* Sets the pointers of arrays and names to the owned arrays, once those and the counts of rows,
 * features and queries are set. */
void gr_dataset_adopt(gradus_dataset *data);

/* Grows an owned array to `count` items of `size` bytes. */
gradus_status gr_dataset_reserve(gradus_dataset *data, gr_part part, size_t count, size_t size,
                                 gradus_error *err);

static inline bool gr_dataset_is_dense(const gradus_dataset *data)
{
    return data->arrays.row_starts == NULL;
}

/* Verifies the parts of a mapped file that a call is about to use (a set of 1u << gr_part), each
 * only once, and loads the values of a dataset that holds bins only; does nothing for other data in
 * memory. Every public function calls it before it reads content. */
enum {
    GR_NEED_LABELS =
        1u << GR_LABELS | 1u << GR_ROW_WEIGHTS | 1u << GR_QUERY_WEIGHTS | 1u << GR_FILE_ROWS,
    GR_NEED_DOCUMENTS = 1u << GR_DOCUMENT_BYTES | 1u << GR_DOCUMENT_NAMES,
    GR_NEED_VALUES = 1u << GR_VALUES | 1u << GR_ROW_STARTS | 1u << GR_COLUMNS | 1u << GR_ENTRIES,
    GR_NEED_BINS =
        1u << GR_BIN_TABLE | 1u << GR_BIN_WORDS | 1u << GR_BIN_STARTS | 1u << GR_BIN_ENTRIES,
    GR_NEED_ALL = (1u << GR_PARTS) - 1
};
gradus_status gr_dataset_need(const gradus_dataset *data, unsigned parts, gr_pool *pool,
                              gradus_error *err);

/* Checks that labels are grades, whole numbers from 0 to `most`; the error gives the row. */
gradus_status gr_dataset_check_grades(const gradus_dataset *data, double most, gradus_error *err);

/* Copies a row as dense values into `row` (features floats). */
void gr_dataset_row(const gradus_dataset *data, size_t r, float *row);

/* One feature value of a row; uses binary search in sparse rows. */
float gr_dataset_value(const gradus_dataset *data, size_t r, size_t feature);

#endif
