/* SPDX-License-Identifier: Apache-2.0 */
/* The server over libmicrohttpd: connections, tokens, limits, and the life of a request.
 *
 * Each thread of libmicrohttpd waits for events on its own connections and answers requests itself:
 * scoring takes less time than handing a request to another thread. Slow clients cost memory only. */
#include "request.h"

#include "access_log.h"
#include "address.h"
#include "playground_data.h"
#include "routes.h"

#include <microhttpd.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct server {
    const serve_settings *settings;
    registry *models;
    served *shadow;
    playground_data *data; /* NULL: none */
    char *token;           /* NULL: none needed */
    char *tls_cert, *tls_key;
    address address;
    struct MHD_Daemon *daemon;
    server_counters counters;
    pthread_mutex_t idle_lock;
    request *idle; /* finished requests, whose buffers are reused */
    pthread_t keeper;
    pthread_mutex_t keeper_lock;
    pthread_cond_t wake;
    bool keeping, stop_keeping;
    atomic_bool stopping;
};

const serve_settings *settings_of(const server *s)
{
    return s->settings;
}

registry *registry_of(const server *s)
{
    return s->models;
}

server_counters *counters_of(const server *s)
{
    return &((server *)(uintptr_t)s)->counters; /* counting does not change the server */
}

served *shadow_of(const server *s)
{
    return s->shadow;
}

struct playground_data *playground_of(const server *s)
{
    return s->data;
}

bool server_is_stopping(const server *s)
{
    return atomic_load(&s->stopping);
}

const char *serve_url(const server *s)
{
    return s->address.url;
}

/* ---- the life of a request ---- */

static request *take_request(server *s)
{
    request *r;

    pthread_mutex_lock(&s->idle_lock);
    r = s->idle;
    if (r)
        s->idle = r->next_idle;
    pthread_mutex_unlock(&s->idle_lock);
    if (!r && (r = calloc(1, sizeof *r)))
        request_reset(r);
    if (!r)
        return NULL;
    r->server = s;
    r->started = clock_seconds();
    atomic_fetch_add(&s->counters.answering, 1);
    return r;
}

static void count_answer(server *s, const request *r, double seconds)
{
    if (r->route) {
        const size_t i = route_index(r->route);

        atomic_fetch_add_explicit(&s->counters.requests[i], 1, memory_order_relaxed);
        count_latency(&s->counters.latency[i], seconds);
    }
    if (r->kind < ERROR_KINDS)
        atomic_fetch_add_explicit(&s->counters.errors[r->kind], 1, memory_order_relaxed);
}

static void completed(void *user, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode how)
{
    server *s = user;
    request *r = *state;

    (void)connection;
    (void)how;
    if (!r)
        return;
    *state = NULL;
    access_log_add(s->settings->log, r);
    request_reset(r);
    pthread_mutex_lock(&s->idle_lock);
    r->next_idle = s->idle;
    s->idle = r;
    pthread_mutex_unlock(&s->idle_lock);
    atomic_fetch_sub(&s->counters.answering, 1);
}

static enum MHD_Result send_answer(server *s, struct MHD_Connection *connection, request *r)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(r->out.used, r->out.bytes.at, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result;
    char size[32];

    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", r->content_type);
    if (r->header_size) {
        snprintf(size, sizeof size, "%zu", r->header_size);
        MHD_add_response_header(response, "Inference-Header-Content-Length", size);
    }
    if (r->status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (r->status == 429 || r->status == 503)
        MHD_add_response_header(response, "Retry-After", "1");
    if (r->status == 405 && r->allow)
        MHD_add_response_header(response, "Allow", r->allow);
    if (server_is_stopping(s))
        MHD_add_response_header(response, "Connection", "close");
    result = MHD_queue_response(connection, r->status, response);
    MHD_destroy_response(response);
    count_answer(s, r, clock_seconds() - r->started);
    return result;
}

/* ---- checks before the body ---- */

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Takes the same time wherever the first difference is. */
static bool same_token(const char *a, const char *b)
{
    const size_t length = strlen(a);
    unsigned char difference = strlen(b) != length;

    for (size_t i = 0; i < length && b[i]; i++)
        difference |= (unsigned char)(a[i] ^ b[i]);
    return !difference;
}

static gradus_status check_token(const server *s, struct MHD_Connection *connection, request *r)
{
    static const char scheme[] = "Bearer ";
    const char *given = header_of(connection, "Authorization");

    if (!s->token || (r->route && r->route->open))
        return GRADUS_OK;
    if (given && strncasecmp(given, scheme, sizeof scheme - 1) == 0 &&
        same_token(s->token, given + sizeof scheme - 1))
        return GRADUS_OK;
    return request_refuse(r, ERROR_TOKEN, given ? "wrong token" : "the request has no token");
}

/* A page on another site may let the browser call a server on this machine under that site's own name
 * (DNS rebinding): without a token only the names of this machine are answered. */
static gradus_status check_host(const server *s, struct MHD_Connection *connection, request *r)
{
    const char *host = header_of(connection, "Host");

    if (s->token || !s->address.local || s->address.path[0] || !host ||
        strncmp(host, "localhost", 9) == 0 || strncmp(host, "127.", 4) == 0 ||
        strncmp(host, "[::1]", 5) == 0)
        return GRADUS_OK;
    return request_refuse(r, ERROR_TOKEN,
                          "the host '%.100s' is not this machine; requests from other "
                          "names need a token",
                          host);
}

static gradus_status find_route(request *r, const char *method, const char *path)
{
    bool known;

    r->route = route_find(method, path, r, &known);
    if (r->route)
        return GRADUS_OK;
    if (!known)
        return request_refuse(r, ERROR_NOT_FOUND, "no such path: '%.200s'", path);
    r->allow = route_find("GET", path, r, &known) ? "GET, HEAD" : "POST";
    return request_refuse(r, ERROR_METHOD, "%.20s is not allowed here, use %s", method, r->allow);
}

static gradus_status check_length(const server *s, struct MHD_Connection *connection, request *r)
{
    const char *length = header_of(connection, "Content-Length");

    if (length && strtoull(length, NULL, 10) > s->settings->max_body)
        return request_refuse(r, ERROR_TOO_LARGE, "the body has more than %zu bytes",
                              s->settings->max_body);
    return GRADUS_OK;
}

/* The header that says where binary tensors begin. */
static gradus_status check_json_size(struct MHD_Connection *connection, request *r)
{
    const char *text = header_of(connection, "Inference-Header-Content-Length");
    char *end;

    if (!text)
        return GRADUS_OK;
    errno = 0;
    r->json_size = strtoull(text, &end, 10);
    if (errno || *end || end == text || *text == '-')
        return request_refuse(r, ERROR_SYNTAX,
                              "Inference-Header-Content-Length is not a number: '%.50s'", text);
    return GRADUS_OK;
}

static gradus_status check_type(struct MHD_Connection *connection, request *r)
{
    const char *type = header_of(connection, "Content-Type");
    const size_t length = type ? strcspn(type, "; ") : 0;

    if (strcmp(r->route->method, "POST") != 0 || !r->route->request_schema)
        return GRADUS_OK;
    if (type && ((length == 16 && strncasecmp(type, "application/json", 16) == 0) ||
                 (length == 24 && r->json_size != SIZE_MAX &&
                  strncasecmp(type, "application/octet-stream", 24) == 0)))
        return GRADUS_OK;
    return request_refuse(r, ERROR_MEDIA_TYPE,
                          "Content-Type is '%.100s', expected application/json", type ? type : "");
}

static gradus_status check_request(server *s, struct MHD_Connection *connection, request *r,
                                   const char *method, const char *path)
{
    snprintf(r->method, sizeof r->method, "%s", method);
    snprintf(r->path, sizeof r->path, "%s", path);
    GR_TRY(find_route(r, method, path));
    GR_TRY(check_host(s, connection, r));
    GR_TRY(check_token(s, connection, r));
    if (atomic_load(&s->counters.answering) > s->settings->max_requests)
        return request_refuse(r, ERROR_BUSY, "%zu requests are being answered; try again later",
                              s->settings->max_requests);
    GR_TRY(check_length(s, connection, r));
    GR_TRY(check_json_size(connection, r));
    return check_type(connection, r);
}

/* ---- the body and the answer ---- */

/* A body that is too long is read to its end, up to four times the limit, so that the client gets to
 * read the answer. */
static enum MHD_Result add_body(server *s, request *r, const char *bytes, size_t size)
{
    const size_t most = s->settings->max_body;

    if (size > 4 * most || r->body_size > 4 * most - size)
        return MHD_NO;
    if (r->err.status == GRADUS_OK && r->body_size + size > most)
        request_refuse(r, ERROR_TOO_LARGE, "the body has more than %zu bytes", most);
    if (r->err.status == GRADUS_OK &&
        request_reserve(r, &r->body, r->body_size + size + 1, 1) == GRADUS_OK)
        memcpy((char *)r->body.at + r->body_size, bytes, size);
    r->body_size += size;
    return MHD_YES;
}

static gradus_status handle(server *s, request *r, const char *encoding)
{
    if (r->err.status != GRADUS_OK)
        return r->err.status;
    GR_TRY(request_reserve(r, &r->body, r->body_size + 1, 1));
    GR_TRY(request_decode(r, encoding, s->settings->max_body));
    if (r->json_size != SIZE_MAX && r->json_size > r->content_size)
        return request_refuse(r, ERROR_SYNTAX,
                              "Inference-Header-Content-Length is %zu, and the body has %zu bytes",
                              r->json_size, r->content_size);
    return r->route->handle(r);
}

void serve_answer(request *r, const char *encoding)
{
    if (handle(r->server, r, encoding) != GRADUS_OK)
        request_answer_error(r);
}

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *bytes,
                              size_t *size, void **state)
{
    server *s = user;
    request *r = *state;

    (void)version;
    if (!r) {
        if (!(r = *state = take_request(s)))
            return MHD_NO;
        if (check_request(s, connection, r, method, path) == GRADUS_OK)
            return MHD_YES; /* the body follows */
        request_answer_error(r);
        return send_answer(s, connection, r);
    }
    if (*size) {
        const enum MHD_Result result = add_body(s, r, bytes, *size);

        *size = 0;
        return result;
    }
    serve_answer(r, header_of(connection, "Content-Encoding"));
    return send_answer(s, connection, r);
}

/* ---- start and stop ---- */

static void *keep(void *user)
{
    server *s = user;
    struct timespec until;

    pthread_mutex_lock(&s->keeper_lock);
    while (!s->stop_keeping) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&s->wake, &s->keeper_lock, &until);
        if (s->stop_keeping)
            break;
        pthread_mutex_unlock(&s->keeper_lock);
        registry_refresh(s->models);
        pthread_mutex_lock(&s->keeper_lock);
    }
    pthread_mutex_unlock(&s->keeper_lock);
    return NULL;
}

static gradus_status read_secret(const char *path, char **text, gradus_error *err)
{
    size_t size;

    if (!path)
        return GRADUS_OK;
    GR_TRY(gradus_file_read(path, 1 << 20, text, &size, err));
    while (size && strchr(" \t\r\n", (*text)[size - 1]))
        (*text)[--size] = '\0';
    if (size && strlen(*text) == size)
        return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_FORMAT, "'%s' %s", path, size ? "contains NUL" : "is empty");
}

static void log_nothing(void *user, const char *format, va_list list)
{
    (void)user;
    (void)format;
    (void)list;
}

static gradus_status start_daemon(server *s, gradus_error *err)
{
    const serve_settings *o = s->settings;
    const unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO | (o->tls_cert ? MHD_USE_TLS : 0);
    struct MHD_OptionItem options[] = {
        { MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)log_nothing, NULL },
        { MHD_OPTION_LISTEN_SOCKET, s->address.socket, NULL },
        { MHD_OPTION_CONNECTION_LIMIT, (intptr_t)o->max_connections, NULL },
        { MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)o->timeout, NULL },
        { MHD_OPTION_CONNECTION_MEMORY_LIMIT, 32 << 10, NULL },
        { MHD_OPTION_CONNECTION_MEMORY_INCREMENT, 8 << 10, NULL },
        { MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)completed, s },
        { o->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)o->threads,
          NULL },
        { o->tls_cert ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0, s->tls_cert },
        { MHD_OPTION_HTTPS_MEM_KEY, 0, s->tls_key },
        { MHD_OPTION_END, 0, NULL },
    };

    if (o->threads <= 1 && o->tls_cert) { /* close the gap that ends the list */
        memmove(&options[7], &options[8], 3 * sizeof *options);
    }
    s->daemon = MHD_start_daemon(flags, 0, NULL, NULL, answer, s, MHD_OPTION_ARRAY, options,
                                 MHD_OPTION_END);
    return s->daemon ? GRADUS_OK
                     : gr_fail(err, GRADUS_NO_FILE, "cannot start the server on '%s'%s", o->listen,
                               o->tls_cert ? "; are the certificate and key valid?" : "");
}

static gradus_status load(server *s, gradus_error *err)
{
    const serve_settings *o = s->settings;

    if (!(s->models = registry_new(o->models, o->model_count, o->folder, o->notify, err)))
        return err->status;
    if (o->shadow && !(s->shadow = served_read_word(o->shadow, err)))
        return err->status;
    if (o->data && !(s->data = playground_data_read(o->data, err)))
        return err->status;
    return GRADUS_OK;
}

static gradus_status start(server *s, gradus_error *err)
{
    const serve_settings *o = s->settings;

    GR_TRY(read_secret(o->token_file, &s->token, err));
    GR_TRY(read_secret(o->tls_cert, &s->tls_cert, err));
    GR_TRY(read_secret(o->tls_key, &s->tls_key, err));
    GR_TRY(address_listen(o->listen, o->tls_cert, o->token_file || o->insecure, &s->address, err));
    GR_TRY(start_daemon(s, err));
    s->address.socket = -1; /* the daemon closes it */
    if (pthread_create(&s->keeper, NULL, keep, s) != 0)
        return gr_fail_memory(err, "a thread");
    s->keeping = true;
    return GRADUS_OK;
}

bool serve_available(void)
{
    return true;
}

static void free_server(server *s)
{
    address_end(&s->address);
    if (s->address.socket >= 0)
        close(s->address.socket);
    for (request *r = s->idle, *next; r; r = next) {
        next = r->next_idle;
        request_free(r);
    }
    served_release(s->shadow);
    registry_free(s->models);
    playground_data_free(s->data);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->keeper_lock);
    pthread_mutex_destroy(&s->idle_lock);
    free(s->token);
    free(s->tls_cert);
    free(s->tls_key);
    free(s);
}

server *serve_load(const serve_settings *settings, gradus_error *err)
{
    server *s = calloc(1, sizeof *s);

    if (!s) {
        gr_fail_memory(err, "the server");
        return NULL;
    }
    s->settings = settings;
    s->address.socket = -1;
    pthread_mutex_init(&s->idle_lock, NULL);
    pthread_mutex_init(&s->keeper_lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    if (load(s, err) == GRADUS_OK)
        return s;
    serve_stop(s, 0);
    return NULL;
}

server *serve_start(const serve_settings *settings, gradus_error *err)
{
    server *s = serve_load(settings, err);

    if (!s || start(s, err) == GRADUS_OK)
        return s;
    serve_stop(s, 0);
    return NULL;
}

void serve_reload(server *s)
{
    registry_refresh(s->models);
}

static void stop_keeper(server *s)
{
    if (!s->keeping)
        return;
    pthread_mutex_lock(&s->keeper_lock);
    s->stop_keeping = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->keeper_lock);
    pthread_join(s->keeper, NULL);
}

size_t serve_stop(server *s, unsigned seconds)
{
    const double until = clock_seconds() + (double)seconds;
    size_t left = 0;

    atomic_store(&s->stopping, true);
    stop_keeper(s);
    if (s->daemon) {
        const MHD_socket socket = MHD_quiesce_daemon(s->daemon);

        if (socket != MHD_INVALID_SOCKET)
            close(socket);
        while ((left = atomic_load(&s->counters.answering)) && clock_seconds() < until)
            usleep(2000);
        MHD_stop_daemon(s->daemon);
    }
    free_server(s);
    return left;
}
