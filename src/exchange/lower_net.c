/* SPDX-License-Identifier: Apache-2.0 */
/* Neural nets as operations of a graph, in floats. */
#include "exchange/lower.h"

#include "kernels/axpy.h"
#include "learners/net/net.h"

/* e^-x for x >= 0 as kernels/float_lanes.h computes it. */
static size_t exp_minus(gr_graph *graph, size_t x)
{
    static const float factors[] = { 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f };
    const size_t minus = gr_op1(graph, GR_OP_NEG, x);
    const size_t limit = gr_graph_number(graph, GR_GRAPH_F32, -80.0);
    const size_t low = gr_op2(graph, GR_OP_LESS, minus, limit);
    const size_t y = gr_op3(graph, GR_OP_WHERE, low, limit, minus);
    const size_t k = gr_op1(graph, GR_OP_ROUND, gr_op_number(graph, GR_OP_MUL, y, 0x1.715476p+0));
    const size_t high = gr_op2(graph, GR_OP_SUB, y, gr_op_number(graph, GR_OP_MUL, k, 0.693359375));
    const size_t r =
        gr_op2(graph, GR_OP_SUB, high, gr_op_number(graph, GR_OP_MUL, k, (double)-2.12194440e-4f));
    size_t sum = gr_op_number(graph, GR_OP_MUL, r, (double)(1.0f / 720));

    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        if (i > 0)
            sum = gr_op2(graph, GR_OP_MUL, r, sum);
        sum = gr_op_number(graph, GR_OP_ADD, sum, (double)factors[i]);
    }
    return gr_op2(graph, GR_OP_MUL, sum, gr_op1(graph, GR_OP_POW2, k));
}

/* See kernels/net_layers_body.h. The sign of a zero is lost, but not in a sum. */
static size_t tanh_of(gr_graph *graph, size_t x)
{
    const size_t size = gr_op1(graph, GR_OP_ABS, x);
    const size_t e = exp_minus(graph, gr_number_op(graph, GR_OP_MUL, 2.0, size));
    const size_t above = gr_number_op(graph, GR_OP_SUB, 1.0, e);
    const size_t result = gr_op2(graph, GR_OP_DIV, above, gr_number_op(graph, GR_OP_ADD, 1.0, e));
    const size_t negative = gr_op_number(graph, GR_OP_LESS, x, 0.0);

    return gr_op3(graph, GR_OP_WHERE, negative, gr_op1(graph, GR_OP_NEG, result), result);
}

static size_t hidden_units(gr_graph *graph, const gr_net *net, size_t x)
{
    const size_t pitch = gr_net_pitch(net->units);
    const size_t weights =
        gr_graph_constant(graph, GR_GRAPH_F32, net->features, pitch, net->weights);
    const size_t biases =
        gr_graph_constant(graph, GR_GRAPH_F32, 1, pitch, net->weights + net->features * pitch);
    const size_t sums = gr_op3(graph, GR_OP_DOT, x, weights, biases);

    if (net->activation != GR_RELU)
        return tanh_of(graph, sums);
    const size_t positive = gr_number_op(graph, GR_OP_LESS, 0.0, sums);

    return gr_op3(graph, GR_OP_WHERE, positive, sums, gr_graph_number(graph, GR_GRAPH_F32, 0.0));
}

gradus_status gr_lower_net(const gr_lowering *lowering, const gr_node *node, const size_t *inputs,
                           size_t *output)
{
    gr_graph *graph = lowering->graph;
    const gr_net *net = node->state;
    const size_t pitch = gr_net_pitch(net->units);
    const double base = (double)net->weights[gr_net_count(net->features, net->units) - 1];
    const size_t x = gr_lower_finite(graph, inputs[0], inputs[0]);
    const size_t numbers = net->units ? hidden_units(graph, net, x) : x;
    const gr_lane_sums sums = { .count = net->units ? pitch : net->features,
                                .sets = 1,
                                .lanes = net->units ? GR_UNITS : GR_FLOAT_LANES,
                                .chunk = SIZE_MAX,
                                .all =
                                    net->weights + (net->units ? (net->features + 1) * pitch : 0) };
    const size_t score = gr_op1(graph, GR_OP_TO_F64, gr_lower_lanes(graph, numbers, &sums));

    *output = gr_number_op(graph, GR_OP_ADD, base, score);
    return GRADUS_OK;
}
