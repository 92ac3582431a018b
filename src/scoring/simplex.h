/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates that are almost probabilities, made into probabilities. */
#ifndef GR_SCORING_SIMPLEX_H
#define GR_SCORING_SIMPLEX_H

#include <stdbool.h>
#include <stddef.h>

enum { GR_SOLVED_LEVELS = 64 };

/* Replaces values by the nearest (in squares) that are not negative and add up to 1. Values that
 * are not finite give equal shares. count is at most GR_MOST_LEVELS. */
void gr_project_to_simplex(double *values, size_t count);

/* Values that add up to 1, some maybe negative, to probabilities: the sums of values above each
 * place become the nearest (in squares) that do not rise, by pooling adjacent violators, and are
 * cut to [0, 1]. The same as for gr_project_to_simplex otherwise. */
void gr_pool_to_simplex(double *values, size_t count);

/* Solves for P with sum P = 1 and, for each output k,
 *   sum over levels l of weights[k * levels + l] * ([l > k] - above[k * stride]) * P_l = 0;
 * false if that has no one solution. levels is at most GR_SOLVED_LEVELS. */
bool gr_solve_shares(size_t levels, const double *weights, const double *above, size_t stride,
                     double *shares);

#endif
