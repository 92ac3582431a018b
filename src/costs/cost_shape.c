/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether costs satisfy the assumptions of Lin and Li's reduction. */
#include "costs/cost.h"

#include "base/context.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>

enum { NAMED = 3 }; /* maximum cells named in a note */

/* The cells found so far, the first few as text. */
typedef struct cells {
    size_t count;
    char text[400];
} cells;

static void add_cell(cells *found, const char *cell)
{
    if (found->count < NAMED) {
        gr_text_append(found->text, sizeof found->text, found->count ? "; " : "");
        gr_text_append(found->text, sizeof found->text, cell);
    }
    found->count++;
}

static void note(const cells *found, const char *what, const gradus_context *context)
{
    char more[40] = "";

    if (found->count > NAMED)
        snprintf(more, sizeof more, "; and %zu more", found->count - NAMED);
    if (found->count)
        gr_note(context, "%s: %s%s", what, found->text, more);
}

/* Walks from the correct grade of row `truth` to one end; step is 1 or -1. */
static void walk(const gr_cost_choice *choice, const double *grades, size_t count, size_t truth,
                 int step, cells *falls)
{
    const size_t end = step > 0 ? count - 1 : 0;

    for (size_t at = truth; at != end; at += (size_t)step) {
        const double y = grades[truth], near = grades[at], far = grades[at + (size_t)step];
        const double less = gr_cost_of(choice, y, far), more = gr_cost_of(choice, y, near);
        char cell[120];

        if (at == truth || less >= more) /* the diagonal is checked separately */
            continue;
        snprintf(cell, sizeof cell, "row %g: %g in column %g, but %g in column %g", y, more, near,
                 less, far);
        add_cell(falls, cell);
    }
}

/* Whether two predictions have equal costs for every true grade. */
static bool alike(const gr_cost_choice *choice, const double *grades, size_t count, double a,
                  double b)
{
    for (size_t l = 0; l < count; l++)
        if (gr_cost_of(choice, grades[l], a) != gr_cost_of(choice, grades[l], b))
            return false;
    return true;
}

void gr_cost_note_shape(const gr_cost_choice *choice, const double *grades, size_t count,
                        const gradus_context *context)
{
    cells right = { .count = 0 }, falls = { .count = 0 }, same = { .count = 0 };

    for (size_t l = 0; l < count; l++) {
        const double cost = gr_cost_of(choice, grades[l], grades[l]);
        char cell[60];

        if (l > 0 && alike(choice, grades, count, grades[l - 1], grades[l])) {
            snprintf(cell, sizeof cell, "%g and %g", grades[l - 1], grades[l]);
            add_cell(&same, cell);
        }

        if (cost != 0.0) {
            snprintf(cell, sizeof cell, "row %g, column %g: %g", grades[l], grades[l], cost);
            add_cell(&right, cell);
        }
        walk(choice, grades, count, l, 1, &falls);
        walk(choice, grades, count, l, -1, &falls);
    }
    note(&right, "the cost of the correct grade is not 0", context);
    note(&falls,
         "the cost decreases away from the correct grade, which the reduction does not support",
         context);
    note(&same,
         "the cost does not distinguish some grades, so the model cannot separate "
         "them",
         context);
}
