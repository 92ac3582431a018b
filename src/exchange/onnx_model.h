/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of array operations as an ONNX file (ModelProto). */
#ifndef GR_EXCHANGE_ONNX_MODEL_H
#define GR_EXCHANGE_ONNX_MODEL_H

#include "base/buffer.h"
#include "exchange/graph.h"

typedef struct gr_onnx_property {
    const char *key, *value;
} gr_onnx_property;

typedef struct gr_onnx_about {
    const char *name;        /* of the graph; characters that names cannot have become '_' */
    const char *description; /* doc_string */
    const gr_onnx_property *properties; /* metadata_props */
    size_t property_count;
} gr_onnx_about;

/* Appends the file. opset_ml: version of ai.onnx.ml, 3 or 5. GRADUS_BAD_ARGUMENT: that version,
 * or a file of at most 2 GiB, cannot hold the graph. */
gradus_status gr_onnx_model_write(gr_buffer *out, const gr_graph *graph, uint64_t opset_ml,
                                  const gr_onnx_about *about, gradus_error *err);

#endif
