/* SPDX-License-Identifier: Apache-2.0 */
/* Rankers put together from very simple ones: single features, and thresholds of them.
 *
 * Metrics are asked for through a function, because learners know none. Values that are not finite
 * count as 0 in linear rankers. */
#ifndef GR_LEARNERS_WEAK_WEAK_H
#define GR_LEARNERS_WEAK_WEAK_H

#include "base/param.h"
#include "data/dataset.h"
#include "learners/forest/forest.h"
#include "learners/linear/linear.h"
#include "learners/sgd/pairs.h"
#include "objectives/problem.h"

/* The metric at scores of all rows, higher being better: its mean, and if values is not NULL that
 * of each query, NAN where there is none. */
typedef gradus_status gr_weak_metric(void *user, const double *scores, double *mean, double *values,
                                     gradus_error *err);

typedef struct gr_weak_options {
    const char *metric;            /* that is raised; "": the one that is watched */
    uint64_t repeats;              /* adarank: most rounds in a row with one feature */
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

/* What linear rankers share: columns of features, and the weights so far. */
typedef struct gr_weak_columns {
    size_t rows, features;
    float *values; /* features x rows */
} gr_weak_columns;

gradus_status gr_weak_columns_make(const gradus_dataset *data, gr_weak_columns *columns,
                                   gradus_error *err);
void gr_weak_columns_free(gr_weak_columns *columns);
/* Weights as equations over features. */
gradus_status gr_weak_linear(const gradus_dataset *data, const double *weights, gr_linear *linear,
                             gr_pool *pool, gradus_error *err);

/* Whether one order of a query is better than another; and how many have none such, which a note
 * tells. */
bool gr_weak_has_orders(const gr_problem *problem, size_t q);
size_t gr_weak_skipped(const gradus_context *context, const gr_problem *problem);

/* AdaRank (Xu and Li, 2007): each round the feature that ranks best, queries weighted by how badly
 * the ranker so far does, is added with the weight 1/2 ln(sum P (1 + E) / sum P (1 - E)). Queries
 * of one grade, which no ranker does better, have no part. */
typedef struct gr_adarank gr_adarank;
gr_adarank *gr_adarank_new(const gr_weak_task *task, gradus_error *err);
void gr_adarank_free(gr_adarank *adarank);
/* *grew: false if no feature ranks better than at random any more, or weights do not change. */
gradus_status gr_adarank_round(gr_adarank *adarank, bool *grew, gradus_error *err);
uint64_t gr_adarank_rounds(const gr_adarank *adarank);
const double *gr_adarank_weights(const gr_adarank *adarank);
const double *gr_adarank_scores(const gr_adarank *adarank);
/* Weights of queries for the next round, which add up to 1. */
const double *gr_adarank_shares(const gr_adarank *adarank);

/* Coordinate ascent (Metzler and Croft, 2007): one weight after the other is moved to where the
 * metric is highest. A round is a pass over all features in a random order; when one brings less
 * than least_gain the search starts anew, `restarts` times. */
typedef struct gr_ascent gr_ascent;
gr_ascent *gr_ascent_new(const gr_weak_task *task, gradus_error *err);
void gr_ascent_free(gr_ascent *ascent);
gradus_status gr_ascent_round(gr_ascent *ascent, bool *grew, gradus_error *err);
uint64_t gr_ascent_rounds(const gr_ascent *ascent);
/* Now; and where the metric was highest of all. */
const double *gr_ascent_weights(const gr_ascent *ascent);
const double *gr_ascent_best(const gr_ascent *ascent);
const double *gr_ascent_scores(const gr_ascent *ascent);
double gr_ascent_value(const gr_ascent *ascent); /* of the best */

/* RankBoost (Freund, Iyer, Schapire and Singer, 2003) over pairs of rows of a query with different
 * labels: D(worse, better) is proportional to e^(score of the worse - score of the better), times
 * the weights of both. What a row has of D is found for all rows of a query in linear time, from
 * sums over rows of lower and of higher labels. A weak ranker is 1 where a feature is at least a
 * threshold, else 0; the one with the largest |r|, r = sum of potential times ranker, is added with
 * the weight 1/2 ln((1 + r) / (1 - r)). */
typedef struct gr_rankboost gr_rankboost;
gr_rankboost *gr_rankboost_new(const gradus_context *context, const gradus_dataset *data,
                               const gr_problem *problem, const gr_bin_options *bins,
                               const gr_forest *start, gradus_error *err);
void gr_rankboost_free(gr_rankboost *rankboost);
gradus_status gr_rankboost_round(gr_rankboost *rankboost, bool *grew, gradus_error *err);
const gr_forest *gr_rankboost_forest(const gr_rankboost *rankboost);
const double *gr_rankboost_scores(const gr_rankboost *rankboost);
double gr_rankboost_seconds(const gr_rankboost *rankboost); /* spent on bins */
size_t gr_rankboost_skipped(const gr_rankboost *rankboost); /* queries without pairs */

/* Of each row the sum of D over its pairs, those where it is the better one counted positive, with
 * D adding up to 1: fills potentials, and gives the sum that D was divided by (relative to
 * e^0 for equal scores). scratch: 3 x the rows of the longest query. */
double gr_rankboost_potentials(const gr_problem *problem, const gr_pair_order *order,
                               const double *scores, double *potentials, double *scratch);

#endif
