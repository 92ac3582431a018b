/* SPDX-License-Identifier: Apache-2.0 */
/* The exact solution for outputs with a cost (gr_solve_shares of scoring/simplex.c) as operations of a
 * graph: Gaussian elimination, unrolled, in which pivots are chosen row by row. */
#include "exchange/lower.h"

#include "scoring/simplex.h"

/* The equations: one value per row, 1 x (levels + 1). */
typedef struct system {
    gr_graph *graph;
    size_t levels;
    size_t rows[GR_SOLVED_LEVELS];
    size_t solvable; /* condition */
} system;

/* weight / largest weight * ([l > k] - output k) for each grade l, and 0. */
static size_t equation(const system *s, const double *weights, size_t outputs, size_t k)
{
    gr_graph *graph = s->graph;
    double *scaled = gr_graph_array(graph, s->levels, sizeof *scaled);
    double *above = gr_graph_array(graph, s->levels, sizeof *above);
    double largest = 0.0;

    for (size_t l = 0; l < s->levels; l++)
        largest = weights[l] > largest ? weights[l] : largest;
    for (size_t l = 0; !graph->failed && l < s->levels; l++) {
        scaled[l] = weights[l] / largest;
        above[l] = l > k ? 1.0 : 0.0;
    }
    const size_t weight = gr_graph_constant(graph, GR_GRAPH_F64, 1, s->levels, scaled);
    const size_t target = gr_graph_constant(graph, GR_GRAPH_F64, 1, s->levels, above);
    const size_t off = gr_op2(graph, GR_OP_SUB, target, gr_graph_part(graph, outputs, k, 1));

    return gr_op_number(graph, GR_OP_JOIN, gr_op2(graph, GR_OP_MUL, weight, off), 0.0);
}

static void pose(system *s, const gr_scorer *scorer, size_t outputs)
{
    double *ones = gr_graph_array(s->graph, s->levels + 1, sizeof *ones);

    for (size_t k = 0; k + 1 < s->levels; k++)
        s->rows[k] = equation(s, scorer->weights + k * s->levels, outputs, k);
    for (size_t l = 0; ones && l <= s->levels; l++)
        ones[l] = 1.0;
    s->rows[s->levels - 1] = gr_graph_constant(s->graph, GR_GRAPH_F64, 1, s->levels + 1, ones);
}

static size_t element(const system *s, size_t row, size_t column)
{
    return gr_graph_part(s->graph, s->rows[row], column, 1);
}

/* Swaps row c and the row from c on with the largest element in column c; the first, if equal. */
static void choose_pivot(system *s, size_t c)
{
    gr_graph *graph = s->graph;
    size_t pivot = s->rows[c], size = gr_op1(graph, GR_OP_ABS, element(s, c, c));
    size_t best = gr_graph_number(graph, GR_GRAPH_F64, (double)c);
    const size_t before = pivot;

    for (size_t r = c + 1; r < s->levels; r++) {
        const size_t other = gr_op1(graph, GR_OP_ABS, element(s, r, c));
        const size_t larger = gr_op2(graph, GR_OP_LESS, size, other);
        const size_t number = gr_graph_number(graph, GR_GRAPH_F64, (double)r);

        pivot = gr_op3(graph, GR_OP_WHERE, larger, s->rows[r], pivot);
        size = gr_op3(graph, GR_OP_WHERE, larger, other, size);
        best = gr_op3(graph, GR_OP_WHERE, larger, number, best);
    }
    for (size_t r = c + 1; r < s->levels; r++) {
        const size_t number = gr_graph_number(graph, GR_GRAPH_F64, (double)r);
        const size_t swapped = gr_lower_equal(graph, best, number);

        s->rows[r] = gr_op3(graph, GR_OP_WHERE, swapped, before, s->rows[r]);
    }
    s->rows[c] = pivot;
    const size_t large = gr_number_op(graph, GR_OP_LESS, 1e-300, size);
    const size_t good = gr_op2(graph, GR_OP_AND, large, gr_op1(graph, GR_OP_IS_FINITE, size));

    s->solvable = c ? gr_op2(graph, GR_OP_AND, s->solvable, good) : good;
}

static void eliminate(system *s)
{
    gr_graph *graph = s->graph;

    for (size_t c = 0; c < s->levels; c++) {
        choose_pivot(s, c);
        const size_t pivot = element(s, c, c);

        for (size_t r = c + 1; r < s->levels; r++) {
            const size_t factor = gr_op2(graph, GR_OP_DIV, element(s, r, c), pivot);
            const size_t part = gr_op2(graph, GR_OP_MUL, factor, s->rows[c]);

            s->rows[r] = gr_op2(graph, GR_OP_SUB, s->rows[r], part);
        }
    }
}

/* Back substitution; a - b - c is a + -b + -c. */
static size_t solution(const system *s)
{
    gr_graph *graph = s->graph;
    size_t shares = 0;

    for (size_t r = s->levels; r-- > 0;) {
        const size_t known = s->levels - 1 - r;
        size_t sum = element(s, r, s->levels);

        if (known) {
            const size_t factors = gr_graph_part(graph, s->rows[r], r + 1, known);
            const size_t products = gr_op2(graph, GR_OP_MUL, factors, shares);
            const size_t all = gr_op2(graph, GR_OP_JOIN, sum, gr_op1(graph, GR_OP_NEG, products));

            sum = gr_graph_total(graph, all);
        }
        const size_t share = gr_op2(graph, GR_OP_DIV, sum, element(s, r, r));

        shares = known ? gr_op2(graph, GR_OP_JOIN, share, shares) : share;
    }
    return shares;
}

size_t gr_lower_solution(gr_graph *graph, const gr_scorer *scorer, size_t outputs, size_t otherwise)
{
    system s = { .graph = graph, .levels = scorer->levels };

    pose(&s, scorer, outputs);
    eliminate(&s);
    const size_t shares = solution(&s);
    const size_t finite = gr_lower_all_finite(graph, shares);
    const size_t solved = gr_op2(graph, GR_OP_AND, s.solvable, finite);

    return gr_op3(graph, GR_OP_WHERE, solved, shares, otherwise);
}
