/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names. */
#include "name_list.h"

#include "gradus.h"
#include "print_text.h"

#include <stdlib.h>
#include <string.h>

static void add_copy(name_list *names, char *copy)
{
    if (names->count == names->capacity) {
        const size_t capacity = 2 * names->capacity + 16;
        char **at = realloc(names->at, capacity * sizeof *at);

        if (!at)
            out_of_memory();
        names->at = at;
        names->capacity = capacity;
    }
    names->at[names->count++] = copy;
}

void names_add(name_list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->at[i], name) == 0)
            return;
    add_copy(names, must_copy(name));
}

void names_add_words(name_list *names, const char *words)
{
    for (; words && *words; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        char *copy = must_have(length + 1, 1);

        memcpy(copy, words, length);
        add_copy(names, copy);
        words += length;
    }
}

void names_add_catalogue(name_list *names, const char *catalogue)
{
    gradus_entry entry;

    for (size_t i = 0; gradus_entry_at(catalogue, i, &entry); i++)
        names_add(names, entry.name);
}

const char *names_nearest(const name_list *names, const char *typed)
{
    return gradus_suggest(typed, (const char *const *)names->at, names->count);
}

void names_free(name_list *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->at[i]);
    free(names->at);
    *names = (name_list){ NULL, 0, 0 };
}
