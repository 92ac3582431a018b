/* SPDX-License-Identifier: Apache-2.0 */
/* POST /rank and POST /explain: scores documents, sorts them, and explains scores. */
#include "rank_documents.h"

#include "explain_documents.h"
#include "rows.h"
#include "shadow.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_score(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row; /* ties keep the order of the request */
}

gradus_status rank_scores(request *r, const double *scores, size_t rows, gr_array *order)
{
    ranked *items;

    GR_TRY(request_reserve(r, order, rows + 1, sizeof(ranked)));
    items = order->at;
    for (size_t i = 0; i < rows; i++)
        items[i] = (ranked){ scores[i], (uint32_t)i };
    qsort(items, rows, sizeof *items, by_score);
    return GRADUS_OK;
}

/* ---- the members of the request ---- */

static gradus_status read_text(request *r, gr_json_scan *scan, const char *key, char *text,
                               size_t size)
{
    size_t length;

    GR_TRY(request_reserve(r, &r->scratch, (size_t)(scan->end - scan->at) + 1, 1));
    GR_TRY(gr_json_scan_string(scan, r->scratch.at, &length));
    if (length >= size)
        return request_refuse(r, ERROR_CONTENT, "'%s' has more than %zu characters", key, size - 1);
    memcpy(text, r->scratch.at, length + 1);
    return GRADUS_OK;
}

static gradus_status read_count(request *r, gr_json_scan *scan, const char *key, size_t *count)
{
    const gr_json_kind kind = gr_json_scan_kind(scan);
    const char *text;
    size_t length;
    uint64_t value;
    bool flag;

    if (kind == GR_JSON_FLAG) { /* true: all */
        GR_TRY(gr_json_scan_flag(scan, &flag));
        *count = flag ? SIZE_MAX : 0;
        return GRADUS_OK;
    }
    GR_TRY(gr_json_scan_number(scan, &text, &length));
    if (gr_parse_count(text, text + length, &value) != text + length || value > SIZE_MAX)
        return request_refuse(r, ERROR_CONTENT, "'%s' is not a whole number from 0", key);
    *count = (size_t)value;
    return GRADUS_OK;
}

/* An option of "score": text as on the command line, or a number. */
static gradus_status read_option(request *r, gr_json_scan *scan, ranking *k, const char *name)
{
    char value[512];
    const char *number;
    size_t length;

    if (gr_json_scan_kind(scan) == GR_JSON_NUMBER) {
        GR_TRY(gr_json_scan_number(scan, &number, &length));
        if (length >= sizeof value)
            return request_refuse(r, ERROR_CONTENT, "'%s' is too long", name);
        memcpy(value, number, length);
        value[length] = '\0';
    } else {
        GR_TRY(read_text(r, scan, name, value, sizeof value));
    }
    if (!k->options && !(k->options = gradus_options_new("score", &r->err)))
        return r->err.status;
    GR_TRY(gradus_options_set(k->options, name, value, &r->err));
    length = strlen(k->options_key);
    if ((size_t)snprintf(k->options_key + length, sizeof k->options_key - length, "%s=%s\n", name,
                         value) >= sizeof k->options_key - length)
        return request_refuse(r, ERROR_CONTENT, "the scoring options are too long");
    return GRADUS_OK;
}

static gradus_status read_documents(request *r, gr_json_scan *scan, ranking *k)
{
    if (k->documents)
        return request_refuse(r, ERROR_CONTENT, "'documents' is given twice");
    k->documents = scan->at;
    /* The model, which determines the columns, may come later in the request. */
    if (!r->model && !r->name[0] && registry_count(registry_of(r->server)) > 1)
        return gr_json_scan_skip(scan);
    if (!r->model)
        GR_TRY(request_take_model(r, r->name, r->version));
    k->read = true;
    return rows_read_documents(r, scan);
}

static gradus_status read_top_member(request *r, gr_json_scan *scan, ranking *k)
{
    char key[64];
    size_t length;
    gradus_param param;

    GR_TRY(request_reserve(r, &r->scratch, (size_t)(scan->end - scan->at) + 1, 1));
    GR_TRY(gr_json_scan_key(scan, r->scratch.at, &length));
    if (length >= sizeof key)
        return request_refuse(r, ERROR_CONTENT, "unknown member '%.100s'", (char *)r->scratch.at);
    memcpy(key, r->scratch.at, length + 1);
    if (strcmp(key, "documents") == 0)
        return read_documents(r, scan, k);
    if (strcmp(key, "model") == 0)
        return read_text(r, scan, key, k->model, sizeof k->model);
    if (strcmp(key, "version") == 0)
        return read_text(r, scan, key, k->version, sizeof k->version);
    if (strcmp(key, "against") == 0)
        return read_text(r, scan, key, k->against, sizeof k->against);
    if (strcmp(key, "explain") == 0)
        return read_text(r, scan, key, k->explain, sizeof k->explain);
    if (strcmp(key, "top") == 0)
        return read_count(r, scan, key, &k->top);
    if (strcmp(key, "contributions") == 0)
        return read_count(r, scan, key, &k->contributions);
    if (strcmp(key, "probabilities") == 0)
        return gr_json_scan_flag(scan, &k->probabilities);
    if (gradus_param_find("score", key, &param))
        return read_option(r, scan, k, param.name);
    return request_refuse(r, ERROR_CONTENT, "unknown member '%s'", key);
}

/* Takes the model named in the body, which must not contradict the path. */
static gradus_status take_named_model(request *r, ranking *k)
{
    const bool other_name = k->model[0] && strcmp(k->model, r->model ? r->model->name : "") != 0;
    const bool other_version =
        k->version[0] && strcmp(k->version, r->model ? r->model->version : "") != 0;

    if (r->model && !other_name && !other_version)
        return GRADUS_OK;
    if (r->name[0] && k->model[0] && strcmp(r->name, k->model) != 0)
        return request_refuse(r, ERROR_CONTENT, "the path names model '%s', the body '%s'", r->name,
                              k->model);
    k->read = false; /* the columns may be others */
    return request_take_model(r, k->model[0] ? k->model : r->name,
                              k->version[0] ? k->version : r->version);
}

static gradus_status read_request(request *r, ranking *k)
{
    gr_json_scan scan = gr_json_scan_new(r->content, r->content_size, &r->err);
    bool first = true, more;

    GR_TRY(gr_json_scan_open(&scan, '{'));
    for (;;) {
        GR_TRY(gr_json_scan_next(&scan, '}', &first, &more));
        if (!more)
            break;
        GR_TRY(read_top_member(r, &scan, k));
    }
    GR_TRY(gr_json_scan_end(&scan));
    if (!k->documents)
        return request_refuse(r, ERROR_CONTENT, "'documents' is missing");
    GR_TRY(take_named_model(r, k));
    if (k->read)
        return GRADUS_OK;
    scan.at = k->documents;
    scan.depth = 1;
    return rows_read_documents(r, &scan);
}

/* ---- scores ---- */

static gradus_status score(request *r, ranking *k)
{
    const size_t features = r->model->info.features;
    const size_t grades = k->probabilities ? r->model->info.grades : 0;

    k->scorer = r->model->model;
    if (k->options && !(k->scorer = served_rescored(r->model, k->options_key, k->options,
                                                    &k->temporary, &r->err)))
        return r->err.status;
    GR_TRY(request_reserve(r, &r->scores, r->rows + 1, sizeof(double)));
    GR_TRY(request_reserve(r, &r->probabilities, r->rows * grades + 1, sizeof(double)));
    GR_TRY(gradus_model_score_rows(k->scorer, r->values.at, r->rows, features, features,
                                   r->scores.at, k->probabilities ? r->probabilities.at : NULL,
                                   &r->err));
    count_rows(r->model->statistics, r->scores.at, r->rows);
    return rank_scores(r, r->scores.at, r->rows, &r->order);
}

/* ---- the answer ---- */

static void put_document(request *r, const ranking *k, size_t place)
{
    const ranked *at = (const ranked *)r->order.at + place;
    const size_t grades = r->model->info.grades;

    gr_json_open(&r->out, NULL, '{');
    rows_put_id(r, "id", at->row);
    gr_json_put_count(&r->out, "rank", place + 1);
    gr_json_put_number(&r->out, "score", at->score);
    if (k->probabilities) {
        gr_json_open(&r->out, "probabilities", '[');
        for (size_t g = 0; g < grades; g++)
            gr_json_put_number(&r->out, NULL,
                               ((double *)r->probabilities.at)[at->row * grades + g]);
        gr_json_close(&r->out, ']');
    }
    if (k->explained && k->explained_place == SIZE_MAX)
        put_contributions(r, k, place);
    else if (k->explained && k->explained_place == place)
        put_contributions(r, k, 0);
    gr_json_close(&r->out, '}');
}

static void put_answer(request *r, const ranking *k)
{
    const size_t shown = k->top && k->top < r->rows ? k->top : r->rows;

    gr_json_open(&r->out, NULL, '{');
    gr_json_put_text(&r->out, "model", r->model->name);
    gr_json_put_text(&r->out, "version", r->model->version);
    if (k->probabilities) {
        gr_json_open(&r->out, "grades", '[');
        for (size_t g = 0; g < r->model->info.grades; g++)
            gr_json_put_label(&r->out, NULL, r->model->info.grade_values[g]);
        gr_json_close(&r->out, ']');
    }
    gr_json_open(&r->out, "documents", '[');
    for (size_t place = 0; place < shown; place++)
        put_document(r, k, place);
    gr_json_close(&r->out, ']');
    gr_json_close(&r->out, '}');
}

static gradus_status rank_documents(request *r, ranking *k)
{
    GR_TRY(read_request(r, k));
    GR_TRY(score(r, k));
    if (r->rows)
        shadow_score(r);
    if (k->contributions)
        GR_TRY(explain_top(r, k));
    put_answer(r, k);
    GR_TRY(gr_json_done(&r->out, &r->err));
    request_answer(r, 200, "application/json");
    return GRADUS_OK;
}

static gradus_status run(request *r, ranking *k)
{
    const gradus_status status = rank_documents(r, k);

    gradus_explanation_free(k->explained);
    gradus_model_free(k->temporary);
    gradus_options_free(k->options);
    return status;
}

gradus_status handle_rank(request *r)
{
    ranking k = { .against = "mean", .explained_place = SIZE_MAX };

    return run(r, &k);
}

gradus_status handle_explain(request *r)
{
    ranking k = { .against = "query", .contributions = SIZE_MAX, .explained_place = SIZE_MAX };

    return run(r, &k);
}
