/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the library's notes, for inspection by a test. */
#ifndef GR_TESTS_NOTES_H
#define GR_TESTS_NOTES_H

#include "base/context.h"

#include <string.h>

/* The notes, concatenated. */
typedef struct notes {
    char text[2000];
    size_t count;
    gradus_context context;
} notes;

static inline void take_note(void *user, const char *text)
{
    notes *n = user;

    if (strncmp(text, "chosen for ", 11) == 0)
        return; /* defaults derived from the data size, noted by every training */
    n->count++;
    strncat(n->text, text, sizeof n->text - strlen(n->text) - 1);
    strncat(n->text, "\n", sizeof n->text - strlen(n->text) - 1);
}

static inline void start_notes(notes *n)
{
    *n = (notes){ .context = { .note = take_note, .note_user = n } };
}

#endif
