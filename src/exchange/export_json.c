/* SPDX-License-Identifier: Apache-2.0 */
/* The format "json": the whole model, for readers and for programs. It is the header of the model
 * file with the contents of the sections as numbers, so that it holds models of every kind. */
#include "exchange/format.h"
#include "model/model_write.h"

enum { JSON_VERSION = 1 };

static gradus_status write_json(const gradus_model *model, const gr_export_options *options,
                                gr_buffer *out, gradus_error *err)
{
    gr_json_writer json = { .layout = GR_JSON_INDENTED };
    gradus_status status;

    gr_json_open(&json, NULL, '{');
    gr_json_put_text(&json, "format", "gradus json");
    gr_json_put_count(&json, "version", JSON_VERSION);
    gr_json_put_text(&json, "name", options->name);
    status = gr_model_put_json(model, &json, err);
    gr_json_close(&json, '}');
    if (status == GRADUS_OK)
        status = gr_json_done(&json, err);
    if (status == GRADUS_OK)
        gr_buffer_put(out, json.bytes.at, json.used);
    gr_json_writer_free(&json);
    return status;
}

const gr_format gr_format_json = {
    .about = { "json", "the whole model, readable",
               "Every number of the model and how it was trained: docs/formats/exported-models.md. "
               "Holds every model." },
    .used_by = "programs of your own, people",
    .extension = "json",
    .tolerance = 0,
    .check = "",
    .write = write_json,
};
