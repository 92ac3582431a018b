/* SPDX-License-Identifier: Apache-2.0 */
/* Optimal thresholds for given values f. For one threshold the error is a convex, piecewise linear
 * function of it, whose slope changes where a row reaches its margin. */
#include "learners/svor/svor.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

typedef struct sorted {
    const gr_svor_task *task;
    const double *f;
    const size_t *order; /* row numbers, f ascending */
} sorted;

/* How many of the thresholds a to b, treated as one, the row belongs above (or below). */
static double count_above(const gr_svor_task *task, size_t level, size_t a, size_t b)
{
    if (task->loss == GR_SVOR_IMC)
        return level > a;
    return level >= 1 && level - 1 >= a && level - 1 <= b;
}

static double count_below(const gr_svor_task *task, size_t level, size_t a, size_t b)
{
    if (task->loss == GR_SVOR_IMC)
        return level <= a;
    return level >= a && level <= b;
}

/* Enumerates the breakpoints of the error of thresholds a to b, treated as one, in ascending order:
 * f - 1 of the rows above and f + 1 of the rows below, merged. */
typedef struct walk {
    size_t above, below; /* next positions in `order` */
} walk;

static double price_at(const sorted *s, size_t place, bool above, size_t a, size_t b)
{
    const size_t r = s->order[place], level = s->task->level_of[r];

    return s->task->prices[r] *
           (above ? count_above(s->task, level, a, b) : count_below(s->task, level, a, b));
}

static bool next_bend(const sorted *s, size_t a, size_t b, walk *w, double *at, double *price)
{
    const size_t rows = s->task->rows;

    while (w->above < rows && !(price_at(s, w->above, true, a, b) > 0.0))
        w->above++;
    while (w->below < rows && !(price_at(s, w->below, false, a, b) > 0.0))
        w->below++;
    if (w->above == rows && w->below == rows)
        return false;
    const double above = w->above < rows ? s->f[s->order[w->above]] - 1.0 : INFINITY;
    const double below = w->below < rows ? s->f[s->order[w->below]] + 1.0 : INFINITY;

    *at = above <= below ? above : below;
    *price =
        above <= below ? price_at(s, w->above++, true, a, b) : price_at(s, w->below++, false, a, b);
    return true;
}

/* Minimises the error. Its slope starts at minus the price of all rows below and increases at each
 * breakpoint; where it is 0 on an interval, the midpoint is taken. */
static double best_of(const sorted *s, size_t a, size_t b)
{
    double slope = 0.0, all = 0.0, flat = NAN, at = 0.0, price;
    walk w = { 0, 0 };

    for (size_t i = 0; i < s->task->rows; i++) {
        slope -= price_at(s, i, false, a, b);
        all += price_at(s, i, true, a, b);
    }
    const double slack = 1e-12 * (all - slope);

    while (next_bend(s, a, b, &w, &at, &price)) {
        if (!isnan(flat))
            return (flat + at) / 2.0;
        slope += price;
        if (slope > slack)
            return at;
        if (slope >= -slack)
            flat = at;
    }
    return isnan(flat) ? at : flat;
}

/* Pools adjacent violators: neighbouring thresholds that would cross become one, until none do. */
static void impose_order(const sorted *s, double *thresholds)
{
    size_t firsts[GR_MAX_LEVELS], groups = 0;
    double best[GR_MAX_LEVELS];

    for (size_t cut = 0; cut < s->task->cuts; cut++) {
        firsts[groups] = cut;
        best[groups++] = thresholds[cut];
        while (groups > 1 && best[groups - 2] > best[groups - 1]) {
            groups--;
            best[groups - 1] = best_of(s, firsts[groups - 1], cut);
        }
    }
    for (size_t g = 0; g < groups; g++)
        for (size_t cut = firsts[g]; cut < (g + 1 < groups ? firsts[g + 1] : s->task->cuts); cut++)
            thresholds[cut] = best[g];
}

double gr_svor_errors(const gr_svor_task *task, const double *f, const double *thresholds)
{
    const size_t slots = gr_svor_slots(task);
    double sum = 0.0;

    for (size_t r = 0; r < task->rows; r++) {
        const size_t level = task->level_of[r];
        double errors = 0.0;

        for (size_t slot = 0; slot < slots; slot++) {
            const size_t cut = gr_svor_cut(task, level, slot);

            if (cut == SIZE_MAX)
                continue;
            const double over = f[r] - thresholds[cut];
            const double error = 1.0 - (gr_svor_is_above(task, level, slot) ? over : -over);

            errors += error > 0.0 ? error : 0.0;
        }
        sum += task->prices[r] * errors;
    }
    return sum;
}

gradus_status gr_svor_cut_best(const gr_svor_task *task, const double *f, double *thresholds,
                               double *loss, gradus_error *err)
{
    size_t *order = gr_new_array(task->rows, sizeof *order);
    gr_keyed *scratch = gr_new_array(task->rows * 2, sizeof *scratch);
    const sorted s = { task, f, order };
    gradus_status status = GRADUS_OK;

    if (order && scratch) {
        gr_sort_ascending(f, task->rows, order, scratch);
        for (size_t cut = 0; cut < task->cuts; cut++)
            thresholds[cut] = best_of(&s, cut, cut);
        if (task->loss == GR_SVOR_EXC)
            impose_order(&s, thresholds);
        *loss = gr_svor_errors(task, f, thresholds);
    } else {
        status = gr_fail_memory(err, "thresholds");
    }
    free(order);
    free(scratch);
    return status;
}
