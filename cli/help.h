/* Help in all its forms, made from the tables of commands, parameters and catalogues. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

#include <stdio.h>

int help_overview(FILE *to);
/* kind: for commands with kinds, the one whose options to show; or NULL. */
int help_on_command(const command *about, const char *kind);

/* One row of a table of options, as help, manual and completion show it. */
typedef struct option_row {
    const char *name, *argument, *help;
    char letter;
    char range[160]; /* "1 to 100; 10", "a|b|c; a", or "" */
} option_row;

/* Calls row for each option of a group; a group's title comes first with a NULL row. */
typedef void (*option_visitor)(void *user, const char *title, const option_row *row);
void visit_options(const command *about, const char *kind, option_visitor visit, void *user);

/* The same content as a manual page, as Markdown, and as bash completion. */
void man_page(text *t, const command *about); /* NULL: gradus itself */
void markdown_reference(text *t);
void bash_completion(text *t);

/* The catalogues that help shows by name. */
typedef struct catalogue {
    const char *name, *title;
} catalogue;
extern const catalogue catalogues[]; /* a NULL name ends it */

#endif
