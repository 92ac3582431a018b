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

void take_note(void *user, const char *text);

void start_notes(notes *n);

#endif
