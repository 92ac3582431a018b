/* SPDX-License-Identifier: Apache-2.0 */
/* Linear proportional odds model (McCullagh 1980): log P(y > k) / P(y <= k) = x'b - theta_k, fitted
 * to convergence by Newton's method, with standard errors and log likelihood. */
#ifndef GR_LEARNERS_LINEAR_PROPORTIONAL_ODDS_H
#define GR_LEARNERS_LINEAR_PROPORTIONAL_ODDS_H

#include "learners/linear/linear.h"

typedef struct gr_odds {
    gr_linear linear;   /* outputs x'b */
    size_t cuts;        /* number of thresholds: levels - 1 */
    double *thresholds; /* [cuts] */
    /* Standard errors: [features], 0 if not in the model, then [cuts]. */
    double *errors;
    double log_likelihood; /* weighted by the row weights */
    size_t steps;
    bool separated; /* the grades are separable: coefficients diverge */
} gr_odds;

/* Leaves out features that are constant or linear combinations of others, as gr_linear_train does.
 * ridge: the log likelihood is penalised by ridge / 2 times the squared coefficients of
 * standardised features. A grade without weight lies between two equal thresholds. */
gradus_status gr_odds_train(const gradus_context *context, const gradus_dataset *data,
                            const gr_problem *problem, const gr_linear_options *options,
                            gr_odds *odds, gradus_error *err);
void gr_odds_free(gr_odds *odds);

#endif
