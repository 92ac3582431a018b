/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the header of a CSV file and assigns roles to its columns. */
#include "data/csv_layout.h"

#include "base/table.h"
#include "base/text.h"
#include "data/select.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Default column names per role, in order of preference; NULL-terminated. */
static const char *const usual_names[GR_CSV_ROLES][5] = {
    [GR_CSV_LABEL] = { "label", "relevance", "grade", "rating", NULL },
    [GR_CSV_QUERY] = { "qid", "query", "query_id", NULL },
    [GR_CSV_WEIGHT] = { "weight", NULL },
    [GR_CSV_DOCUMENT] = { "docid", "document", NULL },
};

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

/* Adds a column name; sets *repeated if it is a duplicate. Any number of columns may be unnamed. */
static gradus_status add_name(const gr_csv_field *field, gr_csv_layout *layout, bool *repeated,
                              gradus_error *err)
{
    size_t length = (size_t)(field->end - field->at);
    const size_t before = layout->names.list.count;
    char *name = malloc(length + 1);
    bool added;

    if (!name)
        return gr_fail_memory(err, "column names");
    memcpy(name, field->at, length);
    if (field->doubled)
        length = gr_csv_undouble(name, length);
    added = length == 0 || gr_name_set_add(&layout->names, name, length) != SIZE_MAX;
    if (added && layout->names.list.count == before) {
        *repeated |= length > 0;
        added = gr_name_list_add(&layout->names.list, name, length);
    }
    free(name);
    return added ? GRADUS_OK : gr_fail_memory(err, "column names");
}

static bool all_numbers(const gr_csv_layout *layout)
{
    const gr_names names = gr_name_list_names(&layout->names.list);

    for (size_t c = 0; c < names.count; c++) {
        const char *name = gr_name_at(&names, c), *end = name + strlen(name);
        double number;

        if (gr_parse_double(name, end, &number) != end || name == end)
            return false;
    }
    return true;
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

    if (all_numbers(layout))
        return no_header(header, err);
    gr_show_text(shown, field->at, field->end);
    return gr_lines_fail(header, GRADUS_BAD_FORMAT, field->at, err, "duplicate column name '%s'",
                         shown);
}

static gradus_status read_names(const gr_lines *header, gr_csv_layout *layout, gradus_error *err)
{
    const char *at = header->line, *end = header->end;
    gr_csv_field field, second = { NULL, NULL, false };

    for (layout->columns = 1;; layout->columns++, at++) {
        bool repeated = false;

        at = gr_csv_field_read(at, end, layout->delimiter, &field);
        if (!at)
            return gr_lines_expected(header, GRADUS_BAD_FORMAT, "the end of the field", field.end,
                                     end, err);
        GR_TRY(add_name(&field, layout, &repeated, err));
        if (repeated && !second.at)
            second = field;
        if (at == end)
            return second.at ? two_columns(header, layout, &second, err) : GRADUS_OK;
        if (layout->columns == GR_CSV_COLUMNS)
            return gr_lines_fail(header, GRADUS_BAD_FORMAT, at, err, "more than %d columns",
                                 GR_CSV_COLUMNS);
    }
}

static gradus_status no_column(const gr_names *names, const char *word, gradus_error *err)
{
    const char **list = gr_new_array(names->count, sizeof *list);
    gradus_status status;

    if (!list)
        return gr_fail_memory(err, "column names");
    for (size_t c = 0; c < names->count; c++)
        list[c] = gr_name_at(names, c);
    status = gr_fail_unknown(err, "column", word, list, names->count);
    free(list);
    return status;
}

/* Finds the column that the user names, by name or otherwise by number from 1. */
static gradus_status find_named(const gr_csv_layout *layout, const char *word, size_t *column,
                                gradus_error *err)
{
    const gr_names names = gr_name_list_names(&layout->names.list);
    const char *end = word + strlen(word);
    uint64_t number;

    for (*column = 0; *column < names.count; ++*column)
        if (strcmp(gr_name_at(&names, *column), word) == 0)
            return GRADUS_OK;
    if (gr_parse_count(word, end, &number) != end || number < 1 || number > names.count)
        return no_column(&names, word, err);
    *column = (size_t)number - 1;
    return GRADUS_OK;
}

/* The column with the first default name that exists, ignoring case; otherwise SIZE_MAX. */
static size_t find_usual(const gr_csv_layout *layout, gr_csv_role role)
{
    const gr_names names = gr_name_list_names(&layout->names.list);

    for (const char *const *usual = usual_names[role]; *usual; usual++)
        for (size_t c = 0; c < names.count; c++)
            if (layout->roles[c] == GR_CSV_FEATURE &&
                strcasecmp(gr_name_at(&names, c), *usual) == 0)
                return c;
    return SIZE_MAX;
}

static gradus_status give_role(gr_csv_layout *layout, gr_csv_role role, const char *word,
                               gradus_error *err)
{
    size_t column = SIZE_MAX;

    if (*word)
        GR_TRY(find_named(layout, word, &column, err));
    else
        column = find_usual(layout, role);
    if (column == SIZE_MAX)
        return GRADUS_OK;
    if (layout->roles[column] != GR_CSV_FEATURE)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "column '%.60s' is assigned two roles", word);
    layout->roles[column] = (unsigned char)role;
    layout->has[role] = true;
    return GRADUS_OK;
}

/* Marks the columns of a comma-separated list as ignored. */
static gradus_status ignore_columns(gr_csv_layout *layout, const char *list, gradus_error *err)
{
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        char *word = strndup(list, length);
        gradus_status status;

        if (!word)
            return gr_fail_memory(err, "column names");
        status = length ? give_role(layout, GR_CSV_IGNORED, word, err) : GRADUS_OK;
        free(word);
        GR_TRY(status);
        list += length + (list[length] == ',');
    }
    return GRADUS_OK;
}

/* Marks the features that are used; the fields of others may contain any text. */
static gradus_status mark_used(gr_csv_layout *layout, const gr_read_options *options,
                               gradus_error *err)
{
    const gr_names columns = gr_name_list_names(&layout->names.list);
    gr_name_list features = { .used = 0 };
    gradus_status status = GRADUS_OK;

    if (!gr_features_chosen(options) || layout->features == 0)
        return GRADUS_OK;
    layout->used = gr_new_array(layout->features, 1);
    if (!layout->used)
        return gr_fail_memory(err, "column names");
    for (size_t c = 0; c < layout->columns && status == GRADUS_OK; c++) {
        const char *name = gr_name_at(&columns, c);

        if (layout->roles[c] == GR_CSV_FEATURE && !gr_name_list_add(&features, name, strlen(name)))
            status = gr_fail_memory(err, "column names");
    }
    if (status == GRADUS_OK) {
        const gr_names names = gr_name_list_names(&features);

        status = gr_features_mark(options, &names, layout->features, 1, layout->used, err);
    }
    gr_name_list_free(&features);
    return status;
}

/* Fallback if no column is named as the label: takes the first column without another role. */
static gradus_status take_first(const gr_lines *header, gradus_context *context,
                                gr_csv_layout *layout, gradus_error *err)
{
    const gr_names names = gr_name_list_names(&layout->names.list);
    size_t column = 0;

    if (all_numbers(layout))
        return no_header(header, err);
    while (column < layout->columns && layout->roles[column] != GR_CSV_FEATURE)
        column++;
    if (column == layout->columns)
        return gr_lines_fail(header, GRADUS_BAD_FORMAT, header->line, err,
                             "no column is left for the label");
    layout->roles[column] = GR_CSV_LABEL;
    layout->has[GR_CSV_LABEL] = true;
    gr_note(context,
            "%.300s: no column is named label, relevance, grade or rating; using column %zu, "
            "'%.60s', as the label",
            gr_source_name(header->source), column + 1, gr_name_at(&names, column));
    return GRADUS_OK;
}

/* Columns named by the user are assigned first, so that "label" can be a feature if another column
 * is the label. */
static gradus_status give_roles(const gr_lines *header, const gr_read_options *options,
                                gradus_context *context, gr_csv_layout *layout, gradus_error *err)
{
    const char *const words[GR_CSV_ROLES] = {
        [GR_CSV_LABEL] = options->label_column,
        [GR_CSV_QUERY] = options->query_column,
        [GR_CSV_WEIGHT] = options->weight_column,
        [GR_CSV_DOCUMENT] = options->document_column,
    };

    for (gr_csv_role role = GR_CSV_LABEL; role < GR_CSV_ROLES; role++)
        if (words[role] && *words[role])
            GR_TRY(give_role(layout, role, words[role], err));
    GR_TRY(ignore_columns(layout, options->ignore_column, err));
    for (gr_csv_role role = GR_CSV_LABEL; role < GR_CSV_ROLES; role++)
        if (!words[role] || !*words[role])
            GR_TRY(give_role(layout, role, "", err));
    if (!layout->has[GR_CSV_LABEL])
        GR_TRY(take_first(header, context, layout, err));
    for (size_t c = 0; c < layout->columns; c++)
        layout->features += layout->roles[c] == GR_CSV_FEATURE;
    return mark_used(layout, options, err);
}

gradus_status gr_csv_layout_read(const gr_lines *header, const gr_read_options *options,
                                 gradus_context *context, gr_csv_layout *layout, gradus_error *err)
{
    *layout = (gr_csv_layout){ .delimiter = find_delimiter(header) };
    GR_TRY(read_names(header, layout, err));
    layout->roles = gr_new_array(layout->columns, 1);
    if (!layout->roles)
        return gr_fail_memory(err, "column names");
    return give_roles(header, options, context, layout, err);
}

void gr_csv_layout_free(gr_csv_layout *layout)
{
    free(layout->roles);
    free(layout->used);
    gr_name_set_free(&layout->names);
    layout->roles = layout->used = NULL;
}
