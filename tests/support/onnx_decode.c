/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes ONNX files, for tests. */
#include "onnx_decode.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Element types of tensors. */
enum { TYPE_FLOAT = 1, TYPE_UINT8 = 2, TYPE_INT64 = 7, TYPE_BOOL = 9, TYPE_DOUBLE = 11 };

uint64_t read_varint(message *from)
{
    uint64_t number = 0;

    for (unsigned shift = 0;; shift += 7) {
        assert_true(from->at < from->end && shift < 64);
        number |= (uint64_t)(*from->at & 127) << shift;
        if (*from->at++ < 128)
            return number;
    }
}

bool next_field(message *from, field *found)
{
    uint64_t key;

    if (from->at == from->end)
        return false;
    key = read_varint(from);
    *found = (field){ .number = (unsigned)(key >> 3), .wire = key & 7 };
    found->value = read_varint(from);
    assert_true(found->number > 0 && (found->wire == 0 || found->wire == 2));
    if (found->wire == 2) {
        assert_true(found->value <= (uint64_t)(from->end - from->at));
        found->bytes = from->at;
        from->at += found->value;
    }
    return true;
}

message inside(const field *found)
{
    assert_int_equal(found->wire, 2);
    return (message){ found->bytes, found->bytes + found->value };
}

message whole(const gr_buffer *out)
{
    const uint8_t *bytes = out->bytes.at;

    return (message){ bytes, bytes + out->used };
}

bool find_field(message from, unsigned number, size_t index, field *found)
{
    while (next_field(&from, found))
        if (found->number == number && index-- == 0)
            return true;
    return false;
}

field get_field(message from, unsigned number)
{
    field found;

    assert_true(find_field(from, number, 0, &found));
    return found;
}

size_t count_fields(message from, unsigned number)
{
    size_t count = 0;

    for (field found; next_field(&from, &found);)
        count += found.number == number;
    return count;
}

bool field_is(const field *found, const char *text)
{
    return found->wire == 2 && found->value == strlen(text) &&
           memcmp(found->bytes, text, strlen(text)) == 0;
}

enum { IS_INT = 2, IS_TENSOR = 4, IS_FLOATS = 6, IS_INTS = 7, IS_STRINGS = 8 };

static double little_endian(const uint8_t *bytes, size_t size)
{
    uint64_t bits = 0;
    double number;
    float single;

    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    if (size == 1)
        return (double)bits;
    if (size == 4) {
        uint32_t half = (uint32_t)bits;

        memcpy(&single, &half, sizeof single);
        return (double)single;
    }
    memcpy(&number, &bits, sizeof number);
    return number;
}

static size_t item_size(uint64_t type)
{
    switch (type) {
    case TYPE_FLOAT:
        return 4;
    case TYPE_UINT8:
    case TYPE_BOOL:
        return 1;
    case TYPE_INT64:
    case TYPE_DOUBLE:
        return 8;
    default:
        fail();
        return 0;
    }
}

size_t tensor_count(message tensor)
{
    field packed = get_field(tensor, 1), raw = get_field(tensor, 9);
    message dims = inside(&packed);
    size_t count = 1;

    while (dims.at < dims.end)
        count *= read_varint(&dims);
    assert_int_equal(raw.value, count * item_size(get_field(tensor, 2).value));
    return count;
}

static void read_numbers(const field *raw, size_t size, attribute *into)
{
    into->count = raw->value / size;
    into->numbers = gr_new_array(into->count, sizeof *into->numbers);
    for (size_t i = 0; i < into->count; i++)
        into->numbers[i] = little_endian(raw->bytes + i * size, size);
}

static void read_ints(message packed, attribute *into)
{
    message from = packed;

    while (from.at < from.end) {
        read_varint(&from);
        into->count++;
    }
    into->ints = gr_new_array(into->count, sizeof *into->ints);
    for (size_t i = 0; i < into->count; i++)
        into->ints[i] = (int64_t)read_varint(&packed);
}

attribute read_attribute(message node, const char *name)
{
    attribute found = { 0 };
    field item;

    for (size_t i = 0; find_field(node, 5, i, &item); i++) {
        message from = inside(&item);
        field called = get_field(from, 1), content;

        if (!field_is(&called, name))
            continue;
        found.type = (int)get_field(from, 20).value;
        if (found.type == IS_INT) {
            found.count = 1;
            found.ints = gr_new_array(1, sizeof *found.ints);
            found.ints[0] = (int64_t)get_field(from, 3).value;
        } else if (found.type == IS_INTS) {
            content = get_field(from, 8);
            read_ints(inside(&content), &found);
        } else if (found.type == IS_FLOATS) {
            content = get_field(from, 7);
            read_numbers(&content, 4, &found);
        } else if (found.type == IS_TENSOR) {
            content = get_field(from, 5);
            message tensor = inside(&content);
            field raw = get_field(tensor, 9);

            assert_true(tensor_count(tensor) > 0);
            read_numbers(&raw, item_size(get_field(tensor, 2).value), &found);
        } else if (found.type == IS_STRINGS) {
            found.count = count_fields(from, 9);
            found.strings = gr_new_array(found.count, sizeof *found.strings);
            for (size_t s = 0; s < found.count; s++)
                assert_true(find_field(from, 9, s, found.strings + s));
        }
        return found;
    }
    return found;
}

void free_attributes(attribute *attributes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(attributes[i].ints);
        free(attributes[i].numbers);
        free(attributes[i].strings);
    }
}
