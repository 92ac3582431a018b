/* SPDX-License-Identifier: Apache-2.0 */
/* GET /metrics: the counters in the text format of Prometheus. */
#include "routes.h"

#include "handlers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put(gr_json_writer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(gr_json_writer *out, const char *format, ...)
{
    char line[512];
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    gr_json_append(out, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
}

static void put_head(gr_json_writer *out, const char *name, const char *type, const char *help)
{
    put(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_number(gr_json_writer *out, double number)
{
    char text[GRADUS_NUMBER_SIZE];

    gr_json_append(out, text, gradus_number_format(number, text));
}

static uint64_t load(const atomic_uint_fast64_t *counter)
{
    return (uint64_t)atomic_load_explicit(counter, memory_order_relaxed);
}

static void put_requests(gr_json_writer *out, server_counters *c)
{
    const route *which;

    put_head(out, "gradus_requests_total", "counter", "Requests by route.");
    for (size_t i = 0; (which = route_at(i)); i++)
        put(out, "gradus_requests_total{method=\"%s\",route=\"%s\"} %llu\n", which->method,
            which->pattern, (unsigned long long)load(&c->requests[i]));
    put_head(out, "gradus_request_errors_total", "counter", "Requests that failed, by kind.");
    for (size_t k = 0; k < ERROR_KINDS; k++)
        put(out, "gradus_request_errors_total{kind=\"%s\"} %llu\n", error_kind_names[k],
            (unsigned long long)load(&c->errors[k]));
    put_head(out, "gradus_requests_in_progress", "gauge", "Requests being answered.");
    put(out, "gradus_requests_in_progress %zu\n", atomic_load(&c->answering));
}

static void put_latency(gr_json_writer *out, const route *which, const latency_histogram *h)
{
    uint64_t sum = 0;

    for (size_t b = 0; b <= LATENCY_BUCKETS; b++) {
        sum += load(&h->counts[b]);
        put(out, "gradus_request_seconds_bucket{method=\"%s\",route=\"%s\",le=\"", which->method,
            which->pattern);
        if (b < LATENCY_BUCKETS)
            put_number(out, latency_bounds[b]);
        else
            put(out, "+Inf");
        put(out, "\"} %llu\n", (unsigned long long)sum);
    }
    put(out, "gradus_request_seconds_sum{method=\"%s\",route=\"%s\"} ", which->method,
        which->pattern);
    put_number(out, (double)load(&h->microseconds) * 1e-6);
    put(out, "\ngradus_request_seconds_count{method=\"%s\",route=\"%s\"} %llu\n", which->method,
        which->pattern, (unsigned long long)sum);
}

static void put_latencies(gr_json_writer *out, server_counters *c)
{
    const route *which;

    put_head(out, "gradus_request_seconds", "histogram",
             "Seconds from the first byte of a request to its answer, by route.");
    for (size_t i = 0; (which = route_at(i)); i++)
        if (load(&c->requests[i])) /* routes in use */
            put_latency(out, which, &c->latency[i]);
}

/* One family of metrics must be written without a gap, so each visits the models again. */
static void put_info(void *user, const served *s)
{
    put(user, "gradus_model_info{model=\"%s\",version=\"%s\",method=\"%s\",fingerprint=\"%s\"} 1\n",
        s->name, s->version, s->info.method, s->fingerprint);
}

/* The counters belong to names: the highest version, which comes last, writes them. */
typedef struct name_visit {
    gr_json_writer *out;
    void (*put)(gr_json_writer *out, const served *s);
    const char *last;
} name_visit;

static void visit_name(void *user, const served *s)
{
    name_visit *v = user;

    if (!v->last || strcmp(v->last, s->name) != 0)
        v->put(v->out, s);
    v->last = s->name;
}

static void put_rows(gr_json_writer *out, const served *s)
{
    put(out, "gradus_rows_total{model=\"%s\"} %llu\n", s->name,
        (unsigned long long)load(&s->statistics->rows));
}

static void put_reloads(gr_json_writer *out, const served *s)
{
    put(out,
        "gradus_model_reloads_total{model=\"%s\",result=\"ok\"} %llu\n"
        "gradus_model_reloads_total{model=\"%s\",result=\"failed\"} %llu\n",
        s->name, (unsigned long long)load(&s->statistics->reloads), s->name,
        (unsigned long long)load(&s->statistics->failed_reloads));
}

static void put_scores(gr_json_writer *out, const served *s)
{
    uint64_t sum = 0;

    for (size_t b = 0; b <= SCORE_BUCKETS; b++) {
        sum += load(&s->statistics->scores[b]);
        put(out, "gradus_score_bucket{model=\"%s\",le=\"", s->name);
        if (b < SCORE_BUCKETS)
            put_number(out, score_bounds[b]);
        else
            put(out, "+Inf");
        put(out, "\"} %llu\n", (unsigned long long)sum);
    }
    put(out, "gradus_score_sum{model=\"%s\"} ", s->name);
    put_number(out, (double)atomic_load(&s->statistics->score_sum) * 1e-6);
    put(out, "\ngradus_score_count{model=\"%s\"} %llu\n", s->name, (unsigned long long)sum);
}

static void put_names(request *r, const char *name, const char *type, const char *help,
                      void (*put_one)(gr_json_writer *out, const served *s))
{
    name_visit v = { .out = &r->out, .put = put_one };

    put_head(&r->out, name, type, help);
    registry_each(registry_of(r->server), visit_name, &v);
}

static void put_shadow(gr_json_writer *out, shadow_statistics *s)
{
    put_head(out, "gradus_shadow_requests_total", "counter",
             "Requests scored by the shadow model.");
    put(out, "gradus_shadow_requests_total %llu\n", (unsigned long long)load(&s->requests));
    put_head(out, "gradus_shadow_failures_total", "counter", "Of these, failed.");
    put(out, "gradus_shadow_failures_total %llu\n", (unsigned long long)load(&s->failures));
    put_head(out, "gradus_shadow_rows_total", "counter", "Documents ranked by the shadow model.");
    put(out, "gradus_shadow_rows_total %llu\n", (unsigned long long)load(&s->rows));
    put_head(out, "gradus_shadow_moved_total", "counter", "Documents that it ranks differently.");
    put(out, "gradus_shadow_moved_total %llu\n", (unsigned long long)load(&s->moved));
    put_head(out, "gradus_shadow_rank_differences_total", "counter",
             "Sum of the absolute differences of ranks.");
    put(out, "gradus_shadow_rank_differences_total %llu\n",
        (unsigned long long)load(&s->rank_differences));
    put_head(out, "gradus_shadow_first_changed_total", "counter",
             "Requests whose first document it would change.");
    put(out, "gradus_shadow_first_changed_total %llu\n",
        (unsigned long long)load(&s->first_changed));
}

gradus_status handle_metrics(request *r)
{
    server_counters *c = counters_of(r->server);

    put_requests(&r->out, c);
    put_latencies(&r->out, c);
    put_head(&r->out, "gradus_model_info", "gauge", "Models being served.");
    registry_each(registry_of(r->server), put_info, &r->out);
    put_names(r, "gradus_rows_total", "counter", "Rows scored.", put_rows);
    put_names(r, "gradus_model_reloads_total", "counter", "Times that a model was read again.",
              put_reloads);
    put_names(r, "gradus_score", "histogram", "Scores; a shift of them shows drift.", put_scores);
    if (shadow_of(r->server))
        put_shadow(&r->out, &c->shadow);
    GR_TRY(gr_json_done(&r->out, &r->err));
    request_answer(r, 200, "text/plain; version=0.0.4; charset=utf-8");
    return GRADUS_OK;
}
