/* SPDX-License-Identifier: Apache-2.0 */
/* ListNet (Cao et al., 2007). */
#include "pipeline/learners/learner_net.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_listnet = {
    .about = { "listnet", "a net trained on the cross-entropy of top-one probabilities",
               "Minimises the cross-entropy of softmax(grades) and softmax(scores) of each query, "
               "the probabilities of each row to be ranked first; --gain and --label-gain replace "
               "grades by gains. Linear unless --hidden is set, as in Cao et al. (2007)." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .implies = GR_NET_IMPLIES " hidden=0",
    .own_learners = gr_net_learners,
    .only_own = true,
    .variant = GR_LOSS_LISTNET,
    .rule = GR_SCORE_OUTPUT,
    .gains = GR_GAINS_LINEAR,
    .needs_queries = gr_always_needs_queries,
};
