/* SPDX-License-Identifier: Apache-2.0 */
/* Neural net nodes: net_node.c runs them, net_file.c writes and reads them. */
#ifndef GR_MODEL_NET_NODE_H
#define GR_MODEL_NET_NODE_H

#include "model/model.h"

gradus_status gr_net_node_write(const void *state, gr_model_writer *writer, gradus_error *err);
gradus_status gr_net_node_read(gr_model_reader *reader, size_t features, void **state,
                               gradus_error *err);

#endif
