/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of array operations: appends values, infers their types and shapes, and frees graphs. */
#include "exchange/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

size_t gr_graph_arity(gr_graph_op op)
{
    static const size_t arities[] = {
#define GR_GRAPH_OP(name, inputs) inputs,
#include "exchange/graph_ops.def"
#undef GR_GRAPH_OP
    };

    return arities[op];
}

const char *gr_graph_op_name(gr_graph_op op)
{
    static const char *const names[] = {
#define GR_GRAPH_OP(name, inputs) #name,
#include "exchange/graph_ops.def"
#undef GR_GRAPH_OP
    };

    return names[op];
}

void gr_graph_free(gr_graph *graph)
{
    free(graph->values);
    gr_arena_free(&graph->owned);
    *graph = (gr_graph){ .count = 0 };
}

void *gr_graph_array(gr_graph *graph, size_t count, size_t size)
{
    void *made = graph->failed ? NULL : gr_arena_array(&graph->owned, count, size);

    graph->failed = graph->failed || !made;
    return made;
}

static bool grow(gr_graph *graph)
{
    const size_t room = graph->room ? 2 * graph->room : FIRST_ROOM;
    gr_graph_value *grown = realloc(graph->values, room * sizeof *grown);

    if (!grown)
        return false;
    graph->values = grown;
    graph->room = room;
    return true;
}

static size_t append(gr_graph *graph, const gr_graph_value *value)
{
    if (graph->failed || (graph->count == graph->room && !grow(graph))) {
        graph->failed = true;
        return 0;
    }
    assert(value->rows > 0 && value->columns > 0);
    graph->values[graph->count] = *value;
    return graph->count++;
}

void gr_graph_start(gr_graph *graph, size_t features)
{
    *graph = (gr_graph){ .features = features, .probabilities = SIZE_MAX };
    append(graph, &(gr_graph_value){
                      .op = GR_OP_INPUT, .type = GR_GRAPH_F32, .rows = 1, .columns = features });
}

/* The size of a dimension after broadcasting. */
static size_t wider(size_t a, size_t b)
{
    assert(a == b || a == 1 || b == 1);
    return a > b ? a : b;
}

static void broadcast(gr_graph_value *made, const gr_graph_value *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        made->rows = wider(made->rows, inputs[i].rows);
        made->columns = wider(made->columns, inputs[i].columns);
    }
}

/* Whether an operation gives 0 or 1. */
static bool is_condition(gr_graph_op op)
{
    return op >= GR_OP_LESS && op <= GR_OP_NOT;
}

static void infer_elementwise(gr_graph_value *made, const gr_graph_value *inputs)
{
    const size_t count = gr_graph_arity(made->op);
    const size_t first = made->op == GR_OP_WHERE; /* of the inputs with one type */

    made->rows = made->columns = 1;
    broadcast(made, inputs, count);
    for (size_t i = first; i < count; i++) {
        assert(inputs[i].type == inputs[first].type);
        assert((inputs[i].type == GR_GRAPH_BOOL) ==
               (made->op == GR_OP_AND || made->op == GR_OP_OR || made->op == GR_OP_NOT));
    }
    assert(!first || inputs[0].type == GR_GRAPH_BOOL);
    made->type = is_condition(made->op) ? GR_GRAPH_BOOL : inputs[first].type;
    assert((made->op != GR_OP_EXP && made->op != GR_OP_LOG) || made->type == GR_GRAPH_F64);
}

static void infer_along_rows(gr_graph_value *made, const gr_graph_value *a)
{
    const bool keeps = made->op == GR_OP_RUNNING_SUM || made->op == GR_OP_SORT;

    assert(a->type != GR_GRAPH_BOOL);
    made->type = a->type;
    made->rows = keeps ? a->rows : 1;
    made->columns = a->columns;
}

static void infer_product(gr_graph_value *made, const gr_graph_value *inputs)
{
    const gr_graph_value *a = &inputs[0], *b = &inputs[1];

    assert(a->rows == 1 && a->columns == b->rows && b->op == GR_OP_CONSTANT && a->type == b->type);
    assert(made->op == GR_OP_DOT
               ? inputs[2].rows == 1 && inputs[2].columns == b->columns && inputs[2].type == a->type
               : a->type == GR_GRAPH_F64);
    made->type = a->type;
    made->rows = 1;
    made->columns = b->columns;
}

static void infer_indexed(gr_graph_value *made, const gr_graph_value *a, const gr_graph_value *b)
{
    const bool lookup = made->op == GR_OP_LOOKUP;

    assert(b->type == GR_GRAPH_F64 && (lookup ? b->rows == 1 : a->rows == 1));
    assert(!lookup || a->op == GR_OP_CONSTANT);
    made->type = a->type;
    made->rows = lookup ? b->columns : b->rows;
    made->columns = lookup ? a->columns : b->columns;
}

static void infer(gr_graph_value *made, const gr_graph_value *inputs)
{
    switch (made->op) {
    case GR_OP_TO_F32:
    case GR_OP_TO_F64:
        assert(inputs->type != (made->op == GR_OP_TO_F32 ? GR_GRAPH_F32 : GR_GRAPH_F64));
        made->type = made->op == GR_OP_TO_F32 ? GR_GRAPH_F32 : GR_GRAPH_F64;
        made->rows = inputs->rows;
        made->columns = inputs->columns;
        return;
    case GR_OP_SUM:
    case GR_OP_RUNNING_SUM:
    case GR_OP_TOP:
    case GR_OP_BOTTOM:
    case GR_OP_SORT:
        infer_along_rows(made, inputs);
        return;
    case GR_OP_DOT:
    case GR_OP_MATMUL:
        infer_product(made, inputs);
        return;
    case GR_OP_JOIN:
        assert(inputs[0].type == inputs[1].type && inputs[0].rows == inputs[1].rows);
        made->type = inputs[0].type;
        made->rows = inputs[0].rows;
        made->columns = inputs[0].columns + inputs[1].columns;
        return;
    case GR_OP_LOOKUP:
    case GR_OP_TAKE:
        infer_indexed(made, &inputs[0], &inputs[1]);
        return;
    default:
        assert(made->op >= GR_OP_ADD && made->op <= GR_OP_WHERE);
        infer_elementwise(made, inputs);
    }
}

static size_t append_op(gr_graph *graph, gr_graph_op op, size_t count, const size_t *inputs)
{
    gr_graph_value made = { .op = op }, values[GR_GRAPH_INPUTS];

    assert(count == gr_graph_arity(op));
    if (graph->failed)
        return 0;
    for (size_t i = 0; i < count; i++) {
        assert(inputs[i] < graph->count);
        made.inputs[i] = inputs[i];
        values[i] = graph->values[inputs[i]];
    }
    infer(&made, values);
    return append(graph, &made);
}

size_t gr_op1(gr_graph *graph, gr_graph_op op, size_t a)
{
    return append_op(graph, op, 1, (const size_t[]){ a });
}

size_t gr_op2(gr_graph *graph, gr_graph_op op, size_t a, size_t b)
{
    return append_op(graph, op, 2, (const size_t[]){ a, b });
}

size_t gr_op3(gr_graph *graph, gr_graph_op op, size_t a, size_t b, size_t c)
{
    return append_op(graph, op, 3, (const size_t[]){ a, b, c });
}

static gr_graph_type type_of(const gr_graph *graph, size_t a)
{
    return graph->failed ? GR_GRAPH_F64 : graph->values[a].type;
}

size_t gr_op_number(gr_graph *graph, gr_graph_op op, size_t a, double b)
{
    return gr_op2(graph, op, a, gr_graph_number(graph, type_of(graph, a), b));
}

size_t gr_number_op(gr_graph *graph, gr_graph_op op, double a, size_t b)
{
    return gr_op2(graph, op, gr_graph_number(graph, type_of(graph, b), a), b);
}

size_t gr_graph_trees(gr_graph *graph, gr_graph_op op, size_t a, const gr_forest *forest)
{
    assert(op == GR_OP_FOREST || op == GR_OP_LEAVES);
    assert(graph->failed ||
           (type_of(graph, a) == GR_GRAPH_F32 && graph->values[a].columns == forest->features));
    return append(
        graph, &(gr_graph_value){ .op = op,
                                  .type = GR_GRAPH_F64,
                                  .rows = 1,
                                  .columns = op == GR_OP_FOREST ? forest->outputs : forest->trees,
                                  .inputs = { a },
                                  .forest = forest });
}

size_t gr_graph_constant(gr_graph *graph, gr_graph_type type, size_t rows, size_t columns,
                         const void *data)
{
    assert(type != GR_GRAPH_BOOL && (data || graph->failed));
    return append(
        graph,
        &(gr_graph_value){
            .op = GR_OP_CONSTANT, .type = type, .rows = rows, .columns = columns, .data = data });
}

size_t gr_graph_number(gr_graph *graph, gr_graph_type type, double number)
{
    void *room = gr_graph_array(graph, 1, sizeof number);

    if (room && type == GR_GRAPH_F32)
        *(float *)room = (float)number;
    else if (room)
        *(double *)room = number;
    return gr_graph_constant(graph, type, 1, 1, room);
}

size_t gr_graph_copy(gr_graph *graph, const double *numbers, size_t count)
{
    double *copy = gr_graph_array(graph, count, sizeof *copy);

    if (copy)
        memcpy(copy, numbers, count * sizeof *copy);
    return gr_graph_constant(graph, GR_GRAPH_F64, 1, count, copy);
}

size_t gr_graph_pick(gr_graph *graph, size_t a, const uint32_t *picked, size_t count)
{
    if (graph->failed)
        return 0;
    for (size_t i = 0; i < count; i++)
        assert(picked[i] < graph->values[a].columns);
    return append(graph, &(gr_graph_value){ .op = GR_OP_PICK,
                                            .type = graph->values[a].type,
                                            .rows = graph->values[a].rows,
                                            .columns = count,
                                            .inputs = { a },
                                            .data = picked });
}

size_t gr_graph_part(gr_graph *graph, size_t a, size_t first, size_t count)
{
    uint32_t *picked = gr_graph_array(graph, count, sizeof *picked);

    for (size_t i = 0; picked && i < count; i++)
        picked[i] = (uint32_t)(first + i);
    return gr_graph_pick(graph, a, picked, count);
}

size_t gr_graph_reshape(gr_graph *graph, size_t a, size_t rows, size_t columns)
{
    if (graph->failed)
        return 0;
    const gr_graph_value *from = &graph->values[a];

    assert(rows * columns == from->rows * from->columns);
    if (rows == from->rows)
        return a;
    return append(graph, &(gr_graph_value){ .op = GR_OP_RESHAPE,
                                            .type = from->type,
                                            .rows = rows,
                                            .columns = columns,
                                            .inputs = { a } });
}

size_t gr_graph_upright(gr_graph *graph, size_t a)
{
    if (graph->failed)
        return 0;
    return gr_graph_reshape(graph, a, graph->values[a].rows * graph->values[a].columns, 1);
}

size_t gr_graph_total(gr_graph *graph, size_t a)
{
    return gr_op1(graph, GR_OP_SUM, gr_graph_upright(graph, a));
}

size_t gr_graph_columns(const gr_graph *graph, size_t a)
{
    return graph->failed ? 1 : graph->values[a].columns;
}
