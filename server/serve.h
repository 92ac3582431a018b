/* SPDX-License-Identifier: Apache-2.0 */
/* The server of `gradus serve`: scores, ranks and explains over HTTP. */
#ifndef SERVER_SERVE_H
#define SERVER_SERVE_H

#include "gradus.h"

#include <stdio.h>

typedef struct serve_settings {
    const char *const *models; /* model files; NAME=FILE gives a name */
    size_t model_count;
    const char *folder;             /* of models: NAME.model, or NAME/VERSION.model; NULL: none */
    const char *listen;             /* "ADDRESS:PORT", "[ADDRESS]:PORT" or "unix:PATH" */
    size_t threads;                 /* that answer requests; at least 1 */
    const char *token_file;         /* requests must carry its content; NULL: no token */
    const char *tls_cert, *tls_key; /* files in PEM format; NULL: plain HTTP */
    const char *shadow;             /* a model that is scored beside the first one; NULL: none */
    const char *data;               /* labelled data for the playground; NULL: none */
    bool insecure;                  /* allows a public address without a token */
    size_t max_body;                /* bytes, after decompression */
    size_t max_rows;                /* documents per request */
    size_t max_connections;
    size_t max_requests; /* being answered at the same time; further ones get status 429 */
    unsigned timeout;    /* seconds without progress after which a connection is closed */
    FILE *log;           /* one JSON object per request; NULL: none */
    /* Receives a line for the operator ("reloaded 'web'"), from any thread. */
    void (*notify)(const char *line);
} serve_settings;

typedef struct server server;

/* serve.c and no_http.c. The latter if the command is built without libmicrohttpd. */
/* Whether it was built with libmicrohttpd. */
bool serve_available(void);
/* Reads the models and starts answering requests. The settings must outlive the server. */
server *serve_start(const serve_settings *settings, gradus_error *err);
/* The address as a URL: "http://127.0.0.1:8080". */
const char *serve_url(const server *s);
/* Reads changed model files again; a file that cannot be read leaves the present model in use. */
void serve_reload(server *s);
/* Accepts no more connections, finishes the requests that are being answered, for at most `seconds`,
 * and frees the server. Returns how many requests it did not finish. */
size_t serve_stop(server *s, unsigned seconds);

#endif
