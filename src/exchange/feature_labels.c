/* SPDX-License-Identifier: Apache-2.0 */
/* Names of features in exported models. */
#include "exchange/feature_labels.h"

#include "base/json.h"
#include "base/text.h"

#include <stdio.h>

const char *gr_feature_label(const gradus_model *model, size_t f, char made[GRADUS_NUMBER_SIZE])
{
    const char *name = gr_name_at(&model->feature_names, f);

    if (*name)
        return name;
    snprintf(made, GRADUS_NUMBER_SIZE, "f%zu", model->first_id + f);
    return made;
}

void gr_put_json_text(gr_buffer *out, const char *text)
{
    gr_json_writer json = { .layout = GR_JSON_FILE };

    gr_json_put_text(&json, NULL, text);
    if (json.failed)
        out->failed = true;
    else
        gr_buffer_put(out, json.bytes.at, json.used);
    gr_json_writer_free(&json);
}
