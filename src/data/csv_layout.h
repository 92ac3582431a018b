/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a CSV record, and its columns according to the header. */
#ifndef GR_DATA_CSV_LAYOUT_H
#define GR_DATA_CSV_LAYOUT_H

#include "data/column_roles.h"
#include "data/lines.h"

typedef struct gr_csv_layout {
    char delimiter; /* comma, tab or semicolon: the most frequent one in the header */
    gr_named_columns columns;
} gr_csv_layout;

/* Interprets the header, which is the current line. */
gradus_status gr_csv_layout_read(const gr_lines *header, const gr_read_options *options,
                                 gradus_context *context, gr_csv_layout *layout, gradus_error *err);
void gr_csv_layout_free(gr_csv_layout *layout);

/* A field without surrounding blanks and quotes. */
typedef struct gr_csv_field {
    const char *at, *end;
    bool doubled; /* contains doubled quotes */
} gr_csv_field;

/* Reads the field at `at` and returns where it stopped, at a delimiter or the end; NULL if text
 * follows a closing quote (field->end points there). */
const char *gr_csv_field_read(const char *at, const char *end, char delimiter, gr_csv_field *field);

/* Replaces doubled quotes by single ones in place; returns the new length. */
size_t gr_csv_undouble(char *text, size_t length);

/* Joins lines until the record is complete, if a quoted field continues past the line end. */
gradus_status gr_csv_complete(gr_lines *lines, gradus_error *err);

#endif
