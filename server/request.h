/* SPDX-License-Identifier: Apache-2.0 */
/* A request and its answer. The buffers of a request are reused by later requests, so that none is
 * allocated while requests are answered once they are large enough. */
#ifndef SERVER_REQUEST_H
#define SERVER_REQUEST_H

#include "registry.h"
#include "serve.h"

#include "base/error.h"
#include "base/json.h"

struct route;

typedef struct request {
    server *server;
    const struct route *route;
    char method[16], path[256];                /* for the access log, perhaps truncated */
    char name[MAX_NAME], version[MAX_VERSION]; /* of the model, from the path; "": not in it */
    served *model;                             /* taken for this request; NULL: none yet */

    gr_array body, inflated;
    size_t body_size;    /* received */
    const char *content; /* the body, decompressed */
    size_t content_size;
    size_t json_size; /* binary tensors follow these bytes of content; SIZE_MAX: none */

    gr_array values; /* float, rows x features of the model */
    gr_array ids;    /* document_id */
    gr_array texts;  /* their bytes */
    gr_array scores, probabilities, order;
    gr_array scratch; /* of a string being read */
    size_t rows;

    unsigned status; /* 0: not answered yet */
    const char *content_type;
    const char *allow;  /* the methods that a path has, for status 405 */
    size_t header_size; /* of the answer: the JSON before binary tensors; 0: all of it is JSON */
    gr_json_writer out;
    error_kind kind; /* of a failure; ERROR_KINDS: by its status */
    gradus_error err;

    double started; /* clock, seconds */
    struct request *next_idle;
} request;

/* Where the id of a document is in request.texts. */
typedef struct document_id {
    size_t start;
    bool number; /* written without quotes */
} document_id;

/* Fails with this kind. */
gradus_status request_refuse(request *r, error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes the model of the path, or of these names; refuses with 404 if it is unknown. */
gradus_status request_take_model(request *r, const char *name, const char *version);
/* Space for `count` items of `size` bytes in a buffer of the request. */
gradus_status request_reserve(request *r, gr_array *array, size_t count, size_t size);
/* Answers with what was written to r->out. */
void request_answer(request *r, unsigned status, const char *content_type);
/* Answers with {"error": message} and the status of the failure. */
void request_answer_error(request *r);
/* Prepares for another request; keeps the buffers unless they are very large. */
void request_reset(request *r);
void request_free(request *r);
/* Decompresses the body, if it is compressed. encoding: the header, or NULL. */
gradus_status request_decode(request *r, const char *encoding, size_t max_body);

/* Seconds of a monotonic clock. */
double clock_seconds(void);

/* serve.c */
/* A server that has read its models but does not listen; free it with serve_stop. */
server *serve_load(const serve_settings *settings, gradus_error *err);
/* Answers a request whose route and body are known. encoding: of the body, or NULL. */
void serve_answer(request *r, const char *encoding);
const serve_settings *settings_of(const server *s);
registry *registry_of(const server *s);
server_counters *counters_of(const server *s);
bool server_is_stopping(const server *s);
served *shadow_of(const server *s);                     /* NULL: none */
struct playground_data *playground_of(const server *s); /* NULL: none */

#endif
