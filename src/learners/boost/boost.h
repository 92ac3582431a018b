/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient boosting: rounds of trees fitted to what an objective says of the scores so far. A
 * prefix of the rounds is a model. Everything random is keyed by (seed, round), and scores are sums
 * in the order of the rounds, so that a forest and its data are all the state there is: going on
 * from a saved forest gives the bytes that an uninterrupted run gives. */
#ifndef GR_LEARNERS_BOOST_BOOST_H
#define GR_LEARNERS_BOOST_BOOST_H

#include "learners/forest/forest.h"
#include "objectives/objective.h"

typedef struct gr_boost_options {
    double learning_rate;
    double row_share, query_share; /* drawn anew each round */
    uint64_t seed;
    gr_tree_options tree;
    gr_bin_options bin;
    gr_objective_options objective;
} gr_boost_options;

extern const gr_param gr_boost_params[];

typedef struct gr_booster gr_booster;

/* data, problem and objective must outlive it. start: trees to begin with, which are copied (NULL:
 * none). initial: scores to begin with (outputs x rows), which the forest does not hold and which
 * take the place of the objective's bases; NULL: none. */
gr_booster *gr_booster_new(const gradus_context *context, const gradus_dataset *data,
                           const gr_problem *problem, const gr_objective *objective,
                           const gr_boost_options *options, const gr_forest *start,
                           const double *initial, gradus_error *err);
void gr_booster_free(gr_booster *booster);

/* One round. *grew is false if no tree of the round has a split: more rounds would bring no more,
 * unless rows or features are sampled. */
gradus_status gr_booster_step(gr_booster *booster, bool *grew, gradus_error *err);
const gr_forest *gr_booster_forest(const gr_booster *booster);
/* Scores of the training rows, outputs x rows. */
const double *gr_booster_scores(const gr_booster *booster);
/* The thresholds of every round, of objectives that have some; NULL: none. */
const double *gr_booster_thresholds(const gr_booster *booster, size_t *sets);
/* Whether the last round told the grades apart without doubt: more rounds only move thresholds. */
bool gr_booster_separated(const gr_booster *booster);
/* Seconds spent: cutting into bins, gradients, trees, leaves and scores. */
typedef struct gr_boost_times {
    double bins, gradients, trees, scores;
} gr_boost_times;
gr_boost_times gr_booster_times(const gr_booster *booster);

#endif
