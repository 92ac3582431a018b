/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names, and an open-addressing hash set over them. */
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

const char *gr_name_at(const gr_names *names, size_t index)
{
    return index < names->count ? names->bytes + names->starts[index] : "";
}

size_t gr_names_differ(const gr_names *a, const gr_names *b, size_t count)
{
    size_t same = 0;

    if (a->count == 0 || b->count == 0)
        return count;
    while (same < count && strcmp(gr_name_at(a, same), gr_name_at(b, same)) == 0)
        same++;
    return same;
}

bool gr_name_list_add(gr_name_list *list, const char *name, size_t length)
{
    if (!gr_array_reserve(&list->bytes, list->used + length + 1) ||
        !gr_array_reserve(&list->starts, (list->count + 2) * sizeof(uint64_t)))
        return false;
    char *to = (char *)list->bytes.at + list->used;
    uint64_t *starts = list->starts.at;

    memcpy(to, name, length);
    to[length] = '\0';
    starts[list->count] = list->used;
    list->used += length + 1;
    starts[++list->count] = list->used;
    return true;
}

gr_names gr_name_list_names(const gr_name_list *list)
{
    return (gr_names){ list->bytes.at, list->starts.at, list->count };
}

void gr_name_list_free(gr_name_list *list)
{
    gr_array_free(&list->bytes);
    gr_array_free(&list->starts);
    list->used = list->count = 0;
}

uint64_t gr_hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = 0x9E3779B97F4A7C15u ^ size;

    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;

        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    for (; size; size--, at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    hash ^= hash >> 29;
    hash *= 0xBF58476D1CE4E5B9u;
    return hash ^ hash >> 32;
}

/* The slot of the name, or the empty slot where it would be inserted (linear probing). */
static size_t slot_of(const gr_name_set *set, const char *name, size_t length)
{
    const gr_names names = gr_name_list_names(&set->list);
    size_t slot = (size_t)gr_hash(name, length) & (set->capacity - 1);

    for (; set->slots[slot]; slot = (slot + 1) & (set->capacity - 1)) {
        const size_t number = (size_t)set->slots[slot] - 1;
        const size_t found = (size_t)(names.starts[number + 1] - names.starts[number]) - 1;

        if (found == length && memcmp(names.bytes + names.starts[number], name, length) == 0)
            break;
    }
    return slot;
}

static bool grow(gr_name_set *set)
{
    const size_t capacity = set->capacity ? set->capacity * 2 : 64;
    uint64_t *slots = calloc(capacity, sizeof *slots);
    const gr_names names = gr_name_list_names(&set->list);

    if (!slots)
        return false;
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
    for (size_t i = 0; i < names.count; i++) {
        const size_t length = (size_t)(names.starts[i + 1] - names.starts[i]) - 1;
        slots[slot_of(set, names.bytes + names.starts[i], length)] = i + 1;
    }
    return true;
}

size_t gr_name_set_add(gr_name_set *set, const char *name, size_t length)
{
    if (set->list.count * 2 >= set->capacity && !grow(set))
        return SIZE_MAX;
    const size_t slot = slot_of(set, name, length);

    if (set->slots[slot])
        return (size_t)set->slots[slot] - 1;
    if (!gr_name_list_add(&set->list, name, length))
        return SIZE_MAX;
    set->slots[slot] = set->list.count;
    return set->list.count - 1;
}

size_t gr_name_set_find(const gr_name_set *set, const char *name, size_t length)
{
    if (set->capacity == 0)
        return SIZE_MAX;
    const size_t slot = slot_of(set, name, length);

    return set->slots[slot] ? (size_t)set->slots[slot] - 1 : SIZE_MAX;
}

void gr_name_set_free(gr_name_set *set)
{
    gr_name_list_free(&set->list);
    free(set->slots);
    set->slots = NULL;
    set->capacity = 0;
}
