/* SPDX-License-Identifier: Apache-2.0 */
/* Reads record batches and appends their rows to a dataset. A batch stores columns; tiles of rows
 * that fit into the cache are transposed. Roles of columns, names and numbers are as in CSV. */
#include "data/arrow.h"

#include "base/text.h"
#include "data/arrow_column.h"
#include "data/builder.h"
#include "data/column_roles.h"
#include "data/lines.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At most this many rows and, with several rows, about this many values. */
enum { TILE_ROWS = 1 << 11, TILE_VALUES = 1 << 17 };

typedef struct reading {
    gradus_context *context;
    gr_builder *builder;
    gr_named_columns columns;
    gr_arrow_field *fields; /* one per column; type NULL: its values are not read */
    gr_arrow_column *views; /* one per column, of the current batch */
    size_t batch;           /* from 1 */
    /* a tile of rows */
    size_t tile_rows;
    float *values, *labels, *weights;
    gr_query_run *runs;
    char (*numbers)[GRADUS_NUMBER_SIZE]; /* query ids that are not text */
    gr_array document_bytes;
    uint64_t *document_ends;
} reading;

static gradus_status read_names(reading *from, const struct ArrowSchema *schema, gradus_error *err)
{
    for (int64_t c = 0; c < schema->n_children; c++) {
        const struct ArrowSchema *child = schema->children[c];
        const char *name = child && child->name ? child->name : "";
        char shown[GR_SHOWN];
        bool repeated;

        if (!child || !child->release)
            return gr_fail(err, GRADUS_BAD_FORMAT,
                           "Arrow schema: column %lld is missing or has been released",
                           (long long)c + 1);
        GR_TRY(gr_named_columns_add(&from->columns, name, strlen(name), &repeated, err));
        gr_show_text(shown, name, name + strlen(name));
        if (repeated)
            return gr_fail(err, GRADUS_BAD_FORMAT, "Arrow schema: duplicate column name '%s'",
                           shown);
    }
    return GRADUS_OK;
}

/* Features, labels and weights must be numbers. */
static gradus_status check_numbers(const reading *from, size_t column, gradus_error *err)
{
    static const char *const what[GR_COLUMN_ROLES] = { [GR_COLUMN_FEATURE] = "features",
                                                       [GR_COLUMN_LABEL] = "labels",
                                                       [GR_COLUMN_WEIGHT] = "weights" };
    const gr_column_role role = (gr_column_role)from->columns.roles[column];
    const gr_arrow_type *type = gr_arrow_value_type(&from->fields[column]);
    const char *name = gr_named_column(&from->columns, column);
    char shown[GR_SHOWN];

    if (!what[role] || !gr_arrow_is_text(type))
        return GRADUS_OK;
    gr_show_text(shown, name, name + strlen(name));
    return gr_fail(err, GRADUS_BAD_FORMAT,
                   "Arrow column '%s' has text (%s%s), but %s are numbers%s", shown,
                   from->fields[column].values ? "a dictionary of " : "", type->name, what[role],
                   role == GR_COLUMN_FEATURE
                       ? "; use 'ignore-column' or 'ignore-features' to skip text columns"
                       : "");
}

/* Types of the columns that are read; others may have any type. */
static gradus_status read_fields(reading *from, const struct ArrowSchema *schema, gradus_error *err)
{
    size_t feature = 0;

    from->fields = gr_new_array(from->columns.count, sizeof *from->fields);
    if (!from->fields)
        return gr_fail_memory(err, "an Arrow schema");
    for (size_t c = 0; c < from->columns.count; c++) {
        const bool is_feature = from->columns.roles[c] == GR_COLUMN_FEATURE;
        const bool skipped = from->columns.roles[c] == GR_COLUMN_IGNORED ||
                             (is_feature && from->columns.used && !from->columns.used[feature]);

        feature += is_feature;
        if (skipped)
            continue;
        GR_TRY(gr_arrow_field_read(schema->children[c], gr_named_column(&from->columns, c),
                                   &from->fields[c], err));
        GR_TRY(check_numbers(from, c, err));
    }
    return GRADUS_OK;
}

static gradus_status read_schema(reading *from, const struct ArrowSchema *schema,
                                 const gr_read_options *options, gradus_error *err)
{
    char shown[GR_SHOWN];

    if (!schema->release || !schema->format)
        return gr_fail(err, GRADUS_BAD_FORMAT, "the Arrow stream has no schema");
    gr_show_text(shown, schema->format, schema->format + strlen(schema->format));
    if (strcmp(schema->format, "+s") != 0 || schema->dictionary)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "Arrow schema: expected record batches (type '+s'), found type '%s'%s",
                       shown, schema->dictionary ? " with a dictionary" : "");
    if (schema->n_children < 1 || schema->n_children > GR_MAX_NAMED_COLUMNS || !schema->children)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "Arrow schema: expected 1 to %d columns, found %lld%s", GR_MAX_NAMED_COLUMNS,
                       (long long)schema->n_children, schema->children ? "" : " without a list");
    GR_TRY(read_names(from, schema, err));
    GR_TRY(gr_named_columns_assign(&from->columns, options, "Arrow stream", from->context, err));
    return read_fields(from, schema, err);
}

static gradus_status name_features(const reading *from, gradus_error *err)
{
    for (size_t c = 0; c < from->columns.count; c++) {
        const char *name = gr_named_column(&from->columns, c);

        if (from->columns.roles[c] == GR_COLUMN_FEATURE)
            GR_TRY(gr_builder_name_feature(from->builder, name, strlen(name), err));
    }
    return GRADUS_OK;
}

static gradus_status make_tile(reading *from, gradus_error *err)
{
    const size_t features = from->columns.features;
    const size_t fitting = TILE_VALUES / (features + 1) + 1;
    const size_t rows = fitting < TILE_ROWS ? fitting : TILE_ROWS;

    from->tile_rows = rows;
    from->views = gr_new_array(from->columns.count, sizeof *from->views);
    from->values = gr_new_array(rows * features, sizeof *from->values);
    from->labels = gr_new_array(rows, sizeof *from->labels);
    from->weights = gr_new_array(rows, sizeof *from->weights);
    from->runs = gr_new_array(rows, sizeof *from->runs);
    from->numbers = gr_new_array(rows, sizeof *from->numbers);
    from->document_ends = gr_new_array(rows, sizeof *from->document_ends);
    if (!from->views || !from->values || !from->labels || !from->weights || !from->runs ||
        !from->numbers || !from->document_ends)
        return gr_fail_memory(err, "Arrow rows");
    return GRADUS_OK;
}

static void reading_free(reading *from)
{
    gr_named_columns_free(&from->columns);
    gr_array_free(&from->document_bytes);
    free(from->fields);
    free(from->views);
    free(from->values);
    free(from->labels);
    free(from->weights);
    free(from->runs);
    free(from->numbers);
    free(from->document_ends);
}

static gradus_status read_labels(const reading *from, const gr_arrow_column *view, int64_t first,
                                 size_t rows, gradus_error *err)
{
    GR_TRY(gr_arrow_floats(view, first, rows, from->labels, 1, err));
    for (size_t r = 0; r < rows; r++)
        if (isnan(from->labels[r]))
            return gr_arrow_expected(view, first + (int64_t)r, GRADUS_BAD_NUMBER, "a label", err);
    return GRADUS_OK;
}

static gradus_status read_weights(const reading *from, const gr_arrow_column *view, int64_t first,
                                  size_t rows, gradus_error *err)
{
    GR_TRY(gr_arrow_floats(view, first, rows, from->weights, 1, err));
    for (size_t r = 0; r < rows; r++)
        if (!(from->weights[r] >= 0.0f))
            return gr_arrow_expected(view, first + (int64_t)r, GRADUS_BAD_NUMBER,
                                     "a weight of 0 or more", err);
    return GRADUS_OK;
}

/* Names are C strings in a dataset. */
static gradus_status check_name(const gr_arrow_column *view, int64_t row, const char *text,
                                size_t length, gradus_error *err)
{
    if (memchr(text, '\0', length))
        return gr_arrow_expected(view, row, GRADUS_BAD_FORMAT, "text without NUL", err);
    return GRADUS_OK;
}

static bool is_float(const gr_arrow_column *view)
{
    const gr_arrow_type *type = view->encoded ? view->dictionary.type : view->rows.type;

    return type->kind >= GR_ARROW_FLOAT16 && type->kind <= GR_ARROW_FLOAT64;
}

/* The query ids of a tile, as runs of equal ids. "nan" and "inf" begin with a letter. */
static gradus_status read_queries(const reading *from, const gr_arrow_column *view, int64_t first,
                                  size_t rows, gr_block *block, gradus_error *err)
{
    for (size_t r = 0; r < rows; r++) {
        const int64_t row = first + (int64_t)r;
        const char *text;
        size_t length;

        GR_TRY(gr_arrow_text(view, row, from->numbers[r], &text, &length, err));
        if (!text || length == 0 ||
            (is_float(view) && !(text[length - 1] >= '0' && text[length - 1] <= '9')))
            return gr_arrow_expected(view, row, GRADUS_BAD_FORMAT, "a query", err);
        GR_TRY(check_name(view, row, text, length, err));
        gr_query_run *next = &from->runs[block->runs];

        if (block->runs > 0 && next[-1].name_length == length &&
            memcmp(next[-1].name, text, length) == 0)
            continue;
        *next = (gr_query_run){ r, text, length };
        block->runs++;
    }
    return GRADUS_OK;
}

static gradus_status read_documents(reading *from, const gr_arrow_column *view, int64_t first,
                                    size_t rows, gradus_error *err)
{
    size_t used = 0;

    for (size_t r = 0; r < rows; r++) {
        const int64_t row = first + (int64_t)r;
        char number[GRADUS_NUMBER_SIZE];
        const char *text;
        size_t length;

        GR_TRY(gr_arrow_text(view, row, number, &text, &length, err));
        if (!gr_array_reserve(&from->document_bytes, used + length + 1))
            return gr_fail_memory(err, "document names");
        char *to = (char *)from->document_bytes.at + used;

        if (text && length) {
            GR_TRY(check_name(view, row, text, length, err));
            memcpy(to, text, length);
        }
        to[length] = '\0';
        used += length + 1;
        from->document_ends[r] = used;
    }
    return GRADUS_OK;
}

static gradus_status read_column(reading *from, size_t column, int64_t first, size_t *feature,
                                 gr_block *block, gradus_error *err)
{
    const gr_arrow_column *view = &from->views[column];

    switch ((gr_column_role)from->columns.roles[column]) {
    case GR_COLUMN_LABEL:
        return read_labels(from, view, first, block->rows, err);
    case GR_COLUMN_WEIGHT:
        return read_weights(from, view, first, block->rows, err);
    case GR_COLUMN_QUERY:
        return read_queries(from, view, first, block->rows, block, err);
    case GR_COLUMN_DOCUMENT:
        return read_documents(from, view, first, block->rows, err);
    case GR_COLUMN_IGNORED:
        return GRADUS_OK;
    default:
        break;
    }
    float *values = from->values + (*feature)++; /* columns that are not read stay 0 */

    return from->fields[column].type
               ? gr_arrow_floats(view, first, block->rows, values, from->columns.features, err)
               : GRADUS_OK;
}

static gradus_status append_tile(reading *from, int64_t first, size_t rows, gradus_error *err)
{
    const gr_named_columns *columns = &from->columns;
    size_t feature = 0;
    gr_block block = {
        .rows = rows,
        .labels = from->labels,
        .weights = columns->has[GR_COLUMN_WEIGHT] ? from->weights : NULL,
        .dense = true,
        .width = columns->features,
        .stride = columns->features,
        .values = from->values,
        .first_id = 1,
        .query_runs = from->runs,
        .has_documents = columns->has[GR_COLUMN_DOCUMENT],
        .document_ends = from->document_ends,
    };

    for (size_t c = 0; c < columns->count; c++)
        GR_TRY(read_column(from, c, first, &feature, &block, err));
    block.document_bytes = from->document_bytes.at;
    return gr_builder_append(from->builder, &block, err);
}

/* Checks a batch, which is a struct, and its columns. */
static gradus_status check_batch(reading *from, const struct ArrowArray *batch, gradus_error *err)
{
    const gr_arrow_column whole = { .name = "", .batch = from->batch };
    char what[100];

    GR_TRY(gr_arrow_check(&whole, batch, 1, (int64_t)from->columns.count, err));
    if (batch->null_count > 0 ||
        (batch->buffers[0] && gr_arrow_nulls(batch->buffers[0], batch->offset, batch->length) > 0))
        return gr_fail(err, GRADUS_BAD_FORMAT, "Arrow batch %zu: a row is null", from->batch);
    if (batch->dictionary)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "Arrow batch %zu: there is a dictionary, but not in the schema",
                       from->batch);
    snprintf(what, sizeof what, "Arrow batch %zu of %lld rows", from->batch,
             (long long)batch->length);
    GR_TRY(gr_check_memory(
        from->context, what,
        (double)batch->length * (double)(from->columns.features + 1) * sizeof(float), err));
    for (size_t c = 0; c < from->columns.count; c++) {
        gr_arrow_column *view = &from->views[c];

        view->name = gr_named_column(&from->columns, c);
        view->batch = from->batch;
        if (from->fields[c].type)
            GR_TRY(gr_arrow_column_set(view, batch->children[c], &from->fields[c], batch->offset,
                                       batch->length, err));
    }
    return GRADUS_OK;
}

static gradus_status append_batch(reading *from, const struct ArrowArray *batch, gradus_error *err)
{
    const int64_t most = (int64_t)from->tile_rows;

    GR_TRY(check_batch(from, batch, err));
    for (int64_t first = 0; first < batch->length; first += most) {
        const int64_t left = batch->length - first;

        GR_TRY(append_tile(from, first, (size_t)(left < most ? left : most), err));
    }
    return GRADUS_OK;
}

static gradus_status stream_failed(struct ArrowArrayStream *stream, const char *what, int number,
                                   gradus_error *err)
{
    const char *text = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    const gradus_status status = number == ENOMEM ? GRADUS_NO_MEMORY : GRADUS_NO_FILE;

    if (text && *text)
        return gr_fail(err, status, "the Arrow stream failed at its %s: %.300s", what, text);
    return gr_fail(err, status, "the Arrow stream failed at its %s with error %d", what, number);
}

static gradus_status append_batches(reading *from, struct ArrowArrayStream *stream,
                                    gradus_error *err)
{
    for (from->batch = 1;; from->batch++) {
        struct ArrowArray batch = { 0 };
        const int number = stream->get_next(stream, &batch);

        if (number != 0)
            return stream_failed(stream, "next batch", number, err);
        if (!batch.release)
            return gr_progress(from->context, "reading", 1.0, err);
        gradus_status status = append_batch(from, &batch, err);

        batch.release(&batch);
        if (status == GRADUS_OK)
            status = gr_progress(from->context, "reading", 0.0, err);
        GR_TRY(status);
    }
}

static gradus_status read_stream(reading *from, struct ArrowArrayStream *stream,
                                 const gr_read_options *options, gradus_error *err)
{
    struct ArrowSchema schema = { 0 };

    if (!stream->get_schema || !stream->get_next)
        return gr_fail(err, GRADUS_BAD_FORMAT, "the Arrow stream lacks a callback");
    if (options->side_files)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "'side-files' needs a data file");
    const int number = stream->get_schema(stream, &schema);

    if (number != 0)
        return stream_failed(stream, "schema", number, err);
    gradus_status status = read_schema(from, &schema, options, err);

    if (schema.release)
        schema.release(&schema);
    GR_TRY(status);
    GR_TRY(name_features(from, err));
    GR_TRY(make_tile(from, err));
    return append_batches(from, stream, err);
}

gradus_dataset *gr_arrow_read(gradus_context *context, struct ArrowArrayStream *stream,
                              const gr_read_options *options, gradus_error *err)
{
    gr_read_options chosen = *options;
    reading from = { .context = context };
    gradus_dataset *data = NULL;

    if (!stream->release) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "the Arrow stream has been released");
        return NULL;
    }
    chosen.in_memory = true;
    from.builder = gr_builder_new(context, &chosen, "Arrow stream", err);
    if (from.builder && read_stream(&from, stream, &chosen, err) == GRADUS_OK)
        data = gr_builder_finish(from.builder, context, err);
    else
        gr_builder_free(from.builder);
    stream->release(stream);
    reading_free(&from);
    if (data && gr_read_finish(context, data, &chosen, err) != GRADUS_OK) {
        gradus_dataset_free(data);
        return NULL;
    }
    return data;
}
