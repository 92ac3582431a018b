/* SPDX-License-Identifier: Apache-2.0 */
/* gradus explain --feature: the partial dependence of the score on a feature. */
#include "cmd_explain.h"
#include "curve.h"
#include "print_table.h"

#include <stdlib.h>

enum { POINTS = 32, ROWS = 9, PAGE = 80, PLOT_LINES = 12 };

/* How the score depends on a feature. */
typedef struct dependence {
    const gradus_model *model;
    const gradus_dataset *data;
    size_t feature, count;
    gradus_dependence points[POINTS];
} dependence;

static void dependence_json(text *t, const arguments *given, const dependence *d)
{
    json j = JSON_TO(t);

    json_open(&j, NULL, '{');
    json_string(&j, "model", given->words[0]);
    json_string(&j, "data", given->words[1]);
    json_count(&j, "feature", d->feature + gradus_dataset_first_id(d->data));
    json_string(&j, "name", data_feature_name(d->model, d->data, d->feature));
    json_open(&j, "points", '[');
    for (size_t i = 0; i < d->count; i++) {
        json_open(&j, NULL, '{');
        json_number(&j, "value", d->points[i].value);
        json_number(&j, "score", d->points[i].score);
        json_number(&j, "effect", d->points[i].effect);
        json_number(&j, "low", d->points[i].low);
        json_number(&j, "high", d->points[i].high);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    text_add(t, "\n");
}

static void dependence_text(text *t, const dependence *d)
{
    const size_t count = d->count;
    double x[POINTS], y[POINTS];
    const curve curves[] = { { "score", y } };
    const plot p = { .x = x,
                     .count = count,
                     .curves = curves,
                     .curve_count = 1,
                     .width = page_width(PAGE),
                     .height = PLOT_LINES };
    table cells;

    for (size_t i = 0; i < count; i++) {
        x[i] = d->points[i].value;
        y[i] = d->points[i].score;
    }
    text_format(t, "mean score if all %s had the same value of feature ",
                counted(gradus_dataset_rows(d->data), "row", "rows"));
    add_data_feature(t, d->model, d->data, d->feature);
    text_add(t, "\n");
    if (count > 1)
        text_plot(t, &p);
    text_add(t, "\n");
    table_begin(&cells, 4);
    table_cell(&cells, "value");
    table_cell(&cells, "score");
    table_cell(&cells, "effect");
    table_cell(&cells, "95%% interval");
    const size_t lines = count < ROWS ? count : ROWS;

    for (size_t i = 0; i < lines; i++) {
        const gradus_dependence *point = &d->points[lines > 1 ? i * (count - 1) / (lines - 1) : 0];

        table_cell(&cells, "%.6g", point->value);
        table_cell(&cells, "%.5f", point->score);
        table_cell(&cells, "%+.5f", point->effect);
        table_cell(&cells, "%+.5f to %+.5f", point->low, point->high);
    }
    table_end(&cells, t);
    text_add(t, "effect: change of the mean score; its mean and interval over queries\n");
}

int explain_dependence(const arguments *given, const gradus_model *model,
                       const gradus_dataset *data)
{
    dependence d = { .model = model, .data = data, .count = POINTS };
    const int status = find_data_feature(model, data, argument(given, "feature"), &d.feature);
    text t = { NULL, 0, 0 };
    gradus_error err;

    if (status != 0)
        return status;
    if (gradus_partial_dependence(given->context, model, data, d.feature, d.points, &d.count,
                                  &err) != GRADUS_OK)
        return fail(&err);
    if (given->json)
        dependence_json(&t, given, &d);
    else
        dependence_text(&t, &d);
    return print_text(&t);
}
