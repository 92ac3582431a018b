/* SPDX-License-Identifier: Apache-2.0 */
/* ListMLE (Xia et al., 2008). */
#include "pipeline/learners/learner_net.h"
#include "pipeline/ranker.h"

const gr_ranker gr_ranker_listmle = {
    .about = { "listmle", "a net trained on the likelihood of the ideal order",
               "Minimises the negative log likelihood of the rows of a query in the order of their "
               "grades, where each next row is drawn by softmax(scores) from those left. Rows of "
               "equal grade are drawn from all rows that are not better; rows of the lowest grade "
               "have no order. Xia et al. (2008)." },
    .reduction = &gr_reduction_grade,
    .objective = &gr_objective_squared,
    .implies = GR_NET_IMPLIES,
    .own_learners = gr_net_learners,
    .only_own = true,
    .variant = GR_LOSS_LISTMLE,
    .rule = GR_SCORE_OUTPUT,
    .needs_queries = gr_always_needs_queries,
};
