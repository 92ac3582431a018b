/* SPDX-License-Identifier: Apache-2.0 */
/* Proportional odds: objective_propodds.c has the loss, propodds_thresholds.c the threshold
 * optimisation and the line search. */
#ifndef GR_OBJECTIVES_OBJECTIVE_PROPODDS_H
#define GR_OBJECTIVES_OBJECTIVE_PROPODDS_H

#include "kernels/ordinal.h"
#include "objectives/thresholds.h"
#include "objectives/objective_rows.h"

#include <assert.h>

typedef struct gr_propodds {
    gr_threshold_state cuts;
    gr_array moved; /* double [row]: scores along a line */
} gr_propodds;

/* What the kernels need of the thresholds around a level (kernels/ordinal.h). */
typedef struct gr_odds_level {
    double above, below, meeting, share;
    double gap; /* 1 - meeting */
} gr_odds_level;

static_assert(sizeof(gr_odds_level) == GR_DEVICE_LEVEL_NUMBERS * sizeof(double), "numbers");

/* Fills levels[l] for each level; `share` is 0 for levels without weight. */
void gr_propodds_levels(const gr_propodds *own, gr_odds_level *levels);

/* The values of a chunk of rows, as contiguous arrays for the kernels. */
typedef struct gr_odds_room {
    double above[GR_CHUNK], below[GR_CHUNK], shares[GR_CHUNK], weights[GR_CHUNK];
} gr_odds_room;

/* Fills the arrays of a chunk; `shares` only if `whole`. */
gr_odds_rows gr_propodds_rows(const gr_odds_level *levels, const gr_problem *problem,
                              const double *scores, size_t first, size_t count, bool whole,
                              gr_odds_room *room);

/* propodds_thresholds.c */
gradus_status gr_propodds_fit_thresholds(void *state, const gr_problem *problem,
                                         const double *scores, gr_pool *pool, bool *separated,
                                         gradus_error *err);
gradus_status gr_propodds_line_search(void *state, const gr_problem *problem, const double *scores,
                                      const double *steps, gr_pool *pool, double *share,
                                      gradus_error *err);

#endif
