/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of model trees (M5). */
#ifndef GR_MODEL_M5_NODE_H
#define GR_MODEL_M5_NODE_H

#include "learners/m5/m5.h"
#include "model/node.h"

/* Takes over the trees, which are empty afterwards. */
gradus_status gr_m5_node_new(gr_m5 *m5, gr_node *node, gradus_error *err);
/* The last model trees; NULL: none. */
const gr_m5 *gr_model_m5(const gradus_model *model);

#endif
