/* SPDX-License-Identifier: Apache-2.0 */
/* Scans UBJ into the values of a document. */
#include "exchange/document_ubj.h"

#include <string.h>

typedef struct scanner {
    gr_document *document;
    const gr_import_file *file;
    size_t at;
    size_t open; /* the innermost open list or object; SIZE_MAX: none */
    gradus_error *err;
} scanner;

size_t gr_ubj_width(char marker)
{
    switch (marker) {
    case 'Z':
    case 'T':
    case 'F':
        return 0;
    case 'i':
    case 'U':
    case 'C':
        return 1;
    case 'I':
        return 2;
    case 'l':
    case 'd':
        return 4;
    case 'L':
    case 'D':
        return 8;
    default:
        return SIZE_MAX;
    }
}

int64_t gr_ubj_integer(const char *bytes, char marker)
{
    const size_t width = gr_ubj_width(marker);
    uint64_t number = marker != 'U' && (bytes[0] & 0x80) ? UINT64_MAX : 0;

    for (size_t i = 0; i < width; i++)
        number = number << 8 | (unsigned char)bytes[i];
    return (int64_t)number;
}

double gr_ubj_real(const char *bytes, char marker)
{
    const uint64_t bits = (uint64_t)gr_ubj_integer(bytes, marker == 'd' ? 'l' : 'L');
    const uint32_t low = (uint32_t)bits;
    float single;
    double real;

    memcpy(&single, &low, sizeof single);
    memcpy(&real, &bits, sizeof real);
    return marker == 'd' ? (double)single : real;
}

static gradus_status fault(const scanner *s, const char *what)
{
    return gr_import_fail(s->file, s->at, s->err, GRADUS_BAD_FORMAT, "%s", what);
}

static gradus_status cut_short(const scanner *s)
{
    return fault(s, "the file ends within the model");
}

gradus_status gr_ubj_length(const gr_import_file *file, size_t *at, uint64_t *length,
                            gradus_error *err)
{
    const char marker = *at < file->size ? file->bytes[*at] : '\0';
    int64_t number;

    if (!marker || !strchr("iUIlL", marker))
        return gr_import_fail(file, *at, err, GRADUS_BAD_FORMAT, "expected a length");
    if (file->size - *at - 1 < gr_ubj_width(marker))
        return gr_import_fail(file, *at, err, GRADUS_BAD_FORMAT, "the file ends within the model");
    number = gr_ubj_integer(file->bytes + *at + 1, marker);
    if (number < 0)
        return gr_import_fail(file, *at, err, GRADUS_BAD_FORMAT, "the length is negative");
    *at += 1 + gr_ubj_width(marker);
    *length = (uint64_t)number;
    return GRADUS_OK;
}

/* A length and as many bytes. */
static gradus_status scan_bytes(scanner *s, size_t *begin, size_t *size)
{
    uint64_t length = 0;

    GR_TRY(gr_ubj_length(s->file, &s->at, &length, s->err));
    if (length > s->file->size - s->at)
        return fault(s, "the text is longer than the file");
    *begin = s->at;
    *size = (size_t)length;
    s->at += *size;
    return GRADUS_OK;
}

static gradus_status scan_marker(scanner *s, char *marker)
{
    do {
        if (s->at == s->file->size)
            return cut_short(s);
        *marker = s->file->bytes[s->at++];
    } while (*marker == 'N');
    return GRADUS_OK;
}

/* The scalar after its marker. */
static gradus_status scan_scalar(scanner *s, char marker, gr_doc_value *value)
{
    const size_t width = gr_ubj_width(marker);
    size_t size = 0;

    value->type = marker;
    if (marker == 'S') {
        value->kind = GR_DOC_TEXT;
        GR_TRY(scan_bytes(s, &value->at, &size));
        value->end = value->at + size;
        return GRADUS_OK;
    }
    if (width == SIZE_MAX) {
        s->at -= s->at > 0;
        return fault(s, "unknown type of value");
    }
    if (width > s->file->size - s->at)
        return cut_short(s);
    value->kind = marker == 'Z'                    ? GR_DOC_NULL
                  : marker == 'T' || marker == 'F' ? GR_DOC_FLAG
                  : marker == 'C'                  ? GR_DOC_TEXT
                                                   : GR_DOC_NUMBER;
    value->at = s->at;
    s->at += width;
    value->end = s->at;
    return GRADUS_OK;
}

/* The optional type and length after an opening bracket. */
static gradus_status scan_shape(scanner *s, gr_doc_value *value)
{
    value->left = UINT64_MAX;
    if (s->at < s->file->size && s->file->bytes[s->at] == '$') {
        const char type = s->at + 1 < s->file->size ? s->file->bytes[s->at + 1] : '\0';
        const size_t width = gr_ubj_width(type);

        if (type != 'S' && (width == 0 || width == SIZE_MAX))
            return fault(s, "a list of this type is not supported");
        value->type = type;
        s->at += 2;
        if (s->at == s->file->size || s->file->bytes[s->at] != '#')
            return fault(s, "a typed list or object without length");
    }
    if (s->at < s->file->size && s->file->bytes[s->at] == '#') {
        s->at++;
        GR_TRY(gr_ubj_length(s->file, &s->at, &value->left, s->err));
        /* Every item takes at least one byte. */
        if (value->left > s->file->size - s->at)
            return fault(s, "the list or object is longer than the file");
    }
    value->at = s->at;
    return GRADUS_OK;
}

static gradus_status scan_value(scanner *s, size_t key, size_t key_size, char type)
{
    gr_doc_value value = { .key = key, .key_size = key_size };
    char marker = type;
    size_t index;

    if (!type)
        GR_TRY(scan_marker(s, &marker));
    if (marker != '[' && marker != '{') {
        GR_TRY(scan_scalar(s, marker, &value));
        return gr_document_add(s->document, s->open, value, &index, s->err);
    }
    value.kind = marker == '[' ? GR_DOC_LIST : GR_DOC_OBJECT;
    GR_TRY(scan_shape(s, &value));
    if (value.kind == GR_DOC_LIST && value.type && value.type != 'S') {
        const size_t width = gr_ubj_width(value.type);

        if (value.left > (s->file->size - s->at) / width)
            return fault(s, "the list is longer than the file");
        value.scalars = (size_t)value.left;
        value.left = 0;
        s->at += value.scalars * width;
    }
    GR_TRY(gr_document_add(s->document, s->open, value, &index, s->err));
    s->open = index;
    return GRADUS_OK;
}

/* Closes the innermost list or object if it ends here. */
static gradus_status scan_end(scanner *s, bool *closed)
{
    gr_doc_value *holder = gr_document_at(s->document, s->open);
    const char bracket = holder->kind == GR_DOC_LIST ? ']' : '}';

    *closed = holder->left == 0;
    if (holder->left == UINT64_MAX) {
        while (s->at < s->file->size && s->file->bytes[s->at] == 'N')
            s->at++;
        if (s->at == s->file->size)
            return cut_short(s);
        *closed = s->file->bytes[s->at] == bracket;
        s->at += *closed;
    }
    if (*closed) {
        holder->end = s->at;
        holder->span = s->document->count - s->open;
        s->open = holder->parent;
    } else if (holder->left != UINT64_MAX) {
        holder->left--;
    }
    return GRADUS_OK;
}

gradus_status gr_document_scan_ubj(gr_document *document, gradus_error *err)
{
    scanner s = { .document = document, .file = document->file, .open = SIZE_MAX, .err = err };

    GR_TRY(scan_value(&s, 0, 0, '\0'));
    while (s.open != SIZE_MAX) {
        size_t key = 0, key_size = 0;
        bool closed;

        GR_TRY(scan_end(&s, &closed));
        if (closed)
            continue;
        if (gr_document_at(document, s.open)->kind == GR_DOC_OBJECT)
            GR_TRY(scan_bytes(&s, &key, &key_size));
        GR_TRY(scan_value(&s, key, key_size, gr_document_at(document, s.open)->type));
    }
    return s.at < s.file->size ? fault(&s, "unexpected bytes after the model") : GRADUS_OK;
}
