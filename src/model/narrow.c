/* SPDX-License-Identifier: Apache-2.0 */
/* Models for the used columns of wide data. Nodes that store feature numbers (trees) are
 * renumbered; nodes that store something for each feature (linear equations, nets) list the
 * features they have. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static gradus_status add_uses(const gr_node *node, gr_used *columns, gradus_error *err)
{
    const size_t most = node->kind->uses(node->state, NULL);
    gradus_feature_use *uses = gr_new_array(most ? most : 1, sizeof *uses);
    const size_t count = uses ? node->kind->uses(node->state, uses) : 0;
    gradus_status status = uses ? GRADUS_OK : gr_fail_memory(err, "the uses of features");

    for (size_t i = 0; i < count && status == GRADUS_OK; i++)
        status = gr_used_add(columns, uses[i].feature, err);
    free(uses);
    return status;
}

static bool has_units(const gr_fitted_transform *fitted)
{
    return fitted && fitted->transform && !fitted->transform->by_query;
}

gradus_status gr_model_add_columns(const gradus_model *model, gr_used *columns, bool *known,
                                   gradus_error *err)
{
    *known = !has_units(&model->transform);
    for (size_t n = 0; n < model->node_count && *known; n++) {
        const gr_node *node = &model->nodes[n];

        if (!gr_node_takes_rows(node))
            continue;
        *known = node->columns || (node->kind->relabel && !has_units(node->transform));
        for (size_t c = 0; node->columns && c < node->column_count; c++)
            GR_TRY(gr_used_add(columns, node->columns[c], err));
        if (*known && !node->columns)
            GR_TRY(add_uses(node, columns, err));
    }
    return GRADUS_OK;
}

/* Renumbers the columns of a node; a list of all columns is dropped. */
static gradus_status narrow_list(gr_node *node, const gr_used *columns, gradus_error *err)
{
    uint32_t *list;

    if (node->column_count == columns->count) {
        node->columns = NULL;
        return GRADUS_OK;
    }
    list = gr_new_array(node->column_count, sizeof *list);
    if (!list)
        return gr_fail_memory(err, "a model");
    for (size_t c = 0; c < node->column_count; c++)
        list[c] = gr_used_find(columns, node->columns[c]);
    node->columns = list;
    node->owns_columns = true;
    return GRADUS_OK;
}

/* A by-query transform stores only its number of features. */
static gradus_status narrow_transform(gr_node *node, size_t features, gradus_error *err)
{
    gr_fitted_transform *copy;

    if (!node->transform)
        return GRADUS_OK;
    copy = malloc(sizeof *copy);
    if (!copy)
        return gr_fail_memory(err, "a transform");
    *copy = *node->transform;
    copy->features = features;
    node->transform = copy;
    node->owns_transform = true;
    return GRADUS_OK;
}

static gradus_status relabel_node(gr_node *node, const gr_relabel *relabel, gradus_error *err)
{
    gr_node made = { .kind = NULL };

    GR_TRY(node->kind->relabel(node->state, relabel, &made, err));
    node->state = made.state;
    node->borrowed = false;
    return narrow_transform(node, gr_relabel_features(relabel), err);
}

static gradus_status narrow_nodes(const gradus_model *model, const gr_used *columns,
                                  gradus_model *view, gradus_error *err)
{
    const gr_relabel relabel = { columns, false };

    for (size_t n = 0; n < model->node_count; n++) {
        gr_node node = model->nodes[n];
        gradus_status status = GRADUS_OK;

        gr_node_borrow(&node);
        if (node.columns)
            status = narrow_list(&node, columns, err);
        else if (gr_node_takes_rows(&node))
            status = relabel_node(&node, &relabel, err);
        if (status == GRADUS_OK)
            status = gr_model_add_node(view, &node, err);
        if (status != GRADUS_OK) {
            if (!node.borrowed)
                node.kind->free(node.state);
            gr_node_free_extras(&node);
            return status;
        }
    }
    return GRADUS_OK;
}

gradus_model *gr_model_narrowed(const gradus_model *model, const gr_used *columns,
                                gradus_error *err)
{
    gradus_model *view = gr_model_view(model, NULL, 0, NULL, err);

    if (!view)
        return NULL;
    free(view->nodes);
    view->nodes = NULL;
    view->node_count = 0;
    view->features = columns->count;
    view->feature_names = (gr_names){ NULL, NULL, 0 };
    if (view->transform.transform)
        view->transform.features = columns->count;
    if (narrow_nodes(model, columns, view, err) == GRADUS_OK)
        return view;
    gr_model_free(view);
    return NULL;
}

static double *copy_numbers(const double *from, size_t count)
{
    double *copy = gr_new_array(count, sizeof *copy);

    if (copy)
        memcpy(copy, from, count * sizeof *copy);
    return copy;
}

/* Gives a node its own copy of the model's transform. */
static gradus_status take_transform(gr_node *node, const gr_fitted_transform *from,
                                    gradus_error *err)
{
    gr_fitted_transform *copy;

    if (!from->transform)
        return GRADUS_OK;
    copy = calloc(1, sizeof *copy);
    if (!copy)
        return gr_fail_memory(err, "a transform");
    *copy = *from;
    node->transform = copy;
    node->owns_transform = true;
    if (!from->shift)
        return GRADUS_OK;
    copy->shift = copy_numbers(from->shift, from->features);
    copy->unit = copy_numbers(from->unit, from->features);
    return copy->shift && copy->unit ? GRADUS_OK : gr_fail_memory(err, "a transform");
}

static gradus_status list_columns(gr_node *node, const gr_used *columns, gradus_error *err)
{
    uint32_t *list = gr_new_array(columns->count, sizeof *list);

    if (!list)
        return gr_fail_memory(err, "a model");
    memcpy(list, columns->ids, columns->count * sizeof *list);
    node->columns = list;
    node->column_count = columns->count;
    node->owns_columns = true;
    return GRADUS_OK;
}

static gradus_status widen_node(gr_node *node, const gr_used *columns, gradus_error *err)
{
    const gr_relabel relabel = { columns, true };
    gr_node made = { .kind = NULL };

    GR_TRY(node->kind->relabel(node->state, &relabel, &made, err));
    if (!node->borrowed)
        node->kind->free(node->state);
    node->state = made.state;
    node->borrowed = false;
    return GRADUS_OK;
}

/* Whether every node can be renumbered and nothing has numbers for each feature. */
static bool can_relabel(const gradus_model *model)
{
    bool can = !has_units(&model->transform);

    for (size_t n = 0; n < model->node_count; n++)
        can = can && (!gr_node_takes_rows(&model->nodes[n]) || model->nodes[n].kind->relabel);
    return can;
}

gradus_status gr_model_widen(gradus_model *model, const gr_used *columns, gradus_error *err)
{
    const bool relabels = can_relabel(model);

    for (size_t n = 0; n < model->node_count; n++) {
        gr_node *node = &model->nodes[n];

        if (!gr_node_takes_rows(node))
            continue;
        if (relabels) {
            GR_TRY(widen_node(node, columns, err));
            continue;
        }
        GR_TRY(list_columns(node, columns, err));
        GR_TRY(take_transform(node, &model->transform, err));
    }
    model->features = columns->features;
    if (relabels && model->transform.transform)
        model->transform.features = columns->features;
    if (!relabels) {
        gr_fitted_transform_free(&model->transform);
        model->transform = (gr_fitted_transform){ .transform = NULL };
    }
    return GRADUS_OK;
}
