/* SPDX-License-Identifier: Apache-2.0 */
/* The address that a server listens on. */
#ifndef SERVER_ADDRESS_H
#define SERVER_ADDRESS_H

#include "gradus.h"

enum { MAX_URL = 300 };

typedef struct address {
    int socket;        /* bound and listening; -1: none */
    bool local;        /* only this machine can reach it */
    char url[MAX_URL]; /* "http://127.0.0.1:8080"; of a socket file: "unix:PATH" */
    char path[108];    /* of a socket file, removed at the end; "": none */
} address;

/* Parses "ADDRESS:PORT", "[ADDRESS]:PORT", "PORT" or "unix:PATH", and listens there. Port 0: any free
 * one. public_allowed: otherwise an address that other machines can reach is refused. */
gradus_status address_listen(const char *text, bool tls, bool public_allowed, address *to,
                             gradus_error *err);
/* Removes the socket file. The socket is closed by the server. */
void address_end(address *a);

#endif
