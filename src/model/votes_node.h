/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of AdaBoost.MH votes. */
#ifndef GR_MODEL_VOTES_NODE_H
#define GR_MODEL_VOTES_NODE_H

#include "learners/adaboost/votes.h"
#include "model/node.h"

/* Takes over the votes, which are empty afterwards. */
gradus_status gr_votes_node_new(gr_votes *votes, gr_node *node, gradus_error *err);
/* The last node's votes; NULL: none. */
const gr_votes *gr_model_votes(const gradus_model *model);

#endif
