/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a tree of JSON values, and its accessors. */
#include "base/json.h"

#include "base/json_scan.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values are stored in one array, in the order of the text, and strings one after another in a
 * second one, which never needs more than the length of the text plus one byte. */
typedef struct parser {
    gr_json_scan scan;
    gr_array values;
    size_t count;
    char *strings;
    size_t strings_used;
} parser;

/* What gr_json_free has to free. It occupies the element before the root. */
typedef struct tree {
    gr_array values;
    char *strings;
} tree;

_Static_assert(sizeof(tree) <= sizeof(gr_json), "a tree fits in an element of the values");

static gradus_status parse_value(parser *p, const char *key);

static gr_json *value_at(const parser *p, size_t index)
{
    return (gr_json *)p->values.at + index;
}

static gradus_status add_value(parser *p, gr_json_kind kind, const char *key, size_t *index)
{
    if (!gr_array_reserve(&p->values, (p->count + 1) * sizeof(gr_json)))
        return gr_fail_memory(p->scan.err, "a JSON value");
    *index = p->count++;
    *value_at(p, *index) = (gr_json){ .kind = kind, .key = key, .text = "", .span = 1 };
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

static gradus_status parse_string(parser *p, const char **text)
{
    char *to = p->strings + p->strings_used;
    size_t length;

    GR_TRY(gr_json_scan_string(&p->scan, to, &length));
    p->strings_used += length + 1;
    *text = to;
    return GRADUS_OK;
}

static gradus_status parse_number(parser *p, size_t index)
{
    char *to = p->strings + p->strings_used;
    const char *from;
    size_t length;

    GR_TRY(gr_json_scan_number(&p->scan, &from, &length));
    memcpy(to, from, length);
    to[length] = '\0';
    p->strings_used += length + 1;
    value_at(p, index)->text = to;
    return GRADUS_OK;
}

static gradus_status parse_key(parser *p, size_t object, const char **key)
{
    char *to = p->strings + p->strings_used;
    const char *at = p->scan.at;
    size_t length;

    if (value_at(p, object)->count == GR_JSON_MEMBERS)
        return gr_json_scan_fault(&p->scan, "too many members in an object");
    GR_TRY(gr_json_scan_key(&p->scan, to, &length));
    p->strings_used += length + 1;
    *key = to;
    if (!has_key(p, object, to))
        return GRADUS_OK;
    p->scan.at = at;
    return gr_json_scan_fault(&p->scan, "duplicate key");
}

static gradus_status parse_content(parser *p, size_t index, char opening, char closing)
{
    bool first = true, more;

    GR_TRY(gr_json_scan_open(&p->scan, opening));
    for (;;) {
        const char *key = NULL;

        GR_TRY(gr_json_scan_next(&p->scan, closing, &first, &more));
        if (!more)
            return GRADUS_OK;
        if (closing == '}')
            GR_TRY(parse_key(p, index, &key));
        GR_TRY(parse_value(p, key));
        value_at(p, index)->count++;
        value_at(p, index)->span = p->count - index;
    }
}

static gradus_status parse_kind(parser *p, size_t index)
{
    gr_json *value = value_at(p, index);

    switch (value->kind) {
    case GR_JSON_NULL:
        return gr_json_scan_null(&p->scan);
    case GR_JSON_FLAG:
        return gr_json_scan_flag(&p->scan, &value->flag);
    case GR_JSON_TEXT:
        return parse_string(p, &value->text);
    case GR_JSON_LIST:
        return parse_content(p, index, '[', ']');
    case GR_JSON_OBJECT:
        return parse_content(p, index, '{', '}');
    case GR_JSON_NUMBER:
        break;
    }
    return parse_number(p, index);
}

static gradus_status parse_value(parser *p, const char *key)
{
    const gr_json_kind kind = gr_json_scan_kind(&p->scan);
    const char *raw = p->scan.at;
    size_t index = 0;

    GR_TRY(add_value(p, kind, key, &index));
    GR_TRY(parse_kind(p, index));
    value_at(p, index)->raw = raw;
    value_at(p, index)->raw_size = (size_t)(p->scan.at - raw);
    return GRADUS_OK;
}

gr_json *gr_json_parse_next(const char **at, const char *end, gradus_error *err)
{
    parser p = { .scan = gr_json_scan_new(*at, (size_t)(end - *at), err) };
    gradus_status status;
    size_t head = 0;

    /* Not cleared: the values that follow may be long, and each call would clear them all. */
    p.strings = malloc((size_t)(end - *at) + 1);
    status =
        p.strings ? add_value(&p, GR_JSON_NULL, NULL, &head) : gr_fail_memory(err, "a JSON value");
    if (status == GRADUS_OK)
        status = parse_value(&p, NULL);
    *at = p.scan.at;
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
    gr_json_scan scan = gr_json_scan_new(bytes, size, err);
    gr_json *root = gr_json_parse_next(&scan.at, scan.end, err);

    if (!root || gr_json_scan_end(&scan) == GRADUS_OK)
        return root;
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
