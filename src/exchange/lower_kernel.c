/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel machines and sums of Gaussian functions as operations of a graph. */
#include "exchange/lower.h"

#include "learners/gaussians/gaussians.h"
#include "learners/kernel/kernel.h"

/* Support rows become a dense matrix; GR_MACHINE_CHUNK of them are summed together. */
enum { MAX_NUMBERS = 1 << 26 };

/* e^-x for x >= 0 as kernels/lanes.h computes it. */
static size_t exp_minus(gr_graph *graph, size_t x)
{
    static const double factors[] = { 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24,
                                      1.0 / 6,     1.0 / 2,    1.0,       1.0 };
    const size_t minus = gr_op1(graph, GR_OP_NEG, x);
    const size_t limit = gr_graph_number(graph, GR_GRAPH_F64, -GR_EXP_LIMIT);
    const size_t low = gr_op2(graph, GR_OP_LESS, minus, limit);
    const size_t y = gr_op3(graph, GR_OP_WHERE, low, limit, minus);
    const size_t k =
        gr_op1(graph, GR_OP_ROUND, gr_op_number(graph, GR_OP_MUL, y, 0x1.71547652b82fep+0));
    const size_t r =
        gr_op2(graph, GR_OP_SUB, y, gr_op_number(graph, GR_OP_MUL, k, 0x1.62e42fefa39efp-1));
    size_t sum = gr_op_number(graph, GR_OP_MUL, r, 1.0 / 362880);

    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        if (i > 0)
            sum = gr_op2(graph, GR_OP_MUL, r, sum);
        sum = gr_op_number(graph, GR_OP_ADD, sum, factors[i]);
    }
    return gr_op2(graph, GR_OP_MUL, sum, gr_op1(graph, GR_OP_POW2, k));
}

/* One array per field of the terms. */
typedef struct fields {
    uint32_t *features;
    double *centres, *scales, *weights, *offsets;
} fields;

static fields split_terms(gr_graph *graph, const gr_gaussians *g)
{
    const fields all = { gr_graph_array(graph, g->terms, sizeof *all.features),
                         gr_graph_array(graph, g->terms, sizeof *all.centres),
                         gr_graph_array(graph, g->terms, sizeof *all.scales),
                         gr_graph_array(graph, g->terms, sizeof *all.weights),
                         gr_graph_array(graph, g->terms, sizeof *all.offsets) };

    for (size_t t = 0; !graph->failed && t < g->terms; t++) {
        all.features[t] = (uint32_t)g->term[t].feature;
        all.centres[t] = g->term[t].centre;
        all.scales[t] = 1.0 / g->term[t].bandwidth;
        all.weights[t] = g->term[t].weight;
        all.offsets[t] = g->term[t].offset;
    }
    return all;
}

/* The kernel of each term: 1 x terms. */
static size_t gaussian_kernels(gr_graph *graph, const fields *all, size_t count, size_t x)
{
    const size_t values =
        gr_op1(graph, GR_OP_TO_F64, gr_graph_pick(graph, x, all->features, count));
    const size_t centres = gr_graph_constant(graph, GR_GRAPH_F64, 1, count, all->centres);
    const size_t scales = gr_graph_constant(graph, GR_GRAPH_F64, 1, count, all->scales);
    const size_t z = gr_op2(graph, GR_OP_MUL, gr_op2(graph, GR_OP_SUB, values, centres), scales);
    const size_t half = gr_op_number(graph, GR_OP_DIV, gr_op2(graph, GR_OP_MUL, z, z), 2.0);
    const size_t limit = gr_graph_number(graph, GR_GRAPH_F64, GR_EXP_LIMIT);
    const size_t near = gr_op2(graph, GR_OP_LESS, half, limit); /* not if missing */
    const size_t powers = exp_minus(graph, gr_op3(graph, GR_OP_WHERE, near, half, limit));

    return gr_op3(graph, GR_OP_WHERE, near, powers, gr_graph_number(graph, GR_GRAPH_F64, 0.0));
}

gradus_status gr_lower_gaussians(const gr_lowering *lowering, const gr_node *node,
                                 const size_t *inputs, size_t *output)
{
    gr_graph *graph = lowering->graph;
    const gr_gaussians *g = node->state;
    const size_t bases = gr_graph_constant(graph, GR_GRAPH_F64, 1, g->outputs, g->bases);

    *output = bases;
    if (g->terms == 0)
        return GRADUS_OK;
    const fields all = split_terms(graph, g);
    const size_t kernels = gaussian_kernels(graph, &all, g->terms, inputs[0]);
    const size_t offsets = gr_graph_constant(graph, GR_GRAPH_F64, 1, g->terms, all.offsets);
    const size_t weights = gr_graph_constant(graph, GR_GRAPH_F64, 1, g->terms, all.weights);
    const size_t terms =
        gr_op2(graph, GR_OP_MUL, weights, gr_op2(graph, GR_OP_SUB, kernels, offsets));
    const size_t joined = gr_op2(graph, GR_OP_JOIN, bases, terms);

    *output = gr_op1(graph, GR_OP_SUM,
                     gr_graph_reshape(graph, joined, gr_gaussians_rounds(g) + 1, g->outputs));
    return GRADUS_OK;
}

/* base^degree by repeated squaring. */
static size_t power(gr_graph *graph, size_t base, uint64_t degree)
{
    size_t result = SIZE_MAX;

    for (; degree; degree /= 2) {
        if (degree % 2)
            result = result == SIZE_MAX ? base : gr_op2(graph, GR_OP_MUL, result, base);
        if (degree > 1)
            base = gr_op2(graph, GR_OP_MUL, base, base);
    }
    return result;
}

/* The support rows as columns: features x rows. */
static size_t support_rows(gr_graph *graph, const gr_kernel_rows *rows)
{
    double *all = gr_graph_array(graph, rows->features * rows->rows, sizeof *all);
    double *row = gr_graph_array(graph, rows->features, sizeof *row);

    for (size_t r = 0; !graph->failed && r < rows->rows; r++) {
        gr_kernel_row_fill(rows, r, row);
        for (size_t f = 0; f < rows->features; f++)
            all[f * rows->rows + r] = row[f];
    }
    return gr_graph_constant(graph, GR_GRAPH_F64, rows->features, rows->rows, all);
}

/* Kernel values from dot products, with `square` of the document and of each row. */
static size_t gaussian_of(gr_graph *graph, const gr_machine *machine, size_t x, size_t dots)
{
    const double bandwidth = machine->kernel.bandwidth;
    const size_t square = gr_graph_total(graph, gr_op2(graph, GR_OP_MUL, x, x));
    const size_t squares =
        gr_graph_constant(graph, GR_GRAPH_F64, 1, machine->rows.rows, machine->rows.squares);
    const size_t both = gr_op2(graph, GR_OP_ADD, square, squares);
    const size_t distance =
        gr_op2(graph, GR_OP_SUB, both, gr_number_op(graph, GR_OP_MUL, 2.0, dots));
    const size_t apart = gr_number_op(graph, GR_OP_LESS, 0.0, distance);
    const size_t scaled =
        gr_op_number(graph, GR_OP_MUL, distance, 1.0 / (2.0 * bandwidth * bandwidth));
    const size_t none = gr_graph_number(graph, GR_GRAPH_F64, 0.0);

    return exp_minus(graph, gr_op3(graph, GR_OP_WHERE, apart, scaled, none));
}

/* The kernel values of all support rows: 1 x rows. */
static size_t kernel_values(gr_graph *graph, const gr_machine *machine, size_t input)
{
    const gr_kernel_rows *rows = &machine->rows;
    const gr_kernel *kernel = &machine->kernel;
    const size_t means = gr_graph_constant(graph, GR_GRAPH_F32, 1, rows->features, rows->means);
    const size_t finite = gr_op1(graph, GR_OP_IS_FINITE, input);
    const size_t x = gr_op1(graph, GR_OP_TO_F64, gr_op3(graph, GR_OP_WHERE, finite, input, means));
    double *zeros = gr_graph_array(graph, rows->rows, sizeof *zeros);
    const size_t support = support_rows(graph, rows);
    const size_t none = gr_graph_constant(graph, GR_GRAPH_F64, 1, rows->rows, zeros);
    const size_t dots = gr_op3(graph, GR_OP_DOT, x, support, none);

    if (kernel->kind == GR_KERNEL_GAUSSIAN)
        return gaussian_of(graph, machine, x, dots);
    return kernel->kind == GR_KERNEL_POLYNOMIAL
               ? power(graph, gr_op_number(graph, GR_OP_ADD, dots, kernel->coef0), kernel->degree)
               : dots;
}

gradus_status gr_lower_kernel(const gr_lowering *lowering, const gr_node *node,
                              const size_t *inputs, size_t *output)
{
    gr_graph *graph = lowering->graph;
    const gr_machine *machine = node->state;
    const size_t rows = machine->rows.rows, outputs = machine->outputs;
    const size_t bases = gr_graph_constant(graph, GR_GRAPH_F64, 1, outputs, machine->bases);

    *output = bases;
    if (rows == 0)
        return GRADUS_OK;
    if (machine->rows.features > MAX_NUMBERS / rows)
        return gr_lower_refuse(lowering, "kernel",
                               "its support rows take more than 67,108,864 numbers");
    const gr_lane_sums sums = { .count = rows,
                                .sets = outputs,
                                .lanes = GR_DOT,
                                .chunk = GR_MACHINE_CHUNK,
                                .all = machine->coefficients };
    const size_t chunks = (rows + GR_MACHINE_CHUNK - 1) / GR_MACHINE_CHUNK;
    const size_t parts = gr_lower_lanes(graph, kernel_values(graph, machine, inputs[0]), &sums);
    const size_t joined = gr_op2(graph, GR_OP_JOIN, bases, parts);

    *output = gr_op1(graph, GR_OP_SUM, gr_graph_reshape(graph, joined, chunks + 1, outputs));
    return GRADUS_OK;
}
