/* SPDX-License-Identifier: Apache-2.0 */
/* Neural net nodes. */
#ifndef GR_MODEL_NET_NODE_H
#define GR_MODEL_NET_NODE_H

#include "learners/net/net.h"
#include "model/node.h"

/* Takes over the net, which is empty afterwards. */
gradus_status gr_net_node_new(gr_net *net, gr_node *node, gradus_error *err);
/* The last net; NULL: none. */
const gr_net *gr_model_net(const gradus_model *model);

#endif
