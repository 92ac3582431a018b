/* SPDX-License-Identifier: Apache-2.0 */
/* The linear models in the leaves of a model tree. */
#include "cmd_show.h"

#include <math.h>

bool has_models(const shown *s)
{
    gradus_tree_node root;
    gradus_leaf_model model;
    size_t node = 0;

    /* Find the first leaf. */
    while (gradus_model_tree_at(s->model, 0, node, &root) && !root.is_leaf)
        node++;
    return gradus_model_leaf_at(s->model, 0, node, &model);
}

/* A bare number would look like a factor in an equation. */
void add_variable_name(text *t, const gradus_model *model, size_t feature)
{
    if (!gradus_model_feature_name(model, feature)[0])
        text_add(t, "x");
    add_feature_name(t, model, feature);
}

static void add_term(text *line, const shown *s, double factor, size_t feature, bool first)
{
    text_add(line, factor < 0.0 ? (first ? "-" : " - ") : (first ? "" : " + "));
    text_format(line, "%.6g*", fabs(factor)); /* no spaces: a term is not broken over lines */
    add_variable_name(line, s->model, feature);
}

static void add_model(text *t, const shown *s, size_t number, const gradus_leaf_model *model)
{
    text line = { NULL, 0, 0 };

    text_format(&line, "LM%zu = ", number);
    for (size_t i = 0; i < model->terms; i++)
        add_term(&line, s, model->factors[i], feature_of_item(s, model->features[i]), i == 0);
    if (model->terms)
        text_format(&line, " %c %.6g", model->intercept < 0.0 ? '-' : '+', fabs(model->intercept));
    else
        text_format(&line, "%.6g", model->intercept + 0.0);
    text_wrap(t, text_string(&line), 6, 88);
    text_add(t, "\n");
    text_free(&line);
}

void add_leaf_models(text *t, const shown *s, size_t tree)
{
    gradus_leaf_model model;
    gradus_tree_node node;
    size_t leaves = 0;

    for (size_t i = 0; gradus_model_tree_at(s->model, tree, i, &node); i++)
        if (gradus_model_leaf_at(s->model, tree, i, &model)) {
            text_add(t, leaves ? "" : "\n");
            add_model(t, s, ++leaves, &model);
        }
}

void json_leaf_model(json *j, const shown *s, size_t tree, size_t node)
{
    gradus_leaf_model model;

    if (!gradus_model_leaf_at(s->model, tree, node, &model))
        return;
    json_number(j, "intercept", model.intercept);
    json_open(j, "terms", '[');
    for (size_t i = 0; i < model.terms; i++) {
        json_open(j, NULL, '{');
        json_count(j, "feature",
                   feature_of_item(s, model.features[i]) + gradus_model_first_id(s->model));
        json_number(j, "factor", model.factors[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
}
