/* SPDX-License-Identifier: Apache-2.0 */
/* Forests, model trees and voting trees as operations of a graph. */
#include "exchange/lower.h"

#include "model/forest_node.h"

gradus_status gr_lower_forest(const gr_lowering *lowering, const gr_node *node,
                              const size_t *inputs, size_t *output)
{
    *output = gr_graph_trees(lowering->graph, GR_OP_FOREST, inputs[0], gr_forest_node_forest(node));
    return GRADUS_OK;
}
