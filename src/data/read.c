#include "data/read.h"

#include "base/source.h"
#include "data/builder.h"
#include "data/letor.h"

#include <string.h>

static const char *const formats[] = { "auto", "text", "csv", "binary", NULL };
static const char *const storages[] = { "auto", "dense", "sparse", NULL };
static const char *const first_ids[] = { "auto", "0", "1", NULL };

static const gr_param read_params[] = {
    GR_PARAM_CHOICE(gr_read_options, format, "format", "FORM", "auto", formats,
                    "form of the data: text (LETOR/SVMlight), csv (or TSV), binary"),
    GR_PARAM_CHOICE(gr_read_options, storage, "storage", "HOW", "auto", storages,
                    "keep rows dense or sparse; auto: by how many values are given"),
    GR_PARAM_CHOICE(gr_read_options, first_id, "first-id", "ID", "auto", first_ids,
                    "id of the first feature in text; auto: 0 if id 0 is used, else 1"),
    GR_PARAM_FLAG(gr_read_options, absent_is_missing, "absent-is-missing",
                  "a feature that a text row does not name is missing, not 0"),
    GR_PARAM_COUNT(gr_read_options, features, "features", "N", 0, 0, 2147483648.0,
                   "number of features; 0: as many as the data have"),
    GR_PARAM_TEXT(gr_read_options, label_column, "label-column", "NAME", "",
                  "CSV column of labels; default: label, relevance, grade or rating, else the first"),
    GR_PARAM_TEXT(gr_read_options, query_column, "query-column", "NAME", "",
                  "CSV column of query ids; default: qid, query or query_id"),
    GR_PARAM_TEXT(gr_read_options, weight_column, "weight-column", "NAME", "",
                  "CSV column of row weights; default: weight"),
    GR_PARAM_TEXT(gr_read_options, document_column, "document-column", "NAME", "",
                  "CSV column of document names; default: docid or document"),
    GR_PARAM_END,
};

const gr_operation gr_operation_read = { "read", "how data files are read", read_params,
                                         sizeof(gr_read_options) };

/* A header of names, not numbers, with a separator. */
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

static gradus_status find_format(gr_source *source, const gr_read_options *options,
                                 gr_read_format *format, gradus_error *err)
{
    const unsigned char *bytes;
    size_t count;

    GR_TRY(gr_source_peek(source, &bytes, &count, err));
    if (count == 0)
        return gr_fail(err, GRADUS_BAD_FORMAT, "%.300s: the file is empty", gr_source_name(source));
    *format = (gr_read_format)options->format;
    if (*format == GR_READ_AUTO)
        *format = looks_like_csv(bytes, count) ? GR_READ_CSV : GR_READ_TEXT;
    return GRADUS_OK;
}

static gradus_dataset *read_text(gr_source *source, const gr_read_options *options,
                                 gradus_context *context, gradus_error *err)
{
    gr_builder *builder = gr_builder_new(options, gr_source_name(source), err);

    if (!builder)
        return NULL;
    if (gr_letor_read(source, options, context, builder, err) != GRADUS_OK) {
        gr_builder_free(builder);
        return NULL;
    }
    return gr_builder_finish(builder, context, err);
}

static gradus_dataset *read_source(gr_source *source, const gr_read_options *options,
                                   gradus_context *context, gradus_error *err)
{
    gr_read_format format;

    if (find_format(source, options, &format, err) != GRADUS_OK)
        return NULL;
    return read_text(source, options, context, err);
}

gradus_dataset *gr_read(gradus_context *context, const char *path, const gr_read_options *options,
                        gradus_error *err)
{
    gr_source *source = gr_source_open(path, err);
    gradus_dataset *data;

    if (!source)
        return NULL;
    data = read_source(source, options, context, err);
    gr_source_close(source);
    return data;
}
