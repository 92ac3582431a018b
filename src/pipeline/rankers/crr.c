/* Combined regression and ranking (Sculley, 2010). */
#include "pipeline/learner.h"
#include "pipeline/ranker.h"

static const gr_learner *const sgd_only[] = { &gr_learner_sgd, NULL };

const gr_ranker gr_ranker_crr = {
    .about = { "crr", "combined regression and ranking: a linear model by stochastic gradients",
               "Lowers alpha L(rows) + (1 - alpha) L(pairs) + lambda/2 |w|^2, where pairs are two "
               "rows of a query with different labels, as the difference of the two: --alpha 1 is "
               "regression, 0 is ranking. --loss squared fits the labels themselves, so that "
               "scores "
               "mean something; logistic fits labels from 0 to 1; hinge is the loss of support "
               "vector machines. Labels may be any numbers." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .losses = 1u << GR_LOSS_SQUARED | 1u << GR_LOSS_LOGISTIC | 1u << GR_LOSS_HINGE,
    .implies = "rounds=100 patience=0 keep=last train-eval-every=0",
    .own_learners = sgd_only,
    .only_own = true,
    .rule = GR_SCORE_OUTPUT,
};
