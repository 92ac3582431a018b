/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the importer for a file by its content. */
#include "exchange/import.h"

#include "base/source.h"
#include "exchange/importer.h"
#include "exchange/refused_formats.h"
#include "model/model_open.h"
#include "model/model_reader.h"

#include <string.h>
#include <sys/stat.h>

enum { FRONT = 1 << 16 }; /* bytes that importers see */

static const size_t max_size = (size_t)1 << 32;

static const gr_importer *const importers[] = {
#define GR_IMPORTER(name) &gr_importer_##name,
#include "exchange/importers.def"
#undef GR_IMPORTER
    NULL,
};

const gr_about *gr_importers_at(size_t index)
{
    return index + 1 < sizeof importers / sizeof *importers ? &importers[index]->about : NULL;
}

static const gr_importer *detect(const char *bytes, size_t size)
{
    const size_t seen = size < FRONT ? size : FRONT;

    for (size_t i = 0; importers[i]; i++)
        if (importers[i]->detect(bytes, seen))
            return importers[i];
    return NULL;
}

static gradus_model *fail_unknown(const char *name, gradus_error *err)
{
    gr_fail(err, GRADUS_BAD_FORMAT,
            "'%.300s' is not a gradus model, nor one of XGBoost, LightGBM or RankLib", name);
    return NULL;
}

static const char *detect_refused(const char *bytes, size_t size)
{
    return gr_refused_format(bytes, size < FRONT ? size : FRONT);
}

static gradus_model *import_source(gr_source *source, gradus_error *err)
{
    const char *name = gr_source_name(source);
    gr_array content = { NULL, 0, false };
    const gr_importer *importer;
    const char *refused;
    gradus_model *model = NULL;
    size_t size = 0;

    if (gr_source_read_rest(source, max_size, &content, &size, err) == GRADUS_OK) {
        refused = detect_refused(content.at, size);
        importer = detect(content.at, size);
        if (refused)
            gr_fail(err, GRADUS_BAD_ARGUMENT, "'%.300s' is %s", name, refused);
        else if (importer)
            model = importer->read(content.at, size, name, err);
        else if (gr_model_is_magic(content.at, size))
            gr_fail(err, GRADUS_BAD_ARGUMENT, "'%.300s' is a gradus model already", name);
        else
            fail_unknown(name, err);
    }
    gr_array_free(&content);
    return model;
}

gradus_model *gr_model_import(const char *path, gradus_error *err)
{
    gr_source *source = gr_source_open(path, err);
    gradus_model *model = source ? import_source(source, err) : NULL;

    gr_source_close(source);
    return model;
}

gradus_model *gr_model_import_bytes(const char *bytes, size_t size, const char *name,
                                    gradus_error *err)
{
    gr_source *source = gr_source_from_memory(bytes, size, name, err);
    gradus_model *model = source ? import_source(source, err) : NULL;

    gr_source_close(source);
    return model;
}

gradus_model *gr_model_read_any(const char *path, gradus_error *err)
{
    const unsigned char *first;
    gradus_model *model = NULL;
    gr_source *source;
    size_t count;

    if (gr_model_is_file(path))
        return gr_model_read(path, err);
    source = gr_source_open(path, err);
    if (source && gr_source_peek(source, &first, &count, err) == GRADUS_OK)
        model = gr_model_is_magic(first, count) ? gr_model_read_source(source, err)
                                                : import_source(source, err);
    gr_source_close(source);
    return model;
}

/* The first bytes of a regular file, decompressed; none if it cannot be read. */
static gradus_status read_front(const char *path, char *bytes, size_t *size)
{
    gradus_error failure = { GRADUS_OK, "" };
    gr_source *source;
    struct stat about;
    size_t got = 1;

    *size = 0;
    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return GRADUS_OK;
    source = gr_source_open(path, &failure);
    while (source && got > 0 && *size < FRONT) {
        if (gr_source_read(source, bytes + *size, FRONT - *size, &got, &failure) != GRADUS_OK)
            break;
        *size += got;
    }
    gr_source_close(source);
    return failure.status == GRADUS_NO_MEMORY ? GRADUS_NO_MEMORY : GRADUS_OK;
}

gradus_status gr_model_is_any(const char *path, bool *is_model, gradus_error *err)
{
    char bytes[FRONT];
    size_t size;

    *is_model = gr_model_is_file(path);
    if (*is_model)
        return GRADUS_OK;
    if (read_front(path, bytes, &size) != GRADUS_OK)
        return gr_fail_memory(err, "the first bytes of a file");
    *is_model =
        gr_model_is_magic(bytes, size) || detect(bytes, size) || detect_refused(bytes, size);
    return GRADUS_OK;
}
