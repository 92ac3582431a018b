/* SPDX-License-Identifier: Apache-2.0 */
/* Sequential minimal optimisation (SMO): each step optimises two dual variables, the one that
 * violates a threshold's conditions most and the partner that improves the dual most (second-order
 * selection, Fan, Chen and Lin 2005). */
#include "learners/svor/smo.h"

#include "base/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_BETWEEN_PROGRESS = 1 << 24, STEPS_BETWEEN_PROGRESS = 256 };
enum { BETWEEN_SHRINKING = 1000, PATIENCE = 200000 };
#define LEAST_CURVATURE 1e-12

size_t gr_smo_first_tied(const gr_smo *smo, size_t cut)
{
    while (smo->task->loss == GR_SVOR_EXC && cut > 0 && smo->ties[cut - 1] > 0.0)
        cut--;
    return cut;
}

size_t gr_smo_last_tied(const gr_smo *smo, size_t cut)
{
    while (smo->task->loss == GR_SVOR_EXC && cut + 1 < smo->task->cuts && smo->ties[cut] > 0.0)
        cut++;
    return cut;
}

static void look_at(gr_svor_bounds *b, size_t cut, double v, bool rises, bool falls, size_t at)
{
    if (rises && v < b->high[cut]) {
        b->high[cut] = v;
        b->high_at[cut] = at;
    }
    if (falls && v > b->low[cut]) {
        b->low[cut] = v;
        b->low_at[cut] = at;
    }
}

static void find_bounds(gr_smo *s)
{
    gr_svor_bounds *b = &s->bounds;

    for (size_t cut = 0; cut < s->task->cuts; cut++) {
        b->high[cut] = INFINITY;
        b->low[cut] = -INFINITY;
    }
    for (size_t r = 0; r < s->active; r++) {
        const size_t level = s->levels[r];
        const double price = s->prices[r], *a = s->a + r * s->slots;

        for (size_t slot = 0; slot < s->slots; slot++) {
            const size_t cut = gr_svor_cut(s->task, level, slot);
            const bool inside = a[slot] > 0.0, more = a[slot] < price;

            if (cut == SIZE_MAX)
                continue;
            if (gr_svor_is_above(s->task, level, slot))
                look_at(b, cut, s->f[r] - 1.0, more, inside, r * s->slots + slot);
            else
                look_at(b, cut, s->f[r] + 1.0, inside, more, r * s->slots + slot);
        }
    }
}

/* The threshold whose `high` is furthest below a `low` that must not exceed it: its own; for exc
 * also that of an earlier threshold or of one tied to it. */
static size_t worst_cut(gr_smo *s)
{
    const gr_svor_bounds *b = &s->bounds;
    const size_t cuts = s->task->cuts;
    size_t least[GR_MAX_LEVELS], worst = 0; /* least[j]: argmin of high over thresholds >= j */

    s->violation = -INFINITY;
    for (size_t cut = cuts; cut-- > 0;)
        least[cut] = s->task->loss != GR_SVOR_EXC || cut + 1 == cuts ||
                             b->high[cut] <= b->high[least[cut + 1]]
                         ? cut
                         : least[cut + 1];
    for (size_t cut = 0; cut < cuts; cut++) {
        const size_t high = least[gr_smo_first_tied(s, cut)];

        if (b->low[cut] - b->high[high] > s->violation) {
            s->violation = b->low[cut] - b->high[high];
            worst = high;
        }
    }
    return worst;
}

/* The variable whose s a decreases while that of variable i increases; *cut: its threshold.
 * SIZE_MAX: none. */
static size_t best_partner(const gr_smo *s, size_t i, size_t high, const float *row, size_t *cut)
{
    const double v = s->bounds.high[high], own = s->diagonal[i / s->slots];
    const size_t last = gr_smo_last_tied(s, high);
    const bool one_cut = s->task->loss != GR_SVOR_EXC;
    double best = -1.0;
    size_t found = SIZE_MAX;

    for (size_t r = 0; r < s->active; r++)
        for (size_t slot = s->task->loss == GR_SVOR_IMC ? high : 0;
             slot < (s->task->loss == GR_SVOR_IMC ? high + 1 : s->slots); slot++) {
            const size_t level = s->levels[r], its = gr_svor_cut(s->task, level, slot);
            const bool above = gr_svor_is_above(s->task, level, slot);
            const double a = s->a[r * s->slots + slot];

            if (its == SIZE_MAX || its > last || (one_cut && its != high) ||
                !(above ? a > 0.0 : a < s->prices[r]))
                continue;
            const double over = (above ? s->f[r] - 1.0 : s->f[r] + 1.0) - v;
            double curvature = own + s->diagonal[r] - 2.0 * (double)row[r];

            if (!(over > 0.0))
                continue;
            curvature = curvature > LEAST_CURVATURE ? curvature : LEAST_CURVATURE;
            if (over * over / curvature > best) {
                best = over * over / curvature;
                found = r * s->slots + slot;
                *cut = its;
            }
        }
    return found;
}

/* How far s a of a variable can increase (rise) or decrease. */
static double room_of(const gr_smo *s, size_t variable, bool rise)
{
    const size_t r = variable / s->slots, slot = variable % s->slots;
    const bool above = gr_svor_is_above(s->task, s->levels[r], slot);

    return above == rise ? s->prices[r] - s->a[variable] : s->a[variable];
}

static void move(gr_smo *s, size_t variable, double step, bool rise)
{
    const size_t r = variable / s->slots, slot = variable % s->slots;
    const bool more = gr_svor_is_above(s->task, s->levels[r], slot) == rise;
    double *a = &s->a[variable];

    *a = more ? *a + step : *a - step;
    if (*a < 0.0)
        *a = 0.0;
    if (*a > s->prices[r])
        *a = s->prices[r];
}

/* exc: the largest step that keeps the multipliers between the two thresholds nonnegative. */
static double most_by_ties(const gr_smo *s, size_t high, size_t low)
{
    double most = INFINITY;

    for (size_t cut = high; cut < low; cut++)
        most = s->ties[cut] < most ? s->ties[cut] : most;
    return most;
}

static void move_ties(gr_smo *s, size_t high, size_t low, double step)
{
    for (size_t cut = high; cut < low; cut++)
        s->ties[cut] = s->ties[cut] - step > 0.0 ? s->ties[cut] - step : 0.0;
    for (size_t cut = low; cut < high; cut++)
        s->ties[cut] += step;
}

/* Takes one step; returns false if none is possible. */
static bool take_step(gr_smo *s, size_t high)
{
    const size_t i = s->bounds.high_at[high];
    const float *row = gr_row_cache_get(&s->cache, i / s->slots), *other;
    size_t low = high;
    const size_t j = best_partner(s, i, high, row, &low);

    if (j == SIZE_MAX)
        return false;
    other = gr_row_cache_get(&s->cache, j / s->slots);
    const size_t p = i / s->slots, q = j / s->slots;
    const double v = s->f[q] + (gr_svor_is_above(s->task, s->levels[q], j % s->slots) ? -1.0 : 1.0);
    const double curvature = s->diagonal[p] + s->diagonal[q] - 2.0 * (double)row[q];
    const double rooms[3] = { room_of(s, i, true), room_of(s, j, false),
                              most_by_ties(s, high, low) };
    double step =
        (v - s->bounds.high[high]) / (curvature > LEAST_CURVATURE ? curvature : LEAST_CURVATURE);
    bool full = false;

    for (size_t k = 0; k < 3; k++)
        if (step >= rooms[k]) {
            step = rooms[k];
            full = true;
        }
    move(s, i, step, true);
    move(s, j, step, false);
    move_ties(s, high, low, step);
    for (size_t r = 0; r < s->active; r++)
        s->f[r] += step * ((double)row[r] - (double)other[r]);
    s->steps++;
    return full || step > 0.0;
}

/* Reports progress: how far the worst violation has come to eps, on a logarithmic scale. */
static gradus_status tell(gr_smo *s, double eps, gradus_error *err)
{
    const double share = gr_log(2.0 / s->violation) / gr_log(2.0 / (eps < 1e-3 ? eps : 1e-3));

    s->told = fmax(s->told, fmin(share, 0.99));
    return gr_progress(s->task->context, "solving", s->told, err);
}

/* Steps until no pair of active variables violates its conditions by more than eps. *stuck:
 * rounding errors prevent any step, or any progress. */
static gradus_status solve(gr_smo *s, double eps, bool *stuck, gradus_error *err)
{
    double least = INFINITY;
    size_t work = 0;    /* variables and features scanned since the last report */
    uint64_t since = 0; /* steps without improvement of the violation */

    *stuck = false;
    for (uint64_t n = 1;; n++) {
        find_bounds(s);
        const size_t worst = worst_cut(s);

        if (!(s->violation > eps))
            return GRADUS_OK;
        since = s->violation < 0.99 * least ? 0 : since + 1;
        least = fmin(least, s->violation);
        if (since > PATIENCE + 100 * s->active) {
            *stuck = true;
            return GRADUS_OK;
        }
        work += s->active * (s->slots + s->all_rows->features);
        if (n % STEPS_BETWEEN_PROGRESS == 1 || work > WORK_BETWEEN_PROGRESS) {
            GR_TRY(tell(s, eps, err));
            work = 0;
        }
        if (n % BETWEEN_SHRINKING == 0)
            GR_TRY(gr_smo_shrink(s, err));
        else if (!take_step(s, worst)) {
            *stuck = true;
            return GRADUS_OK;
        }
    }
}

/* Primal and dual objective; all rows must be active. */
static gradus_status measure(const gr_smo *s, gr_svor_fit *fit, gradus_error *err)
{
    double sum = 0.0, square = 0.0, loss;

    for (size_t r = 0; r < s->active; r++) {
        for (size_t slot = 0; slot < s->slots; slot++)
            sum += s->a[r * s->slots + slot];
        square += s->f[r] * gr_smo_beta(s, s->a + r * s->slots, s->levels[r]);
    }
    GR_TRY(gr_svor_cut_best(s->task, s->f, fit->thresholds, &loss, err));
    fit->objective = square / 2.0 + loss;
    fit->gap = fit->objective - (sum - square / 2.0);
    return GRADUS_OK;
}

/* Solves with decreasing eps until the duality gap is small enough. */
static gradus_status run(gr_smo *s, gr_svor_fit *fit, gradus_error *err)
{
    double eps = 0.1;
    bool stuck;

    for (;;) {
        GR_TRY(solve(s, eps, &stuck, err));
        if (s->active < s->task->rows) {
            GR_TRY(gr_smo_unshrink(s, err));
            if (!stuck)
                continue;
        }
        GR_TRY(measure(s, fit, err));
        fit->converged = fit->gap <= s->task->tolerance * fit->objective;
        if (fit->converged || stuck || eps < 1e-11)
            return GRADUS_OK;
        const double wanted = s->task->tolerance * fit->objective / (2.0 * fit->gap);

        eps = (eps < s->violation ? eps : s->violation) * (wanted < 0.1   ? 0.1
                                                           : wanted < 0.5 ? wanted
                                                                          : 0.5);
    }
}

static gradus_status start(gr_smo *s, uint64_t cache_bytes, gradus_error *err)
{
    const size_t rows = s->task->rows, variables = rows * s->slots;
    double *left = NULL;

    s->numbers = gr_arena_array(&s->arena, rows, sizeof *s->numbers);
    s->levels = gr_arena_array(&s->arena, rows, sizeof *s->levels);
    s->prices = gr_arena_array(&s->arena, rows, sizeof *s->prices);
    s->f = gr_arena_array(&s->arena, rows, sizeof *s->f);
    s->all_f = gr_arena_array(&s->arena, rows, sizeof *s->all_f);
    s->diagonal = gr_arena_array(&s->arena, rows, sizeof *s->diagonal);
    s->all_diagonal = gr_arena_array(&s->arena, rows, sizeof *s->all_diagonal);
    s->a = gr_arena_array(&s->arena, variables, sizeof *s->a);
    s->all_a = gr_arena_array(&s->arena, variables, sizeof *s->all_a);
    left = gr_new_array(s->all_rows->features, sizeof *left);
    if (s->arena.failed || !left) {
        free(left);
        return gr_fail_memory(err, "a support vector machine");
    }
    for (size_t r = 0; r < rows; r++) {
        double made[GR_DOT];
        const size_t from = r / GR_DOT * GR_DOT;

        s->numbers[r] = (uint32_t)r;
        s->levels[r] = s->task->level_of[r];
        s->prices[r] = s->task->prices[r];
        gr_kernel_row_fill(s->all_rows, r, left);
        gr_kernel_one(s->kernel, s->all_rows, left, s->all_rows->squares[r], from, r + 1, made);
        s->diagonal[r] = s->all_diagonal[r] = (double)(float)made[r - from];
    }
    free(left);
    return gr_row_cache_new(&s->cache, s->kernel, s->all_rows, (size_t)cache_bytes,
                            gr_pool_of(s->task->context), err);
}

static gradus_status check_diagonal(const gr_smo *s, gradus_error *err)
{
    for (size_t r = 0; r < s->active; r++)
        if (!(s->diagonal[r] <= 1e30))
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "the kernel value of row %zu with itself is too large (%g): scale the "
                           "features ('transform standardise')",
                           r + 1, s->diagonal[r]);
    return GRADUS_OK;
}

gradus_status gr_svor_smo(const gr_svor_task *task, const gr_kernel *kernel,
                          const gr_kernel_rows *rows, uint64_t cache_bytes, double *betas,
                          gr_svor_fit *fit, gradus_error *err)
{
    gr_smo s = { .task = task,
                 .kernel = kernel,
                 .all_rows = rows,
                 .slots = gr_svor_slots(task),
                 .active = task->rows };
    gradus_status status = start(&s, cache_bytes, err);

    if (status == GRADUS_OK)
        status = check_diagonal(&s, err);
    if (status == GRADUS_OK)
        status = run(&s, fit, err);
    for (size_t r = 0; status == GRADUS_OK && r < task->rows; r++)
        betas[r] = gr_smo_beta(&s, s.a + r * s.slots, task->level_of[r]);
    fit->steps = s.steps;
    gr_kernel_rows_free(&s.few_rows);
    gr_row_cache_free(&s.cache);
    gr_arena_free(&s.arena);
    return status;
}
