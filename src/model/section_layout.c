/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the items of model sections as JSON, by their layouts. */
#include "model/section_layout.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

typedef enum item_type { F32, F64, I32, U32, U64, TYPES } item_type;

/* A number type, or a field of a record. */
typedef struct field {
    char name[32]; /* "": the item is a number */
    item_type type;
} field;

static const char *const type_names[] = { GR_F32, GR_F64, GR_I32, GR_U32, GR_U64 };
static const size_t type_sizes[] = { 4, 8, 4, 4, 8 };

static item_type find_type(const char *text, size_t length)
{
    item_type type = F32;

    while (type < TYPES &&
           (strlen(type_names[type]) != length || memcmp(type_names[type], text, length) != 0))
        type++;
    return type;
}

/* Takes the next field of a layout and moves *at behind it; false at the end. */
static bool next_field(const char **at, field *f)
{
    const size_t length = strcspn(*at, ",");
    const char *space = memchr(*at, ' ', length);
    const size_t name = space ? (size_t)(space - *at) : 0, type = space ? name + 1 : 0;

    if (length == 0 || name >= sizeof f->name)
        return false;
    memcpy(f->name, *at, name);
    f->name[name] = '\0';
    f->type = find_type(*at + type, length - type);
    if (f->type == TYPES)
        return false;
    *at += length;
    *at += strspn(*at, ", ");
    return true;
}

size_t gr_layout_size(const char *layout)
{
    size_t size = 0;
    field f;

    if (strcmp(layout, GR_TEXTS) == 0)
        return 1;
    while (next_field(&layout, &f))
        size += type_sizes[f.type];
    return *layout ? 0 : size;
}

/* Floats are written as doubles, so that readers need not round them. */
static void put_real(gr_json_writer *json, double number)
{
    if (isinf(number))
        gr_json_put_raw(json, NULL, number > 0 ? "1e999" : "-1e999");
    else
        gr_json_put_number(json, NULL, number);
}

static void put_item(gr_json_writer *json, item_type type, const unsigned char *at)
{
    char text[1 + GRADUS_NUMBER_SIZE];
    double real;
    float narrow;
    uint64_t wide;
    uint32_t whole;

    switch (type) {
    case F32:
        memcpy(&narrow, at, sizeof narrow);
        put_real(json, (double)narrow);
        break;
    case F64:
        memcpy(&real, at, sizeof real);
        put_real(json, real);
        break;
    case U64:
        memcpy(&wide, at, sizeof wide);
        gr_json_put_count(json, NULL, wide);
        break;
    default:
        memcpy(&whole, at, sizeof whole);
        if (type == I32 && whole >> 31) {
            text[0] = '-';
            gr_format_count(-(uint64_t)(int64_t)(int32_t)whole, text + 1);
            gr_json_put_raw(json, NULL, text);
        } else {
            gr_json_put_count(json, NULL, whole);
        }
    }
}

static void put_texts(gr_json_writer *json, const char *key, const char *bytes, size_t size)
{
    gr_json_open(json, key, '[');
    for (size_t at = 0; at < size; at += strlen(bytes + at) + 1)
        gr_json_put_text(json, NULL, bytes + at);
    gr_json_close(json, ']');
}

/* One field of all records: items of `item` bytes, the field at `offset`. */
static void put_column(gr_json_writer *json, const char *key, item_type type,
                       const unsigned char *bytes, size_t size, size_t item)
{
    gr_json_open(json, key, '[');
    for (size_t at = 0; at < size; at += item)
        put_item(json, type, bytes + at);
    gr_json_close(json, ']');
}

void gr_layout_put(gr_json_writer *json, const char *key, const char *layout, const void *bytes,
                   size_t size)
{
    const size_t item = gr_layout_size(layout);
    const unsigned char *from = bytes;
    field f;

    if (strcmp(layout, GR_TEXTS) == 0) {
        put_texts(json, key, bytes, size);
        return;
    }
    if (!strchr(layout, ' ')) {
        put_column(json, key, find_type(layout, strlen(layout)), from, size, item);
        return;
    }
    gr_json_open(json, key, '{');
    while (next_field(&layout, &f)) {
        put_column(json, f.name, f.type, from, size, item);
        from += type_sizes[f.type];
        size -= size ? type_sizes[f.type] : 0;
    }
    gr_json_close(json, '}');
}
