/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of array operations as nodes of an ONNX graph.
 *
 * A value that depends on the features is a tensor [N, rows, columns], N being the number of
 * documents; a value that does not is [rows, columns]. Axes are counted from the end, so that both
 * have the same. */
#ifndef GR_EXCHANGE_ONNX_OPS_H
#define GR_EXCHANGE_ONNX_OPS_H

#include "base/buffer.h"
#include "exchange/graph.h"

/* Version of ai.onnx: the first in which all operators used here have their types and negative
 * axes. */
enum { GR_ONNX_OPSET = 13 };

#define GR_ONNX_INPUT "features"
#define GR_ONNX_SCORE "score"
#define GR_ONNX_PROBABILITIES "probabilities"
#define GR_ONNX_ROWS "N"

/* Writes the nodes and constants that GR_ONNX_SCORE, [N, 1], and if the graph has them
 * GR_ONNX_PROBABILITIES, [N, levels], depend on; both are double. The input GR_ONNX_INPUT is float,
 * [N, features]. */
gradus_status gr_onnx_ops_write(gr_buffer *out, const gr_graph *graph, uint64_t opset_ml,
                                gradus_error *err);

#endif
