/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds between grades, their standard errors, and the costs they imply. */
#include "cmd_show.h"
#include "print_table.h"

#include <math.h>

enum { GRADES_SHOWN = 16 };

double two_sided_p(double z)
{
    return erfc(fabs(z) / sqrt(2.0));
}

static void add_costs(text *t, const shown *s)
{
    const gradus_model_facts *f = &s->facts;
    double cost;
    table rows;

    if (f->grades > GRADES_SHOWN || !gradus_model_implied_cost(s->model, 0, 1, &cost))
        return;
    text_add(t, "\nimplied costs of ranking a grade (across) below a lower one (down)\n");
    table_begin(&rows, f->grades);
    table_cell(&rows, "%s", "");
    for (size_t i = 1; i < f->grades; i++)
        table_cell(&rows, "%g", f->grade_values[i]);
    for (size_t j = 0; j + 1 < f->grades; j++) {
        table_cell(&rows, "%g", f->grade_values[j]);
        for (size_t i = 1; i < f->grades; i++)
            if (gradus_model_implied_cost(s->model, j, i, &cost))
                table_cell(&rows, "%.4g", cost);
            else
                table_cell(&rows, "%s", "");
    }
    table_end(&rows, t);
}

void add_thresholds(text *t, const shown *s)
{
    const gradus_model_facts *f = &s->facts;
    const double *errors = NULL;
    table rows;

    if (!f->thresholds)
        return;
    gradus_model_errors(s->model, NULL, &errors);
    text_add(t, "\nthresholds on the output\n");
    table_begin(&rows, errors ? 4 : 3);
    table_cell(&rows, "grades");
    table_cell(&rows, "%s", "");
    table_cell(&rows, "threshold");
    if (errors)
        table_cell(&rows, "std error");
    for (size_t k = 0; k + 1 < f->grades && k < GRADES_SHOWN; k++) {
        table_cell(&rows, "%g", f->grade_values[k]);
        table_cell(&rows, "| %g", f->grade_values[k + 1]);
        table_cell(&rows, "%.6g", f->thresholds[k]);
        if (errors)
            table_cell(&rows, "%.4g", errors[k]);
    }
    table_end(&rows, t);
    if (f->grades > GRADES_SHOWN + 1)
        text_format(t, "... and %s more; --json lists them\n",
                    with_commas(f->grades - 1 - GRADES_SHOWN));
    if (!isnan(f->log_likelihood))
        text_format(t, "log likelihood %.10g\n", f->log_likelihood);
    add_costs(t, s);
}

void json_thresholds(json *j, const shown *s)
{
    const gradus_model_facts *f = &s->facts;
    const double *coefficients, *thresholds;
    double cost;

    if (!f->thresholds)
        return;
    json_open(j, "thresholds", '[');
    for (size_t k = 0; k + 1 < f->grades; k++)
        json_number(j, NULL, f->thresholds[k]);
    json_close(j, ']');
    if (gradus_model_implied_cost(s->model, 0, 1, &cost)) {
        json_open(j, "implied_costs", '[');
        for (size_t low = 0; low < f->grades; low++) {
            json_open(j, NULL, '[');
            for (size_t high = 0; high < f->grades; high++)
                json_number(j, NULL,
                            gradus_model_implied_cost(s->model, low, high, &cost) ? cost : 0.0);
            json_close(j, ']');
        }
        json_close(j, ']');
    }
    if (!isnan(f->log_likelihood))
        json_number(j, "log_likelihood", f->log_likelihood);
    if (!gradus_model_errors(s->model, &coefficients, &thresholds))
        return;
    json_open(j, "standard_errors", '[');
    for (size_t i = 0; i < equation_size(s); i++)
        json_number(j, NULL, coefficients[i]);
    json_close(j, ']');
    json_open(j, "threshold_errors", '[');
    for (size_t k = 0; k + 1 < f->grades; k++)
        json_number(j, NULL, thresholds[k]);
    json_close(j, ']');
}
