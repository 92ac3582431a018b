/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations side by side, as text and JSON. */
#include "evaluation_table.h"

#include "print_table.h"

#include <math.h>

void add_columns(text *t, const column *columns, size_t count)
{
    gradus_result result;
    table rows;

    table_begin(&rows, count + 1);
    table_cell(&rows, "metric");
    for (size_t c = 0; c < count; c++)
        table_cell(&rows, "%s", columns[c].name);
    for (size_t m = 0; gradus_evaluation_at(columns[0].evaluation, m, &result); m++) {
        table_cell(&rows, "%s", result.metric);
        for (size_t c = 0; c < count; c++) {
            gradus_evaluation_at(columns[c].evaluation, m, &result);
            table_cell(&rows, isfinite(result.mean) ? "%.4f" : "-", result.mean);
        }
    }
    table_end(&rows, t);
}

void json_metrics(json *j, const char *name, const gradus_evaluation *evaluation)
{
    gradus_result result;

    json_open(j, name, '{');
    for (size_t m = 0; gradus_evaluation_at(evaluation, m, &result); m++)
        json_number(j, result.metric, result.mean);
    json_close(j, '}');
}

size_t empty_queries(const gradus_evaluation *evaluation)
{
    gradus_result result;
    size_t most = 0;

    for (size_t m = 0; gradus_evaluation_at(evaluation, m, &result); m++)
        if (result.empty > most)
            most = result.empty;
    return most;
}
