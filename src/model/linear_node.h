/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of linear equations, one per output. */
#ifndef GR_MODEL_LINEAR_NODE_H
#define GR_MODEL_LINEAR_NODE_H

#include "learners/linear/linear.h"
#include "model/node.h"

/* Takes over the equations, which are empty afterwards. */
gradus_status gr_linear_node_new(gr_linear *linear, gr_node *node, gradus_error *err);
/* The last linear node's equations; NULL: none. */
const gr_linear *gr_model_linear(const gradus_model *model);

#endif
