/* Proportional odds: propodds.c has the loss, propodds_settle.c its thresholds and line search. */
#ifndef GR_OBJECTIVES_PROPODDS_H
#define GR_OBJECTIVES_PROPODDS_H

#include "kernels/sigmoid.h"
#include "objectives/cuts.h"
#include "objectives/rows.h"

typedef struct gr_propodds {
    gr_cuts_state cuts;
    gr_array moved; /* scores along a line, double */
} gr_propodds;

/* Of each row: u = P(y <= its grade), v = P(y < its grade), and what is left to 1. */
typedef struct gr_chances {
    double u[GR_CHUNK], v[GR_CHUNK], rest_u[GR_CHUNK], rest_v[GR_CHUNK];
} gr_chances;

void gr_propodds_chances(const gr_propodds *own, const gr_problem *problem, const double *scores,
                         size_t first, size_t count, gr_chances *chances);
/* 1 - e^(theta' - theta) of the thresholds around each level. */
void gr_propodds_gaps(const gr_propodds *own, double *gaps);

gradus_status gr_propodds_settle(void *state, const gr_problem *problem, const double *scores,
                                 gr_pool *pool, bool *separated, gradus_error *err);
gradus_status gr_propodds_stretch(void *state, const gr_problem *problem, const double *scores,
                                  const double *steps, gr_pool *pool, double *share,
                                  gradus_error *err);

#endif
