/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the export formats, for help. */
#ifndef CLI_FORMAT_TABLE_H
#define CLI_FORMAT_TABLE_H

#include "print_text.h"

/* The extension of each format, and the tools that read it. */
void add_format_tools(text *t, size_t width);
/* The methods whose models it holds if they were trained with default options. */
void add_format_methods(text *t, size_t width);
/* The same for one format, as three cells of a Markdown table. */
void add_format_cells(text *t, const char *name);

#endif
