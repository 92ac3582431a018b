/* SPDX-License-Identifier: Apache-2.0 */
/* Lowers a model to a graph: the rows of each node, its nodes in order, and the scorer. Kinds of nodes
 * that are not in the table below are refused. */
#include "exchange/lower.h"

#include "model/fusion_node.h"
#include "model/scored_node.h"

#include <stdlib.h>

gradus_status gr_lower_refuse(const gr_lowering *lowering, const char *what, const char *why)
{
    return gr_fail(lowering->err, GRADUS_BAD_ARGUMENT, "'%s' cannot be exported to %s: %s", what,
                   lowering->format, why);
}

/* (value - shift) / unit in double, rounded to float; 0 if the unit is 0. Values that are not finite
 * are unchanged. */
static size_t rescaled(gr_graph *graph, const gr_fitted_transform *fitted, size_t x)
{
    const size_t count = fitted->features;
    double *units = gr_graph_array(graph, count, sizeof *units);
    float *varies = gr_graph_array(graph, count, sizeof *varies);
    bool all_vary = true;

    for (size_t f = 0; varies && f < count; f++) {
        units[f] = fitted->unit[f] == 0.0 ? 1.0 : fitted->unit[f];
        varies[f] = fitted->unit[f] == 0.0 ? 0.0f : 1.0f;
        all_vary = all_vary && fitted->unit[f] != 0.0;
    }
    const size_t shift = gr_graph_constant(graph, GR_GRAPH_F64, 1, count, fitted->shift);
    const size_t unit = gr_graph_constant(graph, GR_GRAPH_F64, 1, count, units);
    const size_t moved = gr_op2(graph, GR_OP_SUB, gr_op1(graph, GR_OP_TO_F64, x), shift);
    size_t scaled = gr_op1(graph, GR_OP_TO_F32, gr_op2(graph, GR_OP_DIV, moved, unit));

    if (!all_vary) {
        const size_t flags = gr_graph_constant(graph, GR_GRAPH_F32, 1, count, varies);
        const size_t keep = gr_number_op(graph, GR_OP_LESS, 0.0, flags);

        scaled =
            gr_op3(graph, GR_OP_WHERE, keep, scaled, gr_graph_number(graph, GR_GRAPH_F32, 0.0));
    }
    const size_t finite = gr_op1(graph, GR_OP_IS_FINITE, x);

    return gr_op3(graph, GR_OP_WHERE, finite, scaled, x);
}

static gradus_status lower_transform(const gr_lowering *lowering, const gr_fitted_transform *fitted,
                                     size_t *x)
{
    if (!fitted || !fitted->transform)
        return GRADUS_OK;
    if (fitted->transform->by_query)
        return gr_lower_refuse(lowering, fitted->transform->about.name,
                               "this transform depends on the other documents of the query");
    *x = rescaled(lowering->graph, fitted, *x);
    return GRADUS_OK;
}

/* Values of a model while it is lowered. */
typedef struct lowered {
    size_t input;   /* the features, transformed as the model requires */
    size_t *values; /* per node: its output */
    size_t *rows;   /* per node: its rows, if it takes them */
} lowered;

static gradus_status lower_rows(const gr_lowering *lowering, size_t n, const lowered *made,
                                size_t *x)
{
    const gr_node *node = &lowering->model->nodes[n];

    for (size_t m = 0; m < n; m++) { /* members of an ensemble often share their rows */
        const gr_node *other = &lowering->model->nodes[m];

        if (gr_node_takes_rows(other) && other->transform == node->transform &&
            other->columns == node->columns) {
            *x = made->rows[m];
            return GRADUS_OK;
        }
    }
    *x = made->input;
    if (node->columns)
        *x = gr_graph_pick(lowering->graph, *x, node->columns, node->column_count);
    return lower_transform(lowering, node->transform, x);
}

static gradus_status lower_scored(const gr_lowering *lowering, const gr_node *node,
                                  const size_t *inputs, size_t *output)
{
    const gr_scorer *scorer = gr_scored_node_scorer(node);

    return gr_scored_node_gives_probabilities(node)
               ? gr_lower_probabilities(lowering, scorer, inputs[0], output)
               : gr_lower_scorer(lowering, scorer, inputs[0], output, NULL);
}

/* The weighted outputs of the members, one row each, summed. The sum starts at 0: it is never -0. */
static gradus_status lower_mix(const gr_lowering *lowering, const gr_node *node,
                               const size_t *inputs, size_t *output)
{
    gr_graph *graph = lowering->graph;
    const size_t members = gr_node_inputs(node), columns = node->kind->columns(node->state);
    double *weights = gr_graph_array(graph, members, sizeof *weights);
    size_t all = inputs[0];

    for (size_t m = 0; weights && m < members; m++)
        weights[m] = node->kind->weight(node->state, m);
    for (size_t m = 1; m < members; m++)
        all = gr_op2(graph, GR_OP_JOIN, all, inputs[m]);
    const size_t by_member = gr_graph_reshape(graph, all, members, columns);
    const size_t weight = gr_graph_constant(graph, GR_GRAPH_F64, members, 1, weights);
    const size_t weighted = gr_op2(graph, GR_OP_MUL, weight, by_member);

    *output = gr_op_number(graph, GR_OP_ADD, gr_op1(graph, GR_OP_SUM, weighted), 0.0);
    return GRADUS_OK;
}

static gradus_status refuse_fusion(const gr_lowering *lowering, const gr_node *node,
                                   const size_t *inputs, size_t *output)
{
    (void)inputs;
    (void)output;
    return gr_lower_refuse(lowering, node->kind->combination(node->state),
                           "ranks depend on the other documents of the query");
}

static gradus_status refuse_standardized(const gr_lowering *lowering, const gr_node *node,
                                         const size_t *inputs, size_t *output)
{
    (void)inputs;
    (void)output;
    return gr_lower_refuse(lowering, node->kind->combination(node->state),
                           "standardised scores depend on the other documents of the query");
}

static const struct {
    const gr_node_kind *kind;
    gr_lower *lower;
} kinds[] = {
    { &gr_node_forest, gr_lower_forest },
    { &gr_node_m5, gr_lower_m5 },
    { &gr_node_linear, gr_lower_linear },
    { &gr_node_gaussians, gr_lower_gaussians },
    { &gr_node_kernel, gr_lower_kernel },
    { &gr_node_votes, gr_lower_votes },
    { &gr_node_net, gr_lower_net },
    { &gr_node_hash, gr_lower_hash },
    { &gr_node_scored, lower_scored },
    { &gr_node_calibration, gr_lower_calibration },
    { &gr_node_mix, lower_mix },
    { &gr_node_fusion, refuse_fusion },
    { &gr_node_standardized, refuse_standardized },
};

static gr_lower *lower_of(const gr_node_kind *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            return kinds[i].lower;
    return NULL;
}

bool gr_lower_takes(const gr_node_kind *kind)
{
    gr_lower *lower = lower_of(kind);

    return lower && lower != refuse_fusion && lower != refuse_standardized;
}

static gradus_status lower_node(const gr_lowering *lowering, size_t n, lowered *made)
{
    const gr_node *node = &lowering->model->nodes[n];
    gr_lower *lower = lower_of(node->kind);
    size_t inputs[GR_NODE_INPUTS];

    if (node->kind == &gr_node_state) /* only for resuming training */
        return GRADUS_OK;
    if (!lower)
        return gr_lower_refuse(lowering, node->kind->about.name,
                               "no operations are defined for this kind of node");
    if (node->kind->columns(node->state) == 0 || gr_node_features(lowering->model, node) == 0)
        return gr_lower_refuse(lowering, node->kind->about.name, "it has no features or outputs");
    for (size_t i = 0; i < node->input_count; i++)
        inputs[i] = made->values[node->inputs[i]];
    if (gr_node_takes_rows(node)) {
        GR_TRY(lower_rows(lowering, n, made, &inputs[0]));
        made->rows[n] = inputs[0];
    }
    return lower(lowering, node, inputs, &made->values[n]);
}

static gradus_status lower_nodes(const gr_lowering *lowering, lowered *made)
{
    const gradus_model *model = lowering->model;
    gr_graph *graph = lowering->graph;

    GR_TRY(lower_transform(lowering, &model->transform, &made->input));
    for (size_t n = 0; n < model->node_count; n++)
        GR_TRY(lower_node(lowering, n, made));
    return gr_lower_scorer(lowering, &model->scorer, made->values[model->node_count - 1],
                           &graph->score, &graph->probabilities);
}

gradus_status gr_graph_build(const gradus_model *model, const char *format, gr_graph *graph,
                             gradus_error *err)
{
    const gr_lowering lowering = { graph, model, format, err };
    const size_t nodes = model->node_count;
    lowered made = { .input = 0 };
    gradus_status status;

    gr_graph_start(graph, model->features);
    graph->level_labels = model->scorer.level_labels;
    graph->levels = model->scorer.levels;
    if (nodes == 0)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "the model has no nodes");
    made.values = gr_new_array(2 * nodes, sizeof *made.values);
    if (!made.values)
        return gr_fail_memory(err, "a graph");
    made.rows = made.values + nodes;
    status = lower_nodes(&lowering, &made);
    if (status == GRADUS_OK && graph->failed)
        status = gr_fail_memory(err, "a graph");
    free(made.values);
    return status;
}
