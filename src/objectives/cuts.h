/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds between grades, for losses that have some beside their one output. Grades whose rows
 * all weigh nothing have no place of their own: the thresholds on both sides of them meet. */
#ifndef GR_OBJECTIVES_CUTS_H
#define GR_OBJECTIVES_CUTS_H

#include "objectives/problem.h"

#include "base/memory.h"
#include "kernels/ordinal.h"
#include "objectives/objective.h"

/* Scores are taken to be within this of 0 where their exponentials are summed; thresholds that
 * nothing holds back are put there. */
#define GR_FAR GR_POWER_FAR

typedef struct gr_cuts_state {
    size_t levels; /* of the problem */
    size_t active; /* grades of some weight */
    double thresholds[GR_MOST_LEVELS];
    uint8_t place[GR_MOST_LEVELS]; /* of each level: how many active ones are below it */
    double weights[GR_MOST_LEVELS];
    gr_array room; /* for sums over rows */
} gr_cuts_state;

/* Counts the weight of each grade; an error unless two have some. */
gradus_status gr_cuts_begin(const gr_problem *problem, gr_cuts_state *cuts, gradus_error *err);
void gr_cuts_end(gr_cuts_state *cuts);

/* Thresholds between active grades (active - 1 of them) to those of all grades, and back. */
void gr_cuts_spread(gr_cuts_state *cuts, const double *between);
void gr_cuts_gather(const gr_cuts_state *cuts, double *between);

/* The thresholds after each round, from before the first on. */
typedef struct gr_threshold_log {
    size_t cuts, sets;
    gr_array numbers; /* double, sets x cuts */
} gr_threshold_log;

/* What a driver does with the thresholds of an objective, which may have none: begins with those of
 * `options`, or with the best at the scores; */
gradus_status gr_thresholds_start(gr_threshold_log *log, const gr_objective *objective, void *state,
                                  const gr_problem *problem, const gr_objective_options *options,
                                  const double *scores, gr_pool *pool, gradus_error *err);
/* and follows the scores of each round. */
gradus_status gr_thresholds_follow(gr_threshold_log *log, const gr_objective *objective,
                                   void *state, const gr_problem *problem, const double *scores,
                                   gr_pool *pool, bool *separated, gradus_error *err);
/* NULL if there are none. */
const double *gr_thresholds_all(const gr_threshold_log *log, size_t *sets);

#endif
