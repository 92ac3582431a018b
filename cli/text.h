/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows. Running out of memory ends the command: there is nothing left to do. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct text {
    char *at; /* ends in NUL; NULL while empty */
    size_t length, capacity;
} text;

void text_add(text *t, const char *more);
void text_add_bytes(text *t, const char *more, size_t size);
/* Names come from files, and a terminal obeys control characters: all but newlines and tabs, and
 * bytes that are no UTF-8, are added as \xNN. For a path to be opened use text_add. */
void text_format(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_format_list(text *t, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));
/* A name within a line: newlines and tabs are escaped as well. */
void text_add_shown(text *t, const char *string);
void text_number(text *t, double number); /* shortest that reads back; null if not finite */
void text_label(text *t, double label); /* a label or grade: shortest that reads back as a float */
void text_pad(text *t, size_t width);   /* spaces */
/* As a shell takes it: in quotes if necessary, control characters escaped. */
void text_add_word(text *t, const char *word);
void text_free(text *t);
const char *text_string(const text *t); /* "" while empty */

/* Adds a paragraph broken into lines of at most `width`, each after `indent` spaces but the first,
 * which begins where the text stands. Words that are longer than a line are broken after a '|'. */
void text_wrap(text *t, const char *paragraph, size_t indent, size_t width);

/* The step, from 0 to `steps`, that is nearest to a fraction of them; fractions below 0 and NAN are
 * taken as 0, those above 1 as 1. Numbers of files become positions and lengths only by this. */
size_t nearest_step(double fraction, size_t steps);
/* Whether the locale's characters are UTF-8; charts are ASCII otherwise. */
bool locale_is_utf8(void);
/* Adds a bar over a fraction of `columns`, in steps of an eighth of a column; the columns it takes.
 */
size_t text_fine_bar(text *t, double fraction, size_t columns);

/* Bytes of the UTF-8 character that begins here; 0 if it is not one (overlong, cut, surrogate). */
size_t utf8_length(const char *string);
/* The same; 0 also for a control character. */
size_t plain_length(const char *string);

/* How many columns a terminal gives to a string: characters, not bytes. */
size_t text_columns(const char *string);

/* Memory that is there, or the end of the command. */
_Noreturn void out_of_memory(void);
void *must_have(size_t count, size_t size);
char *must_copy(const char *string);

#endif
