/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the access log. */
#include "access_log.h"

#include <time.h>

void access_log_add(FILE *log, const request *r)
{
    gr_json_writer line = { .layout = GR_JSON_LINE };
    struct timespec now;
    struct tm utc;
    char stamp[64];

    if (!log || !r->status)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    snprintf(stamp, sizeof stamp, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900,
             utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
             (int)(now.tv_nsec / 1000000));
    gr_json_open(&line, NULL, '{');
    gr_json_put_text(&line, "time", stamp);
    gr_json_put_text(&line, "method", r->method);
    gr_json_put_text(&line, "path", r->path);
    gr_json_put_count(&line, "status", r->status);
    gr_json_put_number(&line, "seconds", clock_seconds() - r->started);
    gr_json_put_count(&line, "request_bytes", r->body_size);
    gr_json_put_count(&line, "response_bytes", r->out.used);
    gr_json_put_count(&line, "rows", r->rows);
    if (r->model) {
        gr_json_put_text(&line, "model", r->model->name);
        gr_json_put_text(&line, "version", r->model->version);
    }
    if (r->kind < ERROR_KINDS)
        gr_json_put_text(&line, "error", r->err.message);
    gr_json_close(&line, '}');
    gr_json_append(&line, "\n", 1);
    if (!line.failed) { /* one call, so that lines of several threads are not mixed */
        fwrite(line.bytes.at, 1, line.used, log);
        fflush(log);
    }
    gr_json_writer_free(&line);
}
