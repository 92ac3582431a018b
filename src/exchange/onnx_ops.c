/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of array operations as nodes of an ONNX graph. Sums are CumSum, of which the last row is
 * taken: it adds in index order, while ReduceSum, MatMul and Einsum may add in any. */
#include "exchange/onnx_ops.h"

#include "exchange/onnx_proto.h"
#include "exchange/onnx_trees.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { AXIS_ROWS = -2, AXIS_COLUMNS = -1 };
enum { MAX_RANK = 4 };

/* Name of a tensor: operation, number of the value, and what it is if not the value itself. */
typedef struct tensor_name {
    char text[64];
} tensor_name;

typedef struct onnx_graph {
    gr_buffer *out;
    const gr_graph *graph;
    uint64_t opset_ml;
    bool *used;       /* per value: the results depend on it */
    bool *batched;    /* per value: has a dimension N */
    bool has_doubles; /* the features as doubles are written */
    bool has_batch;   /* the shape [N, 1, 1] is written */
    gradus_error *err;
} onnx_graph;

static const gr_graph_value *value_at(const onnx_graph *g, size_t v)
{
    return g->graph->values + v;
}

static tensor_name part_name(const onnx_graph *g, size_t v, const char *part)
{
    tensor_name name;
    int length = snprintf(name.text, sizeof name.text, "%s_%zu%s%s",
                          gr_graph_op_name(value_at(g, v)->op), v, *part ? "_" : "", part);

    for (int i = 0; i < length; i++)
        name.text[i] = (char)tolower((unsigned char)name.text[i]);
    return name;
}

static tensor_name value_name(const onnx_graph *g, size_t v)
{
    return part_name(g, v, "");
}

/* A node without attributes. */
static void put_node(const onnx_graph *g, const char *op, const char *output,
                     const char *const *inputs, size_t count)
{
    gr_proto_end(g->out, gr_onnx_node_begin(g->out, "", op, inputs, count, output));
}

static void put_unary(const onnx_graph *g, const char *op, const char *output, const char *a)
{
    put_node(g, op, output, &a, 1);
}

static void put_binary(const onnx_graph *g, const char *op, const char *output, const char *a,
                       const char *b)
{
    put_node(g, op, output, (const char *const[]){ a, b }, 2);
}

/* A node with an axis; b NULL: one input. */
static void put_along(const onnx_graph *g, const char *op, const char *output, const char *a,
                      const char *b, int64_t axis)
{
    size_t node =
        gr_onnx_node_begin(g->out, "", op, (const char *const[]){ a, b }, b ? 2 : 1, output);

    gr_onnx_int(g->out, "axis", axis);
    gr_proto_end(g->out, node);
}

static void put_cast(const onnx_graph *g, const char *output, const char *a, gr_onnx_type type)
{
    size_t node = gr_onnx_node_begin(g->out, "", "Cast", &a, 1, output);

    gr_onnx_int(g->out, "to", type);
    gr_proto_end(g->out, node);
}

/* A constant list of whole numbers, for shapes, axes and indices. */
static void put_list(const onnx_graph *g, const char *name, const int64_t *numbers, size_t count)
{
    gr_onnx_list tensor = gr_onnx_initializer_begin(g->out, name, GR_ONNX_INT64, &count, 1);

    for (size_t i = 0; i < count; i++)
        gr_onnx_put_int64(g->out, numbers[i]);
    gr_onnx_initializer_end(g->out, &tensor);
}

/* part: distinguishes the nodes of a value. dims: 0 copies a dimension. */
static void put_reshape(const onnx_graph *g, size_t v, const char *part, const char *output,
                        const char *a, const int64_t *dims, size_t rank)
{
    tensor_name shape = part_name(g, v, part);

    put_list(g, shape.text, dims, rank);
    put_binary(g, "Reshape", output, a, shape.text);
}

/* The tensor of a value with its dimension N, which is added if it lacks one. */
static tensor_name batched_name(onnx_graph *g, size_t user, size_t v, const char *part)
{
    tensor_name name = value_name(g, v), expanded = part_name(g, user, part);
    const int64_t zero = 0, ones[2] = { 1, 1 };

    if (g->batched[v])
        return name;
    if (!g->has_batch) {
        put_list(g, "batch_first", &zero, 1);
        put_list(g, "batch_ones", ones, 2);
        put_unary(g, "Shape", "batch_dims", GR_ONNX_INPUT);
        put_along(g, "Gather", "batch_rows", "batch_dims", "batch_first", 0);
        put_along(g, "Concat", "batch_shape", "batch_rows", "batch_ones", 0);
        g->has_batch = true;
    }
    put_binary(g, "Expand", expanded.text, name.text, "batch_shape");
    return expanded;
}

typedef void write_op(onnx_graph *g, size_t v, const gr_graph_value *value);

static void write_input(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    const int64_t dims[3] = { 0, 1, (int64_t)value->columns };
    tensor_name name = value_name(g, v);

    put_reshape(g, v, "shape", name.text, GR_ONNX_INPUT, dims, 3);
}

static void write_constant(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    const size_t dims[2] = { value->rows, value->columns };
    bool is_float = value->type == GR_GRAPH_F32;
    tensor_name name = value_name(g, v);
    gr_onnx_list tensor = gr_onnx_initializer_begin(
        g->out, name.text, is_float ? GR_ONNX_FLOAT : GR_ONNX_DOUBLE, dims, 2);

    for (size_t i = 0; i < value->rows * value->columns; i++)
        if (is_float)
            gr_onnx_put_float(g->out, ((const float *)value->data)[i]);
        else
            gr_onnx_put_double(g->out, ((const double *)value->data)[i]);
    gr_onnx_initializer_end(g->out, &tensor);
}

/* Operations that are an operator with the same inputs. */
static const char *plain_operator(gr_graph_op op)
{
    static const char *const names[GR_GRAPH_OPS] = {
        [GR_OP_ADD] = "Add",      [GR_OP_SUB] = "Sub",
        [GR_OP_MUL] = "Mul",      [GR_OP_DIV] = "Div",
        [GR_OP_MAX] = "Max",      [GR_OP_MIN] = "Min",
        [GR_OP_NEG] = "Neg",      [GR_OP_ABS] = "Abs",
        [GR_OP_ROUND] = "Round",  [GR_OP_SQUARE_ROOT] = "Sqrt",
        [GR_OP_EXP] = "Exp",      [GR_OP_LOG] = "Log",
        [GR_OP_LESS] = "Less",    [GR_OP_LESS_EQUAL] = "LessOrEqual",
        [GR_OP_IS_NAN] = "IsNaN", [GR_OP_AND] = "And",
        [GR_OP_OR] = "Or",        [GR_OP_NOT] = "Not",
        [GR_OP_WHERE] = "Where",  [GR_OP_MATMUL] = "MatMul",
    };

    return names[op];
}

static void write_plain(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name names[GR_GRAPH_INPUTS], output = value_name(g, v);
    const char *inputs[GR_GRAPH_INPUTS];
    size_t count = gr_graph_arity(value->op);

    for (size_t i = 0; i < count; i++) {
        names[i] = value_name(g, value->inputs[i]);
        inputs[i] = names[i].text;
    }
    put_node(g, plain_operator(value->op), output.text, inputs, count);
}

/* Where does not take truth values in every runtime: (a and b) or (not a and c). */
static void write_where(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]), b = value_name(g, value->inputs[1]);
    tensor_name c = value_name(g, value->inputs[2]), output = value_name(g, v);
    tensor_name yes = part_name(g, v, "yes"), not = part_name(g, v, "not");
    tensor_name no = part_name(g, v, "no");

    if (value->type != GR_GRAPH_BOOL) {
        write_plain(g, v, value);
        return;
    }
    put_binary(g, "And", yes.text, a.text, b.text);
    put_unary(g, "Not", not .text, a.text);
    put_binary(g, "And", no.text, not .text, c.text);
    put_binary(g, "Or", output.text, yes.text, no.text);
}

static void put_scalar(const onnx_graph *g, const char *name, gr_graph_type type, double number)
{
    const size_t one = 1;
    gr_onnx_list tensor = gr_onnx_initializer_begin(
        g->out, name, type == GR_GRAPH_F32 ? GR_ONNX_FLOAT : GR_ONNX_DOUBLE, &one, 1);

    if (type == GR_GRAPH_F32)
        gr_onnx_put_float(g->out, (float)number);
    else
        gr_onnx_put_double(g->out, number);
    gr_onnx_initializer_end(g->out, &tensor);
}

static void write_power(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]), two = part_name(g, v, "base");
    tensor_name output = value_name(g, v);

    put_scalar(g, two.text, value->type, 2.0);
    put_binary(g, "Pow", output.text, two.text, a.text);
}

/* |a| < infinity, which is false for NaN. */
static void write_is_finite(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    size_t a = value->inputs[0];
    tensor_name input = value_name(g, a), size = part_name(g, v, "size");
    tensor_name limit = part_name(g, v, "limit"), output = value_name(g, v);

    put_scalar(g, limit.text, value_at(g, a)->type, (double)INFINITY);
    put_unary(g, "Abs", size.text, input.text);
    put_binary(g, "Less", output.text, size.text, limit.text);
}

static void write_cast(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]), output = value_name(g, v);

    put_cast(g, output.text, a.text, value->op == GR_OP_TO_F32 ? GR_ONNX_FLOAT : GR_ONNX_DOUBLE);
}

static void put_running_sum(const onnx_graph *g, size_t v, const char *output, const char *a)
{
    const int64_t axis = AXIS_ROWS;
    tensor_name name = part_name(g, v, "axis");

    put_list(g, name.text, &axis, 1);
    put_binary(g, "CumSum", output, a, name.text);
}

/* The sum of `rows` rows of a tensor, in their order. */
static void put_sum(const onnx_graph *g, size_t v, const char *a, size_t rows)
{
    tensor_name partial = part_name(g, v, "partial"), row = part_name(g, v, "row");
    tensor_name output = value_name(g, v);
    const int64_t last = (int64_t)rows - 1;

    put_running_sum(g, v, partial.text, a);
    put_list(g, row.text, &last, 1);
    put_along(g, "Gather", output.text, partial.text, row.text, AXIS_ROWS);
}

static void write_sum(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]);

    put_sum(g, v, a.text, value_at(g, value->inputs[0])->rows);
}

static void write_running_sum(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]), output = value_name(g, v);

    put_running_sum(g, v, output.text, a.text);
}

static void write_extreme(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]), output = value_name(g, v);
    const char *input = a.text, *op = value->op == GR_OP_TOP ? "ReduceMax" : "ReduceMin";
    size_t node = gr_onnx_node_begin(g->out, "", op, &input, 1, output.text);
    gr_onnx_list axes = gr_onnx_ints_begin(g->out, "axes");

    gr_onnx_ints_put(g->out, AXIS_ROWS);
    gr_onnx_ints_end(g->out, &axes);
    gr_proto_end(g->out, node);
}

static void write_sort(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]), count = part_name(g, v, "count");
    tensor_name output = value_name(g, v), order = part_name(g, v, "order");
    const int64_t rows = (int64_t)value->rows;
    size_t node;

    put_list(g, count.text, &rows, 1);
    node = gr_onnx_node_begin(g->out, "", "TopK", (const char *const[]){ a.text, count.text }, 2,
                              output.text);
    gr_onnx_node_output(g->out, order.text);
    gr_onnx_int(g->out, "axis", AXIS_ROWS);
    gr_proto_end(g->out, node);
}

/* Products [N, k, n] below the row c, summed along the rows. */
static void write_dot(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    size_t a = value->inputs[0], b = value->inputs[1], c = value->inputs[2];
    size_t terms = value_at(g, a)->columns;
    const int64_t dims[3] = { 0, (int64_t)terms, 1 };
    tensor_name left = batched_name(g, v, a, "left"), right = value_name(g, b);
    tensor_name first = batched_name(g, v, c, "first"), turned = part_name(g, v, "turned");
    tensor_name products = part_name(g, v, "products"), all = part_name(g, v, "terms");

    put_reshape(g, v, "shape", turned.text, left.text, dims, 3);
    put_binary(g, "Mul", products.text, turned.text, right.text);
    put_along(g, "Concat", all.text, first.text, products.text, AXIS_ROWS);
    put_sum(g, v, all.text, terms + 1);
}

static void write_pick(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]), columns = part_name(g, v, "columns");
    tensor_name output = value_name(g, v);
    gr_onnx_list list =
        gr_onnx_initializer_begin(g->out, columns.text, GR_ONNX_INT64, &value->columns, 1);

    for (size_t i = 0; i < value->columns; i++)
        gr_onnx_put_int64(g->out, (int64_t)((const uint32_t *)value->data)[i]);
    gr_onnx_initializer_end(g->out, &list);
    put_along(g, "Gather", output.text, a.text, columns.text, AXIS_COLUMNS);
}

/* Gives a tensor of a value its shape. */
static void put_shaped(const onnx_graph *g, size_t v, const char *a)
{
    const gr_graph_value *value = value_at(g, v);
    const int64_t dims[3] = { 0, (int64_t)value->rows, (int64_t)value->columns };
    tensor_name output = value_name(g, v);

    if (g->batched[v])
        put_reshape(g, v, "shape", output.text, a, dims, 3);
    else
        put_reshape(g, v, "shape", output.text, a, dims + 1, 2);
}

static void write_reshape(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]);

    put_shaped(g, v, a.text);
}

static void write_join(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name output = value_name(g, v), names[2];

    for (size_t i = 0; i < 2; i++) {
        size_t input = value->inputs[i];

        names[i] = g->batched[v] ? batched_name(g, v, input, i == 0 ? "left" : "right")
                                 : value_name(g, input);
    }
    put_along(g, "Concat", output.text, names[0].text, names[1].text, AXIS_COLUMNS);
}

/* The indices of a value as integers. */
static tensor_name put_indices(const onnx_graph *g, size_t v, size_t b)
{
    tensor_name whole = part_name(g, v, "whole"), input = value_name(g, b);

    put_cast(g, whole.text, input.text, GR_ONNX_INT64);
    return whole;
}

static void write_lookup(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    size_t b = value->inputs[1];
    const int64_t dims[2] = { 0, (int64_t)value_at(g, b)->columns };
    tensor_name table = value_name(g, value->inputs[0]), whole = put_indices(g, v, b);
    tensor_name rows = part_name(g, v, "rows"), output = value_name(g, v);

    if (g->batched[b])
        put_reshape(g, v, "list", rows.text, whole.text, dims, 2);
    else
        put_reshape(g, v, "list", rows.text, whole.text, dims + 1, 1);
    put_along(g, "Gather", output.text, table.text, rows.text, 0);
}

/* Takes from a table of the graph, or from each document's own row: these by the same indices for
 * all documents, or by the document's. */
static void write_take(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    size_t a = value->inputs[0], b = value->inputs[1];
    const int64_t flat = (int64_t)value_at(g, a)->columns;
    const int64_t dims[3] = { 0, 1, (int64_t)(value->rows * value->columns) };
    tensor_name from = value_name(g, a), whole = put_indices(g, v, b);
    tensor_name table = part_name(g, v, "table"), list = part_name(g, v, "list");
    tensor_name taken = part_name(g, v, "taken"), output = value_name(g, v);

    if (!g->batched[a]) {
        put_reshape(g, v, "table_shape", table.text, from.text, &flat, 1);
        put_along(g, "Gather", output.text, table.text, whole.text, 0);
    } else if (!g->batched[b]) {
        put_along(g, "Gather", taken.text, from.text, whole.text, AXIS_COLUMNS);
        put_shaped(g, v, taken.text);
    } else {
        put_reshape(g, v, "list_shape", list.text, whole.text, dims, 3);
        put_along(g, "GatherElements", taken.text, from.text, list.text, AXIS_COLUMNS);
        put_shaped(g, v, taken.text);
    }
}

/* The input of a tree operator: rows x features, as doubles. */
static tensor_name tree_input(onnx_graph *g, size_t v, size_t a)
{
    tensor_name rows = part_name(g, v, "rows"), doubles = part_name(g, v, "doubles");
    const int64_t dims[2] = { 0, (int64_t)value_at(g, a)->columns };
    tensor_name from;

    if (value_at(g, a)->op == GR_OP_INPUT) {
        doubles = (tensor_name){ GR_ONNX_INPUT "_double" };
        if (!g->has_doubles)
            put_cast(g, doubles.text, GR_ONNX_INPUT, GR_ONNX_DOUBLE);
        g->has_doubles = true;
        return doubles;
    }
    from = batched_name(g, v, a, "batched");
    put_reshape(g, v, "rows_shape", rows.text, from.text, dims, 2);
    put_cast(g, doubles.text, rows.text, GR_ONNX_DOUBLE);
    return doubles;
}

static gradus_status write_trees(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name input = tree_input(g, v, value->inputs[0]);
    tensor_name sums = part_name(g, v, "sums"), floats = part_name(g, v, "floats");
    bool is_float = g->opset_ml < 5;

    GR_TRY(gr_onnx_trees_write(
        g->out, value->forest, value->op == GR_OP_LEAVES ? GR_ONNX_LEAVES : GR_ONNX_OUTPUTS,
        g->opset_ml, input.text, is_float ? floats.text : sums.text, g->err));
    if (is_float)
        put_cast(g, sums.text, floats.text, GR_ONNX_DOUBLE);
    put_shaped(g, v, sums.text);
    return GRADUS_OK;
}

/* NULL: by plain_operator, or a forest. */
static write_op *writer_of(gr_graph_op op)
{
    static write_op *const writers[GR_GRAPH_OPS] = {
        [GR_OP_INPUT] = write_input,
        [GR_OP_CONSTANT] = write_constant,
        [GR_OP_WHERE] = write_where,
        [GR_OP_POW2] = write_power,
        [GR_OP_IS_FINITE] = write_is_finite,
        [GR_OP_TO_F32] = write_cast,
        [GR_OP_TO_F64] = write_cast,
        [GR_OP_SUM] = write_sum,
        [GR_OP_RUNNING_SUM] = write_running_sum,
        [GR_OP_TOP] = write_extreme,
        [GR_OP_BOTTOM] = write_extreme,
        [GR_OP_SORT] = write_sort,
        [GR_OP_DOT] = write_dot,
        [GR_OP_PICK] = write_pick,
        [GR_OP_RESHAPE] = write_reshape,
        [GR_OP_JOIN] = write_join,
        [GR_OP_LOOKUP] = write_lookup,
        [GR_OP_TAKE] = write_take,
    };

    return writers[op] ? writers[op] : plain_operator(op) ? write_plain : NULL;
}

static bool is_forest(gr_graph_op op)
{
    return op == GR_OP_FOREST || op == GR_OP_LEAVES;
}

/* Marks what a result depends on. Trees read the features themselves, not the value of the input. */
static void mark_used(onnx_graph *g, size_t result)
{
    g->used[result] = true;
    for (size_t v = result + 1; v-- > 0;) {
        const gr_graph_value *value = value_at(g, v);

        if (!g->used[v])
            continue;
        for (size_t i = 0; i < gr_graph_arity(value->op); i++)
            if (!is_forest(value->op) || value_at(g, value->inputs[i])->op != GR_OP_INPUT)
                g->used[value->inputs[i]] = true;
    }
}

static void mark_batched(onnx_graph *g)
{
    for (size_t v = 0; v < g->graph->count; v++) {
        const gr_graph_value *value = value_at(g, v);

        g->batched[v] = value->op == GR_OP_INPUT || is_forest(value->op) || value->op == GR_OP_DOT;
        for (size_t i = 0; i < gr_graph_arity(value->op); i++)
            g->batched[v] |= g->batched[value->inputs[i]];
    }
}

static void put_result(onnx_graph *g, size_t v, const char *name)
{
    const int64_t dims[2] = { 0, (int64_t)value_at(g, v)->columns };
    tensor_name from = batched_name(g, v, v, name), shape = { "" };

    snprintf(shape.text, sizeof shape.text, "%s_shape", name);
    put_list(g, shape.text, dims, 2);
    put_binary(g, "Reshape", name, from.text, shape.text);
}

static gradus_status write_values(onnx_graph *g)
{
    for (size_t v = 0; v < g->graph->count; v++) {
        const gr_graph_value *value = value_at(g, v);

        if (!g->used[v])
            continue;
        if (is_forest(value->op))
            GR_TRY(write_trees(g, v, value));
        else
            writer_of(value->op)(g, v, value);
    }
    return GRADUS_OK;
}

gradus_status gr_onnx_ops_write(gr_buffer *out, const gr_graph *graph, uint64_t opset_ml,
                                gradus_error *err)
{
    gr_arena arena = { 0 };
    onnx_graph g = { .out = out, .graph = graph, .opset_ml = opset_ml, .err = err };
    gradus_status status;

    g.used = gr_arena_array(&arena, graph->count, sizeof *g.used);
    g.batched = gr_arena_array(&arena, graph->count, sizeof *g.batched);
    if (arena.failed) {
        gr_arena_free(&arena);
        return gr_fail_memory(err, "the graph");
    }
    mark_used(&g, graph->score);
    if (graph->probabilities != SIZE_MAX)
        mark_used(&g, graph->probabilities);
    mark_batched(&g);
    status = write_values(&g);
    if (status == GRADUS_OK) {
        put_result(&g, graph->score, GR_ONNX_SCORE);
        if (graph->probabilities != SIZE_MAX)
            put_result(&g, graph->probabilities, GR_ONNX_PROBABILITIES);
    }
    gr_arena_free(&arena);
    return status;
}
