/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of the members of an ensemble by greedy forward selection on validation data. */
#ifndef GR_ENSEMBLES_SELECTION_H
#define GR_ENSEMBLES_SELECTION_H

#include "base/param.h"
#include "metrics/evaluate.h"

typedef struct gr_selection_options {
    uint64_t bags, steps, seed;
} gr_selection_options;

extern const gr_param gr_selection_params[];

typedef struct gr_selection {
    const gr_lists *lists;       /* the labelled queries; their scores are not used */
    const double *const *scores; /* per member, one per row */
    size_t count;
    bool standardise; /* scores are standardised within each query; else they are comparable */
    const gr_evaluate_options *measuring; /* with one metric */
    const gr_selection_options *options;
    gr_pool *pool;
} gr_selection;

/* weights: one per member, nonnegative, with sum 1. The same for any number of threads. */
gradus_status gr_select_members(const gr_selection *selection, double *weights, gradus_error *err);

#endif
