/* SPDX-License-Identifier: Apache-2.0 */
/* Samples pairs of rows of one query with different labels without enumerating them.
 *
 * The rows of a query are sorted by label; rows with one label form a group. A cell combines a
 * group with the rest of its query: n rows in the group and m others make n m pairs. A single alias
 * table over all cells (Walker 1977; Vose 1991) draws a cell in proportion to its pairs, in
 * constant time whatever the number of queries and labels; then one row is drawn from each side.
 * Every pair belongs to two cells, one for each of its rows; a query with two labels therefore
 * keeps only one cell, counted twice. */
#ifndef GR_LEARNERS_SGD_SGD_PAIRS_H
#define GR_LEARNERS_SGD_SGD_PAIRS_H

#include "base/error.h"
#include "learners/sgd/sgd_random.h"
#include "objectives/problem.h"

typedef struct gr_pair_cell {
    uint32_t query_start, query_rows; /* positions in gr_pair_order.rows */
    uint32_t group_start, group_rows;
    uint64_t keep;  /* alias table: keep this cell if the draw's fraction is below `keep` */
    uint32_t other; /* otherwise take this cell */
} gr_pair_cell;

/* The rows of each query sorted by label, and the queries that have pairs. */
typedef struct gr_pair_order {
    uint32_t *rows;
    size_t queries;   /* queries with at least two labels */
    uint32_t *starts; /* [queries]: first position in rows; number of rows */
    uint32_t *counts;
} gr_pair_order;

typedef struct gr_sgd_pairs {
    const gr_pair_order *order;
    gr_pair_cell *cells;
    size_t count;
    double pairs; /* number of pairs, each counted once */
} gr_sgd_pairs;

gradus_status gr_pair_order_make(const gr_problem *problem, gr_pair_order *order,
                                 gradus_error *err);
void gr_pair_order_free(gr_pair_order *order);

/* Prepares sampling uniformly from all pairs or, with by_query, from a uniformly drawn query.
 * label: only pairs with exactly one row of this label; NULL: all pairs. */
gradus_status gr_pairs_make(const gr_problem *problem, const gr_pair_order *order, bool by_query,
                            const float *label, gr_sgd_pairs *pairs, gradus_error *err);
void gr_sgd_pairs_free(gr_sgd_pairs *pairs);

/* Draws the pair of a step. */
static inline void gr_sgd_pairs_draw(const gr_sgd_pairs *pairs, uint64_t stream, uint64_t step,
                                     uint32_t *a, uint32_t *b)
{
    const gr_pair_cell *cell = pairs->cells;
    const uint32_t *rows = pairs->order->rows;

    if (pairs->count > 1) {
        const unsigned __int128 place =
            (unsigned __int128)gr_sgd_random(stream, 3 * step) * pairs->count;

        /* Branch-free: the branch would be unpredictable. */
        const uint64_t first_cell = (uint64_t)(place >> 64);
        const uint64_t places[] = { first_cell, cell[first_cell].other };

        cell += places[(uint64_t)place >= cell[first_cell].keep];
    }
    const uint64_t first = gr_sgd_below(gr_sgd_random(stream, 3 * step + 1), cell->group_rows);
    uint64_t second = cell->query_start + gr_sgd_below(gr_sgd_random(stream, 3 * step + 2),
                                                       cell->query_rows - cell->group_rows);

    second += second >= cell->group_start ? cell->group_rows : 0;
    *a = rows[cell->group_start + first];
    *b = rows[second];
}

#endif
