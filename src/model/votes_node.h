/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the node of votes, which are in two files. */
#ifndef GR_MODEL_VOTES_NODE_H
#define GR_MODEL_VOTES_NODE_H

#include "model/model.h"

gradus_status gr_votes_node_write(const void *state, gr_model_writer *writer, gradus_error *err);
gradus_status gr_votes_node_read(gr_model_reader *reader, size_t features, void **state,
                                 gradus_error *err);

#endif
