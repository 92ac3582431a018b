/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a CSV record, and what its header says of the columns. */
#ifndef GR_DATA_CSV_LAYOUT_H
#define GR_DATA_CSV_LAYOUT_H

#include "base/context.h"
#include "base/names.h"
#include "data/lines.h"
#include "data/read.h"

enum { GR_CSV_COLUMNS = 1 << 20 }; /* at most */

typedef enum gr_csv_role {
    GR_CSV_FEATURE,
    GR_CSV_LABEL,
    GR_CSV_QUERY,
    GR_CSV_WEIGHT,
    GR_CSV_DOCUMENT,
    GR_CSV_IGNORED,
    GR_CSV_ROLES
} gr_csv_role;

typedef struct gr_csv_layout {
    char delimiter; /* a comma, a tab or a semicolon: the one the header has most of */
    size_t columns, features;
    unsigned char *roles; /* gr_csv_role of each column */
    unsigned char *used;  /* one per feature: 0 if its fields are not read; NULL: all are */
    bool has[GR_CSV_ROLES];
    gr_name_set names;
} gr_csv_layout;

/* Understands the header, which is the line last read. */
gradus_status gr_csv_layout_read(const gr_lines *header, const gr_read_options *options,
                                 gradus_context *context, gr_csv_layout *layout, gradus_error *err);
void gr_csv_layout_free(gr_csv_layout *layout);

/* A field without the blanks and quotes around it. */
typedef struct gr_csv_field {
    const char *at, *end;
    bool doubled; /* quotes within it are written twice */
} gr_csv_field;

/* Reads the field at `at` and returns where it stopped, at a delimiter or the end; NULL if text
 * follows a closing quote (field->end is there). */
const char *gr_csv_field_read(const char *at, const char *end, char delimiter, gr_csv_field *field);

/* Makes doubled quotes single, in place; the new length. */
size_t gr_csv_undouble(char *text, size_t length);

/* Reads on, if a quoted field goes over the end of the line, until the record is whole. */
gradus_status gr_csv_complete(gr_lines *lines, gradus_error *err);

#endif
