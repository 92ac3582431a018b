/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON or UBJ (Universal Binary JSON) document to import, and access to its values.
 *
 * Documents are scanned once, without recursion, and used in place. Numbers, texts and flags in a list
 * are counted but not stored: a list of a million numbers takes one value. Memory and time are
 * proportional to the size of the file. Members of objects may repeat until they are looked up.
 *
 * JSON is RFC 8259, plus the numbers NaN, Infinity and -Infinity, which XGBoost writes. UBJ is draft
 * 12 without high-precision numbers and without typed lists of anything but numbers and texts. */
#ifndef GR_EXCHANGE_DOCUMENT_H
#define GR_EXCHANGE_DOCUMENT_H

#include "base/memory.h"
#include "exchange/import_file.h"

typedef enum gr_doc_kind {
    GR_DOC_NULL,
    GR_DOC_FLAG,
    GR_DOC_NUMBER,
    GR_DOC_TEXT,
    GR_DOC_LIST,
    GR_DOC_OBJECT
} gr_doc_kind;

/* Values are stored in preorder: the stored items of a list or object follow it. */
typedef struct gr_doc_value {
    gr_doc_kind kind;
    char type; /* UBJ: marker of a scalar or of each item of a list; 0: items have markers */
    size_t key, key_size; /* of an object member: position and length of its name, as written */
    size_t at, end; /* bytes of a scalar (without quotes or markers) or of the items of a list */
    size_t scalars; /* items of a list that are neither list nor object */
    size_t count;   /* other items of a list; members of an object */
    size_t span;    /* distance to the next sibling */
    size_t parent;  /* SIZE_MAX: the root */
    uint64_t left;  /* while scanning UBJ: items to come; UINT64_MAX: up to the closing bracket */
} gr_doc_value;

typedef struct gr_document {
    const gr_import_file *file;
    gr_array values;
    size_t count;
} gr_document;

/* Scan the file, as UBJ if it is binary. Free the document in any case. */
gradus_status gr_document_scan(gr_document *document, const gr_import_file *file,
                               gradus_error *err);
void gr_document_free(gr_document *document);
const gr_doc_value *gr_document_root(const gr_document *document);

/* Appends a value to those of the open list or object (SIZE_MAX: none), and returns its number. A
 * scalar of a list is only counted. */
gradus_status gr_document_add(gr_document *document, size_t open, gr_doc_value value, size_t *index,
                              gradus_error *err);
static inline gr_doc_value *gr_document_at(const gr_document *document, size_t index)
{
    return (gr_doc_value *)document->values.at + index;
}

/* document_ubj.c */
gradus_status gr_document_scan_ubj(gr_document *document, gradus_error *err);

/* The first stored item and the next one. The caller counts. */
static inline const gr_doc_value *gr_doc_first(const gr_doc_value *value)
{
    return value + 1;
}
static inline const gr_doc_value *gr_doc_next(const gr_doc_value *value)
{
    return value + value->span;
}

/* document_values.c */
/* A member of an object; fails if it is absent or of another kind, or if the name occurs twice. */
gradus_status gr_doc_member(const gr_document *document, const gr_doc_value *object,
                            const char *name, gr_doc_kind kind, const gr_doc_value **member,
                            gradus_error *err);
/* The same; *member is NULL if it is absent or null. */
gradus_status gr_doc_optional(const gr_document *document, const gr_doc_value *object,
                              const char *name, gr_doc_kind kind, const gr_doc_value **member,
                              gradus_error *err);
/* The bytes of a text, as written. */
bool gr_doc_text_is(const gr_document *document, const gr_doc_value *text, const char *wanted);
/* A member that is a count, written as number or, as XGBoost does, as text: "num_nodes":"3". */
gradus_status gr_doc_count(const gr_document *document, const gr_doc_value *object,
                           const char *name, uint64_t *count, gradus_error *err);

/* The items of a list of scalars, one after the other. */
typedef struct gr_doc_items {
    const gr_document *document;
    const char *name; /* of the list, for messages */
    size_t at, left;
    char type;
} gr_doc_items;
/* Fails unless the list has `count` scalars and nothing else (SIZE_MAX: any number). */
gradus_status gr_doc_items_of(const gr_document *document, const gr_doc_value *list,
                              const char *name, size_t count, gr_doc_items *items,
                              gradus_error *err);
/* Each reads the next item, which must exist, and fails if it has another type. Floats may be NaN or
 * infinite; integers are from least to most, and flags count as 0 and 1. */
gradus_status gr_doc_next_float(gr_doc_items *items, float *number, gradus_error *err);
gradus_status gr_doc_next_integer(gr_doc_items *items, int64_t least, int64_t most, int64_t *number,
                                  gradus_error *err);
/* The text as written, between *begin and *end; JSON escapes are not replaced. */
gradus_status gr_doc_next_text(gr_doc_items *items, size_t *begin, size_t *end, gradus_error *err);

#endif
