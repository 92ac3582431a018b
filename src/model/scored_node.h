/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that score the outputs of another node. */
#ifndef GR_MODEL_SCORED_NODE_H
#define GR_MODEL_SCORED_NODE_H

#include "model/node.h"
#include "scoring/scoring.h"

/* A node that scores the outputs of another: one probability column per grade, or a score
 * column. The scorer is copied. method: of the scored model, if it is a member of an ensemble;
 * else NULL. */
gradus_status gr_scored_node_new(const gr_scorer *scorer, bool probabilities, const char *method,
                                 gr_node *node, gradus_error *err);
/* NULL if the node is of another kind, or has none. */
const gr_scorer *gr_scored_node_scorer(const gr_node *node);
const char *gr_scored_node_method(const gr_node *node);
/* Of a scored node: probability columns; else a score. */
bool gr_scored_node_gives_probabilities(const gr_node *node);

#endif
