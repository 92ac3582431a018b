/* SPDX-License-Identifier: Apache-2.0 */
/* Rank fusion of other nodes, query by query. */
#ifndef GR_MODEL_FUSION_NODE_H
#define GR_MODEL_FUSION_NODE_H

#include "model/node.h"

typedef struct gr_fusion {
    size_t members;
    bool reciprocal; /* mean of 1 / (constant + rank); else mean fraction of rows below (Borda) */
    double constant;
} gr_fusion;
gradus_status gr_fusion_node_new(const gr_fusion *fusion, gr_node *node, gradus_error *err);

#endif
