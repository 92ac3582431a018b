/* SPDX-License-Identifier: Apache-2.0 */
/* A graph with every operation. */
#include "sample_graph.h"

#include <stdlib.h>

enum { SHAPES = 4 };

typedef struct shape {
    size_t rows, columns;
} shape;

static const shape shapes[SHAPES] = { { 1, 1 }, { 1, 4 }, { 3, 1 }, { 3, 4 } };

static size_t constants(sample_graph *s, gr_graph_type type, shape size)
{
    const size_t count = size.rows * size.columns;
    const size_t bytes = type == GR_GRAPH_F32 ? sizeof(float) : sizeof(double);
    void *data = gr_graph_array(&s->graph, count, bytes);

    assert_non_null(data);
    for (size_t i = 0; i < count; i++) {
        const double number = gr_rng_normal(&s->rng) * (double)(1 << gr_rng_below(&s->rng, 8));

        if (type == GR_GRAPH_F32)
            ((float *)data)[i] = (float)number;
        else
            ((double *)data)[i] = number;
    }
    return gr_graph_constant(&s->graph, type, size.rows, size.columns, data);
}

/* Constants, most of them plus a feature: finite, unless the row has other numbers. */
static size_t numbers(sample_graph *s, gr_graph_type type, shape size)
{
    const size_t count = size.rows * size.columns, constant = constants(s, type, size);
    uint32_t *columns = gr_graph_array(&s->graph, count, sizeof *columns);

    assert_non_null(columns);
    for (size_t i = 0; i < count; i++)
        columns[i] = (uint32_t)gr_rng_below(&s->rng, SAMPLE_FEATURES);
    if (gr_rng_below(&s->rng, 4) == 0)
        return constant;
    size_t picked = gr_graph_pick(&s->graph, 0, columns, count);
    picked = gr_graph_reshape(&s->graph, picked, size.rows, size.columns);
    if (type == GR_GRAPH_F64)
        picked = gr_op1(&s->graph, GR_OP_TO_F64, picked);
    return gr_op2(&s->graph, GR_OP_ADD, picked, constant);
}

static size_t flags(sample_graph *s, shape size)
{
    const size_t a = numbers(s, GR_GRAPH_F32, size);

    return gr_op_number(&s->graph, GR_OP_LESS, a, 0.0);
}

/* One of two values per type and shape. */
static size_t of_type(sample_graph *s, gr_graph_type type, size_t shape_number, size_t which)
{
    if (type == GR_GRAPH_BOOL)
        return flags(s, shapes[shape_number]);
    size_t *value = &s->pool[type][shape_number][which];
    if (!*value)
        *value = numbers(s, type, shapes[shape_number]);
    return *value;
}

void gather(sample_graph *s, size_t value)
{
    const gr_graph_value found = s->graph.values[value];

    value = gr_graph_reshape(&s->graph, value, 1, found.rows * found.columns);
    if (found.type != GR_GRAPH_F64)
        value = gr_op1(&s->graph, GR_OP_TO_F64, value);
    s->joined = s->joined ? gr_op2(&s->graph, GR_OP_JOIN, s->joined, value) : value;
}

/* All pairs of shapes for two operations; for the others a few, because compilers take long. */
static bool is_tried(gr_graph_op op, size_t i, size_t j)
{
    return op == GR_OP_ADD || op == GR_OP_WHERE || i == SHAPES - 1 || (i == 1 && j == 2);
}

/* Pairs of shapes, in every type from `first` to `last`. */
static void add_pairs(sample_graph *s, gr_graph_op op, gr_graph_type first, gr_graph_type last)
{
    for (int type = (int)first; type <= (int)last; type++)
        for (size_t i = 0; i < SHAPES; i++)
            for (size_t j = 0; j < SHAPES; j++) {
                if (!is_tried(op, i, j))
                    continue;
                const size_t a = of_type(s, (gr_graph_type)type, i, 0);
                const size_t b = of_type(s, (gr_graph_type)type, j, 1);

                if (op == GR_OP_WHERE)
                    gather(s, gr_op3(&s->graph, op, flags(s, shapes[i]), a, b));
                else
                    gather(s, gr_op2(&s->graph, op, a, b));
            }
}

static void add_each(sample_graph *s, gr_graph_op op, gr_graph_type first, gr_graph_type last)
{
    for (int type = (int)first; type <= (int)last; type++)
        for (size_t i = 0; i < SHAPES; i++) {
            size_t a = of_type(s, (gr_graph_type)type, i, 0);

            if (op == GR_OP_SQUARE_ROOT || op == GR_OP_LOG)
                gather(s, gr_op1(&s->graph, op, gr_op1(&s->graph, GR_OP_ABS, a)));
            if (op == GR_OP_POW2)
                a = gr_op1(&s->graph, GR_OP_ROUND, gr_op_number(&s->graph, GR_OP_MUL, a, 0.25));
            gather(s, op == GR_OP_RESHAPE
                          ? gr_graph_reshape(&s->graph, a, shapes[i].columns, shapes[i].rows)
                          : gr_op1(&s->graph, op, a));
        }
}

static void add_products(sample_graph *s, gr_graph_op op, gr_graph_type first)
{
    static const size_t sizes[] = { 1, 2, 7 };

    for (int type = (int)first; type <= GR_GRAPH_F64; type++)
        for (size_t i = 0; i < 9; i++) {
            const shape row = { 1, sizes[i / 3] }, wide = { 1, sizes[i % 3] };
            const shape matrix = { row.columns, wide.columns };
            const size_t a = numbers(s, (gr_graph_type)type, row);
            const size_t b = constants(s, (gr_graph_type)type, matrix);

            if (op == GR_OP_DOT)
                gather(s, gr_op3(&s->graph, op, a, b, numbers(s, (gr_graph_type)type, wide)));
            else
                gather(s, gr_op2(&s->graph, op, a, b));
        }
}

static void add_trees(sample_graph *s, gr_graph_op op)
{
    const size_t moved = gr_op_number(&s->graph, GR_OP_ADD, 0, 0.5);

    for (size_t f = 0; f < SAMPLE_FORESTS; f++) {
        if (op == GR_OP_LEAVES && s->forests[f].trees == 0)
            continue;
        gather(s, gr_graph_trees(&s->graph, op, 0, &s->forests[f]));
        gather(s, gr_graph_trees(&s->graph, op, moved, &s->forests[f]));
    }
}

static void add_picks(sample_graph *s)
{
    static const uint32_t columns[] = { 2, 0, 0, 3, 1 };

    for (int type = 0; type <= GR_GRAPH_BOOL; type++)
        for (size_t i = 0; i < SHAPES; i++)
            if (shapes[i].columns == 4)
                gather(s,
                       gr_graph_pick(&s->graph, of_type(s, (gr_graph_type)type, i, 0), columns, 5));
}

static void add_joins(sample_graph *s)
{
    for (int type = 0; type <= GR_GRAPH_BOOL; type++)
        for (size_t i = 0; i < SHAPES; i++) {
            const shape size = { shapes[i].rows, 3 };
            const size_t other =
                type == GR_GRAPH_BOOL ? flags(s, size) : numbers(s, (gr_graph_type)type, size);
            const size_t a = of_type(s, (gr_graph_type)type, i, 0);

            gather(s, gr_op2(&s->graph, GR_OP_JOIN, a, other));
        }
}

/* Indices 0 or 3, as the flags of a shape are. */
static size_t indices(sample_graph *s, shape size)
{
    const size_t flag = gr_op1(&s->graph, GR_OP_TO_F64, flags(s, size));

    return gr_op_number(&s->graph, GR_OP_MUL, flag, 3.0);
}

static void add_indexed(sample_graph *s, gr_graph_op op)
{
    const shape table = op == GR_OP_LOOKUP ? (shape){ 4, 3 } : (shape){ 1, 4 };

    for (int type = 0; type <= GR_GRAPH_F64; type++)
        for (size_t i = 0; i < SHAPES; i++) {
            if (op == GR_OP_LOOKUP && shapes[i].rows > 1)
                continue;
            const size_t a = op == GR_OP_LOOKUP ? constants(s, (gr_graph_type)type, table)
                                                : numbers(s, (gr_graph_type)type, table);

            gather(s, gr_op2(&s->graph, op, a, indices(s, shapes[i])));
        }
}

/* Uses of an operation; fails for one without a test. */
static void add_operation(sample_graph *s, gr_graph_op op)
{
    switch (op) {
    case GR_OP_INPUT:
    case GR_OP_CONSTANT: /* used by all others */
        return;
    case GR_OP_FOREST:
    case GR_OP_LEAVES:
        add_trees(s, op);
        return;
    case GR_OP_ADD:
    case GR_OP_SUB:
    case GR_OP_MUL:
    case GR_OP_DIV:
    case GR_OP_MAX:
    case GR_OP_MIN:
    case GR_OP_LESS:
    case GR_OP_LESS_EQUAL:
        add_pairs(s, op, GR_GRAPH_F32, GR_GRAPH_F64);
        return;
    case GR_OP_NEG:
    case GR_OP_ABS:
    case GR_OP_ROUND:
    case GR_OP_POW2:
    case GR_OP_SQUARE_ROOT:
    case GR_OP_IS_FINITE:
    case GR_OP_IS_NAN:
    case GR_OP_SUM:
    case GR_OP_RUNNING_SUM:
    case GR_OP_TOP:
    case GR_OP_BOTTOM:
    case GR_OP_SORT:
        add_each(s, op, GR_GRAPH_F32, GR_GRAPH_F64);
        return;
    case GR_OP_EXP:
    case GR_OP_LOG:
    case GR_OP_TO_F32:
        add_each(s, op, GR_GRAPH_F64, GR_GRAPH_F64);
        return;
    case GR_OP_TO_F64:
        add_each(s, op, GR_GRAPH_F32, GR_GRAPH_F32);
        add_each(s, op, GR_GRAPH_BOOL, GR_GRAPH_BOOL);
        return;
    case GR_OP_AND:
    case GR_OP_OR:
        add_pairs(s, op, GR_GRAPH_BOOL, GR_GRAPH_BOOL);
        return;
    case GR_OP_NOT:
        add_each(s, op, GR_GRAPH_BOOL, GR_GRAPH_BOOL);
        return;
    case GR_OP_WHERE:
        add_pairs(s, op, GR_GRAPH_F32, GR_GRAPH_F64);
        return;
    case GR_OP_DOT:
        add_products(s, op, GR_GRAPH_F32);
        return;
    case GR_OP_MATMUL:
        add_products(s, op, GR_GRAPH_F64);
        return;
    case GR_OP_PICK:
        add_picks(s);
        return;
    case GR_OP_RESHAPE:
        add_each(s, op, GR_GRAPH_F32, GR_GRAPH_BOOL);
        return;
    case GR_OP_JOIN:
        add_joins(s);
        return;
    case GR_OP_LOOKUP:
    case GR_OP_TAKE:
        add_indexed(s, op);
        return;
    default:
        fail_msg("no test of the operation %s", gr_graph_op_name(op));
    }
}

void start_sample(sample_graph *s, size_t features)
{
    const double base[2] = { 0.25, -1e300 };
    const forest_plan plan = {
        .features = SAMPLE_FEATURES, .outputs = 3, .rounds = 5, .leaves = 9
    };
    const forest_plan single = {
        .features = SAMPLE_FEATURES, .outputs = 1, .rounds = 9, .leaves = 60
    };

    *s = (sample_graph){ .rng = gr_rng_for(23, "source", features) };
    gr_graph_start(&s->graph, features);
    random_forest(&s->rng, &plan, &s->forests[0]);
    random_forest(&s->rng, &single, &s->forests[1]);
    assert_int_equal(gr_forest_start(&s->forests[2], SAMPLE_FEATURES, 2, base, NULL), GRADUS_OK);
}

void finish_sample(sample_graph *s)
{
    const size_t count = s->graph.values[s->joined].columns;

    assert_false(s->graph.failed);
    s->labels = gr_new_array(count, sizeof *s->labels);
    assert_non_null(s->labels);
    for (size_t i = 0; i < count; i++)
        s->labels[i] = (double)i / 4;
    const size_t last = gr_graph_part(&s->graph, s->joined, count - 1, 1);
    s->graph.score = gr_op_number(&s->graph, GR_OP_MUL, last, -1.5);
    s->graph.probabilities = s->joined;
    s->graph.levels = count;
    s->graph.level_labels = s->labels;
}

void free_sample(sample_graph *s)
{
    for (size_t f = 0; f < SAMPLE_FORESTS; f++)
        gr_forest_free(&s->forests[f]);
    gr_graph_free(&s->graph);
    free(s->labels);
}

void make_every_operation(sample_graph *s)
{
    start_sample(s, SAMPLE_FEATURES);
    for (size_t op = 0; op < GR_GRAPH_OPS; op++)
        add_operation(s, (gr_graph_op)op);
    finish_sample(s);
}
