/* SPDX-License-Identifier: Apache-2.0 */
/* Proportional odds with a linear function: log P(y > k) / P(y <= k) = x'b - theta_k, fitted to
 * convergence by Newton's method, with what statisticians ask of such a fit. */
#ifndef GR_LEARNERS_LINEAR_ODDS_H
#define GR_LEARNERS_LINEAR_ODDS_H

#include "learners/linear/linear.h"

typedef struct gr_odds {
    gr_linear linear;      /* its output is x'b */
    size_t cuts;           /* levels - 1 */
    double *thresholds;    /* cuts */
    double *errors;        /* standard errors: of features (0: not in the equation), then of cuts */
    double log_likelihood; /* weighted by the rows' weights */
    size_t steps;
    bool separated; /* coefficients grew without end: the fit is where it was left */
} gr_odds;

/* Features that are constant or linear combinations of others are left out, as in gr_linear_train.
 * ridge: as there, of half the squares, beside the log likelihood. Grades whose rows weigh nothing
 * lie between thresholds that meet. */
gradus_status gr_odds_train(const gradus_context *context, const gradus_dataset *data,
                            const gr_problem *problem, const gr_linear_options *options,
                            gr_odds *odds, gradus_error *err);
void gr_odds_free(gr_odds *odds);

#endif
