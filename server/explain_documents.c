/* SPDX-License-Identifier: Apache-2.0 */
/* Explains ranked documents: against the training mean, the other documents, or one document. */
#include "explain_documents.h"

#include "rows.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The row of the document with this id. */
static bool find_document(const request *r, const char *id, size_t *row)
{
    const document_id *ids = r->ids.at;
    uint64_t position;

    for (size_t i = 0; i < r->rows; i++)
        if (ids[i].start != SIZE_MAX && strcmp((const char *)r->texts.at + ids[i].start, id) == 0) {
            *row = i;
            return true;
        }
    if (gr_parse_count(id, id + strlen(id), &position) != id + strlen(id) || position < 1 ||
        position > r->rows || ids[position - 1].start != SIZE_MAX)
        return false;
    *row = (size_t)position - 1;
    return true;
}

/* The value of the option "against": the library numbers the documents of a query from 1. */
static gradus_status set_against(request *r, const ranking *k, gradus_options *options)
{
    char word[32];
    size_t row;

    if (strcmp(k->against, "mean") == 0 || strcmp(k->against, "query") == 0)
        return gradus_options_set(options, "against", k->against, &r->err);
    if (!find_document(r, k->against, &row))
        return request_refuse(r, ERROR_CONTENT,
                              "'against' is not \"mean\", \"query\" or the id of a "
                              "document: '%s'",
                              k->against);
    snprintf(word, sizeof word, "%zu", row + 1);
    return gradus_options_set(options, "against", word, &r->err);
}

static gradus_dataset *borrow(request *r, float *zeros)
{
    const size_t features = r->model->info.features;
    const uint64_t starts[] = { 0, r->rows };
    const gradus_arrays arrays = { .rows = r->rows,
                                   .features = features,
                                   .stride = features,
                                   .values = r->values.at,
                                   .labels = zeros,
                                   .queries = 1,
                                   .query_starts = starts };

    return gradus_dataset_copy(NULL, &arrays, &r->err);
}

/* Finds the only document to explain, if the request names one; it must be in the answer. */
static gradus_status find_explained(request *r, ranking *k, size_t shown)
{
    const ranked *order = r->order.at;
    size_t row;

    if (!k->explain[0])
        return GRADUS_OK;
    if (find_document(r, k->explain, &row))
        for (size_t i = 0; i < shown; i++)
            if (order[i].row == row)
                k->explained_place = i;
    return k->explained_place != SIZE_MAX
               ? GRADUS_OK
               : request_refuse(r, ERROR_CONTENT,
                                "'explain' is not the id of a document in the "
                                "answer: '%s'",
                                k->explain);
}

gradus_status explain_top(request *r, ranking *k)
{
    const size_t shown = k->top && k->top < r->rows ? k->top : r->rows;
    size_t count = shown;
    gradus_options *options = gradus_options_new("explain", &r->err);
    float *zeros = calloc(r->rows + 1, sizeof *zeros);
    size_t *rows = calloc(shown + 1, sizeof *rows);
    gradus_dataset *data = NULL;
    gradus_status status = GRADUS_OK;

    if (!zeros || !rows)
        status = gr_fail_memory(&r->err, "an explanation");
    else if (!options)
        status = r->err.status;
    else
        status = set_against(r, k, options);
    if (status == GRADUS_OK)
        status = find_explained(r, k, shown);
    if (status == GRADUS_OK && shown) {
        for (size_t i = 0; i < shown; i++)
            rows[i] = ((const ranked *)r->order.at)[i].row;
        if (k->explained_place != SIZE_MAX) {
            rows[0] = rows[k->explained_place];
            count = 1;
        }
        data = borrow(r, zeros);
        k->explained =
            data ? gradus_explain(NULL, k->scorer, data, rows, count, options, &r->err) : NULL;
        status = k->explained ? GRADUS_OK : r->err.status;
    }
    gradus_dataset_free(data);
    gradus_options_free(options);
    free(zeros);
    free(rows);
    return status;
}

typedef struct part {
    double size; /* |contribution| */
    size_t index;
} part;

static int by_size(const void *a, const void *b)
{
    const part *x = a, *y = b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void put_part(request *r, const gradus_contributions *c, size_t i)
{
    const char *name = gradus_model_feature_name(r->model->model, c->features[i]);

    gr_json_open(&r->out, NULL, '{');
    if (*name)
        gr_json_put_text(&r->out, "feature", name);
    else
        gr_json_put_count(&r->out, "feature",
                          c->features[i] + gradus_model_first_id(r->model->model));
    gr_json_put_label(&r->out, "value", (double)c->values[i]);
    if (c->references)
        gr_json_put_label(&r->out, "reference", (double)c->references[i]);
    gr_json_put_number(&r->out, "contribution", c->contributions[i]);
    gr_json_close(&r->out, '}');
}

void put_contributions(request *r, const ranking *k, size_t place)
{
    gradus_contributions c;
    part *parts;
    size_t shown = 0;

    if (!gradus_explanation_at(k->explained, place, 0, &c) ||
        !(parts = malloc((c.count + 1) * sizeof *parts))) {
        r->out.failed = true;
        return;
    }
    for (size_t i = 0; i < c.count; i++)
        if (c.contributions[i] != 0.0)
            parts[shown++] = (part){ fabs(c.contributions[i]), i };
    qsort(parts, shown, sizeof *parts, by_size);
    gr_json_put_number(&r->out, "base", c.base);
    gr_json_open(&r->out, "contributions", '[');
    for (size_t i = 0; i < shown && i < k->contributions; i++)
        put_part(r, &c, parts[i].index);
    gr_json_close(&r->out, ']');
    free(parts);
}
