/* SPDX-License-Identifier: Apache-2.0 */
/* Access to the values of a document: members, and the items of lists of scalars. */
#include "exchange/document_ubj.h"

#include "base/text.h"

#include <string.h>

static const char *const kind_names[] = { "null",   "a flag", "a number",
                                          "a text", "a list", "an object" };

gradus_status gr_doc_optional(const gr_document *document, const gr_doc_value *object,
                              const char *name, gr_doc_kind kind, const gr_doc_value **member,
                              gradus_error *err)
{
    const size_t length = strlen(name);
    const gr_doc_value *value = gr_doc_first(object);

    *member = NULL;
    for (size_t i = 0; object->kind == GR_DOC_OBJECT && i < object->count;
         i++, value = gr_doc_next(value)) {
        if (value->key_size != length ||
            memcmp(document->file->bytes + value->key, name, length) != 0)
            continue;
        if (*member)
            return gr_import_fail(document->file, value->key, err, GRADUS_BAD_FORMAT,
                                  "'%s' occurs twice", name);
        *member = value;
    }
    if (*member && (*member)->kind == GR_DOC_NULL)
        *member = NULL;
    if (*member && (*member)->kind != kind)
        return gr_import_fail(document->file, (*member)->at, err, GRADUS_BAD_FORMAT,
                              "'%s' is %s; expected %s", name, kind_names[(*member)->kind],
                              kind_names[kind]);
    return GRADUS_OK;
}

gradus_status gr_doc_member(const gr_document *document, const gr_doc_value *object,
                            const char *name, gr_doc_kind kind, const gr_doc_value **member,
                            gradus_error *err)
{
    GR_TRY(gr_doc_optional(document, object, name, kind, member, err));
    if (!*member)
        return gr_import_fail(document->file, object->at, err, GRADUS_BAD_FORMAT, "'%s' is missing",
                              name);
    return GRADUS_OK;
}

bool gr_doc_text_is(const gr_document *document, const gr_doc_value *text, const char *wanted)
{
    const size_t length = strlen(wanted);

    return text->end - text->at == length &&
           memcmp(document->file->bytes + text->at, wanted, length) == 0;
}

/* Reads an integer; false if the scalar is of another kind. Flags are 0 and 1. */
static bool integer_of(const gr_document *document, const gr_doc_value *scalar, int64_t *number)
{
    const char *at = document->file->bytes + scalar->at, *end = document->file->bytes + scalar->end;
    uint64_t size = 0;

    if (scalar->kind == GR_DOC_FLAG) {
        *number = scalar->type ? scalar->type == 'T' : *at == 't';
        return true;
    }
    if (document->file->binary && scalar->kind == GR_DOC_NUMBER) {
        *number = strchr("dD", scalar->type) ? 0 : gr_ubj_integer(at, scalar->type);
        return !strchr("dD", scalar->type);
    }
    const bool negative = at < end && *at == '-';

    if (gr_parse_count(at + negative, end, &size) != end || size > INT64_MAX)
        return false;
    *number = negative ? -(int64_t)size : (int64_t)size;
    return true;
}

gradus_status gr_doc_count(const gr_document *document, const gr_doc_value *object,
                           const char *name, uint64_t *count, gradus_error *err)
{
    const gr_doc_value *value;
    int64_t number = -1;
    gradus_error unused;

    if (gr_doc_optional(document, object, name, GR_DOC_TEXT, &value, &unused) != GRADUS_OK)
        GR_TRY(gr_doc_optional(document, object, name, GR_DOC_NUMBER, &value, err));
    if (!value)
        return gr_import_fail(document->file, object->at, err, GRADUS_BAD_FORMAT, "'%s' is missing",
                              name);
    if (!integer_of(document, value, &number) || number < 0)
        return gr_import_fail(document->file, value->at, err, GRADUS_BAD_FORMAT,
                              "'%s' is not a count", name);
    *count = (uint64_t)number;
    return GRADUS_OK;
}

gradus_status gr_doc_items_of(const gr_document *document, const gr_doc_value *list,
                              const char *name, size_t count, gr_doc_items *items,
                              gradus_error *err)
{
    if (list->count > 0)
        return gr_import_fail(document->file, list->at, err, GRADUS_BAD_FORMAT,
                              "'%s' has items that are lists or objects", name);
    if (count != SIZE_MAX && list->scalars != count)
        return gr_import_fail(document->file, list->at, err, GRADUS_BAD_FORMAT,
                              "'%s' has %zu items; expected %zu", name, list->scalars, count);
    *items = (gr_doc_items){ document, name, list->at, list->scalars, list->type };
    return GRADUS_OK;
}

/* The next item of a JSON list that was scanned before, so it is well-formed. */
static gr_doc_value next_json(gr_doc_items *items)
{
    const char *bytes = items->document->file->bytes;
    gr_doc_value value = { .kind = GR_DOC_NUMBER };

    while (memchr(" \n\r\t,", bytes[items->at], 5))
        items->at++;
    value.at = items->at;
    if (bytes[items->at] == '"') {
        value.kind = GR_DOC_TEXT;
        value.at = ++items->at;
        for (; bytes[items->at] != '"'; items->at++)
            if (bytes[items->at] == '\\')
                items->at++;
        value.end = items->at++;
        return value;
    }
    if (bytes[items->at] == 't' || bytes[items->at] == 'f')
        value.kind = GR_DOC_FLAG;
    else if (bytes[items->at] == 'n')
        value.kind = GR_DOC_NULL;
    while (!memchr(" \n\r\t,]", bytes[items->at], 6))
        items->at++;
    value.end = items->at;
    return value;
}

/* The same for UBJ. */
static gr_doc_value next_ubj(gr_doc_items *items)
{
    const gr_import_file *file = items->document->file;
    gr_doc_value value = { .kind = GR_DOC_NUMBER, .type = items->type };
    gradus_error unused;
    uint64_t size;

    while (!value.type) {
        const char marker = file->bytes[items->at++];

        value.type = marker;
        if (marker == 'N')
            value.type = '\0';
    }
    size = gr_ubj_width(value.type);
    if (value.type == 'S') {
        value.kind = GR_DOC_TEXT;
        if (gr_ubj_length(file, &items->at, &size, &unused) != GRADUS_OK)
            size = 0;
    } else if (strchr("TFZ", value.type)) {
        value.kind = value.type == 'Z' ? GR_DOC_NULL : GR_DOC_FLAG;
    } else if (value.type == 'C') {
        value.kind = GR_DOC_TEXT;
    }
    value.at = items->at;
    items->at += (size_t)size;
    value.end = items->at;
    return value;
}

static gr_doc_value next_item(gr_doc_items *items)
{
    items->left--;
    return items->document->file->binary ? next_ubj(items) : next_json(items);
}

gradus_status gr_doc_next_float(gr_doc_items *items, float *number, gradus_error *err)
{
    const gr_doc_value item = next_item(items);
    const gr_import_file *file = items->document->file;
    const char *at = file->bytes + item.at, *end = file->bytes + item.end;

    if (item.kind != GR_DOC_NUMBER)
        return gr_import_fail(file, item.at, err, GRADUS_BAD_FORMAT,
                              "'%s': expected a number, found %s", items->name,
                              kind_names[item.kind]);
    if (file->binary)
        *number = (float)(strchr("dD", item.type) ? gr_ubj_real(at, item.type)
                                                  : (double)gr_ubj_integer(at, item.type));
    else if (gr_parse_float(at, end, number) != end)
        return gr_import_fail(file, item.at, err, GRADUS_BAD_FORMAT, "'%s': expected a number",
                              items->name);
    return GRADUS_OK;
}

gradus_status gr_doc_next_integer(gr_doc_items *items, int64_t least, int64_t most, int64_t *number,
                                  gradus_error *err)
{
    const gr_doc_value item = next_item(items);

    if (!integer_of(items->document, &item, number))
        return gr_import_fail(items->document->file, item.at, err, GRADUS_BAD_FORMAT,
                              "'%s': expected an integer", items->name);
    if (*number < least || *number > most)
        return gr_import_fail(items->document->file, item.at, err, GRADUS_BAD_FORMAT,
                              "'%s': %lld is out of range; allowed are %lld to %lld", items->name,
                              (long long)*number, (long long)least, (long long)most);
    return GRADUS_OK;
}

gradus_status gr_doc_next_text(gr_doc_items *items, size_t *begin, size_t *end, gradus_error *err)
{
    const gr_doc_value item = next_item(items);

    if (item.kind != GR_DOC_TEXT)
        return gr_import_fail(items->document->file, item.at, err, GRADUS_BAD_FORMAT,
                              "'%s': expected a text, found %s", items->name,
                              kind_names[item.kind]);
    *begin = item.at;
    *end = item.end;
    return GRADUS_OK;
}
