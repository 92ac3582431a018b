/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX files: the protobuf wire format, and messages of onnx.proto. Field numbers and their meaning
 * are those of the public specification of ONNX. */
#include "exchange/onnx_proto.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_LENGTH = 2 };
enum { NODE_INPUT = 1, NODE_OUTPUT, NODE_NAME, NODE_OP_TYPE, NODE_ATTRIBUTE, NODE_DOMAIN = 7 };
enum {
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_T = 5,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_STRINGS = 9,
    ATTRIBUTE_TYPE = 20
};
/* AttributeProto.AttributeType */
enum { TYPE_INT = 2, TYPE_STRING, TYPE_TENSOR, TYPE_FLOATS = 6, TYPE_INTS, TYPE_STRINGS };
enum { TENSOR_DIMS = 1, TENSOR_DATA_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW_DATA = 9 };
enum { INFO_NAME = 1, INFO_TYPE = 2, TYPE_TENSOR_TYPE = 1, TENSOR_ELEM_TYPE = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_PARAM = 2 };
enum { VARINT_SIZE = 10 };

static size_t encode_varint(uint64_t number, uint8_t *bytes)
{
    size_t size = 0;

    for (; number >= 0x80; number >>= 7)
        bytes[size++] = (uint8_t)(number | 0x80);
    bytes[size++] = (uint8_t)number;
    return size;
}

static void put_varint(gr_buffer *out, uint64_t number)
{
    uint8_t bytes[VARINT_SIZE];

    gr_buffer_put(out, bytes, encode_varint(number, bytes));
}

static void put_key(gr_buffer *out, unsigned field, unsigned wire)
{
    put_varint(out, (uint64_t)field * 8 + wire);
}

size_t gr_proto_begin(gr_buffer *out, unsigned field)
{
    put_key(out, field, WIRE_LENGTH);
    return out->used;
}

/* The length comes before the content, which moves up to make space for it. */
void gr_proto_end(gr_buffer *out, size_t start)
{
    uint8_t bytes[VARINT_SIZE];
    size_t length = out->used - start;
    size_t size = encode_varint(length, bytes);
    char *at;

    gr_buffer_put(out, bytes, size);
    if (out->failed)
        return;
    at = (char *)out->bytes.at + start;
    memmove(at + size, at, length);
    memcpy(at, bytes, size);
}

void gr_proto_number(gr_buffer *out, unsigned field, int64_t number)
{
    put_key(out, field, WIRE_VARINT);
    put_varint(out, (uint64_t)number);
}

void gr_proto_text(gr_buffer *out, unsigned field, const char *text)
{
    size_t length = strlen(text);

    put_key(out, field, WIRE_LENGTH);
    put_varint(out, length);
    gr_buffer_put(out, text, length);
}

size_t gr_onnx_node_begin(gr_buffer *out, const char *domain, const char *op,
                          const char *const *inputs, size_t count, const char *output)
{
    size_t start = gr_proto_begin(out, GR_PROTO_GRAPH_NODE);

    for (size_t i = 0; i < count; i++)
        gr_proto_text(out, NODE_INPUT, inputs[i]);
    gr_proto_text(out, NODE_OUTPUT, output);
    gr_proto_text(out, NODE_NAME, output);
    gr_proto_text(out, NODE_OP_TYPE, op);
    if (*domain)
        gr_proto_text(out, NODE_DOMAIN, domain);
    return start;
}

void gr_onnx_node_output(gr_buffer *out, const char *output)
{
    gr_proto_text(out, NODE_OUTPUT, output);
}

static size_t attribute_begin(gr_buffer *out, const char *name, int type)
{
    size_t start = gr_proto_begin(out, NODE_ATTRIBUTE);

    gr_proto_text(out, ATTRIBUTE_NAME, name);
    gr_proto_number(out, ATTRIBUTE_TYPE, type);
    return start;
}

void gr_onnx_int(gr_buffer *out, const char *name, int64_t number)
{
    size_t start = attribute_begin(out, name, TYPE_INT);

    gr_proto_number(out, ATTRIBUTE_I, number);
    gr_proto_end(out, start);
}

void gr_onnx_string(gr_buffer *out, const char *name, const char *text)
{
    size_t start = attribute_begin(out, name, TYPE_STRING);

    gr_proto_text(out, ATTRIBUTE_S, text);
    gr_proto_end(out, start);
}

gr_onnx_list gr_onnx_ints_begin(gr_buffer *out, const char *name)
{
    gr_onnx_list list = { .field = attribute_begin(out, name, TYPE_INTS) };

    list.numbers = gr_proto_begin(out, ATTRIBUTE_INTS);
    return list;
}

void gr_onnx_ints_put(gr_buffer *out, int64_t number)
{
    put_varint(out, (uint64_t)number);
}

void gr_onnx_ints_end(gr_buffer *out, const gr_onnx_list *list)
{
    gr_proto_end(out, list->numbers);
    gr_proto_end(out, list->field);
}

gr_onnx_list gr_onnx_floats_begin(gr_buffer *out, const char *name)
{
    gr_onnx_list list = { .field = attribute_begin(out, name, TYPE_FLOATS) };

    list.numbers = gr_proto_begin(out, ATTRIBUTE_FLOATS);
    return list;
}

void gr_onnx_floats_end(gr_buffer *out, const gr_onnx_list *list)
{
    gr_onnx_ints_end(out, list);
}

gr_onnx_list gr_onnx_strings_begin(gr_buffer *out, const char *name)
{
    return (gr_onnx_list){ .field = attribute_begin(out, name, TYPE_STRINGS) };
}

void gr_onnx_strings_put(gr_buffer *out, const char *text)
{
    gr_proto_text(out, ATTRIBUTE_STRINGS, text);
}

void gr_onnx_strings_end(gr_buffer *out, const gr_onnx_list *list)
{
    gr_proto_end(out, list->field);
}

/* The shape and type of a tensor, up to its numbers; returns the start of these. */
static size_t tensor_begin(gr_buffer *out, const char *name, gr_onnx_type type, const size_t *dims,
                           size_t rank)
{
    size_t shape = gr_proto_begin(out, TENSOR_DIMS);

    for (size_t i = 0; i < rank; i++)
        put_varint(out, dims[i]);
    gr_proto_end(out, shape);
    gr_proto_number(out, TENSOR_DATA_TYPE, type);
    gr_proto_text(out, TENSOR_NAME, name);
    return gr_proto_begin(out, TENSOR_RAW_DATA);
}

gr_onnx_list gr_onnx_tensor_begin(gr_buffer *out, const char *name, gr_onnx_type type, size_t count)
{
    gr_onnx_list list = { .field = attribute_begin(out, name, TYPE_TENSOR) };

    list.tensor = gr_proto_begin(out, ATTRIBUTE_T);
    list.numbers = tensor_begin(out, name, type, &count, 1);
    return list;
}

void gr_onnx_tensor_end(gr_buffer *out, const gr_onnx_list *list)
{
    gr_proto_end(out, list->numbers);
    gr_proto_end(out, list->tensor);
    gr_proto_end(out, list->field);
}

gr_onnx_list gr_onnx_initializer_begin(gr_buffer *out, const char *name, gr_onnx_type type,
                                       const size_t *dims, size_t rank)
{
    gr_onnx_list list = { .field = gr_proto_begin(out, GR_PROTO_GRAPH_INITIALIZER) };

    list.numbers = tensor_begin(out, name, type, dims, rank);
    return list;
}

void gr_onnx_initializer_end(gr_buffer *out, const gr_onnx_list *list)
{
    gr_onnx_ints_end(out, list);
}

static void put_little_endian(gr_buffer *out, uint64_t bits, size_t size)
{
    uint8_t bytes[sizeof bits];

    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(bits >> (8 * i));
    gr_buffer_put(out, bytes, size);
}

void gr_onnx_put_float(gr_buffer *out, float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    put_little_endian(out, bits, sizeof bits);
}

void gr_onnx_put_double(gr_buffer *out, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    put_little_endian(out, bits, sizeof bits);
}

void gr_onnx_put_int64(gr_buffer *out, int64_t number)
{
    put_little_endian(out, (uint64_t)number, sizeof number);
}

void gr_onnx_put_byte(gr_buffer *out, uint8_t byte)
{
    gr_buffer_put(out, &byte, 1);
}

void gr_onnx_value_info(gr_buffer *out, unsigned field, const char *name, gr_onnx_type type,
                        const char *rows, size_t columns)
{
    size_t info = gr_proto_begin(out, field), kind, tensor, shape, dim;

    gr_proto_text(out, INFO_NAME, name);
    kind = gr_proto_begin(out, INFO_TYPE);
    tensor = gr_proto_begin(out, TYPE_TENSOR_TYPE);
    gr_proto_number(out, TENSOR_ELEM_TYPE, type);
    shape = gr_proto_begin(out, TENSOR_SHAPE);
    dim = gr_proto_begin(out, SHAPE_DIM);
    gr_proto_text(out, DIM_PARAM, rows);
    gr_proto_end(out, dim);
    dim = gr_proto_begin(out, SHAPE_DIM);
    gr_proto_number(out, DIM_VALUE, (int64_t)columns);
    gr_proto_end(out, dim);
    gr_proto_end(out, shape);
    gr_proto_end(out, tensor);
    gr_proto_end(out, kind);
    gr_proto_end(out, info);
}
