/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX files: the protobuf wire format, and the messages of onnx.proto that graphs are made of.
 * A field is a key (number * 8 + wire type), then a varint, or a length and that number of
 * bytes. Lists of numbers are packed. Fields appear in the order of the calls; the same calls
 * give the same bytes. An allocation failure is remembered by the buffer. */
#ifndef GR_EXCHANGE_ONNX_PROTO_H
#define GR_EXCHANGE_ONNX_PROTO_H

#include "base/buffer.h"

#include <stdint.h>

/* Element types of tensors (TensorProto.DataType). */
typedef enum gr_onnx_type {
    GR_ONNX_FLOAT = 1,
    GR_ONNX_UINT8 = 2,
    GR_ONNX_INT64 = 7,
    GR_ONNX_BOOL = 9,
    GR_ONNX_DOUBLE = 11
} gr_onnx_type;

/* Field numbers. */
enum {
    GR_PROTO_IR_VERSION = 1,
    GR_PROTO_PRODUCER_NAME = 2,
    GR_PROTO_PRODUCER_VERSION = 3,
    GR_PROTO_DOC_STRING = 6,
    GR_PROTO_GRAPH = 7,
    GR_PROTO_OPSET_IMPORT = 8,
    GR_PROTO_METADATA_PROPS = 14,
    GR_PROTO_GRAPH_NODE = 1,
    GR_PROTO_GRAPH_NAME = 2,
    GR_PROTO_GRAPH_INITIALIZER = 5,
    GR_PROTO_GRAPH_INPUT = 11,
    GR_PROTO_GRAPH_OUTPUT = 12
};

/* Starts a field that is a message and returns its start, for gr_proto_end. */
size_t gr_proto_begin(gr_buffer *out, unsigned field);
void gr_proto_end(gr_buffer *out, size_t start);
void gr_proto_number(gr_buffer *out, unsigned field, int64_t number);
void gr_proto_text(gr_buffer *out, unsigned field, const char *text);

/* Starts a node with its operator, inputs and one output; attributes may follow, then gr_proto_end.
 * domain: "" for ai.onnx. */
size_t gr_onnx_node_begin(gr_buffer *out, const char *domain, const char *op,
                          const char *const *inputs, size_t count, const char *output);
void gr_onnx_node_output(gr_buffer *out, const char *output); /* a further one */
void gr_onnx_int(gr_buffer *out, const char *name, int64_t number);
void gr_onnx_string(gr_buffer *out, const char *name, const char *text);

/* Lists and tensors that are filled in number by number: begin, `count` numbers, end. */
typedef struct gr_onnx_list {
    size_t field;   /* start of the attribute or initializer */
    size_t tensor;  /* start of the tensor, if inside an attribute */
    size_t numbers; /* start of the numbers */
} gr_onnx_list;

gr_onnx_list gr_onnx_ints_begin(gr_buffer *out, const char *name);
void gr_onnx_ints_put(gr_buffer *out, int64_t number);
void gr_onnx_ints_end(gr_buffer *out, const gr_onnx_list *list);
gr_onnx_list gr_onnx_floats_begin(gr_buffer *out, const char *name);
void gr_onnx_floats_end(gr_buffer *out, const gr_onnx_list *list);
gr_onnx_list gr_onnx_strings_begin(gr_buffer *out, const char *name);
void gr_onnx_strings_put(gr_buffer *out, const char *text);
void gr_onnx_strings_end(gr_buffer *out, const gr_onnx_list *list);
/* A tensor as an attribute of a node (one dimension), or as a constant of the graph. */
gr_onnx_list gr_onnx_tensor_begin(gr_buffer *out, const char *name, gr_onnx_type type,
                                  size_t count);
void gr_onnx_tensor_end(gr_buffer *out, const gr_onnx_list *list);
gr_onnx_list gr_onnx_initializer_begin(gr_buffer *out, const char *name, gr_onnx_type type,
                                       const size_t *dims, size_t rank);
void gr_onnx_initializer_end(gr_buffer *out, const gr_onnx_list *list);
/* Numbers of a tensor, and of a list of floats. */
void gr_onnx_put_float(gr_buffer *out, float number);
void gr_onnx_put_double(gr_buffer *out, double number);
void gr_onnx_put_int64(gr_buffer *out, int64_t number);
void gr_onnx_put_byte(gr_buffer *out, uint8_t byte);

/* An input or output of the graph with the shape [rows, columns], the first dimension being the
 * parameter `rows`. */
void gr_onnx_value_info(gr_buffer *out, unsigned field, const char *name, gr_onnx_type type,
                        const char *rows, size_t columns);

#endif
