/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of rows of one query with different labels, drawn at random without listing them.
 *
 * Rows of a query are sorted by label; those of one label are a group. A cell is a group with the
 * rest of its query: the group's n rows and the m others make n m pairs. One table of all cells
 * (Walker, 1977; Vose, 1991) draws a cell by its number of pairs in constant time, whatever the
 * number of queries and labels; the two rows are then drawn from their sides. Every pair belongs to
 * two cells, one a side. A query with two labels has one cell, which counts twice. */
#ifndef GR_LEARNERS_SGD_PAIRS_H
#define GR_LEARNERS_SGD_PAIRS_H

#include "base/error.h"
#include "learners/sgd/random.h"
#include "objectives/problem.h"

typedef struct gr_pair_cell {
    uint32_t query_start, query_rows; /* in the order of the index */
    uint32_t group_start, group_rows;
    uint64_t keep;  /* the cell is drawn from its place if the draw's fraction is below this */
    uint32_t other; /* else this one is */
} gr_pair_cell;

/* The rows of each query in the order of their labels, and the queries that have pairs. */
typedef struct gr_pair_order {
    uint32_t *rows;
    size_t queries;   /* with two labels or more */
    uint32_t *starts; /* of them: first place, and number of rows */
    uint32_t *counts;
} gr_pair_order;

typedef struct gr_pairs {
    const gr_pair_order *order;
    gr_pair_cell *cells;
    size_t count;
    double pairs; /* how many there are, each counted once */
} gr_pairs;

gradus_status gr_pair_order_make(const gr_problem *problem, gr_pair_order *order,
                                 gradus_error *err);
void gr_pair_order_free(gr_pair_order *order);

/* All pairs, each as likely as any other; or with by_query each query as likely, and in it each
 * pair. label: NULL, or only pairs with one row of this label. */
gradus_status gr_pairs_make(const gr_problem *problem, const gr_pair_order *order, bool by_query,
                            const float *label, gr_pairs *pairs, gradus_error *err);
void gr_pairs_free(gr_pairs *pairs);

/* The pair of a step. */
static inline void gr_pairs_draw(const gr_pairs *pairs, uint64_t stream, uint64_t step, uint32_t *a,
                                 uint32_t *b)
{
    const gr_pair_cell *cell = pairs->cells;
    const uint32_t *rows = pairs->order->rows;

    if (pairs->count > 1) {
        const unsigned __int128 place =
            (unsigned __int128)gr_sgd_random(stream, 3 * step) * pairs->count;

        /* Not by a branch, which nobody could foretell. */
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
