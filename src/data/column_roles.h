/* SPDX-License-Identifier: Apache-2.0 */
/* The named columns of a table (CSV, Arrow) and their roles. Names or the options identify the
 * label, query, weight and document columns; all others are features. */
#ifndef GR_DATA_COLUMN_ROLES_H
#define GR_DATA_COLUMN_ROLES_H

#include "base/context.h"
#include "base/names.h"
#include "data/read.h"

enum { GR_MAX_NAMED_COLUMNS = 1 << 20 };

typedef enum gr_column_role {
    GR_COLUMN_FEATURE,
    GR_COLUMN_LABEL,
    GR_COLUMN_QUERY,
    GR_COLUMN_WEIGHT,
    GR_COLUMN_DOCUMENT,
    GR_COLUMN_IGNORED,
    GR_COLUMN_ROLES
} gr_column_role;

typedef struct gr_named_columns {
    size_t count, features;
    unsigned char *roles; /* gr_column_role of each column */
    unsigned char *used;  /* one per feature: 0 if its values are skipped; NULL: all are read */
    bool has[GR_COLUMN_ROLES];
    gr_name_set names;
} gr_named_columns;

/* Adds the next column; *repeated: an earlier one has the same name. Any number may be unnamed. */
gradus_status gr_named_columns_add(gr_named_columns *columns, const char *name, size_t length,
                                   bool *repeated, gradus_error *err);
const char *gr_named_column(const gr_named_columns *columns, size_t column);
/* Whether every name is a number, as in a file without a header. */
bool gr_named_columns_are_numbers(const gr_named_columns *columns);
/* Assigns the roles once all columns are added. source: for messages. */
gradus_status gr_named_columns_assign(gr_named_columns *columns, const gr_read_options *options,
                                      const char *source, gradus_context *context,
                                      gradus_error *err);
void gr_named_columns_free(gr_named_columns *columns);

#endif
