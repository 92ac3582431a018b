/* SPDX-License-Identifier: Apache-2.0 */
/* Turns estimates that are nearly probabilities into probabilities. */
#ifndef GR_SCORING_SIMPLEX_H
#define GR_SCORING_SIMPLEX_H

#include <stdbool.h>
#include <stddef.h>

enum { GR_SOLVED_LEVELS = 64 };

/* Replaces values with the nearest probability distribution (least squares); a uniform one if a
 * value is not finite. count is at most GR_MAX_LEVELS. */
void gr_project_to_simplex(double *values, size_t count);

/* Turns values that sum to 1 but may be negative into probabilities: the tail sums P(> l) become
 * the nearest non-increasing ones (least squares), by pooling adjacent violators, and are clamped
 * to [0, 1]. Otherwise like gr_project_to_simplex. */
void gr_pool_to_simplex(double *values, size_t count);

/* Solves for P with sum P = 1 and, for each output k,
 *   sum over levels l of weights[k * levels + l] * ([l > k] - above[k * stride]) * P_l = 0.
 * False if the solution is not unique. levels is at most GR_SOLVED_LEVELS.
 */
bool gr_solve_shares(size_t levels, const double *weights, const double *above, size_t stride,
                     double *shares);

#endif
