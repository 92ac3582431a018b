/* SPDX-License-Identifier: Apache-2.0 */
/* Forest nodes: forest_node.c runs them, forest_file.c writes and reads them. */
#ifndef GR_MODEL_FOREST_NODE_H
#define GR_MODEL_FOREST_NODE_H

#include "model/model.h"

gradus_status gr_forest_node_write(const void *state, gr_model_writer *writer, gradus_error *err);
gradus_status gr_forest_node_read(gr_model_reader *reader, size_t features, void **state,
                                  gradus_error *err);
void gr_forest_node_free(void *state);

/* The facts and sections of trees, for every kind of node that has trees. */
gradus_status gr_forest_put(const gr_forest *forest, gr_model_writer *writer, gradus_error *err);
/* The arrays stay in the file, so the forest's capacities are 0. The caller still has to run
 * gr_forest_check. */
gradus_status gr_forest_take(gr_model_reader *reader, gr_forest *forest, gradus_error *err);
/* Points *array, a pointer of any type, at a section of `count` items, which is read-only. */
gradus_status gr_section_as_array(gr_model_reader *reader, const char *name, uint64_t count,
                                  size_t item, void *array, gradus_error *err);

#endif
