/* The node that is a forest: forest_node.c runs it, forest_file.c writes and reads it. */
#ifndef GR_MODEL_FOREST_NODE_H
#define GR_MODEL_FOREST_NODE_H

#include "model/model.h"

gradus_status gr_forest_node_write(const void *state, gr_model_writer *writer, gradus_error *err);
gradus_status gr_forest_node_read(gr_model_reader *reader, size_t features, void **state,
                                  gradus_error *err);
void gr_forest_node_free(void *state);

#endif
