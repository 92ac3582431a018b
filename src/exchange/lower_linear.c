/* SPDX-License-Identifier: Apache-2.0 */
/* Linear equations, of features and of hashed features, as operations of a graph. */
#include "exchange/lower.h"

#include "kernels/gram.h"
#include "learners/linear/linear.h"
#include "learners/sgd/hashed.h"

#include <string.h>

/* Beyond this, a dense equation is not what a user of hashed features expects. */
enum { MAX_HASHED = 1000000 };

size_t gr_lower_finite(gr_graph *graph, size_t a, size_t b)
{
    const size_t finite = gr_op1(graph, GR_OP_IS_FINITE, a);
    const gr_graph_type type = graph->failed ? GR_GRAPH_F64 : graph->values[b].type;

    return gr_op3(graph, GR_OP_WHERE, finite, b, gr_graph_number(graph, type, 0.0));
}

/* The layout of the products: `steps` rows; lane l, chunk c and set k are in column
 * (l * chunks + c) * sets + k. */
typedef struct layout {
    size_t steps, chunks, per_chunk; /* per_chunk: products of a chunk, with padding */
    size_t columns;
} layout;

static layout lay_out(const gr_lane_sums *sums)
{
    const size_t chunk = sums->count < sums->chunk ? sums->count : sums->chunk;
    layout at = { .steps = (chunk + sums->lanes - 1) / sums->lanes };

    at.chunks = (sums->count + chunk - 1) / chunk;
    at.per_chunk = at.steps * sums->lanes;
    at.columns = sums->lanes * at.chunks * sums->sets;
    return at;
}

/* Where an element of the layout is among the padded numbers, and its set. */
static size_t source_of(const gr_lane_sums *sums, const layout *at, size_t element, size_t *set)
{
    const size_t row = element / at->columns, column = element % at->columns;
    const size_t chunk = column / sums->sets % at->chunks;
    const size_t lane = column / sums->sets / at->chunks;

    *set = column % sums->sets;
    return chunk * at->per_chunk + row * sums->lanes + lane;
}

/* The coefficients in the layout, 0 in the padding. */
static size_t spread_coefficients(gr_graph *graph, gr_graph_type type, const gr_lane_sums *sums,
                                  const layout *at)
{
    const size_t size = type == GR_GRAPH_F32 ? sizeof(float) : sizeof(double);
    char *spread = gr_graph_array(graph, at->steps * at->columns, size);

    for (size_t e = 0; spread && e < at->steps * at->columns; e++) {
        size_t set;
        const size_t source = source_of(sums, at, e, &set);

        if (source < sums->count)
            memcpy(spread + e * size, (const char *)sums->all + (set * sums->count + source) * size,
                   size);
    }
    return gr_graph_constant(graph, type, at->steps, at->columns, spread);
}

/* The numbers in the layout. */
static size_t spread_numbers(gr_graph *graph, gr_graph_type type, size_t numbers,
                             const gr_lane_sums *sums, const layout *at)
{
    const size_t padding = at->chunks * at->per_chunk - sums->count;
    void *zeros = padding ? gr_graph_array(graph, padding, sizeof(double)) : NULL;

    if (padding)
        numbers =
            gr_op2(graph, GR_OP_JOIN, numbers, gr_graph_constant(graph, type, 1, padding, zeros));
    if (at->chunks * sums->sets > 1) {
        uint32_t *picked = gr_graph_array(graph, at->steps * at->columns, sizeof *picked);

        for (size_t e = 0; picked && e < at->steps * at->columns; e++) {
            size_t set;

            picked[e] = (uint32_t)source_of(sums, at, e, &set);
        }
        numbers = gr_graph_pick(graph, numbers, picked, at->steps * at->columns);
    }
    return gr_graph_reshape(graph, numbers, at->steps, at->columns);
}

size_t gr_lower_lanes(gr_graph *graph, size_t numbers, const gr_lane_sums *sums)
{
    const gr_graph_type type = graph->failed ? GR_GRAPH_F64 : graph->values[numbers].type;
    const layout at = lay_out(sums);
    const size_t spread = spread_numbers(graph, type, numbers, sums, &at);
    const size_t products =
        gr_op2(graph, GR_OP_MUL, spread, spread_coefficients(graph, type, sums, &at));
    /* Lanes start at 0, so that no sum is -0. */
    size_t sum = gr_op_number(graph, GR_OP_ADD, gr_op1(graph, GR_OP_SUM, products), 0.0);

    for (size_t half = at.columns / 2; half >= at.chunks * sums->sets; half /= 2) {
        const size_t low = gr_graph_part(graph, sum, 0, half);

        sum = gr_op2(graph, GR_OP_ADD, low, gr_graph_part(graph, sum, half, half));
    }
    return sum;
}

gradus_status gr_lower_linear(const gr_lowering *lowering, const gr_node *node,
                              const size_t *inputs, size_t *output)
{
    gr_graph *graph = lowering->graph;
    const gr_linear *linear = node->state;
    const size_t means = gr_graph_constant(graph, GR_GRAPH_F64, 1, linear->features, linear->means);
    const size_t off = gr_op2(graph, GR_OP_SUB, gr_op1(graph, GR_OP_TO_F64, inputs[0]), means);
    const gr_lane_sums sums = { .count = linear->features,
                                .sets = linear->outputs,
                                .lanes = GR_STRIP,
                                .chunk = SIZE_MAX,
                                .all = linear->coefficients };
    const size_t products = gr_lower_lanes(graph, gr_lower_finite(graph, off, off), &sums);
    const size_t bases = gr_graph_constant(graph, GR_GRAPH_F64, 1, linear->outputs, linear->bases);

    *output = gr_op2(graph, GR_OP_ADD, bases, products);
    return GRADUS_OK;
}

/* The weight of each feature: features x outputs. Features share buckets, with either sign. */
static double *unhashed(gr_graph *graph, const gr_hashed *hashed)
{
    const gr_linear *linear = &hashed->linear;
    double *all = gr_graph_array(graph, hashed->features * linear->outputs, sizeof *all);

    for (size_t f = 0; all && f < hashed->features; f++) {
        float sign;
        const size_t bucket = gr_hash_bucket(f, hashed->bits, &sign);

        for (size_t k = 0; k < linear->outputs; k++)
            all[f * linear->outputs + k] =
                (double)sign * linear->coefficients[k * linear->features + bucket];
    }
    return all;
}

gradus_status gr_lower_hash(const gr_lowering *lowering, const gr_node *node, const size_t *inputs,
                            size_t *output)
{
    gr_graph *graph = lowering->graph;
    const gr_hashed *hashed = node->state;
    const size_t outputs = hashed->linear.outputs;

    if (hashed->features > MAX_HASHED)
        return gr_lower_refuse(
            lowering, "hash",
            "it has more than 1,000,000 features, each of which needs a separate "
            "weight");
    const size_t x = gr_op1(graph, GR_OP_TO_F64, gr_lower_finite(graph, inputs[0], inputs[0]));
    const double *all = unhashed(graph, hashed);
    const size_t weights = gr_graph_constant(graph, GR_GRAPH_F64, hashed->features, outputs, all);
    const size_t bases = gr_graph_constant(graph, GR_GRAPH_F64, 1, outputs, hashed->linear.bases);

    *output = gr_op3(graph, GR_OP_DOT, x, weights, bases);
    return GRADUS_OK;
}
