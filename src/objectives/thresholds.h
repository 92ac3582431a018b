/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds between grades, for losses that have them besides their single output. A grade whose
 * rows all have weight 0 is inactive: the thresholds on its two sides are equal. */
#ifndef GR_OBJECTIVES_THRESHOLDS_H
#define GR_OBJECTIVES_THRESHOLDS_H

#include "objectives/problem.h"

#include "base/memory.h"
#include "kernels/ordinal.h"
#include "objectives/objective.h"

/* Scores are clamped to this distance from 0 before they are exponentiated; thresholds that nothing
 * constrains are set to it. */
#define GR_FAR GR_POWER_FAR

typedef struct gr_threshold_state {
    size_t levels; /* levels of the problem */
    size_t active; /* grades with positive weight */
    double thresholds[GR_MAX_LEVELS];
    uint8_t place[GR_MAX_LEVELS]; /* [level]: number of active levels below it */
    double weights[GR_MAX_LEVELS];
    gr_array room; /* buffer for sums over rows */
} gr_threshold_state;

/* Sums the weight of each grade; fails unless at least two grades have weight. */
gradus_status gr_thresholds_begin(const gr_problem *problem, gr_threshold_state *cuts,
                                  gradus_error *err);
void gr_thresholds_end(gr_threshold_state *cuts);

/* Converts thresholds between active grades ([active - 1]) to those between all grades, and
 * back. */
void gr_thresholds_spread(gr_threshold_state *cuts, const double *between);
void gr_thresholds_gather(const gr_threshold_state *cuts, double *between);

/* The thresholds before the first round and after each round. */
typedef struct gr_threshold_log {
    size_t cuts, sets;
    gr_array numbers; /* double [sets x cuts] */
} gr_threshold_log;

/* Called by a driver before the first round, for any objective: starts with the thresholds of
 * `options`, or with the optimal ones at the scores. */
gradus_status gr_thresholds_start(gr_threshold_log *log, const gr_objective *objective, void *state,
                                  const gr_problem *problem, const gr_objective_options *options,
                                  const double *scores, gr_pool *pool, gradus_error *err);
/* Called after each round: optimises and records the thresholds. */
gradus_status gr_thresholds_follow(gr_threshold_log *log, const gr_objective *objective,
                                   void *state, const gr_problem *problem, const double *scores,
                                   gr_pool *pool, bool *separated, gradus_error *err);
/* All recorded thresholds, [sets x cuts]; NULL: none. */
const double *gr_thresholds_all(const gr_threshold_log *log, size_t *sets);

#endif
