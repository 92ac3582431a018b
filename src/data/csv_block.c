/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the records of one block of a CSV file. */
#include "data/csv_block.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

typedef struct gr_csv_record {
    size_t at, end; /* offsets in the text */
    size_t number, joined;
} gr_csv_record;

/* State while a record is parsed. */
typedef struct parser {
    gr_csv_block *block;
    const gr_csv_layout *layout;
    gr_lines record; /* for the position in messages */
    size_t row;
} parser;

void gr_csv_block_clear(gr_csv_block *block)
{
    block->text_used = block->count = block->run_count = block->document_used = 0;
    block->status = GRADUS_OK;
}

void gr_csv_block_free(gr_csv_block *block)
{
    gr_array *arrays[] = { &block->text,           &block->records,      &block->labels,
                           &block->weights,        &block->values,       &block->runs,
                           &block->document_bytes, &block->document_ends };

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gr_array_free(arrays[i]);
}

gradus_status gr_csv_block_add(gr_csv_block *block, const gr_lines *record, gradus_error *err)
{
    const size_t length = (size_t)(record->end - record->line);
    gr_csv_record *records;

    if (!gr_array_reserve(&block->text, block->text_used + length) ||
        !gr_array_reserve(&block->records, (block->count + 1) * sizeof *records))
        return gr_fail_memory(err, "CSV records");
    records = block->records.at;
    records[block->count++] = (gr_csv_record){ block->text_used, block->text_used + length,
                                               record->number, record->joined };
    memcpy((char *)block->text.at + block->text_used, record->line, length);
    block->text_used += length;
    return GRADUS_OK;
}

static gradus_status wrong_field(const parser *p, gradus_status status, size_t column,
                                 const char *what, const gr_csv_field *field, gradus_error *err)
{
    const gr_names names = gr_name_list_names(&p->layout->columns.names.list);
    const char *name = gr_name_at(&names, column);
    char shown[GR_SHOWN], wanted[GR_SHOWN + 64];

    gr_show_text(shown, name, name + strlen(name));
    gr_text_copy(wanted, sizeof wanted, what, " in column '");
    gr_text_append(wanted, sizeof wanted, shown);
    gr_text_append(wanted, sizeof wanted, "'");
    return gr_lines_expected(&p->record, status, wanted, field->at, field->end, err);
}

static bool is_missing(const gr_csv_field *field)
{
    const size_t length = (size_t)(field->end - field->at);

    return length == 0 || (length == 2 && memcmp(field->at, "NA", 2) == 0);
}

/* Parses a number; NAN if it is missing. */
static gradus_status read_value(const parser *p, size_t column, const gr_csv_field *field,
                                float *value, gradus_error *err)
{
    if (is_missing(field)) {
        *value = NAN;
        return GRADUS_OK;
    }
    if (gr_parse_float(field->at, field->end, value) != field->end)
        return wrong_field(p, GRADUS_BAD_FORMAT, column, "a number", field, err);
    if (isinf(*value))
        return wrong_field(p, GRADUS_BAD_NUMBER, column, "a finite number", field, err);
    return GRADUS_OK;
}

static gradus_status read_label(const parser *p, size_t column, const gr_csv_field *field,
                                gradus_error *err)
{
    float *label = (float *)p->block->labels.at + p->row;

    GR_TRY(read_value(p, column, field, label, err));
    if (isnan(*label))
        return wrong_field(p, GRADUS_BAD_NUMBER, column, "a label", field, err);
    return GRADUS_OK;
}

static gradus_status read_weight(const parser *p, size_t column, const gr_csv_field *field,
                                 gradus_error *err)
{
    float *weight = (float *)p->block->weights.at + p->row;

    GR_TRY(read_value(p, column, field, weight, err));
    if (!(*weight >= 0.0f))
        return wrong_field(p, GRADUS_BAD_NUMBER, column, "a weight of 0 or more", field, err);
    return GRADUS_OK;
}

/* The length of a field's text after undoubling quotes in place. */
static size_t plain_length(const gr_csv_field *field, char *text)
{
    const size_t length = (size_t)(field->end - field->at);

    return field->doubled ? gr_csv_undouble(text, length) : length;
}

static char *text_of(const parser *p, const gr_csv_field *field)
{
    return (char *)p->block->text.at + (field->at - (const char *)p->block->text.at);
}

static gradus_status read_query(const parser *p, size_t column, const gr_csv_field *field,
                                gradus_error *err)
{
    gr_csv_block *block = p->block;
    char *name = text_of(p, field);
    const size_t length = plain_length(field, name);

    if (length == 0)
        return wrong_field(p, GRADUS_BAD_FORMAT, column, "a query", field, err);
    if (!gr_array_reserve(&block->runs, (block->run_count + 1) * sizeof(gr_query_run)))
        return gr_fail_memory(err, "queries");
    gr_query_run *next = (gr_query_run *)block->runs.at + block->run_count;

    if (block->run_count > 0 && next[-1].name_length == length &&
        memcmp(next[-1].name, name, length) == 0)
        return GRADUS_OK;
    *next = (gr_query_run){ p->row, name, length };
    block->run_count++;
    return GRADUS_OK;
}

static gradus_status read_document(const parser *p, const gr_csv_field *field, gradus_error *err)
{
    gr_csv_block *block = p->block;
    char *name = text_of(p, field);
    const size_t length = plain_length(field, name);

    if (!gr_array_reserve(&block->document_bytes, block->document_used + length + 1))
        return gr_fail_memory(err, "document names");
    char *to = (char *)block->document_bytes.at + block->document_used;

    memcpy(to, name, length);
    to[length] = '\0';
    block->document_used += length + 1;
    ((uint64_t *)block->document_ends.at)[p->row] = block->document_used;
    return GRADUS_OK;
}

static gradus_status read_feature(const parser *p, size_t column, const gr_csv_field *field,
                                  float *value, gradus_error *err)
{
    const gradus_status status = read_value(p, column, field, value, err);

    if (status == GRADUS_BAD_FORMAT)
        gr_text_append(err->message, sizeof err->message,
                       "; use 'ignore-column' or 'ignore-features' to skip text columns");
    return status;
}

/* Parses a field according to the role of its column. */
static gradus_status read_field(const parser *p, size_t column, const gr_csv_field *field,
                                float *value, gradus_error *err)
{
    switch ((gr_column_role)p->layout->columns.roles[column]) {
    case GR_COLUMN_LABEL:
        return read_label(p, column, field, err);
    case GR_COLUMN_QUERY:
        return read_query(p, column, field, err);
    case GR_COLUMN_WEIGHT:
        return read_weight(p, column, field, err);
    case GR_COLUMN_DOCUMENT:
        return read_document(p, field, err);
    case GR_COLUMN_IGNORED:
        return GRADUS_OK;
    default:
        return read_feature(p, column, field, value, err);
    }
}

static gradus_status wrong_count(const parser *p, size_t more, const char *at, gradus_error *err)
{
    const char *end = p->record.end;
    size_t found = more;

    for (gr_csv_field field; at && at < end; found++)
        at = gr_csv_field_read(at + 1, end, p->layout->delimiter, &field);
    return gr_lines_fail(&p->record, GRADUS_BAD_FORMAT, end, err,
                         "expected %zu fields, as in the header, found %zu",
                         p->layout->columns.count, found);
}

/* Parses a plain number, "0.25,": returns where it stopped, or NULL if it needs the general
 * path. */
static const char *read_plain(const char *at, const char *end, char delimiter, float *value)
{
    const char *stop = gr_parse_float(at, end, value);

    return stop && (stop == end || *stop == delimiter) && !isinf(*value) ? stop : NULL;
}

static gradus_status parse_record(const parser *p, float *values, gradus_error *err)
{
    const gr_csv_layout *layout = p->layout;
    const char *at = p->record.line, *end = p->record.end;
    const char delimiter = layout->delimiter;
    size_t feature = 0;

    for (size_t column = 0; column < layout->columns.count; column++) {
        const bool is_feature = layout->columns.roles[column] == GR_COLUMN_FEATURE;
        const bool skipped = is_feature && layout->columns.used && !layout->columns.used[feature];
        const char *stop =
            is_feature && !skipped ? read_plain(at, end, delimiter, &values[feature]) : NULL;

        if (!stop) {
            gr_csv_field field;

            stop = gr_csv_field_read(at, end, delimiter, &field);
            if (!stop)
                return gr_lines_expected(&p->record, GRADUS_BAD_FORMAT, "the end of the field",
                                         field.end, end, err);
            if (skipped)
                values[feature] = 0.0f;
            else
                GR_TRY(read_field(p, column, &field, &values[feature], err));
        }
        feature += is_feature;
        if ((stop == end) != (column + 1 == layout->columns.count))
            return wrong_count(p, column + 1, stop, err);
        at = stop < end ? stop + 1 : end;
    }
    return GRADUS_OK;
}

/* Allocates space for one more row. Growing row by row means that a header with many columns
 * followed by many short lines, which are errors, takes little memory. */
static bool make_room(gr_csv_block *block, const gr_csv_layout *layout, size_t rows)
{
    const size_t floats = rows * sizeof(float);

    return gr_array_reserve(&block->labels, floats) &&
           gr_array_reserve(&block->values, floats * layout->columns.features) &&
           (!layout->columns.has[GR_COLUMN_WEIGHT] || gr_array_reserve(&block->weights, floats)) &&
           (!layout->columns.has[GR_COLUMN_DOCUMENT] ||
            gr_array_reserve(&block->document_ends, rows * sizeof(uint64_t)));
}

static gradus_status parse(gr_csv_block *block, const gr_csv_layout *layout, gr_source *source,
                           gradus_error *err)
{
    const gr_csv_record *records = block->records.at;
    parser p = { .block = block, .layout = layout, .record = { .source = source } };

    for (p.row = 0; p.row < block->count; p.row++) {
        const gr_csv_record *record = &records[p.row];
        const char *text = block->text.at;

        if (!make_room(block, layout, p.row + 1))
            return gr_fail_memory(err, "CSV rows");
        if (!layout->columns.has[GR_COLUMN_LABEL])
            ((float *)block->labels.at)[p.row] = 0.0f;
        p.record.line = text + record->at;
        p.record.end = text + record->end;
        p.record.number = record->number;
        p.record.joined = record->joined;
        GR_TRY(parse_record(&p, (float *)block->values.at + p.row * layout->columns.features, err));
    }
    return GRADUS_OK;
}

void gr_csv_block_parse(gr_csv_block *block, const gr_csv_layout *layout, gr_source *source)
{
    block->status = parse(block, layout, source, &block->err);
}

gradus_status gr_csv_block_append(const gr_csv_block *block, const gr_csv_layout *layout,
                                  gr_builder *builder, gradus_error *err)
{
    const gr_block rows = {
        .rows = block->count,
        .labels = block->labels.at,
        .weights = layout->columns.has[GR_COLUMN_WEIGHT] ? block->weights.at : NULL,
        .dense = true,
        .width = layout->columns.features,
        .stride = layout->columns.features,
        .values = block->values.at,
        .first_id = 1,
        .runs = block->run_count,
        .query_runs = block->runs.at,
        .has_documents = layout->columns.has[GR_COLUMN_DOCUMENT],
        .document_bytes = block->document_bytes.at,
        .document_ends = block->document_ends.at,
    };

    return gr_builder_append(builder, &rows, err);
}
