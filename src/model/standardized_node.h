/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted sums of the scores of other nodes, standardised within each query. */
#ifndef GR_MODEL_STANDARDIZED_NODE_H
#define GR_MODEL_STANDARDIZED_NODE_H

#include "model/node.h"

/* weights: one per member. */
gradus_status gr_standardized_node_new(const double *weights, size_t members, gr_node *node,
                                       gradus_error *err);

#endif
