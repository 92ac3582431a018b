/* SPDX-License-Identifier: Apache-2.0 */
/* Divides CSV records into fields and reads the header. */
#include "data/csv_layout.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static bool is_space(char c, char delimiter)
{
    return c != delimiter && gr_is_blank(c);
}

/* Reads a quoted field up to the first quote that is not doubled. */
static const char *read_quoted(const char *at, const char *end, char delimiter, gr_csv_field *field)
{
    const char *quote = ++at;

    field->at = at;
    for (;; quote += 2) {
        quote = memchr(quote, '"', (size_t)(end - quote));
        if (!quote || quote + 1 >= end || quote[1] != '"')
            break;
        field->doubled = true;
    }
    field->end = quote ? quote : end;
    for (at = quote ? quote + 1 : end; at < end && is_space(*at, delimiter); at++)
        ;
    if (at == end || *at == delimiter)
        return at;
    field->end = at;
    return NULL;
}

const char *gr_csv_field_read(const char *at, const char *end, char delimiter, gr_csv_field *field)
{
    const char *stop;

    field->doubled = false;
    while (at < end && is_space(*at, delimiter))
        at++;
    if (at < end && *at == '"')
        return read_quoted(at, end, delimiter, field);
    stop = at < end ? memchr(at, delimiter, (size_t)(end - at)) : NULL;
    if (!stop)
        stop = end;
    field->at = at;
    field->end = stop;
    while (field->end > at && is_space(field->end[-1], delimiter))
        field->end--;
    return stop;
}

size_t gr_csv_undouble(char *text, size_t length)
{
    size_t kept = 0;

    for (size_t i = 0; i < length; i++) {
        text[kept++] = text[i];
        i += text[i] == '"' && i + 1 < length && text[i + 1] == '"';
    }
    return kept;
}

static bool has_open_quote(const char *at, const char *end, bool open)
{
    while (at < end && (at = memchr(at, '"', (size_t)(end - at)))) {
        open = !open;
        at++;
    }
    return open;
}

gradus_status gr_csv_complete(gr_lines *lines, gradus_error *err)
{
    bool open = has_open_quote(lines->line, lines->end, false);
    bool more = true;

    while (open) {
        const size_t seen = (size_t)(lines->end - lines->line);

        GR_TRY(gr_lines_join(lines, &more, err));
        if (!more)
            return gr_lines_fail(lines, GRADUS_BAD_FORMAT,
                                 memchr(lines->line, '"', (size_t)(lines->end - lines->line)), err,
                                 "unterminated quoted field");
        open = has_open_quote(lines->line + seen, lines->end, open);
    }
    return GRADUS_OK;
}

static char find_delimiter(const gr_lines *header)
{
    static const char candidates[] = { ',', '\t', ';' };
    size_t counts[sizeof candidates] = { 0 }, best = 0;
    bool quoted = false;

    for (const char *c = header->line; c < header->end; c++) {
        quoted ^= *c == '"';
        for (size_t i = 0; i < sizeof candidates && !quoted; i++)
            counts[i] += *c == candidates[i];
    }
    for (size_t i = 1; i < sizeof candidates; i++)
        best = counts[i] > counts[best] ? i : best;
    return candidates[best];
}

static gradus_status add_name(const gr_csv_field *field, gr_csv_layout *layout, bool *repeated,
                              gradus_error *err)
{
    size_t length = (size_t)(field->end - field->at);
    char *name = malloc(length + 1);
    gradus_status status;

    if (!name)
        return gr_fail_memory(err, "column names");
    memcpy(name, field->at, length);
    if (field->doubled)
        length = gr_csv_undouble(name, length);
    status = gr_named_columns_add(&layout->columns, name, length, repeated, err);
    free(name);
    return status;
}

static gradus_status no_header(const gr_lines *header, gradus_error *err)
{
    return gr_lines_expected(header, GRADUS_BAD_FORMAT, "a header that names the columns",
                             header->line, header->end, err);
}

static gradus_status two_columns(const gr_lines *header, const gr_csv_layout *layout,
                                 const gr_csv_field *field, gradus_error *err)
{
    char shown[GR_SHOWN];

    if (gr_named_columns_are_numbers(&layout->columns))
        return no_header(header, err);
    gr_show_text(shown, field->at, field->end);
    return gr_lines_fail(header, GRADUS_BAD_FORMAT, field->at, err, "duplicate column name '%s'",
                         shown);
}

static gradus_status read_names(const gr_lines *header, gr_csv_layout *layout, gradus_error *err)
{
    const char *at = header->line, *end = header->end;
    gr_csv_field field, second = { NULL, NULL, false };

    for (;; at++) {
        bool repeated;

        at = gr_csv_field_read(at, end, layout->delimiter, &field);
        if (!at)
            return gr_lines_expected(header, GRADUS_BAD_FORMAT, "the end of the field", field.end,
                                     end, err);
        GR_TRY(add_name(&field, layout, &repeated, err));
        if (repeated && !second.at)
            second = field;
        if (at == end)
            return second.at ? two_columns(header, layout, &second, err) : GRADUS_OK;
        if (layout->columns.count == GR_MAX_NAMED_COLUMNS)
            return gr_lines_fail(header, GRADUS_BAD_FORMAT, at, err, "more than %d columns",
                                 GR_MAX_NAMED_COLUMNS);
    }
}

gradus_status gr_csv_layout_read(const gr_lines *header, const gr_read_options *options,
                                 gradus_context *context, gr_csv_layout *layout, gradus_error *err)
{
    *layout = (gr_csv_layout){ .delimiter = find_delimiter(header) };
    GR_TRY(read_names(header, layout, err));
    if (!(options->label_column && *options->label_column) && !options->label_optional &&
        gr_named_columns_are_numbers(&layout->columns))
        return no_header(header, err);
    return gr_named_columns_assign(&layout->columns, options, gr_source_name(header->source),
                                   context, err);
}

void gr_csv_layout_free(gr_csv_layout *layout)
{
    gr_named_columns_free(&layout->columns);
}
