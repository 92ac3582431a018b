/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the bytes of a model file: checks the front, parses the JSON header, verifies and lists
 * the sections. */
#include "model/model_reader.h"

#include "base/crc32c.h"
#include "model/model.h"
#include "model/model_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t get_bytes(const unsigned char *at, int count)
{
    uint64_t number = 0;

    for (int i = 0; i < count; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

bool gr_model_is_magic(const void *bytes, size_t size)
{
    return size >= GR_MODEL_MAGIC && memcmp(bytes, gr_model_magic, GR_MODEL_MAGIC) == 0;
}

#undef gr_model_damaged /* a macro for the static analyzer */
gradus_status gr_model_damaged(const gr_model_reader *reader, gradus_error *err, const char *format,
                               ...)
{
    char what[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return gr_fail(err, GRADUS_BAD_FORMAT, "'%.240s' is damaged: %s", reader->name, what);
}

bool gr_model_hex(const gr_json *value, size_t digits, uint64_t *number)
{
    const char *text;

    if (!gr_json_text(value, &text) || strlen(text) != digits)
        return false;
    *number = 0;
    for (; *text; text++) {
        const int digit = *text >= '0' && *text <= '9'   ? *text - '0'
                          : *text >= 'a' && *text <= 'f' ? *text - 'a' + 10
                                                         : -1;

        if (digit < 0)
            return false;
        *number = *number << 4 | (uint64_t)digit;
    }
    return true;
}

static gradus_status cut_short(const gr_model_reader *reader, uint64_t wanted, gradus_error *err)
{
    return gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is cut short: %zu bytes of %llu", reader->name,
                   reader->size, (unsigned long long)wanted);
}

static gradus_status check_front(const gr_model_reader *reader, size_t *header_size,
                                 gradus_error *err)
{
    const unsigned char *at = reader->bytes;

    if (!gr_model_is_magic(at, reader->size))
        return gr_fail(err, GRADUS_BAD_FORMAT, "'%.300s' is not a gradus model", reader->name);
    if (reader->size < GR_MODEL_FRONT)
        return cut_short(reader, GR_MODEL_FRONT, err);
    const uint64_t version = get_bytes(at + GR_MODEL_AT_VERSION, 4);
    const uint64_t header = get_bytes(at + GR_MODEL_AT_HEADER, 8);
    const uint64_t size = get_bytes(at + GR_MODEL_AT_SIZE, 8);

    if (version > GR_MODEL_VERSION)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "'%.300s' has format version %llu; this gradus reads up to %d", reader->name,
                       (unsigned long long)version, GR_MODEL_VERSION);
    if (version == 0)
        return gr_model_damaged(reader, err, "its format version is 0");
    if (reader->size < size)
        return cut_short(reader, size, err);
    if (reader->size > size)
        return gr_model_damaged(reader, err, "it has %zu bytes, expected %llu", reader->size,
                                (unsigned long long)size);
    if (header > size - GR_MODEL_FRONT)
        return gr_model_damaged(reader, err, "its header is longer than the file");
    *header_size = (size_t)header;
    if (gr_model_checksum(at, (const char *)at + GR_MODEL_FRONT, *header_size) !=
        get_bytes(at + GR_MODEL_AT_CHECKSUM, 4))
        return gr_model_damaged(reader, err, "the checksum of the header (%zu bytes at %d) differs",
                                *header_size, GR_MODEL_FRONT);
    return GRADUS_OK;
}

static gradus_status check_zeros(const gr_model_reader *reader, uint64_t from, uint64_t to,
                                 gradus_error *err)
{
    for (; from < to; from++)
        if (reader->bytes[from] != 0)
            return gr_model_damaged(reader, err, "padding byte %llu is not 0",
                                    (unsigned long long)from);
    return GRADUS_OK;
}

/* Reads a row of the section table. *end: in, the end of the previous section; out, of this one. */
static gradus_status read_section(gr_model_reader *reader, const gr_json *row, uint64_t begin,
                                  uint64_t *end, gradus_error *err)
{
    gr_model_section *section = &reader->sections[reader->section_count];
    const gr_json *node = gr_json_find(row, "node");
    uint64_t id, offset, crc, node_number = GR_MODEL_ITSELF;

    if (!gr_json_count(gr_json_find(row, "id"), &id) || id != reader->section_count || !node ||
        (node->kind != GR_JSON_NULL && !gr_json_count(node, &node_number)) ||
        !gr_json_text(gr_json_find(row, "name"), &section->name) ||
        !gr_json_count(gr_json_find(row, "offset"), &offset) ||
        !gr_json_count(gr_json_find(row, "size"), &section->size) ||
        !gr_model_hex(gr_json_find(row, "crc"), 8, &crc))
        return gr_model_damaged(reader, err, "the description of section %zu is incomplete",
                                reader->section_count);
    section->node = (size_t)node_number;
    if (offset != gr_model_align(*end - begin) || offset > reader->size - begin ||
        section->size > reader->size - begin - offset)
        return gr_model_damaged(reader, err, "section '%.40s' is not at its expected offset",
                                section->name);
    GR_TRY(check_zeros(reader, *end, begin + offset, err));
    section->bytes = reader->bytes + begin + offset;
    *end = begin + offset + section->size;
    if (gr_crc32c(0, section->bytes, (size_t)section->size) != crc)
        return gr_model_damaged(
            reader, err, "the checksum of section '%.40s' (%llu bytes at %llu) differs",
            section->name, (unsigned long long)section->size,
            /* NOLINTNEXTLINE(bugprone-misplaced-widening-cast): size_t has 64 bits too */
            (unsigned long long)(begin + offset));
    reader->section_count++;
    return GRADUS_OK;
}

static gradus_status read_sections(gr_model_reader *reader, size_t header_size, gradus_error *err)
{
    const gr_json *list = gr_json_find(reader->header, "sections");
    const uint64_t begin = gr_model_align(GR_MODEL_FRONT + (uint64_t)header_size);
    uint64_t end = begin;

    if (!list || list->kind != GR_JSON_LIST || begin > reader->size)
        return gr_model_damaged(reader, err, "its header does not list the sections");
    reader->sections = gr_new_array(list->count, sizeof *reader->sections);
    if (!reader->sections)
        return gr_fail_memory(err, "a model");
    GR_TRY(check_zeros(reader, GR_MODEL_FRONT + header_size, begin, err));
    const gr_json *row = gr_json_first(list);

    for (size_t i = 0; i < list->count; i++, row = gr_json_next(row))
        GR_TRY(read_section(reader, row, begin, &end, err));
    if (end != reader->size)
        return gr_model_damaged(reader, err, "its sections end at byte %llu of %zu",
                                (unsigned long long)end, reader->size);
    return GRADUS_OK;
}

gradus_status gr_model_reader_open(gr_model_reader *reader, const void *bytes, size_t size,
                                   const char *name, gradus_error *err)
{
    gradus_error found = { GRADUS_OK, "" };
    size_t header_size = 0;

    *reader =
        (gr_model_reader){ .name = name, .bytes = bytes, .size = size, .node = GR_MODEL_ITSELF };
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return gr_fail(err, GRADUS_BAD_FORMAT,
                       "model files are little-endian, which this machine is not");
    GR_TRY(check_front(reader, &header_size, err));
    reader->header =
        gr_json_parse((const char *)reader->bytes + GR_MODEL_FRONT, header_size, &found);
    if (!reader->header && found.status == GRADUS_NO_MEMORY)
        return gr_fail(err, found.status, "%s", found.message);
    if (!reader->header)
        return gr_model_damaged(reader, err, "its header: %.200s", found.message);
    return read_sections(reader, header_size, err);
}

void gr_model_reader_close(gr_model_reader *reader)
{
    gr_json_free(reader->header);
    free(reader->sections);
}

gradus_status gr_model_read_count(const gr_model_reader *reader, const char *name, uint64_t *count,
                                  gradus_error *err)
{
    if (gr_json_count(gr_json_find(reader->facts, name), count))
        return GRADUS_OK;
    return gr_model_damaged(reader, err, "node %zu: '%s' is missing or not a count", reader->node,
                            name);
}

gradus_status gr_model_read_text(const gr_model_reader *reader, const char *name, char **text,
                                 gradus_error *err)
{
    const gr_json *value = gr_json_find(reader->facts, name);
    const char *found;

    if (!value)
        return GRADUS_OK;
    if (!gr_json_text(value, &found))
        return gr_model_damaged(reader, err, "node %zu: '%s' is not a text", reader->node, name);
    return gr_model_set_text(text, found, err);
}

gradus_status gr_model_read_section(const gr_model_reader *reader, const char *name, uint64_t count,
                                    size_t item, const void **bytes, gradus_error *err)
{
    for (size_t i = 0; i < reader->section_count; i++) {
        const gr_model_section *section = &reader->sections[i];

        if (section->node != reader->node || strcmp(section->name, name) != 0)
            continue;
        if (section->size % item != 0 || section->size / item != count)
            return gr_model_damaged(
                reader, err, "section '%s' has %llu bytes, expected %llu times %zu", name,
                (unsigned long long)section->size, (unsigned long long)count, item);
        *bytes = section->bytes;
        return GRADUS_OK;
    }
    return gr_model_damaged(reader, err, "section '%s' is missing", name);
}

gradus_status gr_model_read_array(const gr_model_reader *reader, const char *name, uint64_t count,
                                  size_t item, void *array, gradus_error *err)
{
    const void *bytes = NULL;

    GR_TRY(gr_model_read_section(reader, name, count, item, &bytes, err));
    *(void **)array = (void *)(uintptr_t)bytes;
    return GRADUS_OK;
}

gradus_status gr_model_read_weights(const gr_model_reader *reader, const char *what, size_t *count,
                                    double **weights, gradus_error *err)
{
    uint64_t members;

    GR_TRY(gr_model_read_count(reader, "members", &members, err));
    if (members == 0 || members > GR_NODE_INPUTS)
        return gr_model_damaged(reader, err, "%s of %llu members", what,
                                (unsigned long long)members);
    GR_TRY(gr_model_read_array(reader, "weights", members, sizeof **weights, weights, err));
    for (uint64_t m = 0; m < members; m++)
        if (!isfinite((*weights)[m]))
            return gr_model_damaged(reader, err, "the weights of its members are not finite");
    *count = (size_t)members;
    return GRADUS_OK;
}

gradus_status gr_model_copy_array(const gr_model_reader *reader, const char *name, uint64_t count,
                                  size_t item, void *array, gradus_error *err)
{
    const void *bytes = NULL;
    void *copy;

    GR_TRY(gr_model_read_section(reader, name, count, item, &bytes, err));
    copy = gr_new_array((size_t)count, item);
    if (!copy)
        return gr_fail_memory(err, "a model");
    if (bytes)
        memcpy(copy, bytes, (size_t)count * item);
    *(void **)array = copy;
    return GRADUS_OK;
}
