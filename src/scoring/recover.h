/* SPDX-License-Identifier: Apache-2.0 */
/* Recovers grade probabilities from COCR outputs under a cost whose weights depend on the grade.
 *
 * Output k then estimates g_k = sum_{l > k} w_k(l) P_l / sum_l w_k(l) P_l. This is one linear
 * equation in P per output, a_k(P) = sum_l w_k(l) ([l > k] - g_k) P_l = 0. With sum P = 1 they have
 * one solution, which amplifies errors of the outputs where weights differ much. So P is the
 * distribution that minimises sum_k (a_k(P) / m_k)^2 + GR_PRIOR_WEIGHT * sum_l (P_l - s_l)^2 / s_l,
 * where s are the grade fractions in training and m_k = sum_l w_k(l) s_l. / */
#ifndef GR_SCORING_RECOVER_H
#define GR_SCORING_RECOVER_H

#include "scoring/simplex.h"

#define GR_PRIOR_WEIGHT 0.03 /* held-out data: docs/methods/scoring-rules.md */

/* Computes `levels` probabilities from levels - 1 outputs above[k * stride], which are clamped to
 * [0, 1]. weights: (levels - 1) x levels, not negative. levels is at most GR_SOLVED_LEVELS. */
void gr_recover_probabilities(size_t levels, const double *weights, const double *shares,
                              const double *above, size_t stride, double *probabilities);

#endif
