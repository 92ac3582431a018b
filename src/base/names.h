/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names in one block of memory, and a set that numbers names in order of first
 * appearance. */
#ifndef GR_BASE_NAMES_H
#define GR_BASE_NAMES_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name i is the C string at bytes + starts[i]. starts has count + 1 entries. */
typedef struct gr_names {
    const char *bytes;
    const uint64_t *starts;
    size_t count;
} gr_names;

const char *gr_name_at(const gr_names *names, size_t index); /* "" past the end */

/* The first of `count` names that differs between two lists; count if none does, or if one of the
 * lists has no names. */
size_t gr_names_differ(const gr_names *a, const gr_names *b, size_t count);

/* A list of names that grows. */
typedef struct gr_name_list {
    gr_array bytes, starts; /* starts: uint64_t[count + 1] */
    size_t used, count;     /* used: bytes; count: names */
} gr_name_list;

/* False if memory is exhausted. Names must not contain NUL. */
bool gr_name_list_add(gr_name_list *list, const char *name, size_t length);
gr_names gr_name_list_names(const gr_name_list *list); /* valid until the next add */
void gr_name_list_free(gr_name_list *list);

/* A set of names, numbered in order of first appearance. */
typedef struct gr_name_set {
    gr_name_list list;
    uint64_t *slots; /* hash table: number of a name plus 1; 0: empty */
    size_t capacity; /* a power of two */
} gr_name_set;

/* The number of a name, which is added if it is new; SIZE_MAX if memory is exhausted. */
size_t gr_name_set_add(gr_name_set *set, const char *name, size_t length);
/* The number of a name; SIZE_MAX if it is absent. */
size_t gr_name_set_find(const gr_name_set *set, const char *name, size_t length);
void gr_name_set_free(gr_name_set *set);

uint64_t gr_hash(const void *bytes, size_t size);

#endif
