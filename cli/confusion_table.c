/* SPDX-License-Identifier: Apache-2.0 */
/* Confusion matrices, as text and JSON. */
#include "confusion_table.h"

#include "print_table.h"

#include <stdlib.h>

bool take_confusion(confusion *c, const gradus_dataset *data, const double *grades,
                    gradus_error *err)
{
    c->values = must_have(GRADUS_MAX_GRADES, sizeof *c->values);
    c->counts = must_have(GRADUS_MAX_GRADES * GRADUS_MAX_GRADES, sizeof *c->counts);
    return gradus_confusion(data, grades, &c->grades, c->values, c->counts, err) == GRADUS_OK;
}

void add_confusion(text *t, const confusion *c, const char *name)
{
    table rows;

    text_format(t, "\nconfusion matrix of %s: rows by label (down) and predicted grade (across)\n",
                name);
    if (c->grades + 2 > TABLE_COLUMNS) {
        text_format(t, "%zu grades do not fit on the page; --json prints them\n", c->grades);
        return;
    }
    table_begin(&rows, c->grades + 1);
    table_cell(&rows, "label");
    for (size_t k = 0; k < c->grades; k++)
        table_cell(&rows, "%g", c->values[k]);
    for (size_t i = 0; i < c->grades; i++) {
        table_cell(&rows, "%g", c->values[i]);
        for (size_t k = 0; k < c->grades; k++)
            table_cell(&rows, "%.10g", c->counts[i * c->grades + k]);
    }
    table_end(&rows, t);
}

void json_confusion(json *j, const confusion *c)
{
    json_open(j, "confusion", '{');
    json_open(j, "grades", '[');
    for (size_t k = 0; k < c->grades; k++)
        json_label(j, NULL, c->values[k]);
    json_close(j, ']');
    json_open(j, "counts", '[');
    for (size_t i = 0; i < c->grades; i++) {
        json_open(j, NULL, '[');
        for (size_t k = 0; k < c->grades; k++)
            json_number(j, NULL, c->counts[i * c->grades + k]);
        json_close(j, ']');
    }
    json_close(j, ']');
    json_close(j, '}');
}

void confusion_free(confusion *c)
{
    free(c->values);
    free(c->counts);
}
