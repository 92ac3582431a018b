/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a text or CSV file that a reader keeps; it skips the lines of the others unparsed. */
#ifndef GR_DATA_ROW_FILTER_H
#define GR_DATA_ROW_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gr_row_filter {
    const uint32_t *rows; /* the rows to keep, ascending; their order in the file counts from 0 */
    size_t count;
    size_t kept; /* rows kept so far */
    size_t seen; /* rows of the file so far, kept or not */
} gr_row_filter;

/* Counts the next row of the file; whether it is kept. */
static inline bool gr_row_filter_keeps(gr_row_filter *filter)
{
    const size_t row = filter->seen++;
    const bool keeps = filter->kept < filter->count && filter->rows[filter->kept] == row;

    filter->kept += keeps;
    return keeps;
}

/* Removes the lines of rows that are not kept, blank lines and comments from LETOR text, which
 * consists of complete lines and is followed by two bytes that are not part of it. Returns the
 * bytes left. */
size_t gr_row_filter_text(gr_row_filter *filter, char *text, size_t size);

#endif
