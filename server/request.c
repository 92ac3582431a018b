/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of a request, its body and its answer. */
#include "request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

enum { KEEP_BYTES = 4 << 20 }; /* larger buffers are freed after the request */

double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

gradus_status request_refuse(request *r, error_kind kind, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(r->err.message, sizeof r->err.message, format, list);
    va_end(list);
    r->kind = kind;
    return r->err.status = GRADUS_BAD_ARGUMENT;
}

gradus_status request_take_model(request *r, const char *name, const char *version)
{
    served *found = registry_take(registry_of(r->server), name, version);

    if (!found)
        return version && *version
                   ? request_refuse(r, ERROR_NOT_FOUND, "no model '%s' with version '%s'", name,
                                    version)
                   : request_refuse(r, ERROR_NOT_FOUND, "no model '%s'", name);
    served_release(r->model);
    r->model = found;
    return GRADUS_OK;
}

gradus_status request_reserve(request *r, gr_array *array, size_t count, size_t size)
{
    size_t bytes;

    if (!gr_size_times(count, size, &bytes) || !gr_array_reserve(array, bytes))
        return gr_fail_memory(&r->err, "the request");
    return GRADUS_OK;
}

void request_answer(request *r, unsigned status, const char *content_type)
{
    r->status = status;
    r->content_type = content_type;
}

/* The status of each kind of error. */
static const unsigned statuses[ERROR_KINDS] = {
    [ERROR_SYNTAX] = 400,      [ERROR_TOKEN] = 401,     [ERROR_NOT_FOUND] = 404,
    [ERROR_METHOD] = 405,      [ERROR_TOO_LARGE] = 413, [ERROR_MEDIA_TYPE] = 415,
    [ERROR_CONTENT] = 422,     [ERROR_BUSY] = 429,      [ERROR_INTERNAL] = 500,
    [ERROR_UNAVAILABLE] = 503,
};

static error_kind kind_of(gradus_status status)
{
    switch (status) {
    case GRADUS_BAD_FORMAT:
        return ERROR_SYNTAX;
    case GRADUS_BAD_ARGUMENT:
    case GRADUS_BAD_NUMBER:
        return ERROR_CONTENT;
    case GRADUS_NO_MEMORY:
        return ERROR_UNAVAILABLE;
    default:
        return ERROR_INTERNAL;
    }
}

static void clear_out(request *r)
{
    r->out = (gr_json_writer){ .layout = GR_JSON_FILE, .bytes = r->out.bytes };
}

void request_answer_error(request *r)
{
    static const char fallback[] = "{\"error\":\"no memory for the answer\"}";

    if (r->kind == ERROR_KINDS)
        r->kind = kind_of(r->err.status);
    clear_out(r);
    gr_json_open(&r->out, NULL, '{');
    gr_json_put_text(&r->out, "error", r->err.message);
    gr_json_close(&r->out, '}');
    if (r->out.failed) {
        r->out.failed = false;
        r->out.used = 0;
        gr_json_append(&r->out, fallback, sizeof fallback - 1);
    }
    r->header_size = 0;
    request_answer(r, statuses[r->kind], "application/json");
}

static void forget_large(gr_array *array)
{
    if (array->capacity > KEEP_BYTES)
        gr_array_free(array);
}

static gr_array *buffer_at(request *r, size_t index)
{
    gr_array *const all[] = {
        &r->body,   &r->inflated,      &r->values, &r->ids,     &r->texts,
        &r->scores, &r->probabilities, &r->order,  &r->scratch, &r->out.bytes
    };

    return index < sizeof all / sizeof *all ? all[index] : NULL;
}

void request_reset(request *r)
{
    served_release(r->model);
    r->model = NULL;
    for (size_t i = 0; buffer_at(r, i); i++)
        forget_large(buffer_at(r, i));
    clear_out(r);
    r->route = NULL;
    r->name[0] = r->version[0] = '\0';
    r->body_size = r->content_size = r->rows = r->header_size = 0;
    r->json_size = SIZE_MAX;
    r->content = NULL;
    r->status = 0;
    r->kind = ERROR_KINDS;
    r->err = (gradus_error){ GRADUS_OK, "" };
}

void request_free(request *r)
{
    if (!r)
        return;
    request_reset(r);
    for (size_t i = 0; buffer_at(r, i); i++)
        gr_array_free(buffer_at(r, i));
    free(r);
}

/* Decompresses into r->inflated, which grows up to max_body + 1 bytes: one more shows that it is too
 * much. */
static gradus_status inflate_all(request *r, z_stream *z, size_t max_body)
{
    size_t used = 0;
    int end = Z_OK;

    z->next_in = r->body.at;
    z->avail_in = (uInt)r->body_size;
    while (end == Z_OK) {
        size_t space = used < 65536 ? 65536 : 2 * used;

        space = space > max_body + 1 ? max_body + 1 : space;
        if (space == used)
            return request_refuse(r, ERROR_TOO_LARGE,
                                  "the decompressed body has more than %zu bytes", max_body);
        GR_TRY(request_reserve(r, &r->inflated, space, 1));
        z->next_out = (Bytef *)r->inflated.at + used;
        z->avail_out = (uInt)(space - used);
        end = inflate(z, Z_NO_FLUSH);
        used = space - z->avail_out;
        if (end == Z_OK && z->avail_in == 0 && z->avail_out > 0)
            break; /* truncated */
    }
    if (end != Z_STREAM_END || z->avail_in)
        return request_refuse(r, ERROR_SYNTAX, "the body is not valid gzip data");
    if (used > max_body)
        return request_refuse(r, ERROR_TOO_LARGE, "the decompressed body has more than %zu bytes",
                              max_body);
    r->content = r->inflated.at;
    r->content_size = used;
    return GRADUS_OK;
}

gradus_status request_decode(request *r, const char *encoding, size_t max_body)
{
    z_stream z = { 0 };
    gradus_status status;

    r->content = r->body.at;
    r->content_size = r->body_size;
    if (!encoding || strcasecmp(encoding, "identity") == 0)
        return GRADUS_OK;
    if (strcasecmp(encoding, "gzip") != 0 && strcasecmp(encoding, "x-gzip") != 0)
        return request_refuse(r, ERROR_MEDIA_TYPE,
                              "Content-Encoding '%.50s' is not gzip or identity", encoding);
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return gr_fail_memory(&r->err, "decompression");
    status = inflate_all(r, &z, max_body);
    inflateEnd(&z);
    return status;
}
