/* SPDX-License-Identifier: Apache-2.0 */
/* Regression by a neural net. */
#include "pipeline/learners/learner_net.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_netreg = {
    .about = { "netreg", "a net fitted to the labels by squared error",
               "Minimises half the mean squared error of the score. A batch is --batch chunks of "
               "at most 64 rows of a query." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .implies = GR_NET_IMPLIES,
    .own_learners = gr_net_learners,
    .only_own = true,
    .variant = GR_LOSS_NET_SQUARED,
    .rule = GR_SCORE_OUTPUT,
};
