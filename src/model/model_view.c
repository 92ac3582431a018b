/* SPDX-License-Identifier: Apache-2.0 */
/* A model under another scoring rule, or truncated to its first rounds. */
#include "model/model.h"

#include <stdlib.h>

static gradus_status take_nodes(gradus_model *view, const gradus_model *model, uint64_t rounds,
                                gradus_error *err)
{
    const size_t all = gr_model_rounds(model);

    if (rounds > all)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has %zu round%s, not %llu%s", all,
                       all == 1 ? "" : "s", (unsigned long long)rounds,
                       all == 1 ? ": it was not fitted in rounds" : "");
    if (rounds && (*gr_model_calibration(model) || gr_model_members(model)))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "'rounds' does not apply to this model: it was %s with all rounds",
                       gr_model_members(model) ? "combined" : "calibrated");
    for (size_t n = 0; n < model->node_count; n++) {
        const gr_node *from = &model->nodes[n];
        gr_node node = *from, made;

        gr_node_borrow(&node);
        if (rounds && rounds < all && from->kind->rounds) {
            if (!from->kind->first)
                return gr_fail(err, GRADUS_BAD_ARGUMENT,
                               "a %s cannot be truncated: train it with 'rounds %llu'",
                               from->kind->noun, (unsigned long long)rounds);
            GR_TRY(from->kind->first(from->state, (size_t)rounds, &made, err));
            node.state = made.state;
            node.borrowed = false;
        }
        if (gr_model_add_node(view, &node, err) != GRADUS_OK) {
            if (!node.borrowed)
                node.kind->free(node.state);
            return GRADUS_NO_MEMORY;
        }
    }
    return GRADUS_OK;
}

gradus_model *gr_model_view(const gradus_model *model, const gr_score_choice *choice,
                            uint64_t rounds, const gradus_context *context, gradus_error *err)
{
    gr_scorer scorer;
    gradus_model *view;

    if (gr_scorer_choose(&model->scorer, choice ? choice : &gr_score_as_trained, context, &scorer,
                         err) != GRADUS_OK)
        return NULL;
    view = malloc(sizeof *view);
    if (!view) {
        gr_scorer_free(&scorer);
        gr_fail_memory(err, "a model");
        return NULL;
    }
    *view = *model;
    view->is_view = true;
    view->node_count = 0;
    view->nodes = NULL;
    view->scorer = scorer;
    if (rounds && rounds < scorer.threshold_sets)
        view->scorer.threshold_sets = (size_t)rounds + 1;
    if (take_nodes(view, model, rounds, err) != GRADUS_OK) {
        gr_model_free(view);
        return NULL;
    }
    return view;
}

gradus_status gr_model_grades(const gradus_model *model, const gradus_dataset *data,
                              const gradus_context *context, double *grades, gradus_error *err)
{
    const gr_score_rule rule = gr_scorer_grade_rule(&model->scorer);
    gr_score_choice choice = gr_score_as_trained;
    gradus_model *view;
    gradus_status status;

    if (!gr_scorer_takes(&model->scorer, rule))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "method '%s' gives a score, not grades",
                       model->method);
    choice.rule = &rule;
    view = gr_model_view(model, &choice, 0, context, err);
    if (!view)
        return err ? err->status : GRADUS_NO_MEMORY;
    status = gr_model_run(view, data, context, grades, NULL, err);
    gr_model_free(view);
    return status;
}
