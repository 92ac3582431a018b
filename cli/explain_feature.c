/* SPDX-License-Identifier: Apache-2.0 */
/* gradus explain --feature: the partial dependence of the score on a feature. */
#include "cmd_explain.h"
#include "curve.h"
#include "print_table.h"

#include <stdlib.h>

enum { POINTS = 32, ROWS = 9, PAGE = 88, PLOT_LINES = 12 };

static void add_name(text *t, const gradus_model *model, size_t feature)
{
    const char *name = gradus_model_feature_name(model, feature);

    if (name[0])
        text_add_shown(t, name);
    else
        text_format(t, "%zu", feature + gradus_model_first_id(model));
}

static void dependence_json(text *t, const arguments *given, const gradus_model *model,
                            size_t feature, const gradus_dependence *points, size_t count)
{
    json j = JSON_TO(t);

    json_open(&j, NULL, '{');
    json_string(&j, "model", given->words[0]);
    json_string(&j, "data", given->words[1]);
    json_count(&j, "feature", feature + gradus_model_first_id(model));
    json_string(&j, "name", gradus_model_feature_name(model, feature));
    json_open(&j, "points", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&j, NULL, '{');
        json_number(&j, "value", points[i].value);
        json_number(&j, "score", points[i].score);
        json_number(&j, "effect", points[i].effect);
        json_number(&j, "low", points[i].low);
        json_number(&j, "high", points[i].high);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    text_add(t, "\n");
}

static void dependence_text(text *t, const gradus_model *model, size_t feature, size_t rows,
                            const gradus_dependence *points, size_t count)
{
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
        x[i] = points[i].value;
        y[i] = points[i].score;
    }
    text_add(t, "mean score if all ");
    text_format(t, "%s had the same value of feature ", counted(rows, "row", "rows"));
    add_name(t, model, feature);
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
        const gradus_dependence *d = &points[lines > 1 ? i * (count - 1) / (lines - 1) : 0];

        table_cell(&cells, "%.6g", d->value);
        table_cell(&cells, "%.5f", d->score);
        table_cell(&cells, "%+.5f", d->effect);
        table_cell(&cells, "%+.5f to %+.5f", d->low, d->high);
    }
    table_end(&cells, t);
    text_add(t, "effect: mean over queries of the change of the mean score, and its interval over "
                "queries\n");
}

int explain_dependence(const arguments *given, const gradus_model *model,
                       const gradus_dataset *data)
{
    gradus_dependence points[POINTS];
    size_t count = POINTS, feature;
    text t = { NULL, 0, 0 };
    gradus_error err;

    if (gradus_dataset_find_feature(data, argument(given, "feature"), &feature, &err) !=
            GRADUS_OK ||
        gradus_partial_dependence(given->context, model, data, feature, points, &count, &err) !=
            GRADUS_OK)
        return fail(&err);
    if (given->json)
        dependence_json(&t, given, model, feature, points, count);
    else
        dependence_text(&t, model, feature, gradus_dataset_rows(data), points, count);
    return print_text(&t);
}
