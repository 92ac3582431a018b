/* SPDX-License-Identifier: Apache-2.0 */
/* Forests as tree operators of ONNX. */
#ifndef GR_EXCHANGE_ONNX_TREES_H
#define GR_EXCHANGE_ONNX_TREES_H

#include "base/buffer.h"
#include "learners/forest/forest.h"

/* What the targets (columns) of the operator are. */
typedef enum gr_onnx_targets {
    GR_ONNX_OUTPUTS, /* sums of leaf values, one per output of the forest, bases included */
    GR_ONNX_VALUES,  /* the leaf value of each tree; the bases are left out */
    GR_ONNX_LEAVES   /* the number of the leaf within each tree */
} gr_onnx_targets;

/* Writes a node from `input` (rows x features, double) to `output` (rows x targets). opset_ml 5:
 * TreeEnsemble, with a double result. 3: TreeEnsembleRegressor, with float attributes and a float
 * result. Thresholds and leaf values are floats and exact in both. Fails for lack of memory, or if
 * the operator cannot hold the forest. */
gradus_status gr_onnx_trees_write(gr_buffer *out, const gr_forest *forest, gr_onnx_targets targets,
                                  uint64_t opset_ml, const char *input, const char *output,
                                  gradus_error *err);

#endif
