/* SPDX-License-Identifier: Apache-2.0 */
/* Recursive-descent JSON parser and accessors of the parsed tree. */
#include "base/json.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values are stored in one array, in the order of the text, and strings one after another in a
 * second one, which never needs more than the length of the text plus one byte. */
typedef struct parser {
    const char *begin, *at, *end;
    gr_array values;
    size_t count;
    char *strings;
    size_t strings_used;
    size_t depth;
    gradus_error *err;
} parser;

/* What gr_json_free has to free. It occupies the element before the root. */
typedef struct tree {
    gr_array values;
    char *strings;
} tree;

_Static_assert(sizeof(tree) <= sizeof(gr_json), "a tree fits in an element of the values");

static gradus_status parse_value(parser *p, const char *key);

static gradus_status fault(const parser *p, const char *what)
{
    return gr_fail(p->err, GRADUS_BAD_FORMAT, "byte %zu: %s", (size_t)(p->at - p->begin), what);
}

static void skip_space(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
        p->at++;
}

static bool take(parser *p, char wanted)
{
    if (p->at == p->end || *p->at != wanted)
        return false;
    p->at++;
    return true;
}

static gr_json *value_at(const parser *p, size_t index)
{
    return (gr_json *)p->values.at + index;
}

static gradus_status add_value(parser *p, gr_json_kind kind, const char *key, size_t *index)
{
    if (!gr_array_reserve(&p->values, (p->count + 1) * sizeof(gr_json)))
        return gr_fail_memory(p->err, "a JSON value");
    *index = p->count++;
    *value_at(p, *index) = (gr_json){ .kind = kind, .key = key, .text = "", .span = 1 };
    return GRADUS_OK;
}

static void put_string(parser *p, char c)
{
    p->strings[p->strings_used++] = c;
}

size_t gr_utf8_length(const char *at, const char *end)
{
    const unsigned char *c = (const unsigned char *)at;
    const size_t left = (size_t)(end - at);
    const size_t length = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;

    if (length < 2)
        return length;
    if (c[0] > 0xF4 || left < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F) || /* overlong, surrogate */
        (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F))
        return 0;
    return length;
}

static void put_code(parser *p, uint32_t code)
{
    if (code < 0x80) {
        put_string(p, (char)code);
        return;
    }
    if (code < 0x800) {
        put_string(p, (char)(0xC0 | code >> 6));
    } else {
        if (code < 0x10000) {
            put_string(p, (char)(0xE0 | code >> 12));
        } else {
            put_string(p, (char)(0xF0 | code >> 18));
            put_string(p, (char)(0x80 | (code >> 12 & 0x3F)));
        }
        put_string(p, (char)(0x80 | (code >> 6 & 0x3F)));
    }
    put_string(p, (char)(0x80 | (code & 0x3F)));
}

static bool parse_hex(parser *p, uint32_t *code)
{
    *code = 0;
    if (p->end - p->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const char c = p->at[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;

        if (digit < 0)
            return false;
        *code = *code * 16 + (uint32_t)digit;
    }
    p->at += 4;
    return true;
}

/* Parses the digits after "\u", and the second half of a surrogate pair. */
static gradus_status parse_code(parser *p)
{
    uint32_t code, low;

    if (!parse_hex(p, &code))
        return fault(p, "expected four hexadecimal digits");
    if (code == 0)
        return fault(p, "NUL in a string");
    if (code >= 0xD800 && code < 0xE000) {
        if (code >= 0xDC00 || !take(p, '\\') || !take(p, 'u') || !parse_hex(p, &low) ||
            low < 0xDC00 || low >= 0xE000)
            return fault(p, "unpaired surrogate");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    put_code(p, code);
    return GRADUS_OK;
}

static gradus_status parse_escape(parser *p)
{
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *which;

    if (take(p, 'u'))
        return parse_code(p);
    which = p->at < p->end && *p->at ? strchr(escapes, *p->at) : NULL;
    if (!which)
        return fault(p, "unknown escape");
    p->at++;
    put_string(p, meant[which - escapes]);
    return GRADUS_OK;
}

static gradus_status parse_string(parser *p, const char **text)
{
    *text = p->strings + p->strings_used;
    if (!take(p, '"'))
        return fault(p, "expected '\"'");
    while (!take(p, '"')) {
        size_t length;

        if (p->at == p->end)
            return fault(p, "unterminated string");
        if (take(p, '\\')) {
            GR_TRY(parse_escape(p));
            continue;
        }
        if ((unsigned char)*p->at < 0x20)
            return fault(p, "control character in a string");
        length = gr_utf8_length(p->at, p->end);
        if (length == 0)
            return fault(p, "invalid UTF-8");
        memcpy(p->strings + p->strings_used, p->at, length);
        p->strings_used += length;
        p->at += length;
    }
    put_string(p, '\0');
    return GRADUS_OK;
}

static bool skip_digits(parser *p)
{
    const char *from = p->at;

    while (p->at < p->end && *p->at >= '0' && *p->at <= '9')
        p->at++;
    return p->at > from;
}

static gradus_status parse_number(parser *p, size_t index)
{
    const char *from = p->at;
    char *text = p->strings + p->strings_used;

    take(p, '-');
    if (!take(p, '0') && !skip_digits(p))
        return fault(p, "expected a value");
    if (take(p, '.') && !skip_digits(p))
        return fault(p, "expected a digit");
    if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
        p->at++;
        if (!take(p, '+'))
            take(p, '-');
        if (!skip_digits(p))
            return fault(p, "expected a digit");
    }
    memcpy(text, from, (size_t)(p->at - from));
    p->strings_used += (size_t)(p->at - from);
    put_string(p, '\0');
    value_at(p, index)->text = text;
    return GRADUS_OK;
}

static bool has_key(const parser *p, size_t object, const char *key)
{
    const gr_json *value = value_at(p, object);
    const gr_json *member = gr_json_first(value);

    for (size_t i = 0; i < value->count; i++, member = gr_json_next(member))
        if (strcmp(member->key, key) == 0)
            return true;
    return false;
}

static gradus_status parse_key(parser *p, size_t object, const char **key)
{
    const char *at = p->at;

    if (value_at(p, object)->count == GR_JSON_MEMBERS)
        return fault(p, "too many members in an object");
    GR_TRY(parse_string(p, key));
    if (has_key(p, object, *key)) {
        p->at = at;
        return fault(p, "duplicate key");
    }
    skip_space(p);
    return take(p, ':') ? GRADUS_OK : fault(p, "expected ':'");
}

/* Parses up to the closing bracket; the opening one has been read. */
static gradus_status parse_content(parser *p, size_t index, char closing)
{
    skip_space(p);
    if (take(p, closing))
        return GRADUS_OK;
    if (++p->depth > GR_JSON_DEPTH)
        return fault(p, "nested too deeply");
    for (;;) {
        const char *key = NULL;

        skip_space(p);
        if (closing == '}')
            GR_TRY(parse_key(p, index, &key));
        GR_TRY(parse_value(p, key));
        value_at(p, index)->count++;
        value_at(p, index)->span = p->count - index;
        skip_space(p);
        if (take(p, closing))
            break;
        if (!take(p, ','))
            return fault(p, closing == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    p->depth--;
    return GRADUS_OK;
}

static bool take_word(parser *p, const char *word)
{
    const size_t length = strlen(word);

    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
        return false;
    p->at += length;
    return true;
}

static gradus_status parse_kind(parser *p, size_t index)
{
    gr_json *value = value_at(p, index);

    if (take_word(p, "null"))
        return GRADUS_OK;
    value->flag = take_word(p, "true");
    value->kind = GR_JSON_FLAG;
    if (value->flag || take_word(p, "false"))
        return GRADUS_OK;
    value->kind = GR_JSON_OBJECT;
    if (take(p, '{'))
        return parse_content(p, index, '}');
    value->kind = GR_JSON_LIST;
    if (take(p, '['))
        return parse_content(p, index, ']');
    value->kind = GR_JSON_TEXT;
    if (p->at < p->end && *p->at == '"')
        return parse_string(p, &value->text);
    value->kind = GR_JSON_NUMBER;
    return parse_number(p, index);
}

static gradus_status parse_value(parser *p, const char *key)
{
    size_t index = 0;

    skip_space(p);
    const char *raw = p->at;

    GR_TRY(add_value(p, GR_JSON_NULL, key, &index));
    GR_TRY(parse_kind(p, index));
    value_at(p, index)->raw = raw;
    value_at(p, index)->raw_size = (size_t)(p->at - raw);
    return GRADUS_OK;
}

gr_json *gr_json_parse_next(const char **at, const char *end, gradus_error *err)
{
    parser p = { .begin = *at, .at = *at, .end = end, .err = err };
    gradus_status status;
    size_t head = 0;

    /* Not cleared: the values that follow may be long, and each call would clear them all. */
    p.strings = malloc((size_t)(end - *at) + 1);
    status =
        p.strings ? add_value(&p, GR_JSON_NULL, NULL, &head) : gr_fail_memory(err, "a JSON value");
    if (status == GRADUS_OK)
        status = parse_value(&p, NULL);
    *at = p.at;
    if (status != GRADUS_OK) {
        free(p.strings);
        gr_array_free(&p.values);
        return NULL;
    }
    const tree made = { p.values, p.strings };

    memcpy(p.values.at, &made, sizeof made);
    return value_at(&p, 1);
}

gr_json *gr_json_parse(const char *bytes, size_t size, gradus_error *err)
{
    parser p = { .begin = bytes, .at = bytes, .end = bytes + size, .err = err };
    gr_json *root = gr_json_parse_next(&p.at, p.end, err);

    skip_space(&p);
    if (!root || p.at == p.end)
        return root;
    fault(&p, "unexpected text after the value");
    gr_json_free(root);
    return NULL;
}

void gr_json_free(gr_json *root)
{
    tree made;

    if (!root)
        return;
    memcpy(&made, root - 1, sizeof made);
    free(made.strings);
    gr_array_free(&made.values);
}

const gr_json *gr_json_find(const gr_json *object, const char *key)
{
    const gr_json *member;

    if (!object || object->kind != GR_JSON_OBJECT)
        return NULL;
    member = gr_json_first(object);
    for (size_t i = 0; i < object->count; i++, member = gr_json_next(member))
        if (strcmp(member->key, key) == 0)
            return member;
    return NULL;
}

bool gr_json_count(const gr_json *value, uint64_t *count)
{
    const char *end;

    if (!value || value->kind != GR_JSON_NUMBER)
        return false;
    end = value->text + strlen(value->text);
    return gr_parse_count(value->text, end, count) == end;
}

bool gr_json_number(const gr_json *value, double *number)
{
    const char *end;

    if (!value || value->kind != GR_JSON_NUMBER)
        return false;
    end = value->text + strlen(value->text);
    return gr_parse_double(value->text, end, number) == end && isfinite(*number);
}

bool gr_json_flag(const gr_json *value, bool *flag)
{
    if (!value || value->kind != GR_JSON_FLAG)
        return false;
    *flag = value->flag;
    return true;
}

bool gr_json_text(const gr_json *value, const char **text)
{
    if (!value || value->kind != GR_JSON_TEXT)
        return false;
    *text = value->text;
    return true;
}
