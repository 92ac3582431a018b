/* SPDX-License-Identifier: Apache-2.0 */
/* GET /: the playground, a page to look at rankings; and the labelled data that it shows. */
#include "playground_data.h"
#include "request.h"

#include "handlers.h"

#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

__asm__(".pushsection .rodata\n"
        ".hidden playground_page\n"
        ".global playground_page\n"
        "playground_page:\n"
        ".incbin \"" PLAYGROUND_FILE "\"\n"
        ".hidden playground_page_end\n"
        ".global playground_page_end\n"
        "playground_page_end:\n"
        ".byte 0\n"
        ".popsection\n");
extern const char playground_page[] __attribute__((visibility("hidden")));
extern const char playground_page_end[] __attribute__((visibility("hidden")));

gradus_status handle_playground(request *r)
{
    gr_json_append(&r->out, playground_page,
                   (uintptr_t)playground_page_end - (uintptr_t)playground_page);
    GR_TRY(gr_json_done(&r->out, &r->err));
    request_answer(r, 200, "text/html; charset=utf-8");
    return GRADUS_OK;
}

static gradus_status answer(request *r)
{
    gr_json_close(&r->out, '}');
    GR_TRY(gr_json_done(&r->out, &r->err));
    request_answer(r, 200, "application/json");
    return GRADUS_OK;
}

/* ---- GET /data ---- */

static void put_feature(gr_json_writer *out, const char *name, size_t id)
{
    char number[32];

    snprintf(number, sizeof number, "%zu", id);
    gr_json_put_text(out, NULL, *name ? name : number);
}

/* Without data the page shows rows that the user pastes: they have the features of the first model. */
static gradus_status put_features(request *r, const playground_data *p)
{
    gr_json_open(&r->out, "features", '[');
    if (p) {
        const gradus_dataset *data = playground_data_rows(p);

        for (size_t f = 0; f < gradus_dataset_features(data); f++)
            put_feature(&r->out, gradus_dataset_feature_name(data, f),
                        f + gradus_dataset_first_id(data));
    } else {
        GR_TRY(request_take_model(r, NULL, NULL));
        for (size_t f = 0; f < r->model->info.features; f++)
            put_feature(&r->out, gradus_model_feature_name(r->model->model, f),
                        f + gradus_model_first_id(r->model->model));
    }
    gr_json_close(&r->out, ']');
    return GRADUS_OK;
}

static void put_metrics(gr_json_writer *out, const playground_data *p)
{
    const char *at = p ? playground_data_metrics(p) : "";
    char name[32];

    gr_json_open(out, "metrics", '[');
    while (*at) {
        const size_t length = strcspn(at, ",");

        snprintf(name, sizeof name, "%.*s", (int)length, at);
        gr_json_put_text(out, NULL, name);
        at += length + (at[length] == ',');
    }
    gr_json_close(out, ']');
}

/* The row after the last of a query. */
static size_t query_end(const gradus_arrays *a, size_t query)
{
    return a->query_starts ? (size_t)a->query_starts[query + 1] : a->rows;
}

static size_t query_start(const gradus_arrays *a, size_t query)
{
    return a->query_starts ? (size_t)a->query_starts[query] : 0;
}

static void put_queries(gr_json_writer *out, const playground_data *p)
{
    const size_t count = p ? gradus_dataset_queries(playground_data_rows(p)) : 0;
    const gradus_arrays *a = p ? playground_data_arrays(p) : NULL;

    gr_json_open(out, "queries", '[');
    for (size_t q = 0; q < count; q++) {
        gr_json_open(out, NULL, '{');
        gr_json_put_text(out, "name", gradus_dataset_query_name(playground_data_rows(p), q));
        gr_json_put_count(out, "documents", query_end(a, q) - query_start(a, q));
        gr_json_close(out, '}');
    }
    gr_json_close(out, ']');
}

gradus_status handle_data(request *r)
{
    const playground_data *p = playground_of(r->server);
    const char *path = p ? playground_data_path(p) : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;

    gr_json_open(&r->out, NULL, '{');
    if (path)
        gr_json_put_text(&r->out, "data", slash ? slash + 1 : path);
    else
        gr_json_put_null(&r->out, "data");
    GR_TRY(put_features(r, p));
    put_metrics(&r->out, p);
    gr_json_put_label(&r->out, "max_label", p ? (double)playground_data_max_label(p) : 0.0);
    put_queries(&r->out, p);
    return answer(r);
}

/* ---- GET /data/queries/{number} ---- */

/* The number in the path, from 1 to `most`, as index from 0. */
static gradus_status take_index(request *r, const char *what, size_t most, size_t *index)
{
    const char *end = r->name + strlen(r->name);
    uint64_t number;

    if (gr_parse_count(r->name, end, &number) != end || number < 1 || number > most)
        return request_refuse(r, ERROR_NOT_FOUND, "no %s '%s': the data have %zu", what, r->name,
                              most);
    *index = (size_t)number - 1;
    return GRADUS_OK;
}

static gradus_status take_data(request *r, playground_data **p)
{
    *p = playground_of(r->server);
    return *p ? GRADUS_OK
              : request_refuse(r, ERROR_NOT_FOUND, "the server has no data; start it with --data");
}

static void put_row(gr_json_writer *out, const gradus_dataset *data, const gradus_arrays *a,
                    size_t row)
{
    gr_json_open(out, NULL, '{');
    gr_json_put_text(out, "id", gradus_dataset_document_name(data, row));
    gr_json_put_label(out, "label", (double)a->labels[row]);
    gr_json_open(out, "features", '[');
    for (size_t f = 0; f < a->features; f++)
        gr_json_put_label(out, NULL, (double)playground_data_value(a, row, f));
    gr_json_close(out, ']');
    gr_json_close(out, '}');
}

gradus_status handle_data_query(request *r)
{
    const gradus_arrays *a;
    playground_data *p = NULL;
    size_t query = 0;

    GR_TRY(take_data(r, &p));
    GR_TRY(take_index(r, "query", gradus_dataset_queries(playground_data_rows(p)), &query));
    a = playground_data_arrays(p);
    gr_json_open(&r->out, NULL, '{');
    gr_json_put_text(&r->out, "name", gradus_dataset_query_name(playground_data_rows(p), query));
    gr_json_open(&r->out, "documents", '[');
    for (size_t row = query_start(a, query); row < query_end(a, query); row++)
        put_row(&r->out, playground_data_rows(p), a, row);
    gr_json_close(&r->out, ']');
    return answer(r);
}

/* ---- metrics by query ---- */

static gradus_status put_values(request *r, playground_data *p, const playground_scorer *scorer)
{
    gr_json_open(&r->out, NULL, '{');
    put_metrics(&r->out, p);
    GR_TRY(playground_data_put_values(p, scorer, &r->out, &r->err));
    return answer(r);
}

gradus_status handle_data_model(request *r)
{
    playground_scorer scorer = { .feature = SIZE_MAX };
    char key[MAX_NAME + MAX_VERSION + 32];
    playground_data *p = NULL;

    GR_TRY(take_data(r, &p));
    GR_TRY(request_take_model(r, r->name, r->version));
    snprintf(key, sizeof key, "model %s/%s %s", r->model->name, r->model->version,
             r->model->fingerprint);
    scorer.key = key;
    scorer.model = r->model->model;
    return put_values(r, p, &scorer);
}

gradus_status handle_data_feature(request *r)
{
    playground_scorer scorer = { .model = NULL };
    char key[64];
    playground_data *p = NULL;

    GR_TRY(take_data(r, &p));
    GR_TRY(take_index(r, "feature", playground_data_arrays(p)->features, &scorer.feature));
    snprintf(key, sizeof key, "feature %zu", scorer.feature);
    scorer.key = key;
    return put_values(r, p, &scorer);
}

gradus_status handle_data_ideal(request *r)
{
    const playground_scorer scorer = { .key = "ideal", .feature = SIZE_MAX };
    playground_data *p = NULL;

    GR_TRY(take_data(r, &p));
    return put_values(r, p, &scorer);
}
