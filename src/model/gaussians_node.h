/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are sums of Gaussian kernels of single features. */
#ifndef GR_MODEL_GAUSSIANS_NODE_H
#define GR_MODEL_GAUSSIANS_NODE_H

#include "model/model.h"

/* Takes over the gr_gaussians, which is empty afterwards, as the node's state. */
gradus_status gr_gaussians_node_new(gr_gaussians *gaussians, gr_node *node, gradus_error *err);

#endif
