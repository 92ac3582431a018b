/* SPDX-License-Identifier: Apache-2.0 */
/* Help on a terminal: its width, bold titles, and a pager for long text. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include "print_text.h"

/* The width of help: COLUMNS if set, else that of the terminal, else 80; at most 100. */
size_t help_width(void);
/* Adds a title, bold on a terminal unless NO_COLOR is set. */
void add_bold(text *t, const char *words);
/* Prints a text on standard output and frees it; exit status. On a terminal through $PAGER, or less
 * if that is unset and less is found. PAGER= (empty) or PAGER=cat: no pager. */
int page_text(text *t);

#endif
