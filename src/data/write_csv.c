/* SPDX-License-Identifier: Apache-2.0 */
/* Writes CSV by RFC 4180, and TSV, which differs only in the separator: columns for label, query,
 * weight and document, as far as present, then one per feature. */
#include "data/write.h"

#include "base/text.h"
#include "data/sections.h"

#include <string.h>
#include <strings.h>

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

static bool needs_quotes(const char *field, char separator)
{
    const char special[] = { separator, '"', '\r', '\n', '\0' };
    const size_t length = strlen(field);

    /* many readers drop blanks at the ends of a field */
    return strpbrk(field, special) != NULL ||
           (length > 0 && (is_blank(field[0]) || is_blank(field[length - 1])));
}

static gradus_status put_field(gr_characters *text, const char *field, char separator,
                               gradus_error *err)
{
    const size_t length = strlen(field);
    char *at = gr_characters_room(text, 2 * length + 3), *begin = at;

    if (!at)
        return gr_fail_memory(err, "a line of text");
    if (needs_quotes(field, separator)) {
        *at++ = '"';
        for (const char *c = field; *c; c++) {
            if (*c == '"')
                *at++ = '"';
            *at++ = *c;
        }
        *at++ = '"';
    } else {
        memcpy(at, field, length);
        at += length;
    }
    *at++ = separator;
    text->used += (size_t)(at - begin);
    return GRADUS_OK;
}

static gradus_status put_number(gr_characters *text, float number, char separator,
                                gradus_error *err)
{
    char *at = gr_characters_room(text, GRADUS_NUMBER_SIZE + 1);
    size_t length;

    if (!at)
        return gr_fail_memory(err, "a line of text");
    length = gr_format_float(number, at);
    at[length] = separator;
    text->used += length + 1;
    return GRADUS_OK;
}

/* Replaces the separator after the last field by a line end. */
static void end_line(gr_characters *text)
{
    ((char *)text->array.at)[text->used - 1] = '\n';
}

/* Whether a reader would mistake a feature with this name for another column. */
static bool is_taken(const gr_row_writer *w, const char *name)
{
    static const char *const always[] = { "label", "qid", "weight", "docid" };

    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcasecmp(name, always[i]) == 0)
            return true;
    if (w->shape.one_query && (strcasecmp(name, "query") == 0 || strcasecmp(name, "query_id") == 0))
        return true;
    return !(w->shape.parts & GR_PART(GR_DOCUMENT_NAMES)) && strcasecmp(name, "document") == 0;
}

static gradus_status put_feature_name(const gr_row_writer *w, size_t f, gr_characters *text,
                                      gradus_error *err)
{
    const char *name = gr_name_at(&w->shape.feature_names, f);
    char number[GRADUS_NUMBER_SIZE + 1] = "f";

    if (w->shape.feature_names.count == 0) {
        gr_format_count(f + w->shape.first_id, number + 1);
        name = number;
    }
    if (is_taken(w, name))
        return gr_fail(
            err, GRADUS_BAD_ARGUMENT,
            "feature %zu is named '%s', which is reserved for another column in csv files",
            f + w->shape.first_id, name);
    return put_field(text, name, w->form->separator, err);
}

static gradus_status csv_header(const gr_row_writer *w, gr_characters *text, gradus_error *err)
{
    const char separator = w->form->separator;

    if (w->options.no_header)
        return GRADUS_OK;
    GR_TRY(put_field(text, "label", separator, err));
    if (!w->shape.one_query)
        GR_TRY(put_field(text, "qid", separator, err));
    if (w->shape.parts & GR_PART(GR_ROW_WEIGHTS))
        GR_TRY(put_field(text, "weight", separator, err));
    if (w->shape.parts & GR_PART(GR_DOCUMENT_NAMES))
        GR_TRY(put_field(text, "docid", separator, err));
    for (size_t f = 0; f < w->shape.features; f++)
        GR_TRY(put_feature_name(w, f, text, err));
    end_line(text);
    return GRADUS_OK;
}

static gradus_status put_query(const gr_row *row, gr_characters *text, char separator,
                               gradus_error *err)
{
    char number[GRADUS_NUMBER_SIZE];

    if (row->block->query_names.count)
        return put_field(text, gr_name_at(&row->block->query_names, row->q), separator, err);
    gr_format_count(row->query_number, number);
    return put_field(text, number, separator, err);
}

static gradus_status put_values(const gr_row *row, gr_characters *text, char separator,
                                gradus_error *err)
{
    const gradus_arrays *a = &row->block->arrays;
    uint64_t e, end;

    if (gr_dataset_is_dense(row->block)) {
        for (size_t f = 0; f < a->features; f++)
            GR_TRY(put_number(text, a->values[row->r * a->stride + f], separator, err));
        return GRADUS_OK;
    }
    e = a->row_starts[row->r];
    end = a->row_starts[row->r + 1];
    for (size_t f = 0; f < a->features; f++)
        GR_TRY(put_number(text, e < end && a->columns[e] == f ? a->entries[e++] : 0.0f, separator,
                          err));
    return GRADUS_OK;
}

static gradus_status csv_row(const gr_row_writer *w, const gr_row *row, gr_characters *text,
                             gradus_error *err)
{
    const char separator = w->form->separator;
    const gradus_dataset *block = row->block;

    GR_TRY(put_number(text, block->arrays.labels[row->r], separator, err));
    if (!w->shape.one_query)
        GR_TRY(put_query(row, text, separator, err));
    if (w->shape.parts & GR_PART(GR_ROW_WEIGHTS))
        GR_TRY(put_number(text, block->arrays.row_weights[row->r], separator, err));
    if (w->shape.parts & GR_PART(GR_DOCUMENT_NAMES))
        GR_TRY(put_field(text, gr_name_at(&block->document_names, row->r), separator, err));
    GR_TRY(put_values(row, text, separator, err));
    end_line(text);
    return GRADUS_OK;
}

const gr_row_form gr_row_form_csv = { .separator = ',', .begin = csv_header, .row = csv_row };
const gr_row_form gr_row_form_tsv = { .separator = '\t', .begin = csv_header, .row = csv_row };
