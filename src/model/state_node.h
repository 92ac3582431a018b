/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that only store learner state for resuming. */
#ifndef GR_MODEL_STATE_NODE_H
#define GR_MODEL_STATE_NODE_H

#include "model/node.h"

typedef struct gr_state {
    size_t count;
    double *at;
} gr_state;
/* Allocates zeros for the caller to fill. */
gradus_status gr_state_node_new(size_t count, double **at, gr_node *node, gradus_error *err);
/* The learner state of a checkpoint; NULL: none. */
const gr_state *gr_model_state(const gradus_model *model);

#endif
