/* SPDX-License-Identifier: Apache-2.0 */
/* Public API: models in the formats of other tools. */
#include "api/api_arguments.h"
#include "exchange/export.h"
#include "exchange/import.h"

#include <stdlib.h>
#include <string.h>

bool gradus_format_at(size_t index, gradus_format *format)
{
    const gr_format *found = gr_format_number(index);

    if (!GR_GIVEN(NULL, format))
        return false;
    if (found)
        *format = (gradus_format){ found->about.name, found->used_by, found->extension,
                                   found->methods, found->tolerance };
    return found != NULL;
}

/* A copy that the caller can free. */
static gradus_status take_bytes(const gr_buffer *from, void **bytes, size_t *size,
                                gradus_error *err)
{
    char *copy = malloc(from->used + 1);

    if (!copy)
        return gr_fail_memory(err, "an exported model");
    if (from->used > 0)
        memcpy(copy, from->bytes.at, from->used);
    copy[from->used] = '\0';
    *bytes = copy;
    *size = from->used;
    return GRADUS_OK;
}

gradus_status gradus_export(const gradus_model *model, const gradus_options *options, void **bytes,
                            size_t *size, gradus_error *err)
{
    gr_buffer out = { .used = 0 };
    gradus_status status;

    if (!GR_GIVEN(err, model, bytes, size))
        return GRADUS_BAD_ARGUMENT;
    status = gr_export(model, options, NULL, &out, err);
    if (status == GRADUS_OK)
        status = take_bytes(&out, bytes, size, err);
    gr_buffer_free(&out);
    return status;
}

gradus_status gradus_export_write(const gradus_model *model, const gradus_options *options,
                                  const char *path, const char *parity, gradus_error *err)
{
    if (!GR_GIVEN(err, model, path))
        return GRADUS_BAD_ARGUMENT;
    return gr_export_write(model, options, path, parity, err);
}

gradus_model *gradus_import(const char *path, gradus_error *err)
{
    if (!GR_GIVEN(err, path))
        return NULL;
    return gr_model_import(path, err);
}

gradus_model *gradus_import_bytes(const void *bytes, size_t size, gradus_error *err)
{
    if (!GR_GIVEN(err, bytes))
        return NULL;
    return gr_model_import_bytes(bytes, size, "model in memory", err);
}
