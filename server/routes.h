/* SPDX-License-Identifier: Apache-2.0 */
/* The paths that the server answers: one row each in routes.def. */
#ifndef SERVER_ROUTES_H
#define SERVER_ROUTES_H

#include "request.h"

typedef gradus_status (*handler)(request *r);

typedef struct route {
    const char *method;  /* "GET" */
    const char *pattern; /* "/v2/models/{name}" */
    handler handle;
    bool open;                                    /* needs no token */
    const char *summary;                          /* for /openapi.json */
    const char *request_schema, *response_schema; /* names of schemas; NULL: none */
} route;

const route *route_at(size_t index); /* NULL past the last */
size_t route_index(const route *which);
/* Finds the route of a path, and fills in the name and version of the request. *known: the path exists,
 * perhaps with other methods. */
const route *route_find(const char *method, const char *path, request *r, bool *known);

#endif
