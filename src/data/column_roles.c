/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns roles to the columns of a table. */
#include "data/column_roles.h"

#include "base/table.h"
#include "base/text.h"
#include "data/select.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Default column names per role, in order of preference; NULL-terminated. */
static const char *const usual_names[GR_COLUMN_ROLES][5] = {
    [GR_COLUMN_LABEL] = { "label", "relevance", "grade", "rating", NULL },
    [GR_COLUMN_QUERY] = { "qid", "query", "query_id", NULL },
    [GR_COLUMN_WEIGHT] = { "weight", NULL },
    [GR_COLUMN_DOCUMENT] = { "docid", "document", NULL },
};

gradus_status gr_named_columns_add(gr_named_columns *columns, const char *name, size_t length,
                                   bool *repeated, gradus_error *err)
{
    gr_name_list *list = &columns->names.list;
    const size_t before = list->count;
    bool added = length == 0 || gr_name_set_add(&columns->names, name, length) != SIZE_MAX;

    *repeated = false;
    if (added && list->count == before) {
        *repeated = length > 0;
        added = gr_name_list_add(list, name, length);
    }
    if (!added)
        return gr_fail_memory(err, "column names");
    columns->count++;
    return GRADUS_OK;
}

const char *gr_named_column(const gr_named_columns *columns, size_t column)
{
    const gr_names names = gr_name_list_names(&columns->names.list);

    return gr_name_at(&names, column);
}

bool gr_named_columns_are_numbers(const gr_named_columns *columns)
{
    const gr_names names = gr_name_list_names(&columns->names.list);

    for (size_t c = 0; c < names.count; c++) {
        const char *name = gr_name_at(&names, c), *end = name + strlen(name);
        double number;

        if (gr_parse_double(name, end, &number) != end || name == end)
            return false;
    }
    return true;
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
static gradus_status find_named(const gr_named_columns *columns, const char *word, size_t *column,
                                gradus_error *err)
{
    const gr_names names = gr_name_list_names(&columns->names.list);
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
static size_t find_usual(const gr_named_columns *columns, gr_column_role role)
{
    const gr_names names = gr_name_list_names(&columns->names.list);

    for (const char *const *usual = usual_names[role]; *usual; usual++)
        for (size_t c = 0; c < names.count; c++)
            if (columns->roles[c] == GR_COLUMN_FEATURE &&
                strcasecmp(gr_name_at(&names, c), *usual) == 0)
                return c;
    return SIZE_MAX;
}

static gradus_status give_role(gr_named_columns *columns, gr_column_role role, const char *word,
                               gradus_error *err)
{
    size_t column = SIZE_MAX;

    if (*word)
        GR_TRY(find_named(columns, word, &column, err));
    else
        column = find_usual(columns, role);
    if (column == SIZE_MAX)
        return GRADUS_OK;
    if (columns->roles[column] != GR_COLUMN_FEATURE)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "column '%.60s' is assigned two roles", word);
    columns->roles[column] = (unsigned char)role;
    columns->has[role] = true;
    return GRADUS_OK;
}

/* Marks the columns of a comma-separated list as ignored. */
static gradus_status ignore_columns(gr_named_columns *columns, const char *list, gradus_error *err)
{
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        char *word = strndup(list, length);
        gradus_status status;

        if (!word)
            return gr_fail_memory(err, "column names");
        status = length ? give_role(columns, GR_COLUMN_IGNORED, word, err) : GRADUS_OK;
        free(word);
        GR_TRY(status);
        list += length + (list[length] == ',');
    }
    return GRADUS_OK;
}

/* Marks the features that are used; the fields of others may contain any text. */
static gradus_status mark_used(gr_named_columns *columns, const gr_read_options *options,
                               gradus_error *err)
{
    gr_name_list features = { .used = 0 };
    gradus_status status = GRADUS_OK;

    if (!gr_features_chosen(options) || columns->features == 0)
        return GRADUS_OK;
    columns->used = gr_new_array(columns->features, 1);
    if (!columns->used)
        return gr_fail_memory(err, "column names");
    for (size_t c = 0; c < columns->count && status == GRADUS_OK; c++) {
        const char *name = gr_named_column(columns, c);

        if (columns->roles[c] == GR_COLUMN_FEATURE &&
            !gr_name_list_add(&features, name, strlen(name)))
            status = gr_fail_memory(err, "column names");
    }
    if (status == GRADUS_OK) {
        const gr_names names = gr_name_list_names(&features);

        status = gr_features_mark(options, &names, columns->features, 1, columns->used, err);
    }
    gr_name_list_free(&features);
    return status;
}

/* Fallback if no column is named as the label: takes the first column without another role. */
static gradus_status take_first(gr_named_columns *columns, const char *source,
                                gradus_context *context, gradus_error *err)
{
    size_t column = 0;

    while (column < columns->count && columns->roles[column] != GR_COLUMN_FEATURE)
        column++;
    if (column == columns->count)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: no column is left for the label", source);
    columns->roles[column] = GR_COLUMN_LABEL;
    columns->has[GR_COLUMN_LABEL] = true;
    gr_note(context,
            "%.300s: no column is named label, relevance, grade or rating; using column %zu, "
            "'%.60s', as the label",
            source, column + 1, gr_named_column(columns, column));
    return GRADUS_OK;
}

/* Columns named by the user are assigned first, so that "label" can be a feature if another column
 * is the label. */
static gradus_status give_roles(gr_named_columns *columns, const gr_read_options *options,
                                gradus_error *err)
{
    const char *const words[GR_COLUMN_ROLES] = {
        [GR_COLUMN_LABEL] = options->label_column,
        [GR_COLUMN_QUERY] = options->query_column,
        [GR_COLUMN_WEIGHT] = options->weight_column,
        [GR_COLUMN_DOCUMENT] = options->document_column,
    };

    for (gr_column_role role = GR_COLUMN_LABEL; role < GR_COLUMN_ROLES; role++)
        if (words[role] && *words[role])
            GR_TRY(give_role(columns, role, words[role], err));
    GR_TRY(ignore_columns(columns, options->ignore_column, err));
    for (gr_column_role role = GR_COLUMN_LABEL; role < GR_COLUMN_IGNORED; role++)
        if (!words[role] || !*words[role])
            GR_TRY(give_role(columns, role, "", err));
    return GRADUS_OK;
}

gradus_status gr_named_columns_assign(gr_named_columns *columns, const gr_read_options *options,
                                      const char *source, gradus_context *context,
                                      gradus_error *err)
{
    columns->roles = gr_new_array(columns->count, 1);
    if (!columns->roles)
        return gr_fail_memory(err, "column names");
    GR_TRY(give_roles(columns, options, err));
    if (!columns->has[GR_COLUMN_LABEL] && !options->label_optional)
        GR_TRY(take_first(columns, source, context, err));
    for (size_t c = 0; c < columns->count; c++)
        columns->features += columns->roles[c] == GR_COLUMN_FEATURE;
    return mark_used(columns, options, err);
}

void gr_named_columns_free(gr_named_columns *columns)
{
    free(columns->roles);
    free(columns->used);
    gr_name_set_free(&columns->names);
    columns->roles = columns->used = NULL;
}
