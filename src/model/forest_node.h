/* SPDX-License-Identifier: Apache-2.0 */
/* The node that is a forest: forest_node.c runs it, forest_file.c writes and reads it. */
#ifndef GR_MODEL_FOREST_NODE_H
#define GR_MODEL_FOREST_NODE_H

#include "model/model.h"

gradus_status gr_forest_node_write(const void *state, gr_model_writer *writer, gradus_error *err);
gradus_status gr_forest_node_read(gr_model_reader *reader, size_t features, void **state,
                                  gradus_error *err);
void gr_forest_node_free(void *state);

/* The facts and sections of trees, which nodes of other kinds that have trees share. */
gradus_status gr_forest_put(const gr_forest *forest, gr_model_writer *writer, gradus_error *err);
/* The arrays stay in the file: the forest's rooms are 0. gr_forest_check is still to be asked. */
gradus_status gr_forest_take(gr_model_reader *reader, gr_forest *forest, gradus_error *err);
/* Points *array, of any type of pointer, at a section of `count` items; it may not be written to.
 */
gradus_status gr_section_as_array(gr_model_reader *reader, const char *name, uint64_t count,
                                  size_t item, void *array, gradus_error *err);

#endif
