/* SPDX-License-Identifier: Apache-2.0 */
/* NDCG of lists that are ranked elsewhere, on a device: what does not depend on the scores is computed
 * once; then each evaluation needs the DCGs only. Values have the bits of gr_evaluate. */
#ifndef GR_METRICS_DCG_PLAN_H
#define GR_METRICS_DCG_PLAN_H

#include "metrics/evaluate.h"

typedef struct gr_dcg_plan {
    gr_evaluation evaluation; /* the settings, and the values of the last mean */
    size_t largest;           /* documents in the largest list */
    size_t depth;             /* ranks that count; at most `largest` */
    double *discounts;        /* [depth] */
    double *gains;            /* [row], by the shift of its list (gr_gain_shift); NULL: dropped */
    double *ideals;           /* [list] DCG of the ideal ranking */
} gr_dcg_plan;

/* *fits: whether the metric is NDCG with the expectation over tied orders, and labels and scores are
 * valid; otherwise the plan is empty. The plan does not depend on the scores. */
gradus_status gr_dcg_plan_make(const gr_lists *lists, const gr_evaluate_options *options,
                               gr_pool *pool, gr_dcg_plan *plan, bool *fits, gradus_error *err);
/* Releases the gains, which gr_dcg_plan_mean does not need. */
void gr_dcg_plan_drop_gains(gr_dcg_plan *plan);
/* The metric from the DCG of each list. */
double gr_dcg_plan_mean(gr_dcg_plan *plan, const gr_lists *lists, const double *dcgs);
void gr_dcg_plan_free(gr_dcg_plan *plan);

#endif
