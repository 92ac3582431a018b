/* SPDX-License-Identifier: Apache-2.0 */
/* A reader of Universal Binary JSON. */
#include "ubj_text.h"

#include "base/text.h"
#include "checks.h"

#include <math.h>
#include <string.h>

static uint64_t big_endian(const uint8_t **at, size_t size)
{
    uint64_t number = 0;

    while (size-- > 0)
        number = number << 8 | *(*at)++;
    return number;
}

static size_t ubj_size(const uint8_t **at)
{
    assert_int_equal(*(*at)++, 'L');
    return (size_t)big_endian(at, 8);
}

static void ubj_number(const uint8_t **at, char type, gr_buffer *out)
{
    if (type == 'd') {
        const uint32_t bits = (uint32_t)big_endian(at, 4);
        float number;

        memcpy(&number, &bits, sizeof number);
        char text[GRADUS_NUMBER_SIZE];

        gr_format_float(number, text);
        gr_buffer_text(out, isinf(number) ? (number < 0 ? "-1e39" : "1e39") : text);
        gr_buffer_text(out, isinf(number) || strpbrk(text, ".e") ? "" : ".0");
    } else if (type == 'l') {
        gr_buffer_format(out, "%d", (int)(int32_t)(uint32_t)big_endian(at, 4));
    } else {
        assert_int_equal(type, 'U');
        gr_buffer_format(out, "%d", (int)big_endian(at, 1));
    }
}

static void ubj_text(const uint8_t **at, gr_buffer *out)
{
    const size_t size = ubj_size(at);

    gr_buffer_text(out, "\"");
    gr_buffer_put(out, *at, size);
    gr_buffer_text(out, "\"");
    *at += size;
}

static void ubj_list(const uint8_t **at, gr_buffer *out)
{
    char type = 0;

    if (**at == '$') {
        type = (char)(*at)[1];
        *at += 2;
    }
    assert_int_equal(*(*at)++, '#');
    const size_t count = ubj_size(at);

    gr_buffer_text(out, "[");
    for (size_t i = 0; i < count; i++) {
        gr_buffer_text(out, i ? "," : "");
        if (type)
            ubj_number(at, type, out);
        else
            ubj_value(at, out);
    }
    gr_buffer_text(out, "]");
}

void ubj_value(const uint8_t **at, gr_buffer *out)
{
    const char type = (char)*(*at)++;
    bool first = true;

    if (type == 'S') {
        ubj_text(at, out);
    } else if (type == '[') {
        ubj_list(at, out);
    } else if (type != '{') {
        ubj_number(at, type, out);
    } else {
        gr_buffer_text(out, "{");
        for (; **at != '}'; first = false) {
            gr_buffer_text(out, first ? "" : ",");
            ubj_text(at, out);
            gr_buffer_text(out, ":");
            ubj_value(at, out);
        }
        (*at)++;
        gr_buffer_text(out, "}");
    }
}
