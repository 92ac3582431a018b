/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text with aligned columns. */
#include "print_table.h"

#include "progress.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void table_begin(table *t, size_t columns)
{
    *t = (table){ columns, 0, NULL };
}

static size_t cell_count(const table *t)
{
    return t->rows; /* while filling, rows counts cells */
}

void table_cell(table *t, const char *format, ...)
{
    const size_t count = cell_count(t);
    va_list list;
    char *cell = NULL;
    text shown = { NULL, 0, 0 };

    va_start(list, format);
    if (vasprintf(&cell, format, list) < 0)
        out_of_memory();
    va_end(list);
    text_add_shown(&shown, cell);
    free(cell);
    if ((count & (count - 1)) == 0) { /* capacity doubles at powers of two */
        char **cells = must_have(count ? 2 * count : 1, sizeof *cells);

        if (count)
            memcpy(cells, t->cells, count * sizeof *cells);
        free(t->cells);
        t->cells = cells;
    }
    t->cells[t->rows++] = shown.at ? shown.at : must_copy("");
}

static void add_cell(text *to, const char *cell, size_t width, bool left, bool last)
{
    const size_t pad = width - text_columns(cell);

    if (!left)
        text_pad(to, pad);
    text_add(to, cell);
    if (left && !last)
        text_pad(to, pad);
}

void table_end(table *t, text *to)
{
    const size_t count = cell_count(t), rows = count / t->columns;
    const bool fancy = is_terminal(STDOUT_FILENO) && !getenv("NO_COLOR");
    size_t widths[TABLE_COLUMNS] = { 0 };

    for (size_t i = 0; i < count; i++) {
        const size_t width = text_columns(t->cells[i]);
        if (width > widths[i % t->columns])
            widths[i % t->columns] = width;
    }
    for (size_t r = 0; r < rows; r++) {
        text_add(to, r == 0 && fancy ? "\033[1m" : "");
        for (size_t c = 0; c < t->columns; c++) {
            text_add(to, c ? "  " : "");
            add_cell(to, t->cells[r * t->columns + c], widths[c], c == 0, c + 1 == t->columns);
        }
        while (to->length && to->at[to->length - 1] == ' ')
            to->at[--to->length] = '\0';
        text_add(to, r == 0 && fancy ? "\033[0m\n" : "\n");
    }
    for (size_t i = 0; i < count; i++)
        free(t->cells[i]);
    free(t->cells);
}
