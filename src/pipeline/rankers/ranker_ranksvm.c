/* SPDX-License-Identifier: Apache-2.0 */
/* Ranking SVM (Joachims, 2002): by stochastic gradient descent on pairs, or exactly. */
#include "pipeline/learners/learner_ranksvm.h"
#include "pipeline/train.h"

static const gr_learner *const learners[] = { &gr_learner_sgd, &gr_learner_ranksvm_linear, NULL };

const gr_ranker gr_ranker_ranksvm = {
    .about = { "ranksvm", "a linear model trained on the hinge loss of pairs",
               "The method crr with the hinge loss and --alpha 0: minimises the mean over pairs of "
               "max(0, 1 - (score of the better row - score of the other)) + lambda/2 |w|^2. "
               "--learner linear squares the hinge, minimises it by Newton's method to "
               "convergence, and reports the duality gap. Joachims (2002)." },
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
