/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations as JSON. */
#include "cmd_explain.h"

#include <stdlib.h>

static void json_feature(json *j, const explained *e, const gradus_contributions *c, size_t i)
{
    json_open(j, NULL, '{');
    json_count(j, "feature", c->features[i] + gradus_dataset_first_id(e->data));
    json_string(j, "name", data_feature_name(e->model, e->data, c->features[i]));
    json_number(j, "value", (double)c->values[i]);
    if (c->references)
        json_number(j, "reference", (double)c->references[i]);
    json_number(j, "contribution", c->contributions[i]);
    if (c->errors)
        json_number(j, "standard_error", c->errors[i]);
    json_close(j, '}');
}

static void json_target(json *j, const explained *e, size_t index, size_t target)
{
    gradus_contributions c;

    if (!gradus_explanation_at(e->explanation, index, target, &c))
        return;
    size_t *order = must_have(c.count + 1, sizeof *order);
    const size_t found = rank_contributions(&c, order);
    double rest = 0.0;

    json_open(j, NULL, '{');
    json_string(j, "target", gradus_explanation_target(e->explanation, target));
    json_number(j, "value", c.value);
    json_number(j, "base", c.base);
    json_open(j, "contributions", '[');
    for (size_t i = 0; i < found; i++)
        if (i < e->top)
            json_feature(j, e, &c, order[i]);
        else
            rest += c.contributions[order[i]];
    json_close(j, ']');
    if (found > e->top)
        json_number(j, "others", rest);
    json_close(j, '}');
    free(order);
}

static void json_row(json *j, const explained *e, size_t index)
{
    gradus_contributions c;

    gradus_explanation_at(e->explanation, index, 0, &c);
    json_open(j, NULL, '{');
    if (e->by_query)
        json_string(j, "query", gradus_dataset_query_name(e->data, e->query));
    json_string(j, "document", gradus_dataset_document_name(e->data, c.row));
    json_count(j, "row", c.row + 1);
    if (e->by_query)
        json_count(j, "rank", explain_rank(e, c.row));
    if (e->arrays.labels)
        json_label(j, "label", (double)e->arrays.labels[c.row]);
    json_number(j, "score", e->scores[c.row]);
    if (c.reference != SIZE_MAX) {
        json_string(j, "reference_document", gradus_dataset_document_name(e->data, c.reference));
        json_count(j, "reference_row", c.reference + 1);
    }
    json_open(j, "targets", '[');
    for (size_t t = 0; t < e->info.targets; t++)
        json_target(j, e, index, t);
    json_close(j, ']');
    json_close(j, '}');
}

void explain_json(text *t, const explained *e)
{
    json j = JSON_TO(t);

    json_open(&j, NULL, '{');
    json_string(&j, "model", e->given->words[0]);
    json_string(&j, "data", e->given->words[1]);
    json_string(&j, "against", e->info.against);
    json_bool(&j, "exact", e->info.exact);
    json_bool(&j, "zero_means", e->info.zero_means);
    json_open(&j, "documents", '[');
    for (size_t i = 0; i < e->info.rows; i++)
        json_row(&j, e, i);
    json_close(&j, ']');
    json_close(&j, '}');
    text_add(t, "\n");
}
