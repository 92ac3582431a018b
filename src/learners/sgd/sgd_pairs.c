/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the pair sampler of sgd_pairs.h. */
#include "learners/sgd/sgd_pairs.h"

#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/* Sort key of a label: integers that compare like the labels; -0 equals 0. */
static uint64_t key_of(float label)
{
    const float plain = label + 0.0f;
    uint32_t bits;

    memcpy(&bits, &plain, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

static bool same_labels(const gr_problem *problem, uint64_t from, uint64_t to)
{
    for (uint64_t r = from + 1; r < to; r++)
        if (problem->labels[r] != problem->labels[from])
            return false;
    return true;
}

static void sort_query(const gr_problem *problem, uint64_t from, uint64_t to, gr_keyed *items,
                       uint32_t *rows)
{
    const size_t count = (size_t)(to - from);

    for (size_t i = 0; i < count; i++)
        items[i] = (gr_keyed){ key_of(problem->labels[from + i]), from + i };
    gr_sort_keyed(items, count, items + count);
    for (size_t i = 0; i < count; i++)
        rows[i] = (uint32_t)items[i].item;
}

static gradus_status sort_queries(const gr_problem *problem, gr_pair_order *order,
                                  gradus_error *err)
{
    const uint64_t *starts = problem->query_starts;
    uint64_t longest = 0, at = 0;
    gr_keyed *items;

    for (size_t q = 0; q < problem->queries; q++)
        longest = starts[q + 1] - starts[q] > longest ? starts[q + 1] - starts[q] : longest;
    items = gr_new_array((size_t)longest, 2 * sizeof *items);
    if (!items)
        return gr_fail_memory(err, "the pairs of a query");
    for (size_t q = 0; q < problem->queries; q++) {
        if (same_labels(problem, starts[q], starts[q + 1]))
            continue;
        order->starts[order->queries] = (uint32_t)at;
        order->counts[order->queries++] = (uint32_t)(starts[q + 1] - starts[q]);
        sort_query(problem, starts[q], starts[q + 1], items, order->rows + at);
        at += starts[q + 1] - starts[q];
    }
    free(items);
    return GRADUS_OK;
}

gradus_status gr_pair_order_make(const gr_problem *problem, gr_pair_order *order, gradus_error *err)
{
    gradus_status status;

    *order = (gr_pair_order){ .rows = gr_new_array(problem->rows, sizeof *order->rows),
                              .starts = gr_new_array(problem->queries, sizeof *order->starts),
                              .counts = gr_new_array(problem->queries, sizeof *order->counts) };
    if (!order->rows || !order->starts || !order->counts)
        status = gr_fail_memory(err, "the order of labels");
    else
        status = sort_queries(problem, order, err);
    if (status != GRADUS_OK)
        gr_pair_order_free(order);
    return status;
}

void gr_pair_order_free(gr_pair_order *order)
{
    free(order->rows);
    free(order->starts);
    free(order->counts);
    *order = (gr_pair_order){ .rows = NULL };
}

/* The end of the group that starts at position `from`, at most `end`. */
static uint32_t group_end(const gr_problem *problem, const uint32_t *rows, uint32_t from,
                          uint32_t end)
{
    uint32_t to = from + 1;

    while (to < end && problem->labels[rows[to]] == problem->labels[rows[from]])
        to++;
    return to;
}

/* Writes the cells of a query unless cells is NULL; returns their number. */
static size_t cells_of(const gr_problem *problem, const gr_pair_order *order, size_t q,
                       const float *label, gr_pair_cell *cells)
{
    const uint32_t start = order->starts[q], rows = order->counts[q], end = start + rows;
    size_t count = 0;

    for (uint32_t from = start, to; from < end; from = to) {
        to = group_end(problem, order->rows, from, end);
        if (label && problem->labels[order->rows[from]] != *label)
            continue;
        if (cells)
            cells[count] = (gr_pair_cell){ .query_start = start,
                                           .query_rows = rows,
                                           .group_start = from,
                                           .group_rows = to - from };
        count++;
        if (!label && from == start && group_end(problem, order->rows, to, end) == end)
            break; /* with two labels, the second cell mirrors the first */
    }
    return count;
}

static double pairs_of(const gr_pair_cell *cell)
{
    return (double)cell->group_rows * (double)(cell->query_rows - cell->group_rows);
}

/* Fills the cells and their weights; returns the number of pairs. */
static double weigh(const gr_problem *problem, const gr_pair_order *order, bool by_query,
                    const float *label, gr_pair_cell *cells, double *weights)
{
    double pairs = 0.0;

    for (size_t q = 0; q < order->queries; q++) {
        const size_t count = cells_of(problem, order, q, label, cells);
        const double each = label || count == 1 ? 1.0 : 0.5;
        double all = 0.0;

        for (size_t c = 0; c < count; c++)
            all += weights[c] = each * pairs_of(&cells[c]);
        for (size_t c = 0; by_query && c < count; c++)
            weights[c] /= all;
        cells += count;
        weights += count;
        pairs += all;
    }
    return pairs;
}

/* Builds the alias table (Vose 1991): each entry holds a cell of below-average weight completely
 * and fills the rest with a cell of above-average weight. */
static void share_places(gr_pair_cell *cells, double *weights, size_t count, uint32_t *work)
{
    size_t few = 0, many = count;
    double sum = 0.0;

    for (size_t c = 0; c < count; c++)
        sum += weights[c];
    for (size_t c = 0; c < count; c++) {
        weights[c] *= (double)count / sum;
        cells[c].keep = UINT64_MAX;
        cells[c].other = (uint32_t)c;
        work[weights[c] < 1.0 ? few++ : --many] = (uint32_t)c;
    }
    while (few > 0 && many < count) {
        const uint32_t small = work[--few], large = work[many];

        cells[small].keep = (uint64_t)(weights[small] * 0x1p64);
        cells[small].other = large;
        weights[large] -= 1.0 - weights[small];
        if (weights[large] < 1.0) {
            many++;
            work[few++] = large;
        }
    }
}

gradus_status gr_pairs_make(const gr_problem *problem, const gr_pair_order *order, bool by_query,
                            const float *label, gr_sgd_pairs *pairs, gradus_error *err)
{
    size_t count = 0;
    double *weights;
    uint32_t *work;

    *pairs = (gr_sgd_pairs){ .order = order };
    for (size_t q = 0; q < order->queries; q++)
        count += cells_of(problem, order, q, label, NULL);
    pairs->cells = gr_new_array(count, sizeof *pairs->cells);
    weights = gr_new_array(count, sizeof *weights);
    work = gr_new_array(count, sizeof *work);
    if (pairs->cells && weights && work) {
        pairs->count = count;
        pairs->pairs = weigh(problem, order, by_query, label, pairs->cells, weights);
        share_places(pairs->cells, weights, count, work);
    }
    free(weights);
    free(work);
    if (pairs->count == count && pairs->cells && (count == 0 || pairs->pairs > 0.0))
        return GRADUS_OK;
    gr_sgd_pairs_free(pairs);
    return gr_fail_memory(err, "the pairs of rows");
}

void gr_sgd_pairs_free(gr_sgd_pairs *pairs)
{
    free(pairs->cells);
    *pairs = (gr_sgd_pairs){ .cells = NULL };
}
