/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of numbers as operations of a graph, for scorers and calibrations. */
#include "exchange/lower.h"

size_t gr_lower_logistic(gr_graph *graph, size_t x)
{
    const size_t power = gr_op1(graph, GR_OP_EXP, gr_op1(graph, GR_OP_NEG, x));

    return gr_number_op(graph, GR_OP_DIV, 1.0, gr_number_op(graph, GR_OP_ADD, 1.0, power));
}

size_t gr_lower_softmax(gr_graph *graph, size_t x)
{
    const size_t largest = gr_op1(graph, GR_OP_TOP, gr_graph_upright(graph, x));
    const size_t powers = gr_op1(graph, GR_OP_EXP, gr_op2(graph, GR_OP_SUB, x, largest));

    return gr_op2(graph, GR_OP_DIV, powers, gr_graph_total(graph, powers));
}

size_t gr_lower_inner(gr_graph *graph, size_t x, const double *constants, double first)
{
    const size_t start = gr_graph_number(graph, GR_GRAPH_F64, first);
    const size_t copied = gr_graph_copy(graph, constants, gr_graph_columns(graph, x));

    if (graph->failed)
        return 0;
    graph->values[copied].rows = graph->values[copied].columns;
    graph->values[copied].columns = 1;
    return gr_op3(graph, GR_OP_DOT, x, copied, start);
}

size_t gr_lower_all_finite(gr_graph *graph, size_t a)
{
    const size_t flags = gr_op1(graph, GR_OP_TO_F64, gr_op1(graph, GR_OP_IS_FINITE, a));
    const size_t least = gr_op1(graph, GR_OP_BOTTOM, gr_graph_upright(graph, flags));

    return gr_number_op(graph, GR_OP_LESS, 0.0, least);
}

size_t gr_lower_equal(gr_graph *graph, size_t a, size_t b)
{
    const size_t not_above = gr_op2(graph, GR_OP_LESS_EQUAL, a, b);

    return gr_op2(graph, GR_OP_AND, not_above, gr_op2(graph, GR_OP_LESS_EQUAL, b, a));
}
