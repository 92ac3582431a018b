/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a text source, with their numbers, and messages that name a place in them. */
#ifndef GR_DATA_LINES_H
#define GR_DATA_LINES_H

#include "base/memory.h"
#include "base/source.h"

enum {
    GR_LONGEST_LINE = 64 << 20, /* bytes; more is a file that is not text */
    GR_LONGEST_NAME = 4096      /* bytes of the id of a query or a document */
};

/* Begin with { .source = source }, end with gr_lines_free; the source stays the caller's. */
typedef struct gr_lines {
    gr_source *source;
    const char *line, *end; /* the line last read, without its line end; valid until the next */
    size_t number;          /* its number, from 1 */
    size_t joined;          /* lines after it that gr_lines_join has added */
    gr_array buffer;
    size_t unread, filled; /* of the bytes in the buffer */
    size_t began;          /* where the line last read begins there */
    bool ended;            /* the source has no more bytes */
} gr_lines;

/* Reads the next line; *more is false past the last one. A line ends in LF or CRLF, the last one
 * may lack it. A byte order mark before the first line is dropped; NUL bytes and lines longer than
 * GR_LONGEST_LINE are refused. */
gradus_status gr_lines_next(gr_lines *lines, bool *more, gradus_error *err);
/* The same, but passes over blank lines and comments: lines whose first sign is '#'. */
gradus_status gr_lines_next_content(gr_lines *lines, bool *more, gradus_error *err);
/* Adds the next line, and the line end between them, to the line last read; *more is false if
 * there is none. The limit of length holds for both together. */
gradus_status gr_lines_join(gr_lines *lines, bool *more, gradus_error *err);
/* Makes the next call give the line last read once more. */
void gr_lines_again(gr_lines *lines);
void gr_lines_free(gr_lines *lines);

/* "path:line:column: expected WHAT, found 'TEXT'", for the text from `at` to `end` of the line. */
gradus_status gr_lines_expected(const gr_lines *lines, gradus_status status, const char *what,
                                const char *at, const char *end, gradus_error *err);
/* "path:line:column: " and a message, for a place of the line. */
gradus_status gr_lines_fail(const gr_lines *lines, gradus_status status, const char *at,
                            gradus_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A file's text cut to fit a message, with '?' for what a terminal might take as a command. */
enum { GR_SHOWN = 44 };
void gr_show_text(char shown[GR_SHOWN], const char *at, const char *end);

static inline bool gr_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Past blanks, and to the next blank or the end. */
static inline const char *gr_skip_blanks(const char *at, const char *end)
{
    while (at < end && gr_is_blank(*at))
        at++;
    return at;
}

static inline const char *gr_skip_word(const char *at, const char *end)
{
    while (at < end && !gr_is_blank(*at))
        at++;
    return at;
}

#endif
