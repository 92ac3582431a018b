/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of kernel machines. */
#ifndef GR_MODEL_KERNEL_NODE_H
#define GR_MODEL_KERNEL_NODE_H

#include "learners/kernel/kernel.h"
#include "model/node.h"

/* Takes over the machine, which is empty afterwards. */
gradus_status gr_kernel_node_new(gr_machine *machine, gr_node *node, gradus_error *err);

#endif
