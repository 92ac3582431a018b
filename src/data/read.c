/* SPDX-License-Identifier: Apache-2.0 */
/* Detects the format of the input and calls its reader. */
#include "data/read.h"

#include "data/binary.h"
#include "data/builder.h"
#include "data/csv.h"
#include "data/letor.h"
#include "data/select.h"
#include "data/side_files.h"
#include "data/weight_files.h"

#include <stdio.h>
#include <string.h>

static const char *const formats[] = { "auto", "text", "csv", "binary", NULL };
static const char *const storages[] = { "auto", "dense", "sparse", NULL };
static const char *const first_ids[] = { "auto", "0", "1", NULL };

static const gr_param read_params[] = {
    GR_PARAM_CHOICE(gr_read_options, format, "input-format", "FORM", "auto", formats,
                    "data format: text (LETOR/SVMlight), csv (or TSV), binary"),
    GR_PARAM_CHOICE(gr_read_options, storage, "storage", "HOW", "auto", storages,
                    "store rows dense or sparse; auto: by the fraction of values present"),
    GR_PARAM_CHOICE(gr_read_options, first_id, "first-id", "ID", "auto", first_ids,
                    "id of the first feature in text; auto: 0 if id 0 is used, else 1"),
    GR_PARAM_FLAG(gr_read_options, absent_is_missing, "absent-is-missing",
                  "treat features absent from a text row as missing, not as 0"),
    GR_PARAM_COUNT(gr_read_options, features, "features", "N", 0, 0, 2147483648.0,
                   "number of features; 0: from the data"),
    GR_PARAM_TEXT(
        gr_read_options, label_column, "label-column", "NAME", "",
        "CSV column of labels; default: label, relevance, grade or rating, else the first"),
    GR_PARAM_FLAG(gr_read_options, label_optional, "label-optional",
                  "without a column named as the label (CSV), set all labels to 0 instead of "
                  "using the first column"),
    GR_PARAM_TEXT(gr_read_options, query_column, "query-column", "NAME", "",
                  "CSV column of query ids; default: qid, query or query_id"),
    GR_PARAM_TEXT(gr_read_options, weight_column, "weight-column", "NAME", "",
                  "CSV column of row weights; default: weight"),
    GR_PARAM_TEXT(gr_read_options, document_column, "document-column", "NAME", "",
                  "CSV column of document names; default: docid or document"),
    GR_PARAM_TEXT(gr_read_options, ignore_column, "ignore-column", "NAMES", "",
                  "CSV columns to ignore, such as text: names or numbers from 1, comma-separated"),
    GR_PARAM_TEXT(
        gr_read_options, use_features, "use-features", "NAMES", "",
        "features to use: names, ids and ranges of ids (1-10,url_length); the others keep "
        "their ids but are 0 in every row"),
    GR_PARAM_TEXT(
        gr_read_options, ignore_features, "ignore-features", "NAMES", "",
        "features to ignore: names, ids and ranges of ids (1-10,url_length); they keep their "
        "ids but are 0 in every row"),
    GR_PARAM_PATH(gr_read_options, row_weights, "row-weights", "FILE", "", GRADUS_PATH_READ,
                  "row weights, one per line in the order of the data"),
    GR_PARAM_PATH(gr_read_options, query_weights, "query-weights", "FILE", "", GRADUS_PATH_READ,
                  "query weights, one per line in order of first appearance"),
    GR_PARAM_FLAG(gr_read_options, join_queries, "join-queries",
                  "with several files: merge the rows of a query id that occurs in more than one"),
    GR_PARAM_FLAG(
        gr_read_options, side_files, "side-files",
        "read FILE.query or FILE.group (rows per query) and FILE.weight next to each data file"),
    GR_PARAM_END,
};

const gr_operation gr_operation_read = {
    .name = "read",
    .summary = "how data files are read",
    .params = read_params,
    .size = sizeof(gr_read_options),
};

/* Whether the content starts like a header: a name, not a number, followed by a separator. */
static bool looks_like_csv(const unsigned char *bytes, size_t count)
{
    size_t i = count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const bool letter = i < count && ((bytes[i] | 0x20) >= 'a' && (bytes[i] | 0x20) <= 'z');

    if (i >= count || (!letter && bytes[i] != '"' && bytes[i] != '_'))
        return false;
    for (; i < count && bytes[i] != '\n'; i++)
        if (bytes[i] == ',' || bytes[i] == '\t' || bytes[i] == ';')
            return true;
    return false;
}

gradus_status gr_read_format_of(gr_source *source, const gr_read_options *options,
                                gr_read_format *format, gradus_error *err)
{
    const unsigned char *bytes;
    size_t count;

    GR_TRY(gr_source_peek(source, &bytes, &count, err));
    if (count == 0)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: the file is empty", gr_source_name(source));
    *format = (gr_read_format)options->format;
    if (gr_binary_is(bytes, count)) /* regardless of the option: it cannot be another format */
        *format = GR_READ_BINARY;
    else if (*format == GR_READ_BINARY)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: not a gradus data file",
                       gr_source_name(source));
    if (*format == GR_READ_AUTO)
        *format = looks_like_csv(bytes, count) ? GR_READ_CSV : GR_READ_TEXT;
    return GRADUS_OK;
}

static gradus_dataset *read_rows(gr_source *source, gr_read_format format,
                                 const gr_read_options *options, gradus_context *context,
                                 gradus_error *err)
{
    gr_builder *builder = gr_builder_new(context, options, gr_source_name(source), err);
    gradus_status status;

    if (!builder)
        return NULL;
    status = format == GR_READ_CSV ? gr_csv_read(source, options, context, builder, err)
                                   : gr_letor_read(source, options, context, builder, err);
    if (status != GRADUS_OK) {
        gr_builder_free(builder);
        return NULL;
    }
    return gr_builder_finish(builder, context, err);
}

static gradus_status read_bytes(const gradus_context *context, gr_source *source, gr_array *bytes,
                                size_t *size, gradus_error *err)
{
    char what[120];

    snprintf(what, sizeof what, "'%.80s', read from a pipe or decompressed,",
             gr_source_name(source));
    for (size_t got = 1; got > 0; *size += got) {
        GR_TRY(gr_check_memory(context, what, (double)*size, err));
        if (!gr_array_reserve(bytes, *size + (1 << 20)))
            return gr_fail_memory(err, "a data file");
        GR_TRY(gr_source_read(source, (char *)bytes->at + *size, 1 << 20, &got, err));
    }
    return GRADUS_OK;
}

/* Reads a compressed or piped binary file, which cannot be mapped, into memory. */
static gradus_dataset *read_packed_binary(const gradus_context *context, gr_source *source,
                                          gradus_error *err)
{
    gr_array bytes = { NULL, 0, false };
    size_t size = 0;

    if (read_bytes(context, source, &bytes, &size, err) != GRADUS_OK) {
        gr_array_free(&bytes);
        return NULL;
    }
    return gr_binary_from_memory(&bytes, size, gr_source_name(source), err);
}

gradus_dataset *gr_read_source(gradus_context *context, gr_source *source, const char *path,
                               const gr_read_options *options, gradus_error *err)
{
    gr_read_format format = GR_READ_AUTO;

    if (gr_read_format_of(source, options, &format, err) != GRADUS_OK)
        return NULL;
    if (format != GR_READ_BINARY)
        return read_rows(source, format, options, context, err);
    return path && gr_source_size(source) ? gr_binary_open(path, err)
                                          : read_packed_binary(context, source, err);
}

gradus_status gr_read_finish(gradus_context *context, gradus_dataset *data,
                             const gr_read_options *options, gradus_error *err)
{
    if (options->row_weights && options->row_weights[0])
        GR_TRY(gr_row_weights_read(data, options->row_weights, err));
    if (options->query_weights && options->query_weights[0])
        GR_TRY(gr_query_weights_read(data, options->query_weights, err));
    return gr_features_select(data, options, gr_pool_of(context), err);
}

gradus_dataset *gr_read_rows(gradus_context *context, const char *path,
                             const gr_read_options *options, gradus_error *err)
{
    gr_source *source = gr_source_open(path, err);
    gradus_dataset *data;

    if (!source)
        return NULL;
    data = gr_read_source(context, source, path, options, err);
    gr_source_close(source);
    if (data && options->side_files && gr_side_files_read(data, path, options, err) != GRADUS_OK) {
        gradus_dataset_free(data);
        return NULL;
    }
    return data;
}

gradus_dataset *gr_read(gradus_context *context, const char *path, const gr_read_options *options,
                        gradus_error *err)
{
    gradus_dataset *data = gr_read_rows(context, path, options, err);

    if (data && gr_read_finish(context, data, options, err) != GRADUS_OK) {
        gradus_dataset_free(data);
        return NULL;
    }
    return data;
}
