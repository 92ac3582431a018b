/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring rules chosen after training: one model with probabilities serves every cost, gain and
 * population.
 *
 * The best order under a cost c_ji of ranking a row of grade i below one of grade j < i (Uematsu
 * and Lee, 2015; grades 1 to K):
 *   cost-ratio          sum_{i >= 2} c_1i P_i / sum_{j < K} c_jK P_j (Theorem 3), if K <= 3 or
 *                       c_1K c_ji = c_1i c_jK - c_1j c_iK for all j < i
 *   weights-and-scales  sum s_i w_i P_i / sum w_j P_j (Corollary 1), for c_ji = w_i w_j (s_i - s_j)
 */
#ifndef GR_SCORING_CHOOSE_H
#define GR_SCORING_CHOOSE_H

#include "base/context.h"
#include "scoring/scoring.h"

/* Lists are comma-separated numbers, one per grade of the model. */
typedef struct gr_score_choice {
    const gr_score_rule *rule; /* NULL: the model's */
    const gr_repair *repair;   /* NULL: the model's */
    const char *gains;         /* "exponential", "grade" or a list */
    const char *cost;          /* a name, or a file with a matrix */
    const char *weights;       /* a list; "": all 1 */
    const char *scales;        /* a non-decreasing list; "": the grades */
    const char *prior;         /* grade frequencies, which need not sum to 1; "": none */
} gr_score_choice;

#define GR_USUAL_GAINS "exponential"
#define GR_USUAL_COST "linear"
static const gr_score_choice gr_score_as_trained = { NULL, NULL, GR_USUAL_GAINS, GR_USUAL_COST, "",
                                                     "",   "" };

/* Makes a scorer for the same outputs as `from`. Fails if the rule does not use an option. Notes a
 * cost that violates the condition of Theorem 3. */
gradus_status gr_scorer_choose(const gr_scorer *from, const gr_score_choice *choice,
                               const gradus_context *context, gr_scorer *to, gradus_error *err);

/* take_cost.c */
/* Fills values and divisors for a pairwise cost. shares: grade fractions of the population, on
 * which some costs depend. */
gradus_status gr_scorer_take_cost(gr_scorer *scorer, const char *cost, const double *shares,
                                  const gradus_context *context, gradus_error *err);

/* Costs c[j][i], j < i, of pairs of grades (ascending) in a population with these grade fractions:
 * levels x levels, other cells 0. Labels must be integers within the range of the cost. */
gradus_status gr_pair_costs(const gr_cost_choice *cost, size_t levels, const double *labels,
                            const double *shares, double *costs, gradus_error *err);
/* Notes where costs violate the condition of Theorem 3. what: "cost-ratio". */
void gr_pair_costs_note(const double *costs, size_t levels, const double *labels, const char *what,
                        const gradus_context *context);

#endif
