/* SPDX-License-Identifier: Apache-2.0 */
/* Help in all its forms, generated from the tables of commands, parameters and catalogues. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"
#include "name_list.h"

#include <stdio.h>

int help_overview(FILE *to);
/* The help page of a command. The words typed after the command narrow it: to a kind, if the first
 * word is one, or to the method of --method, if the command trains. No words: the whole page. */
int help_on_command(const command *about, int count, char **words);
/* help_method.c: the page of a command that trains, with the options that a method uses. learner
 * NULL: the default. */
int help_on_method(const command *about, const char *method, const char *learner);

/* One row of a table of options, as help, manual and completion show it. */
typedef struct option_row {
    const char *name, *argument, *help;
    char letter;
    const char *range;          /* "1 to 100; default 10", "a|b|c; default a", or "" */
    const char *aliases;        /* separated by spaces; NULL: none */
    const char *const *choices; /* NULL-terminated; NULL: any value */
} option_row;

/* Calls row for each option of a group; a group's title comes first with a NULL row. */
typedef void (*option_visitor)(void *user, const char *title, const option_row *row);
void visit_options(const command *about, const char *kind, option_visitor visit, void *user);
/* The parts of visit_options: the command's own options, one parameter, the parameters of an
 * operation (`before`: how many of the command's operations were visited earlier), and the common
 * options. */
void visit_own(const option *options, const char *title, option_visitor visit, void *user);
void visit_param(const gradus_param *param, const char *title, option_visitor visit, void *user);
void visit_operation(const command *about, size_t before, const char *operation,
                     option_visitor visit, void *user);
void visit_common(option_visitor visit, void *user);
/* Parts of a page: its head, and one option (an option_visitor whose user is a text). */
void add_command_head(text *t, const command *about);
/* A wrapped line that begins with a name in bold. */
void add_named(text *t, const char *name, const char *line);
void add_option(void *user, const char *title, const option_row *row);

/* Aliases of options: the title of their table, and the names as "--a, --b". */
extern const char other_names[];
void add_aliases(text *t, const char *aliases);
/* All topics of 'gradus help'. */
void help_topics(name_list *names);

/* manual.c */
/* The same content as a manual page and as bash completion. */
void man_page(text *t, const command *about); /* NULL: gradus itself */
void bash_completion(text *t);
/* markdown.c: a page of docs/reference/ ("commands"), or the part of it that is generated
 * ("metrics", "conventions"). False: no such page. */
bool markdown_page(text *t, const char *page);

/* The catalogues that help shows by name. */
typedef struct catalogue {
    const char *name, *title;
    const char *note; /* how to use its names; NULL: none */
} catalogue;
extern const catalogue catalogues[]; /* a NULL name ends it */

#endif
