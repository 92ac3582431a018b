/* SPDX-License-Identifier: Apache-2.0 */
/* The node that is a sum of Gaussian kernels. */
#ifndef GR_MODEL_GAUSSIANS_NODE_H
#define GR_MODEL_GAUSSIANS_NODE_H

#include "model/model.h"

/* The state is a gr_gaussians; it is taken over, and empty afterwards. */
gradus_status gr_gaussians_node_new(gr_gaussians *gaussians, gr_node *node, gradus_error *err);

#endif
