/* SPDX-License-Identifier: Apache-2.0 */
/* GET /openapi.json: the routes of routes.def and the schemas of schemas.json. */
#include "routes.h"

#include "handlers.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

__asm__(".pushsection .rodata\n"
        ".hidden server_schemas\n"
        ".global server_schemas\n"
        "server_schemas:\n"
        ".incbin \"" SCHEMAS_FILE "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char server_schemas[] __attribute__((visibility("hidden")));

static void put_schema(gr_json_writer *out, const char *name)
{
    char reference[128];

    snprintf(reference, sizeof reference, "#/components/schemas/%s", name);
    gr_json_open(out, "content", '{');
    gr_json_open(out, "application/json", '{');
    gr_json_open(out, "schema", '{');
    gr_json_put_text(out, "$ref", reference);
    gr_json_close(out, '}');
    gr_json_close(out, '}');
    gr_json_close(out, '}');
}

static void put_response(gr_json_writer *out, const char *status, const char *description,
                         const char *schema)
{
    gr_json_open(out, status, '{');
    gr_json_put_text(out, "description", description);
    if (schema)
        put_schema(out, schema);
    gr_json_close(out, '}');
}

static void put_responses(gr_json_writer *out, const route *which)
{
    gr_json_open(out, "responses", '{');
    put_response(out, "200", "the answer", which->response_schema);
    if (which->request_schema) {
        put_response(out, "400", "the body is not valid JSON, or damaged", "Error");
        put_response(out, "413", "the body or the number of rows exceeds a limit", "Error");
        put_response(out, "415", "the content type or encoding is not supported", "Error");
        put_response(out, "422", "the request does not fit the model", "Error");
        put_response(out, "429", "too many requests at the same time", "Error");
    }
    if (!which->open)
        put_response(out, "401", "no token, or a wrong one", "Error");
    if (strchr(which->pattern, '{') || which->request_schema)
        put_response(out, "404", "no such model or version", "Error");
    put_response(out, "503", "the server is stopping or out of memory", "Error");
    gr_json_close(out, '}');
}

static void put_parameter(gr_json_writer *out, const char *name)
{
    gr_json_open(out, NULL, '{');
    gr_json_put_text(out, "name", name);
    gr_json_put_text(out, "in", "path");
    gr_json_put_flag(out, "required", true);
    gr_json_open(out, "schema", '{');
    gr_json_put_text(out, "type", "string");
    gr_json_close(out, '}');
    gr_json_close(out, '}');
}

static void put_operation(gr_json_writer *out, const route *which)
{
    gr_json_open(out, strcmp(which->method, "GET") == 0 ? "get" : "post", '{');
    gr_json_put_text(out, "summary", which->summary);
    if (strchr(which->pattern, '{')) {
        gr_json_open(out, "parameters", '[');
        put_parameter(out, strstr(which->pattern, "{number}") ? "number" : "name");
        if (strstr(which->pattern, "{version}"))
            put_parameter(out, "version");
        gr_json_close(out, ']');
    }
    if (which->request_schema) {
        gr_json_open(out, "requestBody", '{');
        gr_json_put_flag(out, "required", true);
        put_schema(out, which->request_schema);
        gr_json_close(out, '}');
    }
    put_responses(out, which);
    gr_json_close(out, '}');
}

/* Every path has one method. */
static void put_paths(gr_json_writer *out)
{
    const route *which;

    gr_json_open(out, "paths", '{');
    for (size_t i = 0; (which = route_at(i)); i++) {
        gr_json_open(out, which->pattern, '{');
        put_operation(out, which);
        gr_json_close(out, '}');
    }
    gr_json_close(out, '}');
}

gradus_status handle_openapi(request *r)
{
    gr_json_writer *out = &r->out;

    gr_json_open(out, NULL, '{');
    gr_json_put_text(out, "openapi", "3.0.3");
    gr_json_open(out, "info", '{');
    gr_json_put_text(out, "title", "gradus");
    gr_json_put_text(out, "version", gradus_version());
    gr_json_open(out, "license", '{');
    gr_json_put_text(out, "name", "Apache-2.0");
    gr_json_close(out, '}');
    gr_json_close(out, '}');
    put_paths(out);
    gr_json_open(out, "components", '{');
    gr_json_put_raw(out, "schemas", server_schemas);
    gr_json_close(out, '}');
    gr_json_close(out, '}');
    GR_TRY(gr_json_done(out, &r->err));
    request_answer(r, 200, "application/json");
    return GRADUS_OK;
}
