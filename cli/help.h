/* SPDX-License-Identifier: Apache-2.0 */
/* Help in all its forms, made from the tables of commands, parameters and catalogues. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"
#include "name_list.h"

#include <stdio.h>

int help_overview(FILE *to);
/* The page of a command for the words that were typed after it: of a kind, if the first is one, or
 * of the method of --method, if the command trains. No words: all of it. */
int help_on_command(const command *about, int count, char **words);
/* help_method.c: the page of a command that trains, with the options that a method reads. learner:
 * NULL for the default one. */
int help_on_method(const command *about, const char *method, const char *learner);

/* One row of a table of options, as help, manual and completion show it. */
typedef struct option_row {
    const char *name, *argument, *help;
    char letter;
    const char *range;          /* "1 to 100; default 10", "a|b|c; default a", or "" */
    const char *aliases;        /* in words; NULL: none */
    const char *const *choices; /* NULL ends it; NULL: any value */
} option_row;

/* Calls row for each option of a group; a group's title comes first with a NULL row. */
typedef void (*option_visitor)(void *user, const char *title, const option_row *row);
void visit_options(const command *about, const char *kind, option_visitor visit, void *user);
/* Its parts: the command's own options, one parameter, all of an operation (`before`: how many
 * operations of the command were visited), and the options of every command. */
void visit_own(const option *options, const char *title, option_visitor visit, void *user);
void visit_param(const gradus_param *param, const char *title, option_visitor visit, void *user);
void visit_operation(const command *about, size_t before, const char *operation,
                     option_visitor visit, void *user);
void visit_common(option_visitor visit, void *user);
/* Parts of a page: what begins it, and a row of options (an option_visitor of a text). */
void add_command_head(text *t, const command *about);
/* A line that begins with a name, which is bold, wrapped. */
void add_named(text *t, const char *name, const char *line);
void add_option(void *user, const char *title, const option_row *row);

/* Names of other tools for options: the title of their table, and aliases as "--a, --b". */
extern const char other_names[];
void add_aliases(text *t, const char *aliases);
/* Everything that 'gradus help' takes. */
void help_topics(name_list *names);

/* The same content as a manual page and as bash completion. */
void man_page(text *t, const command *about); /* NULL: gradus itself */
void bash_completion(text *t);
/* markdown.c: a page of docs/reference/ ("commands"), or the part of it that is generated ("metrics",
 * "conventions"). False: no such page. */
bool markdown_page(text *t, const char *page);

/* The catalogues that help shows by name. */
typedef struct catalogue {
    const char *name, *title;
    const char *note; /* how to use its names; NULL: none */
} catalogue;
extern const catalogue catalogues[]; /* a NULL name ends it */

#endif
