/* SPDX-License-Identifier: Apache-2.0 */
/* LambdaRank (Burges, Ragno and Le, 2006). */
#include "pipeline/learners/learner_net.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_lambdarank = {
    .about = { "lambdarank",
               "a net trained on pairs, weighted by the change in NDCG, ERR or MAP when swapped",
               "The gradients of ranknet, with each pair multiplied by the change of "
               "--lambda-metric when its two rows are swapped, as in lambdamart. Burges, Ragno and "
               "Le (2006)." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .implies = GR_NET_IMPLIES,
    .own_learners = gr_net_lambda_learners,
    .only_own = true,
    .variant = GR_LOSS_LAMBDARANK,
    .rule = GR_SCORE_OUTPUT,
    .gains = GR_GAINS_EXP,
    .needs_queries = gr_always_needs_queries,
};
