/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text with aligned columns: names left, numbers right. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "print_text.h"

enum { TABLE_COLUMNS = 24 };

typedef struct table {
    size_t columns, rows;
    char **cells; /* rows x columns */
} table;

void table_begin(table *t, size_t columns);
/* Cells are filled row by row; a new row begins when one is full. */
void table_cell(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The first row is the header; the first column is aligned left, the others right. Frees the table.
 */
void table_end(table *t, text *to);

#endif
