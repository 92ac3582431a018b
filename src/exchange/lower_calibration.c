/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations as operations of a graph; see src/calibration for what they compute. */
#include "exchange/lower.h"

#include "calibration/parameters.h"

#include <assert.h>

/* A calibration of `in` (1 x inputs) to 1 x outputs. */
typedef size_t lower_one(gr_graph *graph, const gr_calibration *c, size_t in);

/* log(1 / (1 + e^-x)), without overflow. */
static size_t log_sigmoid(gr_graph *graph, size_t x)
{
    const size_t positive = gr_number_op(graph, GR_OP_LESS, 0.0, x);
    const size_t below = gr_op1(graph, GR_OP_EXP, gr_op1(graph, GR_OP_NEG, x));
    const size_t high = gr_op1(
        graph, GR_OP_NEG, gr_op1(graph, GR_OP_LOG, gr_number_op(graph, GR_OP_ADD, 1.0, below)));
    const size_t above = gr_op1(graph, GR_OP_EXP, x);
    const size_t low = gr_op2(graph, GR_OP_SUB, x,
                              gr_op1(graph, GR_OP_LOG, gr_number_op(graph, GR_OP_ADD, 1.0, above)));

    return gr_op3(graph, GR_OP_WHERE, positive, high, low);
}

static size_t lower_sigmoid(gr_graph *graph, const gr_calibration *c, size_t in)
{
    const gr_sigmoid_parameters *sigmoid = gr_sigmoid_of(c);
    const size_t off = gr_op_number(graph, GR_OP_SUB, in, sigmoid->midpoint);
    const size_t z = gr_number_op(graph, GR_OP_MUL, sigmoid->slope, off);

    return gr_lower_softmax(graph, log_sigmoid(graph, z));
}

/* p, at least 1e-12 and at most 1 - 1e-12. */
static size_t within(gr_graph *graph, size_t p)
{
    const size_t least = gr_graph_number(graph, GR_GRAPH_F64, 1e-12);
    const size_t most = gr_graph_number(graph, GR_GRAPH_F64, 1.0 - 1e-12);
    const size_t low = gr_op2(graph, GR_OP_LESS, p, least);
    const size_t high = gr_op2(graph, GR_OP_LESS, most, p);

    return gr_op3(graph, GR_OP_WHERE, low, least, gr_op3(graph, GR_OP_WHERE, high, most, p));
}

/* One parameter of each output, `step` numbers apart. */
static size_t parameters(gr_graph *graph, const double *first, size_t count, size_t step)
{
    double *all = gr_graph_array(graph, count, sizeof *all);

    for (size_t i = 0; all && i < count; i++)
        all[i] = first[i * step];
    return gr_graph_constant(graph, GR_GRAPH_F64, 1, count, all);
}

static size_t lower_platt(gr_graph *graph, const gr_calibration *c, size_t in)
{
    const gr_platt_parameters *platt = gr_platt_of(c);
    const size_t slopes = parameters(graph, &platt->slope, c->outputs, GR_PLATT_COUNT);
    const size_t intercepts = parameters(graph, &platt->intercept, c->outputs, GR_PLATT_COUNT);
    size_t x = in;

    if (c->inputs > 1) {
        const size_t p = within(graph, in);
        const size_t rest = gr_number_op(graph, GR_OP_SUB, 1.0, p);

        x = gr_op1(graph, GR_OP_LOG, gr_op2(graph, GR_OP_DIV, p, rest));
    }
    const size_t product = gr_op2(graph, GR_OP_MUL, slopes, x);

    return gr_lower_logistic(graph, gr_op2(graph, GR_OP_ADD, product, intercepts));
}

static size_t lower_beta(gr_graph *graph, const gr_calibration *c, size_t in)
{
    const gr_beta_parameters *beta = gr_beta_of(c);
    const size_t a = parameters(graph, &beta->a, c->outputs, GR_BETA_COUNT);
    const size_t b = parameters(graph, &beta->b, c->outputs, GR_BETA_COUNT);
    const size_t last = parameters(graph, &beta->c, c->outputs, GR_BETA_COUNT);
    const size_t p = within(graph, in);
    const size_t first = gr_op2(graph, GR_OP_MUL, a, gr_op1(graph, GR_OP_LOG, p));
    const size_t rest = gr_op1(graph, GR_OP_LOG, gr_number_op(graph, GR_OP_SUB, 1.0, p));
    const size_t both = gr_op2(graph, GR_OP_SUB, first, gr_op2(graph, GR_OP_MUL, b, rest));

    return gr_lower_logistic(graph, gr_op2(graph, GR_OP_ADD, both, last));
}

static size_t lower_temperature(gr_graph *graph, const gr_calibration *c, size_t in)
{
    const size_t logs = gr_op1(graph, GR_OP_LOG, within(graph, in));

    return gr_lower_softmax(graph, gr_op_number(graph, GR_OP_DIV, logs, *gr_temperature_of(c)));
}

/* The number of points up to x, at least 1 and at most the last: the end of the interval of x. */
static size_t end_of_interval(gr_graph *graph, size_t points, size_t last, size_t x)
{
    const size_t reached = gr_op2(graph, GR_OP_LESS_EQUAL, gr_graph_upright(graph, points), x);
    const size_t count = gr_graph_total(graph, gr_op1(graph, GR_OP_TO_F64, reached));

    return gr_op_number(graph, GR_OP_MIN, gr_op_number(graph, GR_OP_MAX, count, 1.0), (double)last);
}

/* Linear between points, constant beyond the first and the last. */
static size_t interpolated(gr_graph *graph, const gr_isotonic_curve *curve, size_t x)
{
    const size_t count = curve->points, last = count - 1;
    const size_t first_y = gr_graph_number(graph, GR_GRAPH_F64, curve->y[0]);

    if (last == 0)
        return first_y;
    const size_t xs = gr_graph_constant(graph, GR_GRAPH_F64, 1, count, curve->x);
    const size_t ys = gr_graph_constant(graph, GR_GRAPH_F64, 1, count, curve->y);
    const size_t high = end_of_interval(graph, xs, last, x);
    const size_t low = gr_op_number(graph, GR_OP_SUB, high, 1.0);
    const size_t x_low = gr_op2(graph, GR_OP_TAKE, xs, low);
    const size_t y_low = gr_op2(graph, GR_OP_TAKE, ys, low);
    const size_t width = gr_op2(graph, GR_OP_SUB, gr_op2(graph, GR_OP_TAKE, xs, high), x_low);
    const size_t rise = gr_op2(graph, GR_OP_SUB, gr_op2(graph, GR_OP_TAKE, ys, high), y_low);
    const size_t share = gr_op2(graph, GR_OP_DIV, gr_op2(graph, GR_OP_SUB, x, x_low), width);
    const size_t between = gr_op2(graph, GR_OP_ADD, y_low, gr_op2(graph, GR_OP_MUL, rise, share));
    const size_t ends = gr_number_op(graph, GR_OP_LESS_EQUAL, curve->x[last], x);
    const size_t last_y = gr_graph_number(graph, GR_GRAPH_F64, curve->y[last]);
    const size_t begun = gr_number_op(graph, GR_OP_LESS, curve->x[0], x);

    return gr_op3(graph, GR_OP_WHERE, begun, gr_op3(graph, GR_OP_WHERE, ends, last_y, between),
                  first_y);
}

static size_t lower_isotonic(gr_graph *graph, const gr_calibration *c, size_t in)
{
    gr_isotonic_curve curve = gr_isotonic_curve_at(c->numbers);
    size_t all = 0;

    for (size_t o = 0; o < c->outputs; o++) {
        const size_t x = c->inputs == 1 ? in : gr_graph_part(graph, in, o, 1);
        const size_t y = interpolated(graph, &curve, x);

        all = o ? gr_op2(graph, GR_OP_JOIN, all, y) : y;
        if (o + 1 < c->outputs)
            curve = gr_isotonic_curve_at(curve.next);
    }
    return all;
}

static size_t standardised(gr_graph *graph, const gr_calibration *c, size_t in)
{
    const gr_regression_parameters all = gr_regression_of(c);
    const size_t means = gr_graph_constant(graph, GR_GRAPH_F64, 1, c->inputs, all.means);
    const size_t deviations = gr_graph_constant(graph, GR_GRAPH_F64, 1, c->inputs, all.deviations);

    return gr_op2(graph, GR_OP_DIV, gr_op2(graph, GR_OP_SUB, in, means), deviations);
}

/* Appends the terms of the next degree: each of the previous degree times an input whose index is not
 * below that of its last factor, in the order of gr_polynomial_row. starts: where the terms with
 * the last factor i start; updated. */
static size_t next_degree(gr_graph *graph, const gr_calibration *c, size_t z, size_t terms,
                          size_t *starts)
{
    const size_t end = gr_graph_columns(graph, terms);
    size_t count = 0, at = 0;

    for (size_t i = 0; i < c->inputs; i++)
        count += end - starts[i];
    uint32_t *factors = gr_graph_array(graph, count, sizeof *factors);
    uint32_t *inputs = gr_graph_array(graph, count, sizeof *inputs);

    for (size_t i = 0; !graph->failed && i < c->inputs; i++) {
        const size_t from = starts[i];

        starts[i] = end + at;
        for (size_t t = from; t < end; t++, at++) {
            factors[at] = (uint32_t)t;
            inputs[at] = (uint32_t)i;
        }
    }
    const size_t before = gr_graph_pick(graph, terms, factors, count);
    const size_t products =
        gr_op2(graph, GR_OP_MUL, before, gr_graph_pick(graph, z, inputs, count));

    return gr_op2(graph, GR_OP_JOIN, terms, products);
}

static size_t lower_polynomial(gr_graph *graph, const gr_calibration *c, size_t in)
{
    const gr_polynomial_parameters polynomial = gr_polynomial_of(c);
    const size_t z = standardised(graph, c, in);
    size_t *starts = gr_graph_array(graph, c->inputs, sizeof *starts);
    size_t terms = gr_graph_number(graph, GR_GRAPH_F64, 1.0);

    for (size_t d = 0; starts && !graph->failed && d < polynomial.degree; d++)
        terms = next_degree(graph, c, z, terms, starts);
    assert(graph->failed || gr_graph_columns(graph, terms) == polynomial.terms);
    return gr_lower_inner(graph, terms, polynomial.coefficients, 0.0);
}

static size_t lower_ordinal(gr_graph *graph, const gr_calibration *c, size_t in)
{
    return gr_lower_inner(graph, standardised(graph, c, in), gr_ordinal_of(c), 0.0);
}

static size_t lower_network(gr_graph *graph, const gr_calibration *c, size_t in)
{
    const gr_network_parameters net = gr_network_of(c);
    const gr_network_layout layout = gr_network_layout_of(c->inputs, net.units);
    double *weights = gr_graph_array(graph, c->inputs * net.units, sizeof *weights);
    double *zeros = gr_graph_array(graph, net.units, sizeof *zeros);
    const size_t z = standardised(graph, c, in);

    for (size_t i = 0; !graph->failed && i < c->inputs; i++)
        for (size_t h = 0; h < net.units; h++)
            weights[i * net.units + h] = net.weights[h * layout.unit + i];
    const size_t all = gr_graph_constant(graph, GR_GRAPH_F64, c->inputs, net.units, weights);
    const size_t none = gr_graph_constant(graph, GR_GRAPH_F64, 1, net.units, zeros);
    const size_t biases = parameters(graph, net.weights + c->inputs, net.units, layout.unit);
    const size_t sums = gr_op2(graph, GR_OP_ADD, gr_op3(graph, GR_OP_DOT, z, all, none), biases);
    const size_t powers = gr_lower_logistic(graph, gr_number_op(graph, GR_OP_MUL, 2.0, sums));
    const size_t units =
        gr_op_number(graph, GR_OP_SUB, gr_number_op(graph, GR_OP_MUL, 2.0, powers), 1.0);

    return gr_lower_inner(graph, units, net.weights + layout.output, net.weights[layout.bias]);
}

static size_t lower_process(gr_graph *graph, const gr_calibration *c, size_t in)
{
    const gr_process_parameters process = gr_process_of(c);
    double *points = gr_graph_array(graph, c->inputs * process.count, sizeof *points);
    const size_t z = gr_graph_upright(graph, standardised(graph, c, in));

    for (size_t i = 0; points && i < c->inputs; i++)
        for (size_t p = 0; p < process.count; p++)
            points[i * process.count + p] = process.points[p * c->inputs + i];
    const size_t all = gr_graph_constant(graph, GR_GRAPH_F64, c->inputs, process.count, points);
    const size_t apart = gr_op2(graph, GR_OP_SUB, z, all);
    const size_t squares = gr_op1(graph, GR_OP_SUM, gr_op2(graph, GR_OP_MUL, apart, apart));
    const size_t near =
        gr_op1(graph, GR_OP_EXP, gr_number_op(graph, GR_OP_MUL, -process.head->rate, squares));

    return gr_lower_inner(graph, near, process.weights, process.head->mean);
}

static lower_one *const all[GR_CALIBRATIONS] = {
    [GR_CALIBRATION_IS_ls] = lower_sigmoid,
    [GR_CALIBRATION_IS_ewls] = lower_sigmoid,
    [GR_CALIBRATION_IS_el] = lower_sigmoid,
    [GR_CALIBRATION_IS_ell] = lower_sigmoid,
    [GR_CALIBRATION_IS_sn] = lower_sigmoid,
    [GR_CALIBRATION_IS_platt] = lower_platt,
    [GR_CALIBRATION_IS_isotonic] = lower_isotonic,
    [GR_CALIBRATION_IS_beta] = lower_beta,
    [GR_CALIBRATION_IS_temperature] = lower_temperature,
    [GR_CALIBRATION_IS_linear] = lower_polynomial,
    [GR_CALIBRATION_IS_polynomial] = lower_polynomial,
    [GR_CALIBRATION_IS_ordinal] = lower_ordinal,
    [GR_CALIBRATION_IS_network] = lower_network,
    [GR_CALIBRATION_IS_gaussian_process] = lower_process,
};

gradus_status gr_lower_calibration(const gr_lowering *lowering, const gr_node *node,
                                   const size_t *inputs, size_t *output)
{
    const gr_calibration *c = node->state;

    if (!all[c->method])
        return gr_lower_refuse(lowering, gr_calibration_names[c->method],
                               "no operations are defined for this calibration");
    *output = all[c->method](lowering->graph, c, inputs[0]);
    return GRADUS_OK;
}
