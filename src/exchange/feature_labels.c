/* SPDX-License-Identifier: Apache-2.0 */
/* Names of features in exported models. */
#include "exchange/feature_labels.h"

#include "base/json.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *gr_feature_label(const gradus_model *model, size_t f, char made[GRADUS_NUMBER_SIZE])
{
    const char *name = gr_name_at(&model->feature_names, f);

    if (*name)
        return name;
    snprintf(made, GRADUS_NUMBER_SIZE, "f%zu", model->first_id + f);
    return made;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

gradus_status gr_feature_labels_check(const gradus_model *model, const char *format,
                                      gradus_error *err)
{
    const size_t count = model->feature_names.count ? model->features : 0;
    char(*made)[GRADUS_NUMBER_SIZE] = gr_new_array(count, sizeof *made);
    const char **labels = gr_new_array(count, sizeof *labels);
    gradus_status status = made && labels ? GRADUS_OK : gr_fail_memory(err, "features");

    for (size_t f = 0; status == GRADUS_OK && f < count; f++)
        labels[f] = gr_feature_label(model, f, made[f]);
    if (status == GRADUS_OK)
        qsort(labels, count, sizeof *labels, by_text);
    for (size_t f = 1; status == GRADUS_OK && f < count; f++)
        if (strcmp(labels[f - 1], labels[f]) == 0)
            status = gr_fail(err, GRADUS_BAD_ARGUMENT,
                             "two features are named '%.60s', but '%s' identifies features by "
                             "name",
                             labels[f], format);
    free(made);
    free(labels);
    return status;
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
