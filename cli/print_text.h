/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows. Running out of memory ends the program. */
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
/* Adds control characters, except newlines and tabs, and bytes that are not UTF-8 as \xNN, because
 * names come from files and a terminal obeys control characters. For a path to open use text_add.
 */
void text_format(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_format_list(text *t, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));
/* A name within a line: newlines and tabs are escaped as well. */
void text_add_shown(text *t, const char *string);
void text_number(text *t, double number); /* shortest that reads back; null if not finite */
void text_label(text *t, double label); /* a label or grade: shortest that reads back as a float */
void text_pad(text *t, size_t width);   /* spaces */
/* Quoted for a shell if necessary, with control characters escaped. */
void text_add_word(text *t, const char *word);
void text_free(text *t);
const char *text_string(const text *t); /* "" while empty */

/* Adds a paragraph wrapped to `width`. Lines are indented by `indent` spaces, except the first,
 * which continues the current line. Words longer than a line are broken after a '|'. */
void text_wrap(text *t, const char *paragraph, size_t indent, size_t width);

/* Rounds a fraction of `steps` to a whole step; fractions below 0 and NAN count as 0, those above 1
 * as 1. Numbers from files are converted to positions and lengths by this function only. */
size_t nearest_step(double fraction, size_t steps);
/* Whether the locale's characters are UTF-8; charts are ASCII otherwise. */
bool locale_is_utf8(void);
/* Adds a bar over a fraction of `columns`, in eighths of a column; returns the columns it takes. */
size_t text_fine_bar(text *t, double fraction, size_t columns);

/* Bytes of the UTF-8 character that begins here; 0 if it is not one (overlong, cut, surrogate). */
size_t utf8_length(const char *string);
/* The same; 0 also for a control character. */
size_t plain_length(const char *string);

/* The columns of a string on a terminal: characters, not bytes. */
size_t text_columns(const char *string);

/* Allocate memory, or end the program. */
_Noreturn void out_of_memory(void);
void *must_have(size_t count, size_t size);
char *must_copy(const char *string);

#endif
