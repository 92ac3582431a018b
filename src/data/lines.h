/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines of a text source, counts them, and reports errors with their position. */
#ifndef GR_DATA_LINES_H
#define GR_DATA_LINES_H

#include "base/memory.h"
#include "base/source.h"

enum {
    GR_LONGEST_LINE = 64 << 20, /* bytes; a longer line means the file is not text */
    GR_LONGEST_NAME = 4096      /* maximum bytes of a query or document id */
};

/* Initialise with { .source = source } and release with gr_lines_free, which does not close the
 * source. */
typedef struct gr_lines {
    gr_source *source;
    const char *line, *end; /* the current line without its line end; valid until the next */
    size_t number;          /* its number, from 1 */
    size_t joined;          /* lines that gr_lines_join has added to it */
    gr_array buffer;
    size_t unread, filled; /* offsets in the buffer */
    size_t began;          /* start of the current line in the buffer */
    bool ended;            /* the source has no more bytes */
} gr_lines;

/* Reads the next line; *more is false after the last one. Lines end with LF or CRLF, which the last
 * one may lack. A byte order mark before the first line is dropped; NUL bytes and lines longer than
 * GR_LONGEST_LINE are errors. */
gradus_status gr_lines_next(gr_lines *lines, bool *more, gradus_error *err);
/* The same, but skips blank lines and comments (lines whose first non-blank character is '#'). */
gradus_status gr_lines_next_content(gr_lines *lines, bool *more, gradus_error *err);
/* Appends the line end and the next line to the current line; *more is false at the end of the
 * file. The length limit applies to the joined line. */
gradus_status gr_lines_join(gr_lines *lines, bool *more, gradus_error *err);
/* Makes the next call return the current line again. */
void gr_lines_again(gr_lines *lines);
void gr_lines_free(gr_lines *lines);

/* Reports "path:line:column: expected WHAT, found 'TEXT'", where TEXT is from `at` to `end`. */
gradus_status gr_lines_expected(const gr_lines *lines, gradus_status status, const char *what,
                                const char *at, const char *end, gradus_error *err);
/* Reports "path:line:column: " and a message, for the position `at` in the line. */
gradus_status gr_lines_fail(const gr_lines *lines, gradus_status status, const char *at,
                            gradus_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Copies text of a file for a message: truncated, with '?' for control characters, which a terminal
 * might interpret. */
enum { GR_SHOWN = 44 };
void gr_show_text(char shown[GR_SHOWN], const char *at, const char *end);

static inline bool gr_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Skips blanks; skips to the next blank or the end. */
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
