/* SPDX-License-Identifier: Apache-2.0 */
/* RankNet (Burges et al., 2005). */
#include "pipeline/learners/learner_net.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_ranknet = {
    .about = { "ranknet", "a net trained on the logistic loss of pairs",
               "Minimises the mean over the pairs of a query of log(1 + e^(-sigma (score of the "
               "better row - score of the other))). The gradients of all pairs of a row are summed "
               "first, so that backpropagation runs once per row, not once per pair. --hidden 0 is "
               "a linear function. Burges et al. (2005)." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .implies = GR_NET_IMPLIES,
    .own_learners = gr_net_pair_learners,
    .only_own = true,
    .variant = GR_LOSS_RANKNET,
    .rule = GR_SCORE_OUTPUT,
    .needs_queries = gr_always_needs_queries,
};
