/* SPDX-License-Identifier: Apache-2.0 */
/* Rankers combined from weak ones: single features, or thresholds on a feature.
 *
 * adarank.c and ascent.c learn linear rankers from columns of feature values (weak_columns.c) and
 * optimise a metric directly. The metric is a callback, because learners do not depend on metrics/.
 * Values that are not finite count as 0 in linear rankers. rankboost.c boosts threshold rankers on
 * binned features and returns a forest of stumps. weak_params.c declares the options. */
#ifndef GR_LEARNERS_WEAK_WEAK_H
#define GR_LEARNERS_WEAK_WEAK_H

#include "base/param.h"
#include "data/dataset.h"
#include "learners/forest/forest.h"
#include "learners/linear/linear.h"
#include "learners/sgd/sgd_pairs.h"
#include "objectives/problem.h"

/* Computes the metric (higher is better) at the scores of all rows: its mean and, if values is not
 * NULL, its value for each query, NAN where it is undefined. */
typedef gradus_status gr_weak_metric(void *user, const double *scores, double *mean, double *values,
                                     gradus_error *err);

typedef struct gr_weak_options {
    const char *metric;            /* to optimise; "": the validation metric */
    uint64_t repeats;              /* adarank: maximum consecutive rounds with one feature */
    uint64_t restarts, tries;      /* coordinate ascent */
    double first_step, least_gain; /* coordinate ascent */
} gr_weak_options;

extern const gr_param gr_weak_params[];
extern const gr_param gr_adarank_params[];
extern const gr_param gr_ascent_params[];

typedef struct gr_weak_task {
    const gradus_context *context;
    const gradus_dataset *data;
    const gr_problem *problem;
    const gr_weak_options *options;
    gr_weak_metric *metric;
    void *user;
    uint64_t seed;
} gr_weak_task;

/* The features as columns, for linear rankers. */
typedef struct gr_weak_columns {
    size_t rows, features;
    float *values; /* features x rows */
} gr_weak_columns;

/* weak_columns.c */
gradus_status gr_weak_columns_make(const gradus_dataset *data, gr_weak_columns *columns,
                                   gradus_error *err);
void gr_weak_columns_free(gr_weak_columns *columns);
/* Makes a linear model of the weights. */
gradus_status gr_weak_linear(const gradus_dataset *data, const double *weights, gr_linear *linear,
                             gr_pool *pool, gradus_error *err);

/* Whether a query has rows of different grades, so that some orders are better than others. The
 * second function counts the queries that do not, which are skipped, and reports them in a note. */
bool gr_weak_has_orders(const gr_problem *problem, size_t q);
size_t gr_weak_skipped(const gradus_context *context, const gr_problem *problem);

/* AdaRank (Xu and Li, 2007): each round adds the feature that ranks best, where queries have larger
 * weights P the worse the current ranker does on them. E is the metric of the feature for a query,
 * and the weight of the feature is 1/2 ln(sum P (1 + E) / sum P (1 - E)). Queries with a single
 * grade are skipped, because no ranker can improve them. */
typedef struct gr_adarank gr_adarank;

/* adarank.c */
gr_adarank *gr_adarank_new(const gr_weak_task *task, gradus_error *err);
void gr_adarank_free(gr_adarank *adarank);
/* *grew becomes false if the best feature scores 0, or ranks every query perfectly. */
gradus_status gr_adarank_round(gr_adarank *adarank, bool *grew, gradus_error *err);
uint64_t gr_adarank_rounds(const gr_adarank *adarank);
const double *gr_adarank_weights(const gr_adarank *adarank);
const double *gr_adarank_scores(const gr_adarank *adarank);
/* The weights of the queries in the next round; they sum to 1. */
const double *gr_adarank_shares(const gr_adarank *adarank);

/* Coordinate ascent (Metzler and Croft, 2007): moves one weight at a time to where the metric is
 * highest. A round is one pass over all features in random order. When a pass gains no more than
 * least_gain, the next search starts from random weights; `restarts` searches in all. */
typedef struct gr_ascent gr_ascent;

/* ascent.c */
gr_ascent *gr_ascent_new(const gr_weak_task *task, gradus_error *err);
void gr_ascent_free(gr_ascent *ascent);
gradus_status gr_ascent_round(gr_ascent *ascent, bool *grew, gradus_error *err);
uint64_t gr_ascent_rounds(const gr_ascent *ascent);
/* The current weights, and those with the highest metric of all passes. */
const double *gr_ascent_weights(const gr_ascent *ascent);
const double *gr_ascent_best(const gr_ascent *ascent);
const double *gr_ascent_scores(const gr_ascent *ascent);
double gr_ascent_value(const gr_ascent *ascent); /* the metric of the best weights */

/* RankBoost (Freund, Iyer, Schapire and Singer, 2003) over pairs of rows of a query with different
 * labels: D(worse, better) is proportional to e^(score of the worse - score of the better), times
 * the weights of both. The potential of a row is the sum of D over its pairs, positive where the
 * row is the better one. D factorises, so the potentials of a query follow in linear time from sums
 * over the rows of lower and of higher labels. A weak ranker is 1 where a feature is at least a
 * threshold, else 0. Each round adds the ranker with the largest |r|, r = sum of potential times
 * ranker, with the weight 1/2 ln((1 + r) / (1 - r)). */
typedef struct gr_rankboost gr_rankboost;

/* rankboost.c */
gr_rankboost *gr_rankboost_new(const gradus_context *context, const gradus_dataset *data,
                               const gr_problem *problem, const gr_bin_options *bins,
                               const gr_forest *start, gradus_error *err);
void gr_rankboost_free(gr_rankboost *rankboost);
gradus_status gr_rankboost_round(gr_rankboost *rankboost, bool *grew, gradus_error *err);
const gr_forest *gr_rankboost_forest(const gr_rankboost *rankboost);
const double *gr_rankboost_scores(const gr_rankboost *rankboost);
double gr_rankboost_seconds(const gr_rankboost *rankboost); /* spent on binning */
size_t gr_rankboost_skipped(const gr_rankboost *rankboost); /* queries without pairs */

/* Computes the potential of each row, with D normalised to sum 1. Returns the sum of D before
 * normalisation, to which a pair with equal scores contributes the product of its weights. scratch:
 * 2 x the rows of the longest query. */
double gr_rankboost_potentials(const gr_problem *problem, const gr_pair_order *order,
                               const double *scores, double *potentials, double *scratch);

#endif
