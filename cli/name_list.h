/* SPDX-License-Identifier: Apache-2.0 */
/* A list of names, to suggest the nearest one. */
#ifndef CLI_NAME_LIST_H
#define CLI_NAME_LIST_H

#include <stddef.h>

typedef struct name_list {
    char **at; /* copies */
    size_t count, capacity;
} name_list;

void names_add(name_list *names, const char *name); /* unless already there */
/* Adds the words of a text; NULL: none. */
void names_add_words(name_list *names, const char *words);
/* Adds all names of a library catalogue. */
void names_add_catalogue(name_list *names, const char *catalogue);
/* The name most like a mistyped one, or NULL; valid until names_free. */
const char *names_nearest(const name_list *names, const char *typed);
void names_free(name_list *names);

#endif
