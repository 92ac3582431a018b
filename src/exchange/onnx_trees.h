/* SPDX-License-Identifier: Apache-2.0 */
/* Forests as tree operators of ONNX. */
#ifndef GR_EXCHANGE_ONNX_TREES_H
#define GR_EXCHANGE_ONNX_TREES_H

#include "base/buffer.h"
#include "learners/forest/forest.h"

/* What the targets (columns) of the operator are. */
typedef enum gr_onnx_targets {
    GR_ONNX_VALUES, /* the leaf value of each tree */
    GR_ONNX_LEAVES  /* the number of the leaf within each tree */
} gr_onnx_targets;

/* Writes a node from `input` (rows x features) to `output` (rows x targets), with the trees
 * [first, end) of a forest. opset_ml 5: TreeEnsemble, from double to double. 3:
 * TreeEnsembleRegressor, from float to float. Thresholds and leaf values are floats, so exact in
 * both. Fails for lack of memory, or if the operator cannot hold the trees. */
typedef struct gr_onnx_trees {
    const gr_forest *forest;
    size_t first, end;
    gr_onnx_targets targets;
    uint64_t opset_ml;
} gr_onnx_trees;

gradus_status gr_onnx_trees_write(gr_buffer *out, const gr_onnx_trees *trees, const char *input,
                                  const char *output, gradus_error *err);

#endif
