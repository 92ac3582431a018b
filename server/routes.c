/* SPDX-License-Identifier: Apache-2.0 */
/* The table of routes, and matching a path. */
#include "routes.h"

#include "handlers.h"
#include "infer.h"
#include "rank_documents.h"

#include <stdio.h>
#include <string.h>

static const route routes[] = {
#define ROUTE(method, pattern, handler, token, request, response, summary)                         \
    { method, pattern, handler, !(token), summary, request, response },
#include "routes.def"
#undef ROUTE
};
enum { ROUTES = sizeof routes / sizeof *routes };

_Static_assert((int)ROUTES <= (int)MAX_ROUTES, "the counters have an item for each route");

const route *route_at(size_t index)
{
    return index < ROUTES ? &routes[index] : NULL;
}

size_t route_index(const route *which)
{
    return (size_t)(which - routes);
}

/* Copies a part of the path; false if it is empty or too long to be a name. */
static bool take_part(char *to, size_t size, const char *from, size_t length)
{
    if (length == 0 || length >= size)
        return false;
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

static bool matches(const char *pattern, const char *path, request *r)
{
    while (*pattern && *path) {
        if (*pattern != '{') {
            if (*pattern++ != *path++)
                return false;
            continue;
        }
        const size_t length = strcspn(path, "/");
        const bool name = strncmp(pattern, "{version}", 9) != 0; /* {name} or {number} */

        if (!take_part(name ? r->name : r->version, name ? sizeof r->name : sizeof r->version, path,
                       length))
            return false;
        path += length;
        pattern = strchr(pattern, '}') + 1;
    }
    return !*pattern && (!*path || strcmp(path, "/") == 0);
}

const route *route_find(const char *method, const char *path, request *r, bool *known)
{
    *known = false;
    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    for (size_t i = 0; i < ROUTES; i++) {
        r->name[0] = r->version[0] = '\0';
        if (!matches(routes[i].pattern, path, r))
            continue;
        *known = true;
        if (strcmp(method, routes[i].method) == 0)
            return &routes[i];
    }
    r->name[0] = r->version[0] = '\0';
    return NULL;
}
