/* SPDX-License-Identifier: Apache-2.0 */
/* Removes the lines of rows that are not needed. */
#include "data/row_filter.h"

#include "data/lines.h"

#include <string.h>

/* Whether a line of LETOR text, which ends with a newline, has a row. */
static bool has_row(const char *line, bool first)
{
    if (first && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3;
    while (gr_is_blank(*line))
        line++;
    return *line != '\n' && *line != '#' && !(*line == '\r' && line[1] == '\n');
}

size_t gr_row_filter_text(gr_row_filter *filter, char *text, size_t size)
{
    const char *at = text, *end = text + size;
    char *to = text;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)(stop - at) + 1;

        if (has_row(at, filter->seen == 0) && gr_row_filter_keeps(filter)) {
            memmove(to, at, length);
            to += length;
        }
        at += length;
    }
    return (size_t)(to - text);
}
