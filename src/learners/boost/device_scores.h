/* SPDX-License-Identifier: Apache-2.0 */
/* Boosting whose scores and gradients are on the device that grows its trees. */
#ifndef GR_LEARNERS_BOOST_DEVICE_SCORES_H
#define GR_LEARNERS_BOOST_DEVICE_SCORES_H

#include "backend/boost_device.h"
#include "learners/boost/boost_state.h"

typedef struct gr_device_scores {
    const gr_boost_device *functions; /* NULL: the processor has the scores */
    void *boosting;
    gr_problem problem; /* the caller's, with the device */
    double *numbers;    /* of levels; NULL: the loss has no thresholds */
    bool both;          /* the processor has the scores, too, for leaf values that depend on rows */
    bool ahead;         /* of the scores in memory, which have to be fetched */
} gr_device_scores;

/* The bytes that gr_device_scores_open will take there; 0: scores stay in memory. */
double gr_device_scores_bytes(const gr_boost_state *boosting);
/* Moves the scores to the context's device if its trees are there (rows is not NULL) and it has
 * functions for the objective. From then on the problem of `boosting` is that of `scores`. */
gradus_status gr_device_scores_open(gr_device_scores *scores, gr_boost_state *boosting,
                                    const struct gr_device_rows *rows, gradus_error *err);
void gr_device_scores_close(gr_device_scores *scores);

/* Computes the gradients of a round there. */
gradus_status gr_device_scores_gradients(const gr_device_scores *scores,
                                         const gr_boost_state *boosting, gradus_error *err);
/* Adds the leaf values of the last tree of an output. */
gradus_status gr_device_scores_add(gr_device_scores *scores, size_t output, const double *values,
                                   size_t leaves, gradus_error *err);
/* Copies the scores to `to` (outputs x rows), unless they have not changed since. */
gradus_status gr_device_scores_fetch(gr_device_scores *scores, double *to, gradus_error *err);

#endif
