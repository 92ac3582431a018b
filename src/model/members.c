/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a composite model: its calibrations and the members of an ensemble. */
#include "model/members.h"

#include "model/scored_node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const gr_node *last_node(const gradus_model *model)
{
    return model->node_count ? &model->nodes[model->node_count - 1] : NULL;
}

/* A node with exactly one input: a calibration, or a scored node. */
static bool is_wrapper(const gr_node *node)
{
    return node->kind->takes && !node->kind->members;
}

const gr_node *gr_model_core(const gradus_model *model)
{
    const gr_node *node = last_node(model);

    while (node && is_wrapper(node))
        node = &model->nodes[node->inputs[0]];
    return node;
}

size_t gr_model_members(const gradus_model *model)
{
    const gr_node *core = gr_model_core(model);

    return core && core->kind->members ? core->kind->members(core->state) : 0;
}

const gr_calibration *gr_model_calibration_at(const gradus_model *model, size_t index)
{
    for (const gr_node *node = last_node(model); node && is_wrapper(node);
         node = &model->nodes[node->inputs[0]])
        if (node->kind == &gr_node_calibration && index-- == 0)
            return node->state;
    return NULL;
}

const char *gr_model_calibration(const gradus_model *model)
{
    const gr_calibration *last = gr_model_calibration_at(model, 0);

    return last ? gr_calibration_names[last->method] : "";
}

double gr_member_weight(const gr_node *node, size_t member)
{
    return node->kind->weight ? node->kind->weight(node->state, member)
                              : 1.0 / (double)node->kind->members(node->state);
}

/* Marks the nodes that `last` needs, itself included. */
static void mark_needed(const gradus_model *model, size_t last, bool *needed)
{
    needed[last] = true;
    for (size_t n = last + 1; n-- > 0;)
        for (size_t i = 0; needed[n] && i < model->nodes[n].input_count; i++)
            needed[model->nodes[n].inputs[i]] = true;
}

static gradus_status borrow_needed(gradus_model *view, const gradus_model *model, size_t last,
                                   gradus_error *err)
{
    bool *needed = gr_new_array(model->node_count, sizeof *needed);
    size_t *number = gr_new_array(model->node_count, sizeof *number);
    gradus_status status = GRADUS_OK;

    if (!needed || !number)
        status = gr_fail_memory(err, "a member");
    else
        mark_needed(model, last, needed);
    for (size_t n = 0; n <= last && status == GRADUS_OK; n++) {
        gr_node node = model->nodes[n];

        if (!needed[n])
            continue;
        gr_node_borrow(&node);
        for (size_t i = 0; i < node.input_count; i++)
            node.inputs[i] = number[node.inputs[i]];
        number[n] = view->node_count;
        status = gr_model_add_node(view, &node, err);
    }
    free(needed);
    free(number);
    return status;
}

/* A member without its own scorer passes its columns to the ensemble unchanged. */
static gr_scorer plain_scorer(const gradus_model *model, const gr_node *node)
{
    const size_t columns = node->kind->columns(node->state);

    if (columns > 1 && columns == model->scorer.levels)
        return (gr_scorer){ .meaning = GR_MEANS_PROBABILITIES,
                            .rule = GR_SCORE_EXPECTED_GAIN,
                            .outputs = columns,
                            .levels = columns,
                            .level_labels = model->scorer.level_labels,
                            .shares = model->scorer.shares };
    return (gr_scorer){ .meaning = GR_MEANS_SCORE, .rule = GR_SCORE_OUTPUT, .outputs = 1 };
}

static gradus_model *view_of(const gradus_model *model, const char *method, gr_scorer *scorer)
{
    gradus_model *view = malloc(sizeof *view);

    if (!view) {
        gr_scorer_free(scorer);
        return NULL;
    }
    *view = *model;
    view->is_view = true;
    view->method = (char *)(uintptr_t)method;
    view->setting_count = view->result_count = view->point_count = view->node_count = 0;
    view->nodes = NULL;
    view->scorer = *scorer;
    view->rows = view->queries = view->rounds_done = view->best_round = 0;
    view->distilled = false;
    view->metric = view->convention = (char *)(uintptr_t) "";
    view->log_likelihood = NAN;
    view->errors = NULL;
    return view;
}

/* Stands in for the method where the file does not name it. */
static const char *kind_name(const gr_node *core)
{
    return core->kind->members ? "ensemble" : core->kind->about.name;
}

gradus_model *gr_model_member(const gradus_model *model, size_t member, gradus_error *err)
{
    const gr_node *core = gr_model_core(model);
    size_t last = core->inputs[member];
    const gr_node *node = &model->nodes[last];
    const gr_scorer *own = gr_scored_node_scorer(node);
    const gr_scorer plain = plain_scorer(model, node);
    gr_scorer scorer;
    gradus_model *view;

    if (gr_scorer_copy(own ? own : &plain, &scorer, err) != GRADUS_OK)
        return NULL;
    if (own)
        last = node->inputs[0];
    view = view_of(model, gr_scored_node_method(node), &scorer);
    if (!view) {
        gr_fail_memory(err, "a member");
        return NULL;
    }
    if (borrow_needed(view, model, last, err) != GRADUS_OK) {
        gr_model_free(view);
        return NULL;
    }
    if (!view->method)
        view->method = (char *)(uintptr_t)kind_name(gr_model_core(view));
    return view;
}
