/* SPDX-License-Identifier: Apache-2.0 */
/* JSON (RFC 8259): a strict parser that builds a tree, and a writer. Text must be valid UTF-8
 * without NUL, keys must be unique within an object, and nesting and members per object are limited
 * to GR_JSON_DEPTH and GR_JSON_MEMBERS. Numbers keep their original text, so no precision is
 * lost. */
#ifndef GR_BASE_JSON_H
#define GR_BASE_JSON_H

#include "base/error.h"
#include "base/memory.h"

enum { GR_JSON_DEPTH = 32, GR_JSON_MEMBERS = 1000 };

typedef enum gr_json_kind {
    GR_JSON_NULL,
    GR_JSON_FLAG,
    GR_JSON_NUMBER,
    GR_JSON_TEXT,
    GR_JSON_LIST,
    GR_JSON_OBJECT
} gr_json_kind;

/* A value. The tree is stored in preorder: the items of a list or object follow it, each with its
 * own descendants. */
typedef struct gr_json {
    gr_json_kind kind;
    bool flag;
    const char *key;  /* of an object member; NULL for other values */
    const char *text; /* a string, or a number as written; "" for other kinds */
    size_t count;     /* items of a list, members of an object */
    size_t span;      /* distance to the next sibling: this value and all its descendants */
    const char *raw;  /* the value as written: raw_size bytes of the parsed text, not a copy */
    size_t raw_size;
} gr_json;

/* Returns the root of the tree; free it with gr_json_free. Errors give the byte offset: "byte 12:
 * expected ...". */
gr_json *gr_json_parse(const char *bytes, size_t size, gradus_error *err);
/* Parses the value at *at, which others may follow, and moves *at behind it, or to the error. */
gr_json *gr_json_parse_next(const char **at, const char *end, gradus_error *err);
void gr_json_free(gr_json *root); /* NULL is accepted */

/* The first child and the next sibling. The caller counts: only `count` children exist. */
static inline const gr_json *gr_json_first(const gr_json *value)
{
    return value + 1;
}
static inline const gr_json *gr_json_next(const gr_json *value)
{
    return value + value->span;
}

/* A member of an object; NULL if absent, or if `object` is NULL or not an object. */
const gr_json *gr_json_find(const gr_json *object, const char *key);

/* Each returns false unless the value (which may be NULL) has the requested type. */
bool gr_json_count(const gr_json *value, uint64_t *count); /* digits only, up to 64 bits */
bool gr_json_number(const gr_json *value, double *number); /* finite */
bool gr_json_flag(const gr_json *value, bool *flag);
bool gr_json_text(const gr_json *value, const char **text); /* valid until the tree is freed */

/* json_scan.c */
/* Length in bytes, 1 to 4, of the UTF-8 character at `at`, or 0 if it is invalid; at < end. */
size_t gr_utf8_length(const char *at, const char *end);

typedef enum gr_json_layout {
    GR_JSON_FILE,    /* compact, with line breaks where files are compared line by line */
    GR_JSON_LINE,    /* one line with spaces, for programs and terminals: control characters from
                     U+007F on are escaped too, and bytes that are not UTF-8 are read as Latin-1 */
    GR_JSON_INDENTED /* for readers: each member and each list or object in a list on its own line */
} gr_json_layout;

/* A writer, zero-initialized except for the layout. An allocation failure is remembered and
 * reported once, by gr_json_done. key: of an object member; NULL for list items and the root. */
typedef struct gr_json_writer {
    gr_json_layout layout;
    gr_array bytes;
    size_t used;
    size_t depth;
    bool holds_some; /* the open list or object already has a value */
    bool failed;
} gr_json_writer;

/* json_write.c */
void gr_json_open(gr_json_writer *writer, const char *key, char bracket); /* '{' or '[' */
void gr_json_close(gr_json_writer *writer, char bracket);                 /* '}' or ']' */
void gr_json_put_null(gr_json_writer *writer, const char *key);
void gr_json_put_flag(gr_json_writer *writer, const char *key, bool flag);
void gr_json_put_count(gr_json_writer *writer, const char *key, uint64_t count);
/* Writes null if the number is not finite. */
void gr_json_put_number(gr_json_writer *writer, const char *key, double number);
/* A label or grade, which is stored as float: 0.1, not 0.10000000149011612. */
void gr_json_put_label(gr_json_writer *writer, const char *key, double label);
/* Bytes as they are, without a separator. */
void gr_json_append(gr_json_writer *writer, const char *bytes, size_t size);
/* A value that is JSON already. */
void gr_json_put_raw(gr_json_writer *writer, const char *key, const char *json);
/* Bytes that are not UTF-8 become U+FFFD, unless the layout reads them as Latin-1. */
void gr_json_put_text(gr_json_writer *writer, const char *key, const char *text);
gradus_status gr_json_done(const gr_json_writer *writer, gradus_error *err);
void gr_json_writer_free(gr_json_writer *writer);

#endif
