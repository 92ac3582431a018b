/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines through a buffer that grows with the longest line. */
#include "data/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 1 << 18 };

gradus_status gr_lines_fail(const gr_lines *lines, gradus_status status, const char *at,
                            gradus_error *err, const char *format, ...)
{
    const char *start = lines->line;
    size_t number = lines->number;
    char message[256];
    va_list arguments;

    for (const char *c = start; lines->joined && c < at; c++)
        if (*c == '\n') {
            start = c + 1;
            number++;
        }
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return gr_fail(err, status, "%.220s:%zu:%zu: %s", gr_source_name(lines->source), number,
                   (size_t)(at - start) + 1, message);
}

void gr_show_text(char shown[GR_SHOWN], const char *at, const char *end)
{
    const size_t length = (size_t)(end - at);
    const size_t room = GR_SHOWN - 4;
    const size_t kept = length <= room ? length : room;

    for (size_t i = 0; i < kept; i++)
        shown[i] = (unsigned char)at[i] < 0x20 || at[i] == 0x7f ? '?' : at[i];
    memcpy(shown + kept, kept < length ? "..." : "", kept < length ? 4 : 1);
}

gradus_status gr_lines_expected(const gr_lines *lines, gradus_status status, const char *what,
                                const char *at, const char *end, gradus_error *err)
{
    char shown[GR_SHOWN];

    if (at == end && at == lines->end)
        return gr_lines_fail(lines, status, at, err, "expected %s, found the end of the line",
                             what);
    gr_show_text(shown, at, end);
    return gr_lines_fail(lines, status, at, err, "expected %s, found '%s'", what, shown);
}

/* Moves the unread bytes to the front of the buffer and reads more after them. */
static gradus_status fill(gr_lines *lines, gradus_error *err)
{
    const size_t kept = lines->filled - lines->unread;
    size_t got = 0;

    if (kept > 0 && lines->unread > 0)
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): kept is 0 without a buffer */
        memmove(lines->buffer.at, (char *)lines->buffer.at + lines->unread, kept);
    lines->unread = 0;
    lines->filled = kept;
    if (!gr_array_reserve(&lines->buffer, kept + BLOCK))
        return gr_fail_memory(err, "a line");
    /* fill the whole capacity, which grows geometrically: a long line is moved and searched only a
     * few times */
    GR_TRY(gr_source_read(lines->source, (char *)lines->buffer.at + kept,
                          lines->buffer.capacity - kept, &got, err));
    lines->filled += got;
    lines->ended = got == 0;
    return GRADUS_OK;
}

static gradus_status too_long(const gr_lines *lines, size_t number, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s:%zu: line is longer than 64 MiB",
                   gr_source_name(lines->source), number);
}

/* Fills the buffer until it holds a complete unread line or the rest of the source, and finds the
 * line end, which is not in the first `searched` bytes. */
static gradus_status find_end(gr_lines *lines, size_t searched, const char **newline,
                              gradus_error *err)
{
    if (!lines->buffer.at)
        GR_TRY(fill(lines, err));
    for (;;) {
        const char *at = (const char *)lines->buffer.at + lines->unread;
        const size_t held = lines->filled - lines->unread;

        *newline = held > searched ? memchr(at + searched, '\n', held - searched) : NULL;
        if (*newline || lines->ended)
            return GRADUS_OK;
        searched = held;
        if (held > GR_LONGEST_LINE)
            return too_long(lines, lines->number + 1, err);
        GR_TRY(fill(lines, err));
    }
}

/* Makes the unread bytes up to newline (or all, if NULL) the current line, and checks them from
 * `from` on. */
static gradus_status take_line(gr_lines *lines, const char *newline, size_t from, gradus_error *err)
{
    const char *buffer = lines->buffer.at, *nul;

    lines->began = lines->unread;
    lines->line = buffer + lines->unread;
    lines->end = newline ? newline : buffer + lines->filled;
    lines->unread = newline ? (size_t)(newline + 1 - buffer) : lines->filled;
    if (lines->number == 1 && lines->end - lines->line >= 3 &&
        memcmp(lines->line, "\xef\xbb\xbf", 3) == 0)
        lines->line += 3;
    if (lines->end > lines->line && lines->end[-1] == '\r')
        lines->end--;
    if (lines->end - lines->line > GR_LONGEST_LINE)
        return too_long(lines, lines->number, err);
    if (lines->end <= buffer + lines->began + from)
        return GRADUS_OK;
    nul = memchr(buffer + lines->began + from, '\0',
                 (size_t)(lines->end - buffer) - lines->began - from);
    if (nul)
        return gr_lines_fail(lines, GRADUS_BAD_FORMAT, nul, err, "expected text, found a NUL byte");
    return GRADUS_OK;
}

gradus_status gr_lines_next(gr_lines *lines, bool *more, gradus_error *err)
{
    const char *newline;

    GR_TRY(find_end(lines, 0, &newline, err));
    *more = newline || lines->unread < lines->filled;
    if (!*more)
        return GRADUS_OK;
    lines->number += 1 + lines->joined;
    lines->joined = 0;
    return take_line(lines, newline, 0, err);
}

gradus_status gr_lines_join(gr_lines *lines, bool *more, gradus_error *err)
{
    const size_t held = lines->unread - lines->began;
    const char *newline;

    lines->unread = lines->began;
    GR_TRY(find_end(lines, held, &newline, err));
    *more = newline || lines->unread + held < lines->filled;
    lines->joined += *more;
    return take_line(lines, newline, held, err);
}

gradus_status gr_lines_next_content(gr_lines *lines, bool *more, gradus_error *err)
{
    for (;;) {
        GR_TRY(gr_lines_next(lines, more, err));
        const char *at = *more ? gr_skip_blanks(lines->line, lines->end) : NULL;

        if (!*more || (at < lines->end && *at != '#'))
            return GRADUS_OK;
    }
}

void gr_lines_again(gr_lines *lines)
{
    lines->unread = lines->began;
    lines->number -= 1 + lines->joined; /* added again by the next call */
}

void gr_lines_free(gr_lines *lines)
{
    gr_array_free(&lines->buffer);
}
