/* SPDX-License-Identifier: Apache-2.0 */
/* Writes LETOR/SVMlight text: "2 qid:10 1:0.5 7:3 #docid = X", with SVMlight's "cost:2" for
 * weights. Dense rows list every feature, so that they are read back as dense; sparse rows list
 * their entries. */
#include "data/write.h"

#include "base/text.h"

#include <string.h>

/* " 4294967296:" and a number */
enum { ENTRY_ROOM = GR_PREFIX + GRADUS_NUMBER_SIZE };

static char *put_text(char *at, const char *text, size_t length)
{
    memcpy(at, text, length);
    return at + length;
}

static char *put_entry(const gr_row_writer *w, char *at, size_t feature, float value)
{
    if (feature < GR_PREFIXES) {
        const char *prefix = w->prefixes[feature];

        memcpy(at, prefix + 1, GR_PREFIX - 1);
        at += prefix[0];
    } else {
        *at++ = ' ';
        at += gr_format_count(feature + w->shape.first_id, at);
        *at++ = ':';
    }
    return at + gr_format_float(value, at);
}

static char *put_dense(const gr_row_writer *w, const gr_row *row, char *at)
{
    const gradus_arrays *a = &row->block->arrays;
    const float *values = a->values + row->r * a->stride;

    for (size_t f = 0; f < a->features; f++)
        if (!w->options.skip_zeros || values[f] != 0.0f ||
            (row->first && (f == 0 || f + 1 == a->features))) /* shows the range of ids */
            at = put_entry(w, at, f, values[f]);
    return at;
}

static char *put_sparse(const gr_row_writer *w, const gr_row *row, char *at)
{
    const gradus_arrays *a = &row->block->arrays;
    const uint64_t from = a->row_starts[row->r], to = a->row_starts[row->r + 1];

    if (row->first && w->shape.names_first && a->features > 1 &&
        (from == to || a->columns[from] > 0))
        at = put_entry(w, at, 0, 0.0f);
    for (uint64_t e = from; e < to; e++)
        at = put_entry(w, at, a->columns[e], a->entries[e]);
    if (row->first && w->shape.names_last && a->features > 0 &&
        (from == to || a->columns[to - 1] + (size_t)1 < a->features))
        at = put_entry(w, at, a->features - 1, 0.0f);
    return at;
}

static size_t numbers_in(const gr_row *row)
{
    const gradus_arrays *a = &row->block->arrays;

    if (gr_dataset_is_dense(row->block))
        return a->features;
    return (size_t)(a->row_starts[row->r + 1] - a->row_starts[row->r]) + 2;
}

static bool has_blank(const char *name)
{
    return name[0] == '\0' || strpbrk(name, " \t\r\n\v\f#") != NULL;
}

static gradus_status query_word(const gr_row_writer *w, const gr_row *row,
                                char number[GRADUS_NUMBER_SIZE], const char **word,
                                gradus_error *err)
{
    *word = NULL;
    if (w->shape.one_query)
        return GRADUS_OK;
    if (row->block->query_names.count == 0) {
        gr_format_count(row->query_number, number);
        *word = number;
        return GRADUS_OK;
    }
    *word = gr_name_at(&row->block->query_names, row->q);
    if (has_blank(*word))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "query '%.60s' cannot be written as text: its name %s; write csv or binary",
                       *word, **word ? "has a blank or '#'" : "is empty");
    return GRADUS_OK;
}

static gradus_status text_row(const gr_row_writer *w, const gr_row *row, gr_characters *text,
                              gradus_error *err)
{
    const char *document = gr_name_at(&row->block->document_names, row->r), *query;
    char number[GRADUS_NUMBER_SIZE];
    char *begin, *at;

    GR_TRY(query_word(w, row, number, &query, err));
    if (strpbrk(document, "\r\n"))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "document '%.60s' cannot be written as text: its name has a line break; "
                       "write csv or binary",
                       document);
    begin = gr_characters_room(text, numbers_in(row) * ENTRY_ROOM + strlen(document) +
                                         (query ? strlen(query) : 0) + 3 * GRADUS_NUMBER_SIZE);
    if (!begin)
        return gr_fail_memory(err, "a line of text");
    at = begin + gr_format_float(row->block->arrays.labels[row->r], begin);
    if (query) {
        at = put_text(at, " qid:", 5);
        at = put_text(at, query, strlen(query));
    }
    if (row->block->arrays.row_weights) {
        at = put_text(at, " cost:", 6);
        at += gr_format_float(row->block->arrays.row_weights[row->r], at);
    }
    at = gr_dataset_is_dense(row->block) ? put_dense(w, row, at) : put_sparse(w, row, at);
    if (document[0]) {
        /* LETOR's format unless the name has blanks */
        at = has_blank(document) ? put_text(at, " # ", 3) : put_text(at, " #docid = ", 10);
        at = put_text(at, document, strlen(document));
    }
    *at++ = '\n';
    text->used += (size_t)(at - begin);
    return GRADUS_OK;
}

const gr_row_form gr_row_form_text = { .separator = ' ', .row = text_row };
