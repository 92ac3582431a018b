/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of array operations as nodes of an ONNX graph. Sums are CumSum, of which the last row is
 * taken: it adds in index order, while ReduceSum, MatMul and Einsum may add in any. */
#include "exchange/onnx_ops.h"

#include "exchange/onnx_proto.h"
#include "exchange/onnx_trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXIS_ROWS = -2, AXIS_COLUMNS = -1 };
/* Trees of one operator. ONNX Runtime 1.30 divides the trees among threads if there are more
 * than 80, and then needs a copy of the result per thread. */
enum { GROUP_TREES = 80 };

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
    bool has_axis;    /* the axis of sums is written */
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

    /* Not tolower, which depends on the locale. */
    for (int i = 0; i < length; i++)
        if (name.text[i] >= 'A' && name.text[i] <= 'Z')
            name.text[i] = (char)(name.text[i] - 'A' + 'a');
    return name;
}

static tensor_name value_name(const onnx_graph *g, size_t v)
{
    return part_name(g, v, "");
}

static tensor_name numbered_name(const onnx_graph *g, size_t v, const char *part, size_t number)
{
    tensor_name name = part_name(g, v, part);
    size_t length = strlen(name.text);

    snprintf(name.text + length, sizeof name.text - length, "_%zu", number);
    return name;
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

/* A tensor [rows, columns] with a dimension N before these. */
static void put_expanded(onnx_graph *g, const char *output, const char *a)
{
    const int64_t zero = 0, ones[2] = { 1, 1 };

    if (!g->has_batch) {
        put_list(g, "batch_first", &zero, 1);
        put_list(g, "batch_ones", ones, 2);
        put_unary(g, "Shape", "batch_dims", GR_ONNX_INPUT);
        put_along(g, "Gather", "batch_rows", "batch_dims", "batch_first", 0);
        put_along(g, "Concat", "batch_shape", "batch_rows", "batch_ones", 0);
        g->has_batch = true;
    }
    put_binary(g, "Expand", output, a, "batch_shape");
}

/* The tensor of a value with its dimension N, which is added if it lacks one. */
static tensor_name batched_name(onnx_graph *g, size_t user, size_t v, const char *part)
{
    tensor_name name = value_name(g, v), expanded = part_name(g, user, part);

    if (g->batched[v])
        return name;
    put_expanded(g, expanded.text, name.text);
    return expanded;
}

typedef void write_op(onnx_graph *g, size_t v, const gr_graph_value *value);

static void write_input(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    const int64_t dims[3] = { 0, 1, (int64_t)value->columns };
    tensor_name name = value_name(g, v);

    put_reshape(g, v, "shape", name.text, GR_ONNX_INPUT, dims, 3);
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

static gr_onnx_type number_type(gr_graph_type type)
{
    return type == GR_GRAPH_F32 ? GR_ONNX_FLOAT : GR_ONNX_DOUBLE;
}

static void put_number(const onnx_graph *g, gr_graph_type type, double number)
{
    if (type == GR_GRAPH_F32)
        gr_onnx_put_float(g->out, (float)number);
    else
        gr_onnx_put_double(g->out, number);
}

/* A constant with the same number everywhere. */
static void put_filled(const onnx_graph *g, const char *name, gr_graph_type type,
                       const size_t *dims, size_t rank, double number)
{
    gr_onnx_list tensor = gr_onnx_initializer_begin(g->out, name, number_type(type), dims, rank);
    size_t count = 1;

    for (size_t i = 0; i < rank; i++)
        count *= dims[i];
    for (size_t i = 0; i < count; i++)
        put_number(g, type, number);
    gr_onnx_initializer_end(g->out, &tensor);
}

static void write_constant(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    const size_t dims[2] = { value->rows, value->columns };
    const float *floats = value->data;
    const double *doubles = value->data;
    tensor_name name = value_name(g, v);
    gr_onnx_list tensor =
        gr_onnx_initializer_begin(g->out, name.text, number_type(value->type), dims, 2);

    for (size_t i = 0; i < value->rows * value->columns; i++)
        put_number(g, value->type, value->type == GR_GRAPH_F32 ? (double)floats[i] : doubles[i]);
    gr_onnx_initializer_end(g->out, &tensor);
}

static void write_power(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    const size_t one = 1;
    tensor_name a = value_name(g, value->inputs[0]), two = part_name(g, v, "base");
    tensor_name output = value_name(g, v);

    put_filled(g, two.text, value->type, &one, 1, 2.0);
    put_binary(g, "Pow", output.text, two.text, a.text);
}

/* |a| < infinity, which is false for NaN. */
static void write_is_finite(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    const size_t one = 1;
    size_t a = value->inputs[0];
    tensor_name input = value_name(g, a), size = part_name(g, v, "size");
    tensor_name limit = part_name(g, v, "limit"), output = value_name(g, v);

    put_filled(g, limit.text, value_at(g, a)->type, &one, 1, (double)INFINITY);
    put_unary(g, "Abs", size.text, input.text);
    put_binary(g, "Less", output.text, size.text, limit.text);
}

static void write_cast(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]), output = value_name(g, v);

    put_cast(g, output.text, a.text, value->op == GR_OP_TO_F32 ? GR_ONNX_FLOAT : GR_ONNX_DOUBLE);
}

static void put_running_sum(onnx_graph *g, const char *output, const char *a)
{
    const int64_t axis = AXIS_ROWS;

    if (!g->has_axis)
        put_list(g, "axis_rows", &axis, 1);
    g->has_axis = true;
    put_binary(g, "CumSum", output, a, "axis_rows");
}

/* The sum of `rows` rows of a tensor, in their order. */
static void put_sum(onnx_graph *g, const char *output, const char *a, size_t rows)
{
    tensor_name partial, row;
    const int64_t last = (int64_t)rows - 1;

    snprintf(partial.text, sizeof partial.text, "%.40s_partial", output);
    snprintf(row.text, sizeof row.text, "%.40s_row", output);
    put_running_sum(g, partial.text, a);
    put_list(g, row.text, &last, 1);
    put_along(g, "Gather", output, partial.text, row.text, AXIS_ROWS);
}

static void write_sum(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]), output = value_name(g, v);

    put_sum(g, output.text, a.text, value_at(g, value->inputs[0])->rows);
}

static void write_running_sum(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name a = value_name(g, value->inputs[0]), output = value_name(g, v);

    put_running_sum(g, output.text, a.text);
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

static void put_sorted(const onnx_graph *g, size_t v, const char *output, const char *a)
{
    tensor_name count = part_name(g, v, "count"), order = part_name(g, v, "order");
    const int64_t rows = (int64_t)value_at(g, v)->rows;
    size_t node;

    put_list(g, count.text, &rows, 1);
    node =
        gr_onnx_node_begin(g->out, "", "TopK", (const char *const[]){ a, count.text }, 2, output);
    gr_onnx_node_output(g->out, order.text);
    gr_onnx_int(g->out, "axis", AXIS_ROWS);
    gr_proto_end(g->out, node);
}

/* One more document is sorted, and dropped afterwards: TopK of ONNX Runtime 1.30 divides by zero if
 * the batch is empty. */
static void write_sort(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    const size_t dims[3] = { 1, value->rows, value->columns };
    const int64_t begin = 0, end = -1;
    tensor_name a = value_name(g, value->inputs[0]), output = value_name(g, v);
    tensor_name zeros = part_name(g, v, "zeros"), padded = part_name(g, v, "padded");
    tensor_name sorted = part_name(g, v, "sorted"), from = part_name(g, v, "from");
    tensor_name to = part_name(g, v, "to");

    if (!g->batched[v]) {
        put_sorted(g, v, output.text, a.text);
        return;
    }
    put_filled(g, zeros.text, value->type, dims, 3, 0.0);
    put_along(g, "Concat", padded.text, a.text, zeros.text, 0);
    put_sorted(g, v, sorted.text, padded.text);
    put_list(g, from.text, &begin, 1);
    put_list(g, to.text, &end, 1);
    put_node(g, "Slice", output.text, (const char *const[]){ sorted.text, from.text, to.text }, 3);
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
    tensor_name output = value_name(g, v);

    put_reshape(g, v, "shape", turned.text, left.text, dims, 3);
    put_binary(g, "Mul", products.text, turned.text, right.text);
    put_along(g, "Concat", all.text, first.text, products.text, AXIS_ROWS);
    put_sum(g, output.text, all.text, terms + 1);
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

/* The input of a tree operator: rows x features, as numbers of the type of the thresholds. */
static tensor_name tree_input(onnx_graph *g, size_t v, size_t a)
{
    tensor_name rows = { GR_ONNX_INPUT }, doubles = { GR_ONNX_INPUT "_double" }, from;
    const int64_t dims[2] = { 0, (int64_t)value_at(g, a)->columns };
    bool is_input = value_at(g, a)->op == GR_OP_INPUT;

    if (!is_input) {
        from = batched_name(g, v, a, "batched");
        rows = part_name(g, v, "rows");
        doubles = part_name(g, v, "doubles");
        put_reshape(g, v, "rows_shape", rows.text, from.text, dims, 2);
    }
    if (g->opset_ml < 5)
        return rows;
    if (!is_input || !g->has_doubles)
        put_cast(g, doubles.text, rows.text, GR_ONNX_DOUBLE);
    g->has_doubles |= is_input;
    return doubles;
}

static void put_bases(const onnx_graph *g, const char *name, const gr_forest *forest)
{
    const size_t dims[2] = { 1, forest->outputs };
    gr_onnx_list tensor = gr_onnx_initializer_begin(g->out, name, GR_ONNX_DOUBLE, dims, 2);

    for (size_t k = 0; k < forest->outputs; k++)
        gr_onnx_put_double(g->out, forest->bases[k]);
    gr_onnx_initializer_end(g->out, &tensor);
}

/* A tree operator with the trees [first, end), to `output`, [N, trees]. */
static gradus_status put_trees(onnx_graph *g, size_t v, size_t first, size_t end, const char *input,
                               const char *output)
{
    const gr_graph_value *value = value_at(g, v);
    gr_onnx_trees trees = { .forest = value->forest,
                            .first = first,
                            .end = end,
                            .targets = value->op == GR_OP_LEAVES ? GR_ONNX_LEAVES : GR_ONNX_VALUES,
                            .opset_ml = g->opset_ml };
    tensor_name floats = { "" };

    if (g->opset_ml >= 5)
        return gr_onnx_trees_write(g->out, &trees, input, output, g->err);
    snprintf(floats.text, sizeof floats.text, "%s_float", output);
    GR_TRY(gr_onnx_trees_write(g->out, &trees, input, floats.text, g->err));
    put_cast(g, output, floats.text, GR_ONNX_DOUBLE);
    return GRADUS_OK;
}

static gradus_status write_leaves(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    tensor_name input = tree_input(g, v, value->inputs[0]), numbers = part_name(g, v, "numbers");

    GR_TRY(put_trees(g, v, 0, value->forest->trees, input.text, numbers.text));
    put_shaped(g, v, numbers.text);
    return GRADUS_OK;
}

/* Adds the rounds [first, end) of a forest to the sums so far, [N, 1, outputs]. */
static gradus_status put_rounds(onnx_graph *g, size_t v, size_t first, size_t end,
                                const char *input, tensor_name *sums)
{
    const gr_forest *forest = value_at(g, v)->forest;
    const int64_t dims[3] = { 0, (int64_t)(end - first), (int64_t)forest->outputs };
    tensor_name trees = numbered_name(g, v, "trees", first);
    tensor_name shape = numbered_name(g, v, "shape", first);
    tensor_name values = numbered_name(g, v, "values", first);
    tensor_name terms = numbered_name(g, v, "terms", first);
    tensor_name next =
        end < gr_forest_rounds(forest) ? numbered_name(g, v, "sums", end) : value_name(g, v);

    GR_TRY(put_trees(g, v, first * forest->outputs, end * forest->outputs, input, trees.text));
    put_list(g, shape.text, dims, 3);
    put_binary(g, "Reshape", values.text, trees.text, shape.text);
    put_along(g, "Concat", terms.text, sums->text, values.text, AXIS_ROWS);
    put_sum(g, next.text, terms.text, end - first + 1);
    *sums = next;
    return GRADUS_OK;
}

/* Groups of trees are added one after another: all at once would take a number per tree and row. */
static gradus_status write_forest(onnx_graph *g, size_t v, const gr_graph_value *value)
{
    const gr_forest *forest = value->forest;
    size_t rounds = gr_forest_rounds(forest);
    size_t step = forest->outputs < GROUP_TREES ? GROUP_TREES / forest->outputs : 1;
    tensor_name bases = part_name(g, v, "bases"), input;
    tensor_name sums = rounds > 0 ? part_name(g, v, "start") : value_name(g, v);

    put_bases(g, bases.text, forest);
    put_expanded(g, sums.text, bases.text);
    if (rounds == 0)
        return GRADUS_OK;
    input = tree_input(g, v, value->inputs[0]);
    for (size_t first = 0; first < rounds; first += step)
        GR_TRY(put_rounds(g, v, first, rounds - first < step ? rounds : first + step, input.text,
                          &sums));
    return GRADUS_OK;
}

/* NULL: by plain_operator, or a forest. */
static write_op *writer_of(gr_graph_op op)
{
    static write_op *const writers[GR_GRAPH_OPS] = {
        [GR_OP_INPUT] = write_input, [GR_OP_CONSTANT] = write_constant,
        [GR_OP_POW2] = write_power,  [GR_OP_IS_FINITE] = write_is_finite,
        [GR_OP_TO_F32] = write_cast, [GR_OP_TO_F64] = write_cast,
        [GR_OP_SUM] = write_sum,     [GR_OP_RUNNING_SUM] = write_running_sum,
        [GR_OP_TOP] = write_extreme, [GR_OP_BOTTOM] = write_extreme,
        [GR_OP_SORT] = write_sort,   [GR_OP_DOT] = write_dot,
        [GR_OP_PICK] = write_pick,   [GR_OP_RESHAPE] = write_reshape,
        [GR_OP_JOIN] = write_join,   [GR_OP_LOOKUP] = write_lookup,
        [GR_OP_TAKE] = write_take,
    };

    return writers[op] ? writers[op] : plain_operator(op) ? write_plain : NULL;
}

static bool is_forest(gr_graph_op op)
{
    return op == GR_OP_FOREST || op == GR_OP_LEAVES;
}

/* Marks what a result depends on. Trees read the features themselves, not the value of the
 * input. */
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
        if (value->op == GR_OP_FOREST)
            GR_TRY(write_forest(g, v, value));
        else if (value->op == GR_OP_LEAVES)
            GR_TRY(write_leaves(g, v, value));
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
