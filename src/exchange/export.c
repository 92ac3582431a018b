/* SPDX-License-Identifier: Apache-2.0 */
/* The operation "export": chooses a format, and writes the files. */
#include "exchange/export.h"

#include "base/sink.h"
#include "base/text.h"
#include "exchange/parity.h"

#include <string.h>

static const gr_format *const formats[] = {
#define GR_FORMAT(name, ...) &gr_format_##name,
#include "exchange/formats.def"
#undef GR_FORMAT
};

enum { FORMATS = sizeof formats / sizeof formats[0], OPSET_ML_OLD = 3, OPSET_ML_NEW = 5 };

static const char *const format_names[] = { "auto",
#define GR_FORMAT(name, ...) GR_SECOND_OF(, ##__VA_ARGS__, #name, NULL),
#include "exchange/formats.def"
#undef GR_FORMAT
                                            NULL };

static const gr_param export_params[] = {
    GR_PARAM_CHOICE(
        gr_export_options, format, "format", "FORMAT", "auto", format_names,
        "format of the file; auto: by extension, if only one has it ('gradus help formats')"),
    GR_PARAM_TEXT(gr_export_options, name, "name", "NAME", "model",
                  "name of the model, in formats that store one"),
    GR_PARAM_COUNT(gr_export_options, opset_ml, "opset-ml", "N", 5, 3, 5,
                   "onnx: version of the operators ai.onnx.ml, 5 or (for older runtimes) 3"),
    GR_PARAM_END,
};

const gr_operation gr_operation_export = {
    .name = "export",
    .summary = "write a model in the format of another tool",
    .params = export_params,
    .size = sizeof(gr_export_options),
};

const gr_format *gr_format_number(size_t index)
{
    return index < FORMATS ? formats[index] : NULL;
}

const gr_about *gr_formats_at(size_t index)
{
    return index < FORMATS ? &formats[index]->about : NULL;
}

static const char *extension_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    const char *dot = name ? strrchr(name, '.') : NULL;

    return dot && dot > name ? dot + 1 : "";
}

static const gr_format *by_extension(const char *path, gradus_error *err)
{
    const char *extension = extension_of(path);
    const gr_format *found = NULL;
    char names[200] = "";
    size_t count = 0;

    for (size_t f = 0; f < FORMATS; f++)
        if (strcmp(formats[f]->extension, extension) == 0) {
            found = formats[f];
            gr_text_append(names, sizeof names, count++ ? ", " : "");
            gr_text_append(names, sizeof names, found->about.name);
        }
    if (count == 1)
        return found;
    if (!path || !*extension)
        gr_fail(err, GRADUS_BAD_ARGUMENT, "an export needs a format, such as json");
    else if (count == 0)
        gr_fail(err, GRADUS_BAD_ARGUMENT, "no format has the extension '.%.60s'; name a format",
                extension);
    else
        gr_fail(err, GRADUS_BAD_ARGUMENT,
                "%zu formats have the extension '.%.60s'; name a format: %s", count, extension,
                names);
    return NULL;
}

const gr_format *gr_export_choose(const gradus_options *options, const char *path,
                                  gr_export_options *chosen, gradus_error *err)
{
    if (gr_options_get(options, &gr_operation_export, chosen, err) != GRADUS_OK)
        return NULL;
    if (chosen->opset_ml != OPSET_ML_OLD && chosen->opset_ml != OPSET_ML_NEW) {
        gr_fail(err, GRADUS_BAD_ARGUMENT, "'opset-ml' is %zu, but must be 3 or 5",
                (size_t)chosen->opset_ml);
        return NULL;
    }
    return chosen->format ? formats[chosen->format - 1] : by_extension(path, err);
}

static gradus_status choose(const gradus_options *options, const char *path,
                            gr_export_options *chosen, const gr_format **format, gradus_error *err)
{
    gradus_error found = { GRADUS_BAD_ARGUMENT, "" };

    *format = gr_export_choose(options, path, chosen, &found);
    return *format ? GRADUS_OK : gr_fail(err, found.status, "%s", found.message);
}

gradus_status gr_export(const gradus_model *model, const gradus_options *options, const char *path,
                        gr_buffer *out, gradus_error *err)
{
    gr_export_options chosen;
    const gr_format *format;

    GR_TRY(choose(options, path, &chosen, &format, err));
    if (model->features == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has no features: '%s' cannot hold it",
                       format->about.name);
    GR_TRY(format->write(model, &chosen, out, err));
    return gr_buffer_done(out, err);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static gradus_status open_sink(const char *path, gr_sink **sink, gradus_error *err)
{
    gradus_error found = { GRADUS_NO_FILE, "" };

    *sink = gr_sink_open(path, GR_PLAIN, &found);
    return *sink ? GRADUS_OK : gr_fail(err, found.status, "%s", found.message);
}

static gradus_status write_both(const gr_buffer *text, gr_sink *file, const gr_buffer *rows,
                                gr_sink *parity, gradus_error *err)
{
    GR_TRY(gr_sink_write(file, text->bytes.at, text->used, err));
    return parity ? gr_sink_write(parity, rows->bytes.at, rows->used, err) : GRADUS_OK;
}

/* The parity file is moved into place first: alone it does no harm. */
static gradus_status write_files(const gr_buffer *text, const char *path, const gr_buffer *rows,
                                 const char *parity, gradus_error *err)
{
    gr_sink *file = NULL, *beside = NULL;
    gradus_status status = open_sink(path, &file, err);

    if (status == GRADUS_OK && parity)
        status = open_sink(parity, &beside, err);
    if (status == GRADUS_OK)
        status = write_both(text, file, rows, beside, err);
    if (status == GRADUS_OK && beside) {
        status = gr_sink_close(beside, err);
        beside = NULL;
    }
    if (status == GRADUS_OK)
        return gr_sink_close(file, err);
    gr_sink_abandon(beside);
    gr_sink_abandon(file);
    return status;
}

gradus_status gr_export_write(const gradus_model *model, const gradus_options *options,
                              const char *path, const char *parity, gradus_error *err)
{
    gr_buffer text = { .used = 0 }, rows = { .used = 0 };
    gr_export_options chosen;
    const gr_format *format;

    GR_TRY(choose(options, path, &chosen, &format, err));
    gradus_status status = gr_export(model, options, path, &text, err);

    if (status == GRADUS_OK && parity)
        status = gr_parity(model, format,
                           &(gr_parity_names){ base_name(path), base_name(parity), chosen.name },
                           &rows, err);
    if (status == GRADUS_OK)
        status = write_files(&text, path, &rows, parity, err);
    gr_buffer_free(&rows);
    gr_buffer_free(&text);
    return status;
}
