/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes ONNX files, written from the specification of protobuf and without code of the
 * library. */
#ifndef GR_TESTS_ONNX_DECODE_H
#define GR_TESTS_ONNX_DECODE_H

#include "checks.h"

#include "base/buffer.h"

/* A field of a message: a number, or bytes. */
typedef struct field {
    unsigned number, wire;
    uint64_t value; /* of a varint; size of the bytes */
    const uint8_t *bytes;
} field;

typedef struct message {
    const uint8_t *at, *end;
} message;

message whole(const gr_buffer *out);
message inside(const field *found); /* a field that is a message */
/* Reads the next field of a message; false at the end. */
bool next_field(message *from, field *found);
uint64_t read_varint(message *from);
/* The occurrence `index` of a field; false: there are not as many. */
bool find_field(message from, unsigned number, size_t index, field *found);
/* The first occurrence, which must exist. */
field get_field(message from, unsigned number);
size_t count_fields(message from, unsigned number);
bool field_is(const field *found, const char *text);
/* Checks that the numbers of a tensor fill its shape, and returns how many they are. */
size_t tensor_count(message tensor);

/* An attribute of a node; type 0: the node has none of the name. */
typedef struct attribute {
    int type;
    size_t count;
    int64_t *ints;
    double *numbers; /* floats, or a tensor */
    field *strings;
} attribute;

attribute read_attribute(message node, const char *name);
void free_attributes(attribute *attributes, size_t count);

#endif
