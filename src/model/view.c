/* A model seen another way: scored by another rule, or of its first rounds only. */
#include "model/forest_node.h"
#include "model/gaussians_node.h"

#include <stdlib.h>

/* The first rounds of a forest: the arrays stay where they are. */
static gradus_status first_rounds(const gr_node *from, uint64_t rounds, gr_node *node,
                                  gradus_error *err)
{
    const gr_forest_node *whole = from->state;
    gr_forest forest = whole->forest;
    gr_node made;

    if (rounds > gr_forest_rounds(&forest))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has %zu rounds, not %llu",
                       gr_forest_rounds(&forest), (unsigned long long)rounds);
    forest.tree_room = forest.split_room = 0;
    gr_forest_cut(&forest, (size_t)rounds);
    GR_TRY(gr_forest_node_new(&forest, &made, err));
    node->state = made.state;
    node->borrowed = false;
    return GRADUS_OK;
}

static gradus_status first_bags(const gr_node *from, uint64_t rounds, gr_node *node,
                                gradus_error *err)
{
    const gr_m5_node *whole = from->state;
    gr_m5 m5 = whole->m5;
    gr_node made;

    if (rounds > gr_forest_rounds(&m5.forest))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has %zu rounds, not %llu",
                       gr_forest_rounds(&m5.forest), (unsigned long long)rounds);
    m5.leaf_room = m5.term_room = m5.forest.tree_room = m5.forest.split_room = 0;
    gr_m5_forget(&m5, (size_t)rounds);
    GR_TRY(gr_m5_node_new(&m5, &made, err));
    node->state = made.state;
    node->borrowed = false;
    return GRADUS_OK;
}

static gradus_status first_kernels(const gr_node *from, uint64_t rounds, gr_node *node,
                                   gradus_error *err)
{
    gr_gaussians g = *(const gr_gaussians *)from->state;
    gr_node made;

    if (rounds > gr_gaussians_rounds(&g))
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has %zu rounds, not %llu",
                       gr_gaussians_rounds(&g), (unsigned long long)rounds);
    g.own = NULL;
    g.room = 0;
    g.terms = (size_t)rounds * g.outputs;
    GR_TRY(gr_gaussians_node_new(&g, &made, err));
    node->state = made.state;
    node->borrowed = false;
    return GRADUS_OK;
}

static gradus_status take_nodes(gradus_model *view, const gradus_model *model, uint64_t rounds,
                                gradus_error *err)
{
    if (rounds > 1 && !gr_model_forest(model) && !gr_model_gaussians(model))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "the model has 1 round, not %llu: all of it was "
                       "fitted at once",
                       (unsigned long long)rounds);
    for (size_t n = 0; n < model->node_count; n++) {
        gr_node node = model->nodes[n];

        node.borrowed = true;
        if (rounds && node.kind == &gr_node_forest)
            GR_TRY(first_rounds(&model->nodes[n], rounds, &node, err));
        if (rounds && node.kind == &gr_node_m5)
            GR_TRY(first_bags(&model->nodes[n], rounds, &node, err));
        if (rounds && node.kind == &gr_node_gaussians)
            GR_TRY(first_kernels(&model->nodes[n], rounds, &node, err));
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
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "method '%s' gives a score, and no grades",
                       model->method);
    choice.rule = &rule;
    view = gr_model_view(model, &choice, 0, context, err);
    if (!view)
        return err ? err->status : GRADUS_NO_MEMORY;
    status = gr_model_run(view, data, context, grades, NULL, err);
    gr_model_free(view);
    return status;
}
