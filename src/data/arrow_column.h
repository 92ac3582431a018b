/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of Arrow record batches: their types, checks of their structures, and their values. */
#ifndef GR_DATA_ARROW_COLUMN_H
#define GR_DATA_ARROW_COLUMN_H

#include "base/error.h"

typedef enum gr_arrow_kind {
    GR_ARROW_NULL,
    GR_ARROW_BOOL,
    GR_ARROW_INT8,
    GR_ARROW_UINT8,
    GR_ARROW_INT16,
    GR_ARROW_UINT16,
    GR_ARROW_INT32,
    GR_ARROW_UINT32,
    GR_ARROW_INT64,
    GR_ARROW_UINT64,
    GR_ARROW_FLOAT16,
    GR_ARROW_FLOAT32,
    GR_ARROW_FLOAT64,
    GR_ARROW_UTF8,       /* 32-bit offsets */
    GR_ARROW_LARGE_UTF8, /* 64-bit offsets */
    GR_ARROW_UTF8_VIEW
} gr_arrow_kind;

typedef struct gr_arrow_type {
    const char *format; /* in ArrowSchema */
    const char *name;
    gr_arrow_kind kind;
    unsigned char size;    /* bytes per value, offset or view; 0: none, or bits */
    unsigned char buffers; /* including the validity bitmap; of views the minimum */
} gr_arrow_type;

static inline bool gr_arrow_is_text(const gr_arrow_type *type)
{
    return type->kind >= GR_ARROW_UTF8;
}

/* The type of a column. */
typedef struct gr_arrow_field {
    const gr_arrow_type *type;   /* of the values, or of the indices of a dictionary */
    const gr_arrow_type *values; /* of the dictionary; NULL: none */
} gr_arrow_field;

/* Reads the type of a column; types that are not supported are GRADUS_BAD_FORMAT. */
gradus_status gr_arrow_field_read(const struct ArrowSchema *schema, const char *name,
                                  gr_arrow_field *field, gradus_error *err);

static inline const gr_arrow_type *gr_arrow_value_type(const gr_arrow_field *field)
{
    return field->values ? field->values : field->type;
}

/* Values of one array, from the first that is used. Row i is item first + i of the buffers. */
typedef struct gr_arrow_values {
    const gr_arrow_type *type;
    const unsigned char *validity; /* NULL: no nulls */
    const unsigned char *items;    /* values, offsets or views */
    const char *bytes;             /* of utf8 and large_utf8 */
    const void **buffers;          /* of utf8_view */
    int64_t buffer_count;          /* data buffers of utf8_view */
    const unsigned char *sizes;    /* int64_t: their sizes */
    int64_t first, count;
} gr_arrow_values;

typedef struct gr_arrow_column {
    const char *name;
    size_t batch; /* from 1; for messages */
    gr_arrow_values rows;
    gr_arrow_values dictionary;
    bool encoded; /* rows are indices into the dictionary */
} gr_arrow_column;

/* Checks the structure of a column and of the texts in rows [first, first + count) of `array`, and
 * sets the column; its name and batch must be set. Indices are checked when they are used. */
gradus_status gr_arrow_column_set(gr_arrow_column *column, const struct ArrowArray *array,
                                  const gr_arrow_field *field, int64_t first, int64_t count,
                                  gradus_error *err);
/* Checks length, offset, null count, buffers and children of an array. */
gradus_status gr_arrow_check(const gr_arrow_column *column, const struct ArrowArray *array,
                             int64_t buffers, int64_t children, gradus_error *err);
/* The number of nulls among `count` items. */
int64_t gr_arrow_nulls(const unsigned char *validity, int64_t first, int64_t count);

/* arrow_values.c */
/* Converts rows [from, from + count) of a column of numbers to float, `stride` apart; null is NAN.
 * Infinite values are GRADUS_BAD_NUMBER. */
gradus_status gr_arrow_floats(const gr_arrow_column *column, int64_t from, size_t count,
                              float *values, size_t stride, gradus_error *err);
/* The value of a row as text, in the column's buffers or in `number`; *text is NULL for null. */
gradus_status gr_arrow_text(const gr_arrow_column *column, int64_t row,
                            char number[GRADUS_NUMBER_SIZE], const char **text, size_t *length,
                            gradus_error *err);
/* "Arrow batch 2, row 17: expected WHAT in column 'x', found ..." */
gradus_status gr_arrow_expected(const gr_arrow_column *column, int64_t row, gradus_status status,
                                const char *what, gradus_error *err);

#endif
