/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of a linear model. */
#include "cmd_show.h"
#include "print_table.h"

#include <math.h>

enum { OUTPUTS_SHOWN = 8 };

size_t equation_size(const shown *s)
{
    return s->columns ? s->column_count : s->facts.features;
}

size_t item_of_feature(const shown *s, size_t feature)
{
    size_t low = 0, high = s->column_count;

    if (!s->columns)
        return feature;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (s->columns[middle] <= feature)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t feature_of_item(const shown *s, size_t item)
{
    return s->columns ? s->columns[item] : item;
}

static const double *coefficients_of(const shown *s, size_t output, double *intercept)
{
    const double *coefficients = NULL;

    gradus_model_equation(s->model, output, intercept, &coefficients, NULL, NULL);
    return coefficients;
}

static void add_head(table *rows, const shown *s, size_t outputs)
{
    table_cell(rows, "feature");
    table_cell(rows, "size");
    for (size_t k = 0; k < outputs; k++)
        if (s->facts.equations == 1)
            table_cell(rows, "coefficient");
        else
            table_cell(rows, "output %zu", k + 1);
    if (gradus_model_errors(s->model, NULL, NULL)) {
        table_cell(rows, "std error");
        table_cell(rows, "z");
        table_cell(rows, "p");
        return; /* thresholds replace the intercept */
    }
    table_cell(rows, "(intercept)");
    table_cell(rows, "%s", "");
    for (size_t k = 0; k < outputs; k++) {
        double intercept = 0.0;

        coefficients_of(s, k, &intercept);
        table_cell(rows, "%.6g", intercept);
    }
}

/* Wald's test that the coefficient is 0. */
static void add_wald(table *rows, double coefficient, double error)
{
    const double z = error > 0.0 ? coefficient / error : 0.0;

    table_cell(rows, "%.4g", error);
    table_cell(rows, "%.3f", z);
    table_cell(rows, "%.3g", two_sided_p(z));
}

void add_equations(text *t, const shown *s, size_t count)
{
    const size_t equations = s->facts.equations;
    const size_t outputs = equations < OUTPUTS_SHOWN ? equations : OUTPUTS_SHOWN;
    table rows;

    text_format(t, "\nequations: %s of %s %s used\n", with_commas(s->used),
                counted(s->facts.features, "feature", "features"),
                plural(s->facts.features, "is", "are"));
    const double *errors = NULL;

    table_begin(&rows, outputs + (gradus_model_errors(s->model, &errors, NULL) ? 5 : 2));
    add_head(&rows, s, outputs);
    for (size_t i = 0; i < s->used && i < count; i++) {
        const size_t item = item_of_feature(s, s->uses[i].feature);
        text name = { NULL, 0, 0 };

        add_feature_name(&name, s->model, s->uses[i].feature);
        table_cell(&rows, "%s", text_string(&name));
        table_cell(&rows, "%.4g", s->uses[i].gain);
        for (size_t k = 0; k < outputs; k++)
            table_cell(&rows, "%.6g", coefficients_of(s, k, NULL)[item]);
        if (errors)
            add_wald(&rows, coefficients_of(s, 0, NULL)[item], errors[item]);
        text_free(&name);
    }
    table_end(&rows, t);
    if (equations > outputs)
        text_format(t, "... and %s more outputs; --json lists them\n",
                    with_commas(equations - outputs));
    if (s->used > count)
        text_format(t, "... and %s more features; --importance all lists them\n",
                    with_commas(s->used - count));
}

static void json_numbers(json *j, const char *name, const double *numbers, size_t count)
{
    json_open(j, name, '[');
    for (size_t i = 0; i < count; i++)
        json_number(j, NULL, numbers[i]);
    json_close(j, ']');
}

/* The features of the numbers, if they are not all features. */
static void json_columns(json *j, const shown *s)
{
    if (!s->columns)
        return;
    json_open(j, "columns", '[');
    for (size_t i = 0; i < s->column_count; i++)
        json_count(j, NULL, s->columns[i] + gradus_model_first_id(s->model));
    json_close(j, ']');
}

void json_equations(json *j, const shown *s)
{
    const double *coefficients, *means, *spreads;
    double intercept;

    if (!gradus_model_equation(s->model, 0, NULL, NULL, &means, &spreads))
        return;
    json_columns(j, s);
    json_numbers(j, "means", means, equation_size(s));
    json_numbers(j, "spreads", spreads, equation_size(s));
    json_open(j, "linear", '[');
    for (size_t k = 0; gradus_model_equation(s->model, k, &intercept, &coefficients, NULL, NULL);
         k++) {
        json_open(j, NULL, '{');
        json_number(j, "intercept", intercept);
        json_numbers(j, "coefficients", coefficients, equation_size(s));
        json_close(j, '}');
    }
    json_close(j, ']');
}
