/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking by support vectors (Joachims, 2002): by stochastic gradients on pairs, or exactly. */
#include "pipeline/learners/ranksvm.h"
#include "pipeline/train.h"

static const gr_learner *const learners[] = { &gr_learner_sgd, &gr_learner_ranksvm_linear, NULL };

const gr_ranker gr_ranker_ranksvm = {
    .about = { "ranksvm", "a linear model by the hinge loss of pairs",
               "The method crr with the hinge loss and --alpha 0: lowers the mean over pairs of "
               "max(0, 1 - (score of the better row - score of the other)) + lambda/2 |w|^2. "
               "--learner linear squares the hinge, and goes to the least value of that by "
               "Newton's method; it tells the duality gap. Joachims (2002)." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .losses = 1u << GR_LOSS_HINGE,
    .implies = "rounds=100 patience=0 train-eval-every=0 step-rule=adagrad average=true "
               "transform=auto loss=hinge alpha=0",
    .own_learners = learners,
    .only_own = true,
    .rule = GR_SCORE_OUTPUT,
    .needs_queries = gr_always_needs_queries,
};
