/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are sums of Gaussian kernels of single features. */
#ifndef GR_MODEL_GAUSSIANS_NODE_H
#define GR_MODEL_GAUSSIANS_NODE_H

#include "learners/gaussians/gaussians.h"
#include "model/node.h"

/* Takes over the kernels, which are empty afterwards. */
gradus_status gr_gaussians_node_new(gr_gaussians *gaussians, gr_node *node, gradus_error *err);
/* The last sum of kernels; NULL: none. */
const gr_gaussians *gr_model_gaussians(const gradus_model *model);

#endif
