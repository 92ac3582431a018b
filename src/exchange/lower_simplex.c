/* SPDX-License-Identifier: Apache-2.0 */
/* The repairs of scoring/simplex.c as operations of a graph, in the same order. */
#include "exchange/lower.h"

#include <math.h>

/* 0, 1, 2, ... plus `first`: 1 x count. */
static size_t counting(gr_graph *graph, size_t count, double first)
{
    double *numbers = gr_graph_array(graph, count, sizeof *numbers);

    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = first + (double)i;
    return gr_graph_constant(graph, GR_GRAPH_F64, 1, count, numbers);
}

/* repaired, but equal shares if an element of p is not finite. */
static size_t unless_not_finite(gr_graph *graph, size_t p, size_t repaired)
{
    const double share = 1.0 / (double)gr_graph_columns(graph, p);
    const size_t all = gr_lower_all_finite(graph, p);

    return gr_op3(graph, GR_OP_WHERE, all, repaired, gr_graph_number(graph, GR_GRAPH_F64, share));
}

/* The shift of the last sorted value that stays positive; 0: none. */
static size_t excess(gr_graph *graph, size_t p)
{
    const size_t count = gr_graph_columns(graph, p);
    const size_t sorted = gr_op1(graph, GR_OP_SORT, gr_graph_upright(graph, p));
    const size_t sums = gr_op1(graph, GR_OP_RUNNING_SUM, sorted);
    const size_t numbers = gr_graph_upright(graph, counting(graph, count, 1.0));
    const size_t shifts =
        gr_op2(graph, GR_OP_DIV, gr_op_number(graph, GR_OP_SUB, sums, 1.0), numbers);
    const size_t left = gr_op2(graph, GR_OP_SUB, sorted, shifts);
    const size_t stays = gr_number_op(graph, GR_OP_LESS, 0.0, left);
    const size_t numbered =
        gr_op3(graph, GR_OP_WHERE, stays, numbers, gr_graph_number(graph, GR_GRAPH_F64, 0.0));
    const size_t last = gr_op1(graph, GR_OP_TOP, numbered);
    const size_t flat = gr_graph_reshape(graph, shifts, 1, count);

    return gr_op2(graph, GR_OP_TAKE, gr_number_op(graph, GR_OP_JOIN, 0.0, flat), last);
}

size_t gr_lower_projection(gr_graph *graph, size_t p)
{
    const size_t shift = excess(graph, p);
    const size_t stays = gr_op2(graph, GR_OP_LESS, shift, p);
    const size_t shifted = gr_op2(graph, GR_OP_SUB, p, shift);
    const size_t none = gr_graph_number(graph, GR_GRAPH_F64, 0.0);

    return unless_not_finite(graph, p, gr_op3(graph, GR_OP_WHERE, stays, shifted, none));
}

/* The sequence so far: the mean and size of each element's block. Elements after the current one are
 * undefined. */
typedef struct pooled {
    size_t means, sizes; /* 1 x count */
} pooled;

/* Merges the block before the current block (mean, size), which ends at element i, into it if its mean
 * is lower. */
static void merge(gr_graph *graph, const pooled *so_far, size_t i, size_t *mean, size_t *size)
{
    const size_t start = gr_number_op(graph, GR_OP_SUB, (double)i + 1.0, *size);
    const size_t means = gr_number_op(graph, GR_OP_JOIN, INFINITY, so_far->means);
    const size_t sizes = gr_number_op(graph, GR_OP_JOIN, 1.0, so_far->sizes);
    const size_t before = gr_op2(graph, GR_OP_TAKE, means, start);
    const size_t its_size = gr_op2(graph, GR_OP_TAKE, sizes, start);
    const size_t joins = gr_op2(graph, GR_OP_LESS, before, *mean);
    const size_t own = gr_op2(graph, GR_OP_MUL, *mean, *size);
    const size_t sum = gr_op2(graph, GR_OP_ADD, own, gr_op2(graph, GR_OP_MUL, before, its_size));
    const size_t both = gr_op2(graph, GR_OP_ADD, *size, its_size);

    *mean = gr_op3(graph, GR_OP_WHERE, joins, gr_op2(graph, GR_OP_DIV, sum, both), *mean);
    *size = gr_op3(graph, GR_OP_WHERE, joins, both, *size);
}

/* The nearest non-increasing sequence. Once a merge does nothing, the next ones do nothing either. */
static size_t pool(gr_graph *graph, size_t sequence)
{
    const size_t count = gr_graph_columns(graph, sequence), places = counting(graph, count, 0.0);
    pooled so_far = { sequence, gr_op_number(graph, GR_OP_MUL, places, 0.0) };

    for (size_t i = 0; i < count; i++) {
        size_t mean = gr_graph_part(graph, sequence, i, 1);
        size_t size = gr_graph_number(graph, GR_GRAPH_F64, 1.0);

        for (size_t merges = 0; merges < i; merges++)
            merge(graph, &so_far, i, &mean, &size);
        const size_t start = gr_number_op(graph, GR_OP_SUB, (double)i + 1.0, size);
        const size_t inside = gr_op2(graph, GR_OP_LESS_EQUAL, start, places);

        so_far.means = gr_op3(graph, GR_OP_WHERE, inside, mean, so_far.means);
        so_far.sizes = gr_op3(graph, GR_OP_WHERE, inside, size, so_far.sizes);
    }
    return so_far.means;
}

/* P(grade >= l + 1), summed from the highest grade down. */
static size_t sums_above(gr_graph *graph, size_t p)
{
    const size_t count = gr_graph_columns(graph, p) - 1;
    uint32_t *from_last = gr_graph_array(graph, count, sizeof *from_last);
    uint32_t *back = gr_graph_array(graph, count, sizeof *back);

    for (size_t i = 0; back && i < count; i++) {
        from_last[i] = (uint32_t)(count - i);
        back[i] = (uint32_t)(count - 1 - i);
    }
    const size_t reversed = gr_graph_pick(graph, p, from_last, count);
    const size_t sums = gr_op1(graph, GR_OP_RUNNING_SUM, gr_graph_upright(graph, reversed));

    return gr_graph_pick(graph, gr_graph_reshape(graph, sums, 1, count), back, count);
}

size_t gr_lower_pooling(gr_graph *graph, size_t p)
{
    if (gr_graph_columns(graph, p) < 2)
        return gr_graph_number(graph, GR_GRAPH_F64, 1.0);
    const size_t above = pool(graph, sums_above(graph, p));
    const size_t within =
        gr_number_op(graph, GR_OP_MIN, 1.0, gr_number_op(graph, GR_OP_MAX, 0.0, above));
    const size_t reached = gr_number_op(graph, GR_OP_JOIN, 1.0, within);
    const size_t passed = gr_op_number(graph, GR_OP_JOIN, within, 0.0);

    return unless_not_finite(graph, p, gr_op2(graph, GR_OP_SUB, reached, passed));
}
