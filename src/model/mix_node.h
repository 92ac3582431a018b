/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted sums of the columns of other nodes. */
#ifndef GR_MODEL_MIX_NODE_H
#define GR_MODEL_MIX_NODE_H

#include "model/node.h"

/* weights: one per member. */
gradus_status gr_mix_node_new(const double *weights, size_t members, size_t columns, gr_node *node,
                              gradus_error *err);

#endif
