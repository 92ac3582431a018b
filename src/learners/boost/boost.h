/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient boosting (Friedman, 2001): each round fits one tree per output to the gradients of an
 * objective at the current scores. The first k rounds are a model by themselves. All random numbers
 * are keyed by (seed, round) and scores are summed in the order of the rounds, so the forest and
 * the data are the complete state: resuming from a saved forest gives a byte-identical model.
 *
 * How the files work together. boost.c runs the rounds: it asks the boosting state (boost_state.c,
 * which kernel boosting in learners/gaussians shares) for the gradients and the row sample of a
 * round (boost_sample.c), grows trees with the engine in learners/tree, computes leaf values,
 * clamps them to monotone constraints (monotone.c), rounds them to a grid for least squares
 * (leaf_grid.c), and adds the trees to a forest
 * (learners/forest) and to the scores. */
#ifndef GR_LEARNERS_BOOST_BOOST_H
#define GR_LEARNERS_BOOST_BOOST_H

#include "learners/forest/forest.h"
#include "objectives/objective.h"

typedef struct gr_boost_options {
    double learning_rate;
    double row_share, query_share; /* fractions of the rows and queries sampled for each round */
    gr_tree_options tree;
    bool from_average; /* start at the best constant scores, also where the objective starts at 0 */
    bool class_updates; /* gradients are computed before each output's tree, not once per round */
    /* Not in gr_boost_params: set by the caller. */
    uint64_t seed;
    size_t grid_rows; /* for tests: GR_GRID_ROWS of this training; 0: as usual */
    gr_bin_options bin;
    gr_objective_options objective;
} gr_boost_options;

extern const gr_param gr_boost_params[];
extern const gr_option_block gr_boost_option_block;

typedef struct gr_booster gr_booster;

/* data, problem and objective must outlive the booster. start: a forest to resume from, which is
 * copied (NULL: none). initial: initial scores (outputs x rows) that replace the objective's bases
 * and are not part of the forest; NULL: none. */
gr_booster *gr_booster_new(const gradus_context *context, const gradus_dataset *data,
                           const gr_problem *problem, const gr_objective *objective,
                           const gr_boost_options *options, const gr_forest *start,
                           const double *initial, gradus_error *err);
void gr_booster_free(gr_booster *booster);

/* Runs one round. *grew becomes false if no tree of the round has a split (further rounds would not
 * help either, unless rows or features are sampled) or the grades are perfectly separated. */
gradus_status gr_booster_step(gr_booster *booster, bool *grew, gradus_error *err);
const gr_forest *gr_booster_forest(const gr_booster *booster);
/* Scores of the training rows, outputs x rows; those of the last gr_booster_fetch if a device keeps
 * them. */
const double *gr_booster_scores(const gr_booster *booster);
gradus_status gr_booster_fetch(gr_booster *booster, gradus_error *err);
/* The functions of the device that keeps the scores, and what they are called with; NULL: the processor
 * keeps them. */
const gr_boost_device *gr_booster_device(const gr_booster *booster, void **boosting);
/* The thresholds after every round, for objectives that have thresholds; NULL: none. */
const double *gr_booster_thresholds(const gr_booster *booster, size_t *sets);
/* Whether the grades are perfectly separated after the last round, so that scores and thresholds
 * would grow without bound. */
bool gr_booster_separated(const gr_booster *booster);
/* Seconds spent in binning, gradients, growing trees, and leaf values and scores. */
typedef struct gr_boost_times {
    double bins, gradients, trees, scores;
} gr_boost_times;
gr_boost_times gr_booster_times(const gr_booster *booster);

#endif
