/* SPDX-License-Identifier: Apache-2.0 */
/* The state common to all boosting loops, whether a round adds trees or kernels: the objective, the
 * current scores, their gradients and the row sample of a round. */
#ifndef GR_LEARNERS_BOOST_BOOST_STATE_H
#define GR_LEARNERS_BOOST_BOOST_STATE_H

#include "learners/boost/boost.h"
#include "objectives/thresholds.h"

typedef struct gr_boost_state {
    const gradus_context *context;
    gr_pool *pool;
    const gradus_dataset *data;
    const gr_problem *problem;
    const gr_objective *objective;
    gr_boost_options options;
    void *state;                  /* of the objective */
    double *bases;                /* starting score of each output */
    gr_array scores;              /* double, outputs x rows */
    gr_array gradients, hessians; /* float, outputs x rows */
    gr_array sample;              /* uint32_t, rows; empty if rounds use all rows */
    gr_array passed_over;         /* bool, queries without a sampled row; likewise */
    gr_threshold_log thresholds;
    bool separated; /* the last round separates the grades perfectly */
} gr_boost_state;

gr_boost_state gr_boost_state_of(const gradus_context *context, const gradus_dataset *data,
                                 const gr_problem *problem, const gr_objective *objective,
                                 const gr_boost_options *options);
/* Initialises the objective and the bases: the objective's if `new_bases`, else 0. The caller must
 * call gr_boost_state_free even if this fails. */
gradus_status gr_boost_state_begin(gr_boost_state *boosting, bool new_bases, gradus_error *err);
void gr_boost_state_free(gr_boost_state *boosting);

/* Allocates scores, gradients and samples; sets the scores to bases plus initial (NULL: 0). */
gradus_status gr_boost_state_scores(gr_boost_state *boosting, const double *bases,
                                    const double *initial, gradus_error *err);
/* Starts the log of thresholds, at the scores of the rounds that training resumes from. */
gradus_status gr_boost_state_thresholds(gr_boost_state *boosting, gradus_error *err);

/* Draws the row sample of a round: *count rows, ascending in *rows; NULL: all rows. */
gradus_status gr_boost_state_sample(gr_boost_state *boosting, uint64_t round, const uint32_t **rows,
                                    size_t *count, gradus_error *err);
/* The queries of the sample that have no rows; NULL: none. */
const bool *gr_boost_state_passed_over(const gr_boost_state *boosting);
/* Draws the sample and computes the gradients of a round. */
gradus_status gr_boost_state_gradients(gr_boost_state *boosting, uint64_t round,
                                       const uint32_t **rows, size_t *count, gradus_error *err);
/* After a round: refits the thresholds to the new scores. Sets *grew to false if the grades are
 * perfectly separated, which ends training. */
gradus_status gr_boost_state_follow(gr_boost_state *boosting, uint64_t round, bool *grew,
                                    gradus_error *err);

#endif
