/* SPDX-License-Identifier: Apache-2.0 */
/* Scans JSON text into the values of a document. */
#include "exchange/document.h"

#include <string.h>

typedef struct scanner {
    gr_document *document;
    const gr_import_file *file;
    size_t at;
    size_t open; /* the innermost open list or object; SIZE_MAX: none */
    size_t key;  /* name of the member that comes next */
    size_t key_size;
    gradus_error *err;
} scanner;

static gradus_status fault(const scanner *s, const char *what)
{
    return gr_import_fail(s->file, s->at, s->err, GRADUS_BAD_FORMAT, "%s", what);
}

static bool more(const scanner *s)
{
    return s->at < s->file->size;
}

static void skip_space(scanner *s)
{
    while (more(s) && memchr(" \n\r\t", s->file->bytes[s->at], 4))
        s->at++;
}

static bool take(scanner *s, char wanted)
{
    if (!more(s) || s->file->bytes[s->at] != wanted)
        return false;
    s->at++;
    return true;
}

static bool take_word(scanner *s, const char *word)
{
    const size_t length = strlen(word);

    if (s->file->size - s->at < length || memcmp(s->file->bytes + s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

gradus_status gr_document_add(gr_document *document, size_t open, gr_doc_value value, size_t *index,
                              gradus_error *err)
{
    gr_doc_value *holder = open == SIZE_MAX ? NULL : gr_document_at(document, open);
    const bool scalar = value.kind < GR_DOC_LIST;

    *index = SIZE_MAX;
    if (holder && holder->kind == GR_DOC_LIST && scalar) {
        holder->scalars++;
        return GRADUS_OK;
    }
    if (holder)
        holder->count++;
    if (!gr_array_reserve(&document->values, (document->count + 1) * sizeof value))
        return gr_fail_memory(err, "a model to import");
    value.parent = open;
    value.span = 1;
    *index = document->count++;
    *gr_document_at(document, *index) = value;
    return GRADUS_OK;
}

/* Scans a string after its opening quote, up to the closing one. */
static gradus_status scan_string(scanner *s, size_t *begin, size_t *end)
{
    *begin = s->at;
    for (;; s->at++) {
        if (!more(s))
            return fault(s, "unterminated string");
        const unsigned char c = (unsigned char)s->file->bytes[s->at];

        if (c == '"')
            break;
        if (c < 0x20)
            return fault(s, "control character in a string");
        if (c == '\\' && s->at + 1 < s->file->size)
            s->at++;
    }
    *end = s->at++;
    return GRADUS_OK;
}

static bool skip_digits(scanner *s)
{
    const size_t from = s->at;

    while (more(s) && s->file->bytes[s->at] >= '0' && s->file->bytes[s->at] <= '9')
        s->at++;
    return s->at > from;
}

static gradus_status scan_number(scanner *s)
{
    take(s, '-');
    if (take_word(s, "Infinity") || take_word(s, "NaN"))
        return GRADUS_OK;
    if (!skip_digits(s))
        return fault(s, more(s) ? "expected a value" : "the file ends within the model");
    if (take(s, '.') && !skip_digits(s))
        return fault(s, "expected a digit");
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+'))
            take(s, '-');
        if (!skip_digits(s))
            return fault(s, "expected a digit");
    }
    return GRADUS_OK;
}

static gradus_status scan_scalar(scanner *s, gr_doc_value *value)
{
    value->at = s->at;
    if (take(s, '"')) {
        value->kind = GR_DOC_TEXT;
        return scan_string(s, &value->at, &value->end);
    }
    if (take_word(s, "null")) {
        value->kind = GR_DOC_NULL;
    } else if (take_word(s, "true") || take_word(s, "false")) {
        value->kind = GR_DOC_FLAG;
    } else {
        value->kind = GR_DOC_NUMBER;
        GR_TRY(scan_number(s));
    }
    value->end = s->at;
    return GRADUS_OK;
}

static gradus_status scan_key(scanner *s)
{
    size_t end;

    skip_space(s);
    if (!take(s, '"'))
        return fault(s, "expected the name of a member");
    GR_TRY(scan_string(s, &s->key, &end));
    s->key_size = end - s->key;
    skip_space(s);
    return take(s, ':') ? GRADUS_OK : fault(s, "expected ':'");
}

/* Closes the innermost list or object, whose closing bracket has been read. */
static void close_holder(scanner *s)
{
    gr_doc_value *holder = gr_document_at(s->document, s->open);

    holder->end = s->at;
    holder->span = s->document->count - s->open;
    s->open = holder->parent;
}

static char closing_of(const scanner *s)
{
    return gr_document_at(s->document, s->open)->kind == GR_DOC_LIST ? ']' : '}';
}

/* Scans one value; *opened: it is a list or object that is not empty. */
static gradus_status scan_value(scanner *s, bool *opened)
{
    gr_doc_value value = { .key = s->key, .key_size = s->key_size };
    size_t index;

    *opened = false;
    skip_space(s);
    if (take(s, '['))
        value.kind = GR_DOC_LIST;
    else if (take(s, '{'))
        value.kind = GR_DOC_OBJECT;
    else
        GR_TRY(scan_scalar(s, &value));
    if (value.kind >= GR_DOC_LIST)
        value.at = s->at;
    GR_TRY(gr_document_add(s->document, s->open, value, &index, s->err));
    if (value.kind < GR_DOC_LIST)
        return GRADUS_OK;
    s->open = index;
    skip_space(s);
    *opened = !take(s, closing_of(s));
    if (!*opened)
        close_holder(s);
    return GRADUS_OK;
}

/* After a value: closes what ends here. *done: the root has ended. */
static gradus_status scan_end(scanner *s, bool *done)
{
    *done = false;
    while (s->open != SIZE_MAX) {
        skip_space(s);
        if (take(s, ','))
            return GRADUS_OK;
        if (!take(s, closing_of(s)))
            return fault(s, !more(s)               ? "the file ends within the model"
                            : closing_of(s) == ']' ? "expected ',' or ']'"
                                                   : "expected ',' or '}'");
        close_holder(s);
    }
    *done = true;
    return GRADUS_OK;
}

static gradus_status scan_json(gr_document *document, gradus_error *err)
{
    scanner s = { .document = document, .file = document->file, .open = SIZE_MAX, .err = err };
    bool opened = false, done = false;

    while (!done) {
        s.key = s.key_size = 0;
        if (s.open != SIZE_MAX && closing_of(&s) == '}')
            GR_TRY(scan_key(&s));
        GR_TRY(scan_value(&s, &opened));
        if (!opened)
            GR_TRY(scan_end(&s, &done));
    }
    skip_space(&s);
    return more(&s) ? fault(&s, "unexpected text after the model") : GRADUS_OK;
}

gradus_status gr_document_scan(gr_document *document, const gr_import_file *file, gradus_error *err)
{
    *document = (gr_document){ .file = file };
    return file->binary ? gr_document_scan_ubj(document, err) : scan_json(document, err);
}

void gr_document_free(gr_document *document)
{
    gr_array_free(&document->values);
}

const gr_doc_value *gr_document_root(const gr_document *document)
{
    return document->values.at;
}
