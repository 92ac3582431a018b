/* SPDX-License-Identifier: Apache-2.0 */
/* Health and metadata of the server and of its models, and reloading a model. */
#include "handlers.h"

#include <string.h>

static gradus_status answer(request *r)
{
    GR_TRY(gr_json_done(&r->out, &r->err));
    request_answer(r, 200, "application/json");
    return GRADUS_OK;
}

gradus_status handle_live(request *r)
{
    gr_json_open(&r->out, NULL, '{');
    gr_json_put_flag(&r->out, "live", true);
    gr_json_close(&r->out, '}');
    return answer(r);
}

gradus_status handle_ready(request *r)
{
    if (server_is_stopping(r->server))
        return request_refuse(r, ERROR_UNAVAILABLE, "the server is stopping");
    gr_json_open(&r->out, NULL, '{');
    gr_json_put_flag(&r->out, "ready", true);
    gr_json_close(&r->out, '}');
    return answer(r);
}

gradus_status handle_server_metadata(request *r)
{
    gr_json_open(&r->out, NULL, '{');
    gr_json_put_text(&r->out, "name", "gradus");
    gr_json_put_text(&r->out, "version", gradus_version());
    gr_json_open(&r->out, "extensions", '[');
    gr_json_put_text(&r->out, NULL, "binary_tensor_data");
    gr_json_put_text(&r->out, NULL, "rank");
    gr_json_put_text(&r->out, NULL, "explain");
    gr_json_close(&r->out, ']');
    gr_json_close(&r->out, '}');
    return answer(r);
}

gradus_status handle_model_ready(request *r)
{
    GR_TRY(request_take_model(r, r->name, r->version));
    gr_json_open(&r->out, NULL, '{');
    gr_json_put_text(&r->out, "name", r->model->name);
    gr_json_put_flag(&r->out, "ready", true);
    gr_json_close(&r->out, '}');
    return answer(r);
}

static void put_tensor(gr_json_writer *out, const char *name, const char *datatype, size_t columns)
{
    gr_json_open(out, NULL, '{');
    gr_json_put_text(out, "name", name);
    gr_json_put_text(out, "datatype", datatype);
    gr_json_open(out, "shape", '[');
    gr_json_put_raw(out, NULL, "-1");
    if (columns)
        gr_json_put_count(out, NULL, columns);
    gr_json_close(out, ']');
    gr_json_close(out, '}');
}

typedef struct version_list {
    request *r;
} version_list;

static void put_version(void *user, const served *s)
{
    request *r = ((version_list *)user)->r;

    if (strcmp(s->name, r->model->name) == 0)
        gr_json_put_text(&r->out, NULL, s->version);
}

static void put_feature_names(request *r)
{
    gr_json_open(&r->out, "features", '[');
    for (size_t f = 0; f < r->model->info.features; f++) {
        const char *name = gradus_model_feature_name(r->model->model, f);

        if (*name)
            gr_json_put_text(&r->out, NULL, name);
        else
            gr_json_put_count(&r->out, NULL, f + gradus_model_first_id(r->model->model));
    }
    gr_json_close(&r->out, ']');
}

static void put_properties(request *r)
{
    const gradus_model_info *info = &r->model->info;

    gr_json_open(&r->out, "properties", '{');
    gr_json_put_text(&r->out, "method", info->method);
    gr_json_put_text(&r->out, "scoring", info->scoring);
    gr_json_put_text(&r->out, "fingerprint", r->model->fingerprint);
    gr_json_close(&r->out, '}');
}

gradus_status handle_model_metadata(request *r)
{
    const gradus_model_info *info;
    version_list all = { r };

    GR_TRY(request_take_model(r, r->name, r->version));
    info = &r->model->info;
    gr_json_open(&r->out, NULL, '{');
    gr_json_put_text(&r->out, "name", r->model->name);
    gr_json_open(&r->out, "versions", '[');
    registry_each(registry_of(r->server), put_version, &all);
    gr_json_close(&r->out, ']');
    gr_json_put_text(&r->out, "platform", "gradus_model");
    gr_json_open(&r->out, "inputs", '[');
    put_tensor(&r->out, "features", "FP32", info->features);
    gr_json_close(&r->out, ']');
    gr_json_open(&r->out, "outputs", '[');
    put_tensor(&r->out, "scores", "FP64", 0);
    if (info->probabilities)
        put_tensor(&r->out, "probabilities", "FP64", info->grades);
    gr_json_close(&r->out, ']');
    put_properties(r);
    put_feature_names(r);
    if (info->grades) {
        gr_json_open(&r->out, "grades", '[');
        for (size_t g = 0; g < info->grades; g++)
            gr_json_put_label(&r->out, NULL, info->grade_values[g]);
        gr_json_close(&r->out, ']');
    }
    gr_json_close(&r->out, '}');
    return answer(r);
}

static void put_model(void *user, const served *s)
{
    gr_json_writer *out = user;

    gr_json_open(out, NULL, '{');
    gr_json_put_text(out, "name", s->name);
    gr_json_put_text(out, "version", s->version);
    gr_json_put_text(out, "method", s->info.method);
    gr_json_put_count(out, "features", s->info.features);
    gr_json_put_flag(out, "probabilities", s->info.probabilities);
    gr_json_put_text(out, "fingerprint", s->fingerprint);
    gr_json_close(out, '}');
}

gradus_status handle_models(request *r)
{
    gr_json_open(&r->out, NULL, '{');
    gr_json_open(&r->out, "models", '[');
    registry_each(registry_of(r->server), put_model, &r->out);
    gr_json_close(&r->out, ']');
    gr_json_close(&r->out, '}');
    return answer(r);
}

gradus_status handle_reload(request *r)
{
    GR_TRY(request_take_model(r, r->name, NULL));
    if (registry_reload(registry_of(r->server), r->name, &r->err) != GRADUS_OK) {
        r->kind = ERROR_INTERNAL;
        return r->err.status;
    }
    GR_TRY(request_take_model(r, r->name, NULL));
    gr_json_open(&r->out, NULL, '{');
    gr_json_put_text(&r->out, "name", r->model->name);
    gr_json_put_text(&r->out, "version", r->model->version);
    gr_json_put_text(&r->out, "fingerprint", r->model->fingerprint);
    gr_json_close(&r->out, '}');
    return answer(r);
}
