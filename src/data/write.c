/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rows. They are formatted in parallel, in chunks whose size depends only on the data,
 * and written in order. */
#include "data/write.h"

#include "base/bisect.h"
#include "data/sections.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS_IN_STRETCH = 1 << 16 };
enum { COMPRESS_AUTO, COMPRESS_NONE, COMPRESS_GZIP, COMPRESS_ZSTD };

static const char *const formats[] = { "auto", "text", "csv", "tsv", "binary", NULL };
static const char *const compressions[] = { "auto", "none", "gzip", "zstd", NULL };

static const gr_param write_params[] = {
    GR_PARAM_CHOICE(
        gr_write_options, format, "output-format", "FORM", "auto", formats,
        "output format; auto: by extension (.csv, .tsv, .bin, .gradus), otherwise text"),
    GR_PARAM_CHOICE(gr_write_options, compress, "compress", "HOW", "auto", compressions,
                    "compression; auto: by extension (.gz, .zst)"),
    GR_PARAM_FLAG(gr_write_options, skip_zeros, "skip-zeros", "text: omit the zeros of dense rows"),
    GR_PARAM_FLAG(gr_write_options, no_header, "no-header", "csv, tsv: omit the header"),
    GR_PARAM_END,
};

const gr_operation gr_operation_write = {
    .name = "write",
    .summary = "write data as text, CSV, TSV or binary",
    .params = write_params,
    .size = sizeof(gr_write_options),
};

char *gr_characters_room(gr_characters *text, size_t room)
{
    size_t needed;

    if (!gr_size_plus(text->used, room, &needed) || !gr_array_reserve(&text->array, needed))
        return NULL;
    return (char *)text->array.at + text->used;
}

static bool ends_in(const char *name, size_t length, const char *ending)
{
    const size_t size = strlen(ending);

    return length > size && strncmp(name + length - size, ending, size) == 0;
}

static gr_data_format format_of_name(const char *path)
{
    size_t length = strlen(path);

    if (ends_in(path, length, ".gz"))
        length -= 3;
    else if (ends_in(path, length, ".zst"))
        length -= 4;
    if (ends_in(path, length, ".csv"))
        return GR_FORMAT_CSV;
    if (ends_in(path, length, ".tsv"))
        return GR_FORMAT_TSV;
    if (ends_in(path, length, ".bin") || ends_in(path, length, ".gradus"))
        return GR_FORMAT_BINARY;
    return GR_FORMAT_TEXT;
}

static gr_data_format format_of(const char *path, const gr_write_options *options)
{
    return options->format == GR_FORMAT_AUTO ? format_of_name(path)
                                             : (gr_data_format)options->format;
}

static gr_packing packing_of(const char *path, const gr_write_options *options)
{
    switch (options->compress) {
    case COMPRESS_NONE:
        return GR_PLAIN;
    case COMPRESS_GZIP:
        return GR_GZIP;
    case COMPRESS_ZSTD:
        return GR_ZSTD;
    default:
        return gr_packing_of_name(path);
    }
}

static const gr_row_form *form_of(gr_data_format format)
{
    switch (format) {
    case GR_FORMAT_CSV:
        return &gr_row_form_csv;
    case GR_FORMAT_TSV:
        return &gr_row_form_tsv;
    case GR_FORMAT_BINARY:
        return NULL;
    default:
        return &gr_row_form_text;
    }
}

static bool last_feature_appears(const gradus_arrays *a)
{
    for (size_t r = 0; r < a->rows; r++)
        if (a->row_starts[r + 1] > a->row_starts[r] &&
            a->columns[a->row_starts[r + 1] - 1] + (size_t)1 == a->features)
            return true;
    return false;
}

static bool first_feature_appears(const gradus_arrays *a)
{
    for (size_t r = 0; r < a->rows; r++)
        if (a->row_starts[r + 1] > a->row_starts[r] && a->columns[a->row_starts[r]] == 0)
            return true;
    return false;
}

gr_row_shape gr_row_shape_of(const gradus_dataset *data)
{
    const bool sparse = !gr_dataset_is_dense(data);

    return (gr_row_shape){
        .features = data->arrays.features,
        .first_id = data->first_id,
        .parts = gr_parts_of(data),
        .one_query = data->arrays.queries == 1 && data->query_names.count == 0,
        .names_last = sparse && !last_feature_appears(&data->arrays),
        .names_first = sparse && data->first_id == 0 && !first_feature_appears(&data->arrays),
        .feature_names = data->feature_names,
    };
}

/* Prepares " 17:" for low feature ids, so that rows need not format them again. */
static gradus_status make_prefixes(gr_row_writer *w, gradus_error *err)
{
    const size_t count = w->shape.features < GR_PREFIXES ? w->shape.features : GR_PREFIXES;

    w->prefixes = gr_new_array(count, sizeof *w->prefixes);
    if (!w->prefixes)
        return gr_fail_memory(err, "feature prefixes");
    for (size_t f = 0; f < count; f++) {
        char number[GRADUS_NUMBER_SIZE];
        const size_t length = gr_format_count(f + w->shape.first_id, number);
        char *prefix = w->prefixes[f];

        prefix[0] = (char)(length + 2);
        prefix[1] = ' ';
        memcpy(prefix + 2, number, length);
        prefix[2 + length] = ':';
    }
    return GRADUS_OK;
}

static gradus_status begin(gr_row_writer *w, const char *path, gradus_error *err)
{
    gr_characters *text = &w->text[0];

    if (!w->form) {
        w->binary = gr_binary_writer_new(w->sink, path, &w->shape, err);
        return w->binary ? GRADUS_OK : GRADUS_BAD_ARGUMENT;
    }
    if (w->form == &gr_row_form_text)
        return make_prefixes(w, err);
    if (w->form->begin)
        GR_TRY(w->form->begin(w, text, err));
    return text->used ? gr_sink_write(w->sink, text->array.at, text->used, err) : GRADUS_OK;
}

gr_row_writer *gr_row_writer_open(const char *path, const gr_write_options *options,
                                  const gr_row_shape *shape, gr_pool *pool, gradus_error *err)
{
    gr_row_writer *w = calloc(1, sizeof *w);

    if (!w) {
        gr_fail_memory(err, "a file");
        return NULL;
    }
    w->shape = *shape;
    w->options = *options;
    w->pool = pool;
    w->slots = gr_stream_slots(pool);
    w->form = form_of(format_of(path, options));
    w->sink = gr_sink_open(path, packing_of(path, options), err);
    if (!w->sink || begin(w, path, err) != GRADUS_OK) {
        gr_row_writer_abandon(w);
        return NULL;
    }
    return w;
}

/* The query of row r; usually that of the previous row or the next one. */
static size_t query_of(const gradus_arrays *a, size_t r, size_t hint)
{
    const uint64_t *starts = a->query_starts;

    if (r >= starts[hint] && r < starts[hint + 1])
        return hint;
    if (hint + 1 < a->queries && r >= starts[hint + 1] && r < starts[hint + 2])
        return hint + 1;
    return gr_interval_of(starts, a->queries, r);
}

typedef struct appending {
    gr_row_writer *writer;
    const gradus_dataset *block;
    uint64_t *order; /* the row at each position of the file; NULL: in order */
    size_t chunk;    /* rows per chunk */
} appending;

static gradus_status format_chunk(void *argument, size_t index, size_t slot, gradus_error *err)
{
    const appending *work = argument;
    gr_row_writer *w = work->writer;
    const gradus_arrays *a = &work->block->arrays;
    const size_t from = index * work->chunk;
    const size_t to = a->rows - from < work->chunk ? a->rows : from + work->chunk;
    gr_row row = { .block = work->block };

    w->text[slot].used = 0;
    for (size_t place = from; place < to; place++) {
        row.r = work->order ? (size_t)work->order[place] : place;
        row.q = query_of(a, row.r, row.q);
        row.query_number = w->queries + row.q + 1;
        row.first = w->rows + place == 0;
        GR_TRY(w->form->row(w, &row, &w->text[slot], err));
    }
    return GRADUS_OK;
}

static gradus_status write_chunk(void *argument, size_t index, size_t slot, gradus_error *err)
{
    const appending *work = argument;
    const gr_characters *text = &work->writer->text[slot];

    (void)index;
    return gr_sink_write(work->writer->sink, text->array.at, text->used, err);
}

static size_t rows_in_chunk(const gradus_dataset *block)
{
    const gradus_arrays *a = &block->arrays;
    const size_t numbers = gr_dataset_is_dense(block)
                               ? a->features
                               : (size_t)(gr_part_count(block, GR_COLUMNS) / a->rows);

    return NUMBERS_IN_STRETCH / (numbers + 8) + 1;
}

static gradus_status append_text(gr_row_writer *w, const gradus_dataset *block, gradus_error *err)
{
    const size_t rows = block->arrays.rows;
    appending work = { w, block, NULL, rows_in_chunk(block) };
    const gr_stream stream = { format_chunk, write_chunk, &work, w->slots, w->told, "writing" };
    gradus_status status;

    if (block->file_rows) {
        work.order = gr_new_array(rows, sizeof *work.order);
        if (!work.order)
            return gr_fail_memory(err, "the row order");
        for (size_t r = 0; r < rows; r++)
            work.order[block->file_rows[r]] = r;
    }
    status = gr_pool_stream(w->pool, (rows + work.chunk - 1) / work.chunk, &stream, err);
    free(work.order);
    return status;
}

static gradus_status check_shape(const gr_row_writer *w, const gradus_dataset *block,
                                 gradus_error *err)
{
    const unsigned features = GR_PART(GR_FEATURE_BYTES) | GR_PART(GR_FEATURE_NAMES);
    const unsigned wanted = w->shape.parts & ~features;

    if (block->arrays.rows == 0 || block->arrays.features != w->shape.features)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a block has %zu rows and %zu features, not %zu",
                       block->arrays.rows, block->arrays.features, w->shape.features);
    if ((gr_parts_of(block) & wanted) != wanted)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "a block lacks an array that the others have");
    return GRADUS_OK;
}

gradus_status gr_row_writer_append(gr_row_writer *w, const gradus_dataset *block, gradus_error *err)
{
    GR_TRY(gr_dataset_need(block, GR_NEED_ALL, w->pool, err));
    GR_TRY(check_shape(w, block, err));
    if (w->binary)
        GR_TRY(gr_binary_writer_append(w->binary, block, err));
    else
        GR_TRY(append_text(w, block, err));
    w->rows += block->arrays.rows;
    w->queries += block->arrays.queries;
    return GRADUS_OK;
}

static void writer_free(gr_row_writer *w)
{
    for (size_t slot = 0; slot < GR_STREAM_SLOTS; slot++)
        gr_array_free(&w->text[slot].array);
    gr_binary_writer_free(w->binary);
    free(w->prefixes);
    free(w);
}

gradus_status gr_row_writer_close(gr_row_writer *w, gradus_error *err)
{
    gr_sink *sink = w->sink;
    const gradus_status status = w->binary ? gr_binary_writer_finish(w->binary, err) : GRADUS_OK;

    writer_free(w);
    if (status != GRADUS_OK) {
        gr_sink_abandon(sink);
        return status;
    }
    return gr_sink_close(sink, err);
}

void gr_row_writer_abandon(gr_row_writer *w)
{
    if (!w)
        return;
    gr_sink_abandon(w->sink);
    writer_free(w);
}

/* Writes a complete dataset, which unlike single blocks can go to a pipe. */
static gradus_status write_binary(const gradus_dataset *data, const char *path,
                                  const gr_write_options *options, gr_pool *pool, gradus_error *err)
{
    gr_sink *sink = gr_sink_open(path, packing_of(path, options), err);
    gradus_status status;

    if (!sink)
        return err ? err->status : GRADUS_NO_FILE;
    status = gr_binary_write(data, sink, pool, err);
    if (status == GRADUS_OK)
        return gr_sink_close(sink, err);
    gr_sink_abandon(sink);
    return status;
}

static void note_losses(gradus_context *context, const gradus_dataset *data, gr_data_format format)
{
    const gradus_arrays *a = &data->arrays;

    if (a->query_weights)
        gr_note(context, "query weights are not written: only binary files store them");
    if (data->feature_names.count && format == GR_FORMAT_TEXT)
        gr_note(context,
                "feature names are not written: only csv, tsv and binary files store them");
}

gradus_status gr_write(gradus_context *context, const gradus_dataset *data, const char *path,
                       const gr_write_options *options, gradus_error *err)
{
    gr_pool *pool = gr_pool_of(context);
    const gr_data_format format = format_of(path, options);
    gradus_error local = { GRADUS_OK, "" };
    gradus_error *told = err ? err : &local;
    gr_row_shape shape;
    gr_row_writer *writer;

    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, pool, err));
    if (format == GR_FORMAT_BINARY)
        return write_binary(data, path, options, pool, told);
    note_losses(context, data, format);
    shape = gr_row_shape_of(data);
    writer = gr_row_writer_open(path, options, &shape, pool, told);
    if (!writer)
        return told->status;
    writer->told = context;
    if (gr_row_writer_append(writer, data, told) == GRADUS_OK)
        return gr_row_writer_close(writer, told);
    gr_row_writer_abandon(writer);
    return told->status;
}
