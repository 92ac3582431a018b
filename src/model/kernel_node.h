/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel nodes: kernel_node.c runs them, kernel_file.c writes and reads them. */
#ifndef GR_MODEL_KERNEL_NODE_H
#define GR_MODEL_KERNEL_NODE_H

#include "model/model.h"

gradus_status gr_kernel_node_write(const void *state, gr_model_writer *writer, gradus_error *err);
gradus_status gr_kernel_node_read(gr_model_reader *reader, size_t features, void **state,
                                  gradus_error *err);

#endif
