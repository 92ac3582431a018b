/* SPDX-License-Identifier: Apache-2.0 */
/* JSON writer. In GR_JSON_FILE, line breaks separate the top-level members and the objects of
 * top-level lists, so that they can be read and compared line by line. */
#include "base/json.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

void gr_json_append(gr_json_writer *writer, const char *bytes, size_t size)
{
    if (size == 0)
        return;
    if (writer->failed || !gr_array_reserve(&writer->bytes, writer->used + size)) {
        writer->failed = true;
        return;
    }
    memcpy((char *)writer->bytes.at + writer->used, bytes, size);
    writer->used += size;
}

static void put_plain(gr_json_writer *writer, const char *text)
{
    gr_json_append(writer, text, strlen(text));
}

static void put_escape(gr_json_writer *writer, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    const char escape[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

    gr_json_append(writer, escape, sizeof escape);
}

static void put_character(gr_json_writer *writer, const char *at, size_t length)
{
    const bool line = writer->layout == GR_JSON_LINE;
    const unsigned char c = (unsigned char)*at;

    if (length == 0 && !line) {
        put_plain(writer, "\xEF\xBF\xBD");
    } else if (c == '"' || c == '\\') {
        gr_json_append(writer, "\\", 1);
        gr_json_append(writer, at, 1);
    } else if (length == 0 || c < 0x20 || (line && c == 0x7F)) {
        put_escape(writer, c);
    } else if (line && length == 2 && c == 0xC2 && (unsigned char)at[1] < 0xA0) {
        put_escape(writer, (unsigned char)at[1]); /* U+0080 to U+009F */
    } else {
        gr_json_append(writer, at, length);
    }
}

static void put_string_text(gr_json_writer *writer, const char *text)
{
    const char *end = text + strlen(text);

    gr_json_append(writer, "\"", 1);
    while (text < end) {
        const size_t length = gr_utf8_length(text, end);

        put_character(writer, text, length);
        text += length ? length : 1;
    }
    gr_json_append(writer, "\"", 1);
}

static void indent(gr_json_writer *writer)
{
    gr_json_append(writer, "\n", 1);
    for (size_t d = 0; d < writer->depth; d++)
        put_plain(writer, "  ");
}

/* Writes what precedes a value: a comma, a line break (see the head of the file), the key. */
static void begin_value(gr_json_writer *writer, const char *key, bool opens)
{
    const bool line = writer->layout == GR_JSON_LINE;
    const bool indented = writer->layout == GR_JSON_INDENTED;

    if (writer->holds_some)
        put_plain(writer, line ? ", " : ",");
    if (indented && writer->depth > 0 && (key || opens))
        indent(writer);
    else if (!line && !indented && (writer->depth == 1 || (writer->depth == 2 && opens && !key)))
        gr_json_append(writer, "\n", 1);
    if (key) {
        put_string_text(writer, key);
        put_plain(writer, line || indented ? ": " : ":");
    }
    writer->holds_some = true;
}

void gr_json_open(gr_json_writer *writer, const char *key, char bracket)
{
    begin_value(writer, key, true);
    gr_json_append(writer, &bracket, 1);
    writer->depth++;
    writer->holds_some = false;
}

void gr_json_close(gr_json_writer *writer, char bracket)
{
    writer->depth--;
    const bool breaks = writer->depth == 0 && writer->layout != GR_JSON_LINE;

    if (writer->layout == GR_JSON_INDENTED && bracket == '}' && writer->holds_some)
        indent(writer);
    else if (breaks)
        gr_json_append(writer, "\n", 1);
    gr_json_append(writer, &bracket, 1);
    if (breaks)
        gr_json_append(writer, "\n", 1);
    writer->holds_some = true;
}

void gr_json_put_null(gr_json_writer *writer, const char *key)
{
    begin_value(writer, key, false);
    put_plain(writer, "null");
}

void gr_json_put_flag(gr_json_writer *writer, const char *key, bool flag)
{
    begin_value(writer, key, false);
    put_plain(writer, flag ? "true" : "false");
}

void gr_json_put_count(gr_json_writer *writer, const char *key, uint64_t count)
{
    char text[GRADUS_NUMBER_SIZE];

    begin_value(writer, key, false);
    gr_json_append(writer, text, gr_format_count(count, text));
}

void gr_json_put_number(gr_json_writer *writer, const char *key, double number)
{
    char text[GRADUS_NUMBER_SIZE];

    if (!isfinite(number)) {
        gr_json_put_null(writer, key);
        return;
    }
    begin_value(writer, key, false);
    gr_json_append(writer, text, gr_format_double(number, text));
}

void gr_json_put_label(gr_json_writer *writer, const char *key, double label)
{
    const float narrow = (float)label;
    char text[GRADUS_NUMBER_SIZE];

    if ((double)narrow != label || !isfinite(label)) {
        gr_json_put_number(writer, key, label);
        return;
    }
    begin_value(writer, key, false);
    gr_json_append(writer, text, gr_format_float(narrow, text));
}

void gr_json_put_raw(gr_json_writer *writer, const char *key, const char *json)
{
    begin_value(writer, key, false);
    put_plain(writer, json);
}

void gr_json_put_text(gr_json_writer *writer, const char *key, const char *text)
{
    begin_value(writer, key, false);
    put_string_text(writer, text);
}

gradus_status gr_json_done(const gr_json_writer *writer, gradus_error *err)
{
    return writer->failed ? gr_fail_memory(err, "JSON output") : GRADUS_OK;
}

void gr_json_writer_free(gr_json_writer *writer)
{
    gr_array_free(&writer->bytes);
    *writer = (gr_json_writer){ .layout = writer->layout };
}
