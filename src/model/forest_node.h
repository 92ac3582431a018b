/* SPDX-License-Identifier: Apache-2.0 */
/* Forest nodes: sums of trees. Other kinds store trees in the same sections. */
#ifndef GR_MODEL_FOREST_NODE_H
#define GR_MODEL_FOREST_NODE_H

#include "learners/forest/forest.h"
#include "model/node.h"

/* Takes over the forest, which is empty afterwards, and compiles it. */
gradus_status gr_forest_node_new(gr_forest *forest, gr_node *node, gradus_error *err);
/* The forest of a forest node. */
const gr_forest *gr_forest_node_forest(const gr_node *node);
/* The last forest; NULL: none. */
const gr_forest *gr_model_forest(const gradus_model *model);

/* The facts and sections of trees. */
gradus_status gr_forest_put(const gr_forest *forest, gr_model_writer *writer, gradus_error *err);
/* The arrays stay in the file, so the forest's capacities are 0. The caller still has to run
 * gr_forest_check. features: of the model. */
gradus_status gr_forest_take(gr_model_reader *reader, size_t features, gr_forest *forest,
                             gradus_error *err);
/* A split of a tree with `splits` splits, without its rows; and any node of a tree. See
 * gradus_model_tree_at. */
gradus_tree_node gr_split_describe(const gr_split *split, size_t splits);
bool gr_forest_tree_at(const gr_forest *forest, size_t tree, size_t node, gradus_tree_node *out);

#endif
