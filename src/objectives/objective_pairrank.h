/* SPDX-License-Identifier: Apache-2.0 */
/* PAIRRANK (Uematsu and Lee 2015). objective_pairrank.c has the risk and its gradients,
 * pairrank_line.c the line search, pairrank_logistic.c the logistic loss instead of the exponential
 * one.
 *
 * The risk of a group of rows (a query, or all rows) is
 *
 *     sum over rows n, m of C[y_n][y_m] w_n w_m e^-(f_n - f_m).
 *
 * It equals sum_ij C[i][j] S-_i S+_j, where S-_i is the sum of w e^-f over the rows of level i and
 * S+_j the sum of w e^f over those of level j: linear in the rows, no pairs are enumerated. C holds
 * the costs of pairs (plain), or these plus the extra terms of Theorem 4, without which the optimal
 * f does not rank as the costs require: C[i][j] = c[0][i] c[j][top] / c[0][top]. */
#ifndef GR_OBJECTIVES_OBJECTIVE_PAIRRANK_H
#define GR_OBJECTIVES_OBJECTIVE_PAIRRANK_H

#include "base/memory.h"
#include "objectives/powers.h"

typedef struct gr_pairrank {
    size_t levels;
    bool by_query, logistic;
    double *factors;    /* [levels x levels]: C */
    double *weights;    /* [query]: weight in the risk; NULL: one group */
    double first, last; /* risk at the start and in the last evaluation; 0: not evaluated */
    double *risks;      /* [query]; of the queries of all processes */
    gr_array room;      /* buffer for sums over rows */
    gr_array tables;    /* gr_power_level [queries x levels] */
} gr_pairrank;

/* pairrank_line.c */
gradus_status gr_pairrank_line_search(void *state, const gr_problem *problem, const double *scores,
                                      const double *steps, gr_pool *pool, double *share,
                                      gradus_error *err);

/* pairrank_logistic.c */
gradus_status gr_pairrank_logistic(gr_pairrank *own, const gr_problem *problem,
                                   const double *scores, float *gradients, float *hessians,
                                   gr_pool *pool, gradus_error *err);
double gr_pairrank_logistic_loss(const gr_pairrank *own, const gr_problem *problem,
                                 const double *scores);

/* Gathers `each` numbers per query, in place: `numbers` has space for the queries of all processes,
 * and this process has filled in its own at the start. Their count is in *queries. */
gradus_status gr_pairrank_gather(const gr_problem *problem, size_t each, double *numbers,
                                 size_t *queries, gradus_error *err);

static inline double gr_pair_weight(const gr_problem *problem, size_t r)
{
    return problem->row_weights ? (double)problem->row_weights[r] : 1.0;
}

#endif
