/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a graph for one document: plain and slow, the reference for what formats write. */
#include "exchange/graph.h"

#include "base/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value and its numbers. */
typedef struct matrix {
    const gr_graph_value *value;
    double *at;
} matrix;

/* What computes a value. */
typedef struct step {
    matrix out;
    matrix in[GR_GRAPH_INPUTS];
} step;

/* Rounds a number to a type. */
static double rounded(gr_graph_type type, double x)
{
    return type == GR_GRAPH_F32 ? (double)(float)x : x;
}

/* Element (r, c) of a matrix that is repeated where a dimension is 1. */
static double element(const matrix *m, size_t r, size_t c)
{
    const size_t row = m->value->rows == 1 ? 0 : r, column = m->value->columns == 1 ? 0 : c;

    return m->at[row * m->value->columns + column];
}

/* Sums and products of two floats in double, rounded to float, are those of float arithmetic. */
static double combine(gr_graph_op op, double a, double b, double c)
{
    switch (op) {
    case GR_OP_ADD:
        return a + b;
    case GR_OP_SUB:
        return a - b;
    case GR_OP_MUL:
        return a * b;
    case GR_OP_DIV:
        return a / b;
    case GR_OP_MAX:
        return a > b ? a : b;
    case GR_OP_MIN:
        return a < b ? a : b;
    case GR_OP_LESS:
        return a < b;
    case GR_OP_LESS_EQUAL:
        return a <= b;
    case GR_OP_AND:
        return a != 0.0 && b != 0.0;
    case GR_OP_OR:
        return a != 0.0 || b != 0.0;
    default: /* GR_OP_WHERE */
        return a != 0.0 ? b : c;
    }
}

static double change(gr_graph_op op, double a)
{
    switch (op) {
    case GR_OP_NEG:
        return -a;
    case GR_OP_ABS:
        return fabs(a);
    case GR_OP_ROUND:
        return rint(a);
    case GR_OP_POW2:
        return exp2(a);
    case GR_OP_SQUARE_ROOT:
        return sqrt(a);
    case GR_OP_EXP:
        return gr_exp(a);
    case GR_OP_LOG:
        return gr_log(a);
    case GR_OP_IS_FINITE:
        return isfinite(a);
    case GR_OP_IS_NAN:
        return isnan(a);
    case GR_OP_NOT:
        return a == 0.0;
    default: /* GR_OP_TO_F32, GR_OP_TO_F64 */
        return a;
    }
}

static void run_elementwise(const step *s)
{
    const gr_graph_value *made = s->out.value;
    const size_t inputs = gr_graph_arity(made->op);

    for (size_t r = 0; r < made->rows; r++)
        for (size_t c = 0; c < made->columns; c++) {
            double x[GR_GRAPH_INPUTS] = { 0.0 };

            for (size_t i = 0; i < inputs; i++)
                x[i] = element(&s->in[i], r, c);
            s->out.at[r * made->columns + c] =
                rounded(made->type,
                        inputs == 1 ? change(made->op, x[0]) : combine(made->op, x[0], x[1], x[2]));
        }
}

static double fold(gr_graph_op op, double so_far, double x)
{
    if (op == GR_OP_TOP)
        return x > so_far ? x : so_far;
    if (op == GR_OP_BOTTOM)
        return x < so_far ? x : so_far;
    return so_far + x;
}

static void run_fold(const step *s)
{
    const gr_graph_value *made = s->out.value, *a = s->in[0].value;
    const bool keeps = made->op == GR_OP_RUNNING_SUM;

    for (size_t c = 0; c < a->columns; c++) {
        double so_far = s->in[0].at[c];

        s->out.at[c] = so_far;
        for (size_t r = 1; r < a->rows; r++) {
            so_far = rounded(made->type, fold(made->op, so_far, s->in[0].at[r * a->columns + c]));
            s->out.at[(keeps ? r : 0) * a->columns + c] = so_far;
        }
    }
}

static void run_sort(const step *s)
{
    const size_t rows = s->out.value->rows, columns = s->out.value->columns;
    double *at = s->out.at;

    memcpy(at, s->in[0].at, rows * columns * sizeof *at);
    for (size_t c = 0; c < columns; c++)
        for (size_t r = 1; r < rows; r++) {
            const double moved = at[r * columns + c];
            size_t to = r;

            for (; to > 0 && at[(to - 1) * columns + c] < moved; to--)
                at[to * columns + c] = at[(to - 1) * columns + c];
            at[to * columns + c] = moved;
        }
}

static void run_product(const step *s)
{
    const gr_graph_value *made = s->out.value;
    const size_t inner = s->in[0].value->columns, columns = made->columns;

    for (size_t c = 0; c < columns; c++) {
        double sum = made->op == GR_OP_DOT ? s->in[2].at[c] : 0.0;

        for (size_t k = 0; k < inner; k++) {
            const double product =
                rounded(made->type, s->in[0].at[k] * s->in[1].at[k * columns + c]);

            sum = rounded(made->type, sum + product);
        }
        s->out.at[c] = sum;
    }
}

static void run_columns(const step *s)
{
    const gr_graph_value *made = s->out.value;
    const uint32_t *picked = made->data;
    const size_t from = s->in[0].value->columns;

    for (size_t r = 0; r < made->rows; r++)
        for (size_t c = 0; c < made->columns; c++)
            s->out.at[r * made->columns + c] =
                made->op == GR_OP_PICK ? element(&s->in[0], r, picked[c])
                : c < from             ? s->in[0].at[r * from + c]
                                       : s->in[1].at[r * (made->columns - from) + c - from];
}

static void run_indexed(const step *s)
{
    const gr_graph_value *made = s->out.value;
    const size_t width = s->in[0].value->columns;
    const bool lookup = made->op == GR_OP_LOOKUP;

    for (size_t r = 0; r < made->rows; r++)
        for (size_t c = 0; c < made->columns; c++) {
            const size_t at = r * made->columns + c;

            s->out.at[at] = lookup ? s->in[0].at[(size_t)s->in[1].at[r] * width + c]
                                   : s->in[0].at[(size_t)s->in[1].at[at]];
        }
}

static void run_constant(const step *s)
{
    const gr_graph_value *made = s->out.value;

    for (size_t i = 0; i < made->rows * made->columns; i++)
        s->out.at[i] = made->type == GR_GRAPH_F32 ? (double)((const float *)made->data)[i]
                                                  : ((const double *)made->data)[i];
}

/* row: a buffer of `features` floats. */
static void run_trees(const step *s, float *row)
{
    const gr_forest *forest = s->out.value->forest;

    for (size_t f = 0; f < forest->features; f++)
        row[f] = (float)s->in[0].at[f];
    if (s->out.value->op == GR_OP_FOREST)
        gr_forest_row(forest, row, SIZE_MAX, s->out.at);
    for (size_t t = 0; s->out.value->op == GR_OP_LEAVES && t < forest->trees; t++)
        s->out.at[t] = gr_forest_leaf(forest, t, row);
}

static void run_step(const step *s, const float *features, float *row)
{
    const gr_graph_value *made = s->out.value;

    switch (made->op) {
    case GR_OP_INPUT:
        for (size_t f = 0; f < made->columns; f++)
            s->out.at[f] = (double)features[f];
        return;
    case GR_OP_CONSTANT:
        run_constant(s);
        return;
    case GR_OP_FOREST:
    case GR_OP_LEAVES:
        run_trees(s, row);
        return;
    case GR_OP_SUM:
    case GR_OP_RUNNING_SUM:
    case GR_OP_TOP:
    case GR_OP_BOTTOM:
        run_fold(s);
        return;
    case GR_OP_SORT:
        run_sort(s);
        return;
    case GR_OP_DOT:
    case GR_OP_MATMUL:
        run_product(s);
        return;
    case GR_OP_PICK:
    case GR_OP_JOIN:
        run_columns(s);
        return;
    case GR_OP_RESHAPE:
        memcpy(s->out.at, s->in[0].at, made->rows * made->columns * sizeof *s->out.at);
        return;
    case GR_OP_LOOKUP:
    case GR_OP_TAKE:
        run_indexed(s);
        return;
    default:
        run_elementwise(s);
    }
}

/* Numbers of all values; SIZE_MAX: more than memory holds. */
static size_t count_numbers(const gr_graph *graph)
{
    size_t all = 0, own;

    for (size_t v = 0; v < graph->count; v++)
        if (!gr_size_times(graph->values[v].rows, graph->values[v].columns, &own) ||
            !gr_size_plus(all, own, &all))
            return SIZE_MAX;
    return all;
}

gradus_status gr_graph_run(const gr_graph *graph, const float *features, double **results,
                           gradus_error *err)
{
    float *row = gr_new_array(graph->features, sizeof *row);

    results[0] = row ? gr_new_array(count_numbers(graph), sizeof **results) : NULL;
    if (!results[0]) {
        free(row);
        return gr_fail_memory(err, "a graph");
    }
    for (size_t v = 0; v < graph->count; v++) {
        const gr_graph_value *made = &graph->values[v];
        step s = { .out = { made, results[v] } };

        for (size_t i = 0; i < GR_GRAPH_INPUTS; i++) /* those that it does not have are value 0 */
            s.in[i] = (matrix){ &graph->values[made->inputs[i]], results[made->inputs[i]] };
        run_step(&s, features, row);
        if (v + 1 < graph->count)
            results[v + 1] = results[v] + made->rows * made->columns;
    }
    free(row);
    return GRADUS_OK;
}
