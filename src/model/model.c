/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, fills and frees models, and finds their nodes by kind. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

gradus_status gr_model_set_text(char **text, const char *value, gradus_error *err)
{
    char *copy = strdup(value);

    if (!copy)
        return gr_fail_memory(err, "a model");
    free(*text);
    *text = copy;
    return GRADUS_OK;
}

gradus_model *gr_model_new(gradus_error *err)
{
    gradus_model *model = calloc(1, sizeof *model);

    if (!model) {
        gr_fail_memory(err, "a model");
        return NULL;
    }
    model->log_likelihood = NAN;
    if (gr_model_set_text(&model->method, "", err) == GRADUS_OK &&
        gr_model_set_text(&model->metric, "", err) == GRADUS_OK &&
        gr_model_set_text(&model->convention, "", err) == GRADUS_OK)
        return model;
    gr_model_free(model);
    return NULL;
}

static gr_setting *find_setting(const gradus_model *model, const char *name)
{
    for (size_t i = 0; i < model->setting_count; i++)
        if (strcmp(model->settings[i].name, name) == 0)
            return &model->settings[i];
    return NULL;
}

const char *gr_model_setting(const gradus_model *model, const char *name)
{
    const gr_setting *setting = find_setting(model, name);

    return setting ? setting->value : NULL;
}

gradus_status gr_model_add_setting(gradus_model *model, const char *name, const char *value,
                                   gradus_error *err)
{
    gr_setting *setting = find_setting(model, name);
    gr_setting *more;

    if (setting)
        return gr_model_set_text(&setting->value, value, err);
    more = realloc(model->settings, (model->setting_count + 1) * sizeof *more);
    if (!more)
        return gr_fail_memory(err, "a model");
    model->settings = more;
    setting = &more[model->setting_count];
    *setting = (gr_setting){ NULL, NULL };
    GR_TRY(gr_model_set_text(&setting->name, name, err));
    if (gr_model_set_text(&setting->value, value, err) != GRADUS_OK) {
        free(setting->name);
        return GRADUS_NO_MEMORY;
    }
    model->setting_count++;
    return GRADUS_OK;
}

gradus_status gr_model_add_result(gradus_model *model, const char *name, double value,
                                  gradus_error *err)
{
    gr_result *more = realloc(model->results, (model->result_count + 1) * sizeof *more);

    if (!more)
        return gr_fail_memory(err, "a model");
    model->results = more;
    more[model->result_count] = (gr_result){ NULL, value };
    GR_TRY(gr_model_set_text(&more[model->result_count].name, name, err));
    model->result_count++;
    return GRADUS_OK;
}

gradus_status gr_model_add_node(gradus_model *model, const gr_node *node, gradus_error *err)
{
    const size_t count = model->node_count;
    gr_node *more = realloc(model->nodes, (count + 1) * sizeof *more);

    if (!more)
        return gr_fail_memory(err, "a model");
    model->nodes = more;
    more[count] = *node;
    more[count].column =
        count ? more[count - 1].column + more[count - 1].kind->columns(more[count - 1].state) : 0;
    model->node_count++;
    return GRADUS_OK;
}

gradus_status gr_model_take_names(gradus_model *model, const gradus_dataset *data,
                                  gradus_error *err)
{
    gr_name_list list = { .count = 0 };

    for (size_t f = 0; f < data->feature_names.count; f++) {
        const char *name = gr_name_at(&data->feature_names, f);

        if (!gr_name_list_add(&list, name, strlen(name))) {
            gr_name_list_free(&list);
            return gr_fail_memory(err, "the names of features");
        }
    }
    gr_array_free(&model->feature_bytes);
    gr_array_free(&model->feature_starts);
    model->feature_bytes = list.bytes;
    model->feature_starts = list.starts;
    model->feature_names = gr_name_list_names(&list);
    model->first_id = data->first_id;
    return GRADUS_OK;
}

void gr_node_free_extras(gr_node *node)
{
    gr_fitted_transform *own = (gr_fitted_transform *)(uintptr_t)node->transform;

    if (node->owns_transform && own) {
        gr_fitted_transform_free(own);
        free(own);
    }
    if (node->owns_columns)
        free((uint32_t *)(uintptr_t)node->columns);
    node->transform = NULL;
    node->columns = NULL;
}

void gr_node_borrow(gr_node *node)
{
    node->borrowed = true;
    node->owns_transform = false;
    node->owns_columns = false;
}

bool gr_node_takes_rows(const gr_node *node)
{
    return !node->kind->takes && node->kind != &gr_node_state;
}

size_t gr_node_features(const gradus_model *model, const gr_node *node)
{
    return node->columns ? node->column_count : model->features;
}

static void free_nodes(gradus_model *model)
{
    for (size_t n = 0; n < model->node_count; n++) {
        gr_node *node = &model->nodes[n];

        if (!node->borrowed)
            node->kind->free(node->state);
        gr_node_free_extras(node);
    }
    free(model->nodes);
}

void gr_model_free(gradus_model *model)
{
    if (!model)
        return;
    free_nodes(model);
    gr_scorer_free(&model->scorer);
    if (!model->is_view) {
        for (size_t i = 0; i < model->setting_count; i++) {
            free(model->settings[i].name);
            free(model->settings[i].value);
        }
        free(model->settings);
        for (size_t i = 0; i < model->result_count; i++)
            free(model->results[i].name);
        free(model->results);
        free(model->method);
        free(model->metric);
        free(model->convention);
        free(model->points);
        free(model->errors);
        gr_array_free(&model->feature_bytes);
        gr_array_free(&model->feature_starts);
        gr_fitted_transform_free(&model->transform);
        if (model->mapping)
            munmap(model->mapping, model->mapping_size);
    }
    free(model);
}

const gr_forest *gr_model_forest(const gradus_model *model)
{
    for (size_t n = model->node_count; n-- > 0;)
        if (model->nodes[n].kind == &gr_node_forest)
            return &((const gr_forest_node *)model->nodes[n].state)->forest;
        else if (model->nodes[n].kind == &gr_node_m5)
            return &((const gr_m5_node *)model->nodes[n].state)->m5.forest;
    return NULL;
}

size_t gr_model_rounds(const gradus_model *model)
{
    for (size_t n = model->node_count; n-- > 0;)
        if (model->nodes[n].kind->rounds)
            return model->nodes[n].kind->rounds(model->nodes[n].state);
    return 1;
}

const gr_net *gr_model_net(const gradus_model *model)
{
    const gr_node *core = gr_model_core(model);

    return core && core->kind == &gr_node_net ? core->state : NULL;
}

const gr_linear *gr_model_linear(const gradus_model *model)
{
    for (size_t n = model->node_count; n-- > 0;)
        if (model->nodes[n].kind == &gr_node_linear)
            return model->nodes[n].state;
    return NULL;
}

const gr_node *gr_model_listed(const gradus_model *model)
{
    for (size_t n = 0; n < model->node_count; n++)
        if (model->nodes[n].columns)
            return &model->nodes[n];
    return NULL;
}

/* In an ensemble, the errors are those of the first member. */
size_t gr_model_error_count(const gradus_model *model)
{
    size_t features = model->features;

    for (size_t n = model->node_count; n-- > 0;)
        if (model->nodes[n].kind == &gr_node_linear)
            features = gr_node_features(model, &model->nodes[n]);
    return features + model->scorer.levels - 1;
}

const gr_gaussians *gr_model_gaussians(const gradus_model *model)
{
    const gr_node *core = gr_model_core(model);

    return core && core->kind == &gr_node_gaussians ? core->state : NULL;
}

const gr_m5 *gr_model_m5(const gradus_model *model)
{
    const gr_node *core = gr_model_core(model);

    return core && core->kind == &gr_node_m5 ? &((const gr_m5_node *)core->state)->m5 : NULL;
}

const gr_machine *gr_model_machine(const gradus_model *model)
{
    const gr_node *core = gr_model_core(model);

    return core && core->kind == &gr_node_kernel ? core->state : NULL;
}

const gr_state *gr_model_state(const gradus_model *model)
{
    for (size_t n = 0; n < model->node_count; n++)
        if (model->nodes[n].kind == &gr_node_state)
            return model->nodes[n].state;
    return NULL;
}

const gr_votes *gr_model_votes(const gradus_model *model)
{
    for (size_t n = model->node_count; n-- > 0;)
        if (model->nodes[n].kind == &gr_node_votes)
            return model->nodes[n].state;
    return NULL;
}

size_t gr_node_inputs(const gr_node *node)
{
    if (!node->kind->takes)
        return 0;
    return node->kind->members ? node->kind->members(node->state) : 1;
}

const char *gr_model_calibration(const gradus_model *model)
{
    const gr_calibration *last = gr_model_calibration_at(model, 0);

    return last ? gr_calibration_names[last->method] : "";
}
