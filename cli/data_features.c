/* SPDX-License-Identifier: Apache-2.0 */
/* Names and ids of features where a model and data are given. A model of another tool may number
 * features from 0 and the data from 1: the user sees and types the ids of the data. */
#include "common.h"

#include <string.h>

const char *data_feature_name(const gradus_model *model, const gradus_dataset *data, size_t feature)
{
    const char *name = gradus_model_feature_name(model, feature);

    return name[0] ? name : gradus_dataset_feature_name(data, feature);
}

void add_data_feature(text *t, const gradus_model *model, const gradus_dataset *data,
                      size_t feature)
{
    const char *name = data_feature_name(model, data, feature);

    if (name[0])
        text_add_shown(t, name);
    else
        text_format(t, "%zu", feature + gradus_dataset_first_id(data));
}

void note_feature_ids(const arguments *given, const gradus_model *model, const gradus_dataset *data)
{
    const size_t own = gradus_model_first_id(model), first = gradus_dataset_first_id(data);

    if (!given->quiet && own != first && !data_feature_name(model, data, 0)[0])
        say("note: features have the ids of the data, from %zu; the model counts them from %zu\n",
            first, own);
}

int find_data_feature(const gradus_model *model, const gradus_dataset *data, const char *word,
                      size_t *feature)
{
    gradus_model_info info;
    gradus_error err;

    gradus_model_describe(model, &info);
    for (size_t f = 0; word[0] && f < info.features; f++)
        if (strcmp(gradus_model_feature_name(model, f), word) == 0) {
            *feature = f;
            return 0;
        }
    if (gradus_dataset_find_feature(data, word, feature, &err) != GRADUS_OK)
        return fail(&err);
    return 0;
}
