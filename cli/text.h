/* Text that grows. Running out of memory ends the command: there is nothing left to do. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stddef.h>

typedef struct text {
    char *at; /* ends in NUL; NULL while empty */
    size_t length, capacity;
} text;

void text_add(text *t, const char *more);
void text_add_bytes(text *t, const char *more, size_t size);
void text_format(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_number(text *t, double number);      /* shortest that reads back; null if not finite */
void text_pad(text *t, size_t width);          /* spaces */
void text_add_word(text *t, const char *word); /* as a shell takes it: in quotes if need be */
void text_free(text *t);
const char *text_string(const text *t); /* "" while empty */

/* Adds a paragraph broken into lines of at most `width`, each after `indent` spaces but the first,
 * which begins where the text stands. Words that are longer than a line are broken after a '|'. */
void text_wrap(text *t, const char *paragraph, size_t indent, size_t width);

/* Adds a bar as long as so many eighths of a column; the columns it takes. */
size_t text_eighths(text *t, size_t eighths);

/* How many columns a terminal gives to a string: characters, not bytes. */
size_t text_columns(const char *string);

/* Memory that is there, or the end of the command. */
void *must_have(size_t count, size_t size);
char *must_copy(const char *string);

#endif
