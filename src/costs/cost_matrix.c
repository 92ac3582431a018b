/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a cost matrix from a text file. */
#include "costs/cost.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    const char *name;
    const char *at, *end; /* the unread text */
    const char *line;     /* start of the current line */
    size_t number;        /* line number, from 1 */
    double *row;          /* GR_COST_GRADES numbers */
} reading;

static gradus_status bad_place(const reading *from, const char *at, const char *wanted,
                               gradus_error *err)
{
    char found[24] = "";
    size_t length = 0;

    while (at + length < from->end && length + 1 < sizeof found && (unsigned char)at[length] > ' ')
        length++;
    memcpy(found, at, length);
    return gr_fail(err, GRADUS_BAD_FORMAT, "%.200s:%zu:%zu: expected %s, found %s%s%s", from->name,
                   from->number, (size_t)(at - from->line) + 1, wanted, length ? "'" : "",
                   length ? found : "the end of the line", length ? "'" : "");
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* Parses a number, which must be finite and not negative. */
static gradus_status read_number(const reading *from, const char **at, const char *end,
                                 double *number, gradus_error *err)
{
    const char *after = gr_parse_double(*at, end, number);

    if (!after || (after < end && !strchr(" \t\r,", *after)) || !isfinite(*number) || *number < 0)
        return bad_place(from, *at, "a non-negative number", err);
    *at = skip_blanks(after, end);
    return GRADUS_OK;
}

static gradus_status read_row(reading *from, const char *end, size_t *count, gradus_error *err)
{
    const char *at = skip_blanks(from->line, end);

    *count = 0;
    if (at < end && *at == '#')
        return GRADUS_OK;
    while (at < end) {
        if (*count == GR_COST_GRADES)
            return bad_place(from, at, "at most 1024 numbers in a row", err);
        GR_TRY(read_number(from, &at, end, &from->row[*count], err));
        ++*count;
        if (at < end && *at == ',') {
            at = skip_blanks(at + 1, end);
            if (at == end)
                return bad_place(from, at, "a number after the comma", err);
        }
    }
    return GRADUS_OK;
}

static gradus_status keep_row(const reading *from, gr_cost_choice *choice, size_t r, size_t count,
                              gradus_error *err)
{
    if (r == 0) {
        choice->grades = count;
        choice->matrix = gr_new_array(count * count, sizeof *choice->matrix);
        if (!choice->matrix)
            return gr_fail_memory(err, "a cost matrix");
    }
    if (count != choice->grades || r >= choice->grades)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "%.200s:%zu: a cost matrix must be square: the first row has %zu number%s, "
                       "but row %zu has %zu",
                       from->name, from->number, choice->grades, choice->grades == 1 ? "" : "s",
                       r + 1, count);
    memcpy(choice->matrix + r * count, from->row, count * sizeof *from->row);
    return GRADUS_OK;
}

static gradus_status read_rows(reading *from, gr_cost_choice *choice, gradus_error *err)
{
    size_t rows = 0, count;

    for (; from->at < from->end; from->number++) {
        const char *end = memchr(from->at, '\n', (size_t)(from->end - from->at));

        if (!end)
            end = from->end;
        from->line = from->at;
        GR_TRY(read_row(from, end, &count, err));
        if (count > 0)
            GR_TRY(keep_row(from, choice, rows++, count, err));
        from->at = end < from->end ? end + 1 : end;
    }
    if (rows == 0)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: contains no cost matrix", from->name);
    if (rows != choice->grades)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "%.300s: a cost matrix must be square: rows have %zu numbers, but there %s "
                       "%zu row%s",
                       from->name, choice->grades, rows == 1 ? "is" : "are", rows,
                       rows == 1 ? "" : "s");
    return GRADUS_OK;
}

gradus_status gr_cost_parse(const char *text, size_t size, const char *name, gr_cost_choice *choice,
                            gradus_error *err)
{
    reading from = { .name = name, .at = text, .end = text + size, .line = text, .number = 1 };
    gradus_status status;

    *choice = (gr_cost_choice){ .cost = NULL };
    from.row = gr_new_array(GR_COST_GRADES, sizeof *from.row);
    if (!from.row)
        return gr_fail_memory(err, "a cost matrix");
    status = read_rows(&from, choice, err);
    free(from.row);
    if (status != GRADUS_OK)
        gr_cost_choice_free(choice);
    return status;
}
