/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of linear models over hashed features. */
#ifndef GR_MODEL_HASH_NODE_H
#define GR_MODEL_HASH_NODE_H

#include "learners/sgd/hashed.h"
#include "model/node.h"

/* Takes over the weights, which are empty afterwards. */
gradus_status gr_hash_node_new(gr_hashed *hashed, gr_node *node, gradus_error *err);

#endif
