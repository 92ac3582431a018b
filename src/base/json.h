/* SPDX-License-Identifier: Apache-2.0 */
/* JSON (RFC 8259) in and out: a strict reader into a tree, and a writer. UTF-8 only; no key twice
 * in an object; no NUL in texts; at most GR_JSON_DEPTH deep and GR_JSON_MEMBERS members an object.
 * Numbers are kept as they are written, so that nothing is lost that a reader may want. */
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

/* A value. Those in a list or an object follow it, each with all that it holds. */
typedef struct gr_json {
    gr_json_kind kind;
    bool flag;
    const char *key;  /* of a member of an object, else NULL */
    const char *text; /* a text, or a number as written; "" for others */
    size_t count;     /* items of a list, members of an object */
    size_t span;      /* values from this one to its next sibling */
} gr_json;

/* The root of a tree; end it with gr_json_free. Errors say the byte: "byte 12: expected ...". */
gr_json *gr_json_parse(const char *bytes, size_t size, gradus_error *err);
void gr_json_free(gr_json *root); /* NULL is accepted */

/* Item or member 0; the one after. Valid while there are so many as count says. */
static inline const gr_json *gr_json_first(const gr_json *value)
{
    return value + 1;
}
static inline const gr_json *gr_json_next(const gr_json *value)
{
    return value + value->span;
}

/* A member of an object; NULL if there is none, or if it is not an object (or NULL). */
const gr_json *gr_json_find(const gr_json *object, const char *key);

/* Each is false unless the value (which may be NULL) is what is asked for. */
bool gr_json_count(const gr_json *value, uint64_t *count); /* digits only, up to 64 bits */
bool gr_json_number(const gr_json *value, double *number); /* finite */
bool gr_json_flag(const gr_json *value, bool *flag);
bool gr_json_text(const gr_json *value, const char **text); /* as long as the tree */

/* The bytes of the UTF-8 character at `at`, 1 to 4, or 0 if it is none; at < end. */
size_t gr_utf8_length(const char *at, const char *end);

/* A writer; all zero to begin with. What fails for want of memory is remembered, and said once by
 * gr_json_done. key: of a member; NULL in lists and for the root. */
typedef struct gr_json_writer {
    gr_array bytes;
    size_t used;
    size_t depth;
    bool holds_some; /* of what is open now */
    bool failed;
} gr_json_writer;

void gr_json_open(gr_json_writer *writer, const char *key, char bracket); /* '{' or '[' */
void gr_json_close(gr_json_writer *writer, char bracket);                 /* '}' or ']' */
void gr_json_put_null(gr_json_writer *writer, const char *key);
void gr_json_put_flag(gr_json_writer *writer, const char *key, bool flag);
void gr_json_put_count(gr_json_writer *writer, const char *key, uint64_t count);
void gr_json_put_number(gr_json_writer *writer, const char *key, double number); /* or null */
/* Bytes that are not UTF-8 become U+FFFD. */
void gr_json_put_text(gr_json_writer *writer, const char *key, const char *text);
gradus_status gr_json_done(const gr_json_writer *writer, gradus_error *err);
void gr_json_writer_free(gr_json_writer *writer);

#endif
