/* SPDX-License-Identifier: Apache-2.0 */
/* gradus serve: answers requests over HTTP until a signal stops it. */
#include "command.h"
#include "common.h"
#include "server/serve.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The limits, in the order of `limits` below. */
enum {
    LIMIT_BODY,
    LIMIT_ROWS,
    LIMIT_CONNECTIONS,
    LIMIT_REQUESTS,
    LIMIT_TIMEOUT,
    LIMIT_STOP,
    LIMITS
};

static const struct {
    const char *option;
    uint64_t initial, least, most;
} limits[LIMITS] = {
    [LIMIT_BODY] = { "max-body", 16 << 20, 1024, (uint64_t)1 << 30 },
    [LIMIT_ROWS] = { "max-rows", 10000, 1, 1000000 },
    [LIMIT_CONNECTIONS] = { "max-connections", 1000, 1, 100000 },
    [LIMIT_REQUESTS] = { "max-requests", 256, 1, 100000 },
    [LIMIT_TIMEOUT] = { "timeout", 30, 1, 3600 },
    [LIMIT_STOP] = { "stop-timeout", 10, 0, 3600 },
};

static void notify(const char *line)
{
    say("%s\n", line);
}

static int read_limits(const arguments *given, uint64_t values[LIMITS])
{
    for (size_t i = 0; i < LIMITS; i++) {
        const char *value = argument(given, limits[i].option);

        values[i] = limits[i].initial;
        if (value &&
            (!parse_count(value, limits[i].most, &values[i]) || values[i] < limits[i].least))
            return fail_usage("--%s is a whole number from %llu to %llu, not '%s'",
                              limits[i].option, (unsigned long long)limits[i].least,
                              (unsigned long long)limits[i].most, value);
    }
    return -1;
}

static int read_settings(const arguments *given, serve_settings *o, const uint64_t values[LIMITS])
{
    const char *listen = argument(given, "listen"), *log = argument(given, "access-log");

    *o = (serve_settings){
        .models = (const char *const *)given->words,
        .model_count = given->count,
        .folder = argument(given, "models"),
        .listen = listen ? listen : "127.0.0.1:8080",
        .threads = gradus_context_threads(given->context),
        .token_file = argument(given, "token-file"),
        .tls_cert = argument(given, "tls-cert"),
        .tls_key = argument(given, "tls-key"),
        .shadow = argument(given, "shadow"),
        .data = argument(given, "data"),
        .insecure = argument(given, "insecure"),
        .max_body = values[LIMIT_BODY],
        .max_rows = values[LIMIT_ROWS],
        .max_connections = values[LIMIT_CONNECTIONS],
        .max_requests = values[LIMIT_REQUESTS],
        .timeout = (unsigned)values[LIMIT_TIMEOUT],
        .notify = given->quiet ? NULL : notify,
    };
    if (!o->model_count && !o->folder)
        return fail_usage("gradus serve needs models: gradus serve MODEL..., or --models FOLDER");
    if (!o->tls_cert != !o->tls_key)
        return fail_usage("--tls-cert and --tls-key must be given together");
    if (!log)
        return -1;
    o->log = strcmp(log, "-") == 0 ? stdout : fopen(log, "ae");
    if (o->log)
        return -1;
    say("gradus: cannot open '%s': %s\n", log, strerror(errno));
    return 1;
}

/* The signals that the main thread waits for; all threads of the server inherit the mask. */
static sigset_t block_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return set;
}

static int serve(const arguments *given, const serve_settings *o, unsigned seconds)
{
    const sigset_t set = block_signals();
    gradus_error err;
    server *s = serve_start(o, &err);
    size_t unfinished;
    int number;

    if (!s)
        return fail(&err);
    printf("listening on %s\n", serve_url(s));
    fflush(stdout);
    while (sigwait(&set, &number) == 0 && number == SIGHUP)
        serve_reload(s);
    if (!given->quiet)
        say("stopping\n");
    unfinished = serve_stop(s, seconds);
    if (unfinished)
        say("gradus: %zu requests were not finished within %u seconds\n", unfinished, seconds);
    return unfinished ? 1 : 0;
}

static int serve_run(arguments *given)
{
    uint64_t values[LIMITS];
    serve_settings o;
    int status;

    if ((status = read_limits(given, values)) >= 0 ||
        (status = read_settings(given, &o, values)) >= 0)
        return status;
    status = serve(given, &o, (unsigned)values[LIMIT_STOP]);
    if (o.log && o.log != stdout)
        fclose(o.log);
    return status;
}

static const option serve_options[] = {
    { "models", 0, "FOLDER",
      "serve all models of a folder: FOLDER/NAME.model, and FOLDER/NAME/VERSION.model" },
    { "listen", 0, "ADDRESS",
      "ADDRESS:PORT, [ADDRESS]:PORT, PORT or unix:PATH (default 127.0.0.1:8080); port 0: any free "
      "one" },
    { "data", 0, "FILE", "labelled data to look at in the playground, the page at /",
      GRADUS_PATH_READ },
    { "token-file", 0, "FILE", "requests must carry the content of the file as bearer token",
      GRADUS_PATH_READ },
    { "insecure", 0, NULL, "answer other machines without a token" },
    { "tls-cert", 0, "FILE", "certificate chain in PEM format, for HTTPS", GRADUS_PATH_READ },
    { "tls-key", 0, "FILE", "its private key", GRADUS_PATH_READ },
    { "shadow", 0, "MODEL", "score all requests with this model too, and count changed ranks",
      GRADUS_PATH_READ },
    { "access-log", 0, "FILE", "append one JSON object per request; -: standard output",
      GRADUS_PATH_WRITTEN },
    { "max-body", 0, "BYTES", "largest body, also after decompression (default 16777216)" },
    { "max-rows", 0, "N", "most documents per request (default 10000)" },
    { "max-connections", 0, "N", "most open connections (default 1000)" },
    { "max-requests", 0, "N",
      "most requests at the same time; others get status 429 (default 256)" },
    { "timeout", 0, "SECONDS", "close connections without progress for this time (default 30)" },
    { "stop-timeout", 0, "SECONDS", "time to finish running requests when stopping (default 10)" },
    { NULL, 0, NULL, NULL },
};

static const example serve_examples[] = {
    { "gradus serve web.model", "answer requests on http://127.0.0.1:8080" },
    { "gradus serve a.model b.model --data test.txt",
      "compare rankings of test queries on http://127.0.0.1:8080/" },
    { "gradus serve --models models --listen 0.0.0.0:8080 --token-file token",
      "serve a folder of models to other machines" },
    { "gradus serve web.model --shadow new.model", "count what a new model would change" },
    { NULL, NULL },
};

const command command_serve = {
    .name = "serve",
    .summary = "answer scoring and ranking requests over HTTP",
    .usage = "gradus serve MODEL... [options]\ngradus serve --models FOLDER [options]",
    .description =
        "Scores, ranks and explains documents over HTTP, with JSON or binary tensors: POST /rank, "
        "POST /explain, and the Open Inference Protocol, version 2, under /v2. GET /openapi.json "
        "describes all requests, GET / is a page to look at rankings of the queries in --data, GET /metrics counts them for Prometheus, and "
        "docs/guide/serve.md has examples, limits and status codes.\n\n"
        "A MODEL is a file of gradus, XGBoost, LightGBM or RankLib. Its name in requests is that of "
        "the file without extension; NAME=FILE gives another one. Requests that name no model use "
        "the first.\n\n"
        "Model files that change are read again within a second, on SIGHUP, and by POST "
        "/models/NAME/reload. Replace files by renaming, never by writing into them. Requests that "
        "are being answered keep the model they began with; a file that cannot be read leaves the "
        "present model in use.\n\n"
        "SIGTERM and SIGINT stop the server: running requests are finished, for "
        "up to --stop-timeout seconds. The exit status is 0, or 1 if some were not.\n\n"
        "Only this machine can reach the default address. An address that others can reach needs "
        "--token-file, or --insecure.",
    .options = serve_options,
    .examples = serve_examples,
    .run = serve_run,
};
