/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the model of an importer. */
#include "exchange/import_model.h"

#include "base/text.h"
#include "model/forest_node.h"
#include "model/linear_node.h"
#include "model/model_check.h"

#include <string.h>

static gradus_status set_scorer(gr_scorer *scorer, gr_meaning meaning, size_t outputs,
                                gradus_error *err)
{
    scorer->meaning = meaning;
    scorer->outputs = outputs;
    scorer->rule = meaning == GR_MEANS_SCORE ? GR_SCORE_OUTPUT : GR_SCORE_EXPECTED_GRADE;
    if (meaning == GR_MEANS_SCORE)
        return GRADUS_OK;
    scorer->levels = outputs;
    scorer->level_labels = gr_new_array(outputs, sizeof *scorer->level_labels);
    scorer->shares = gr_new_array(outputs, sizeof *scorer->shares);
    if (!scorer->level_labels || !scorer->shares)
        return gr_fail_memory(err, "a model");
    /* How often each class occurred in training is not stored. */
    for (size_t k = 0; k < outputs; k++) {
        scorer->level_labels[k] = (double)k;
        scorer->shares[k] = 1.0 / (double)outputs;
    }
    return GRADUS_OK;
}

gradus_model *gr_import_model_new(const char *tool, size_t features, size_t first_id,
                                  gr_meaning meaning, size_t outputs, gradus_error *err)
{
    gradus_model *model = gr_model_new(err);

    if (!model)
        return NULL;
    model->features = features;
    model->first_id = first_id;
    model->finished = true;
    if (gr_model_set_text(&model->method, tool, err) != GRADUS_OK ||
        set_scorer(&model->scorer, meaning, outputs, err) != GRADUS_OK) {
        gr_model_free(model);
        return NULL;
    }
    return model;
}

/* Whether the names are prefix<first>, prefix<first + 1>, ... */
static bool are_numbered(const gr_name_list *names, const char *prefix, size_t first)
{
    const gr_names all = gr_name_list_names(names);
    const size_t length = strlen(prefix);

    for (size_t f = 0; f < all.count; f++) {
        const char *name = gr_name_at(&all, f);
        char number[GRADUS_NUMBER_SIZE];

        gr_format_count(f + first, number);
        if (strncmp(name, prefix, length) != 0 || strcmp(name + length, number) != 0)
            return false;
    }
    return true;
}

void gr_import_names(gradus_model *model, gr_name_list *names)
{
    static const char *const prefixes[] = { "f", "Column_" };

    if (names->count == 0)
        return;
    for (size_t first = 0; first < 2; first++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (are_numbered(names, prefixes[i], first)) {
                model->first_id = first;
                return;
            }
    model->feature_bytes = names->bytes;
    model->feature_starts = names->starts;
    model->feature_names = gr_name_list_names(names);
    *names = (gr_name_list){ .count = 0 };
}

/* Adds a node if status is GRADUS_OK, and checks the model. */
static gradus_model *finish(gradus_model *model, gr_node *node, gradus_status status,
                            const gr_import_file *file, gradus_error *err)
{
    gradus_error fault = { GRADUS_OK, "" };

    if (status == GRADUS_OK) {
        status = gr_model_add_node(model, node, err);
        if (status != GRADUS_OK)
            gr_node_free(node);
    }
    if (status == GRADUS_OK) {
        model->rounds_done = gr_model_rounds(model);
        status = gr_model_check(model, &fault);
        if (status != GRADUS_OK)
            gr_fail(err, status, "%.200s: %.250s", file->name, fault.message);
    }
    if (status == GRADUS_OK)
        return model;
    gr_model_free(model);
    return NULL;
}

gradus_model *gr_import_forest(gradus_model *model, gr_forest *forest, const gr_import_file *file,
                               gradus_error *err)
{
    gr_node node;
    const gradus_status status = gr_forest_node_new(forest, &node, err);

    return finish(model, &node, status, file, err);
}

gradus_model *gr_import_linear(gradus_model *model, gr_linear *linear, const gr_import_file *file,
                               gradus_error *err)
{
    gr_node node;
    const gradus_status status = gr_linear_node_new(linear, &node, err);

    return finish(model, &node, status, file, err);
}
