/* SPDX-License-Identifier: Apache-2.0 */
/* Linear SVOR by dual coordinate descent, with w maintained alongside the variables (Hsieh et al.
 * 2008).
 *
 * The thresholds are not regularised; the resulting equality constraints would allow variables to
 * move only in pairs. A proximal term therefore holds each threshold near a centre, which moves
 * after every pass (the method of multipliers): variables move one at a time, and the term vanishes
 * at convergence. Rows are centred on their mean, which changes only the thresholds and needs fewer
 * passes; sparse rows stay sparse, because the mean enters through precomputed sums.
 *
 * Optimisation starts with prices scaled down and raises them by GROWTH every STAGE passes. */
#include "learners/svor/design.h"
#include "learners/svor/svor.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH 4.0
/* STAGE: passes per price level. BETWEEN_TIES: rows between updates of the ties. AHEAD: rows
 * prefetched ahead. BETWEEN_CANCELS: rows between checks for cancellation. FIRST_CHECK: passes
 * before the first measurement of the gap. BETWEEN_CHECKS: visits between two measurements, in
 * multiples of the number of rows. */
enum {
    STAGE = 10,
    BETWEEN_TIES = 64,
    AHEAD = 6,
    BETWEEN_CANCELS = 1 << 14,
    FIRST_CHECK = 4,
    BETWEEN_CHECKS = 3
};

typedef struct descent {
    const gr_svor_task *task;
    gr_svor_lines *lines;
    size_t slots;
    double most_price;
    double scale;                     /* factor of the prices; 1 in the last stage */
    double *a;                        /* [rows x slots] */
    double *u;                        /* [features]: sum of b times row */
    double u_mean, b_sum;             /* u' mean; sum of b */
    double pull;                      /* change of a threshold per unit of its sum of s a */
    double centres[GR_MAX_LEVELS];    /* centres of the proximal terms */
    double thresholds[GR_MAX_LEVELS]; /* centre - pull * (sum of s a, plus ties) */
    double ties[GR_MAX_LEVELS];       /* exc: multipliers of t_j <= t_{j+1} */
    size_t *order;                    /* [active]: row numbers */
    size_t active;
    double most, least; /* extreme projected gradients of the previous pass */
    double most_now, least_now;
    double *w, *f;  /* [features], [rows]: at the last measurement */
    gr_arena arena; /* owns the arrays */
} descent;

/* f of row r: (row - mean)' (u - b_sum * mean). */
static double value_of(const descent *d, size_t r)
{
    const gr_svor_lines *lines = d->lines;

    return gr_svor_lines_dot(lines, r, d->u) - d->u_mean -
           d->b_sum * (gr_svor_line_at(lines, r)->with_mean - lines->mean_square);
}

/* Optimises one variable. Returns true if it is at a bound and pushed there harder than any
 * violation of the previous pass: it can be skipped. */
static bool move(descent *d, size_t r, size_t slot, double *f, double *change)
{
    const size_t level = d->task->level_of[r], cut = gr_svor_cut(d->task, level, slot);
    double *a = &d->a[r * d->slots + slot];
    const double price = d->scale * d->task->prices[r], old = *a;

    if (cut == SIZE_MAX || price == 0.0)
        return true;
    const double s = gr_svor_is_above(d->task, level, slot) ? 1.0 : -1.0;
    const double gradient = s * (*f - d->thresholds[cut]) - 1.0;

    if ((old == 0.0 && gradient > d->most) || (old == price && gradient < d->least))
        return true;
    const double projected =
        (old == 0.0 && gradient > 0.0) || (old == price && gradient < 0.0) ? 0.0 : gradient;

    d->most_now = projected > d->most_now ? projected : d->most_now;
    d->least_now = projected < d->least_now ? projected : d->least_now;
    if (projected == 0.0)
        return false;
    const double wanted = old - gradient / (gr_svor_line_at(d->lines, r)->square + d->pull);

    *a = wanted < 0.0 ? 0.0 : wanted > price ? price : wanted;
    const double step = s * (*a - old);

    *f += step * gr_svor_line_at(d->lines, r)->square;
    d->thresholds[cut] -= d->pull * step;
    *change += step;
    return false;
}

/* Optimises all variables of a row; returns true if all can be skipped. */
static bool visit(descent *d, size_t r)
{
    double f = value_of(d, r), change = 0.0;
    bool settled = true;

    for (size_t slot = 0; slot < d->slots; slot++)
        settled &= move(d, r, slot, &f, &change);
    if (change != 0.0) {
        gr_svor_lines_add(d->lines, r, change, d->u);
        d->u_mean += change * gr_svor_line_at(d->lines, r)->with_mean;
        d->b_sum += change;
    }
    return settled;
}

/* exc: optimises the multiplier of each t_j <= t_{j+1}. */
static void move_ties(descent *d)
{
    for (size_t cut = 0; d->task->loss == GR_SVOR_EXC && cut + 1 < d->task->cuts; cut++) {
        const double apart = d->thresholds[cut + 1] - d->thresholds[cut];
        const double wanted = d->ties[cut] - apart / (2.0 * d->pull);
        const double step = (wanted > 0.0 ? wanted : 0.0) - d->ties[cut];

        d->ties[cut] += step;
        d->thresholds[cut] -= d->pull * step;
        d->thresholds[cut + 1] += d->pull * step;
    }
}

/* Update of the method of multipliers: each centre moves to its threshold, and the threshold moves
 * on by the same amount. */
static void move_centres(descent *d)
{
    for (size_t cut = 0; cut < d->task->cuts; cut++) {
        const double pulled = d->thresholds[cut] - d->centres[cut];

        d->centres[cut] += pulled;
        d->thresholds[cut] += pulled;
    }
}

static void take_all(descent *d)
{
    d->active = d->task->rows;
    for (size_t r = 0; r < d->active; r++)
        d->order[r] = r;
    d->most = INFINITY;
    d->least = -INFINITY;
}

/* Whether all variables of a row are at bounds, and the f and thresholds of the last measurement
 * push them there harder than any violation of the last pass. */
static bool is_settled(const descent *d, size_t r, const double *thresholds)
{
    const size_t level = d->task->level_of[r];
    const double price = d->task->prices[r];

    for (size_t slot = 0; slot < d->slots; slot++) {
        const size_t cut = gr_svor_cut(d->task, level, slot);
        const double a = d->a[r * d->slots + slot];

        if (cut == SIZE_MAX || price == 0.0)
            continue;
        const double s = gr_svor_is_above(d->task, level, slot) ? 1.0 : -1.0;
        const double gradient = s * (d->f[r] - thresholds[cut]) - 1.0;

        if (!(a == 0.0 && gradient > d->most) && !(a == price && gradient < d->least))
            return false;
    }
    return true;
}

/* After a measurement: activates all rows that are not settled. */
static void take_unsettled(descent *d, const double *thresholds)
{
    d->active = 0;
    for (size_t r = 0; r < d->task->rows; r++)
        if (!is_settled(d, r, thresholds))
            d->order[d->active++] = r;
}

/* Prefetches the row's numbers. */
static void ask_numbers(const descent *d, size_t r)
{
    __builtin_prefetch(&d->a[r * d->slots]);
    __builtin_prefetch(gr_svor_line_at(d->lines, r));
    __builtin_prefetch(&d->task->prices[r]);
}

/* One pass over the active rows in a random order over all of them. Shuffling contiguous blocks
 * would read memory faster, but converges several times more slowly. */
static gradus_status pass(descent *d, uint64_t seed, uint64_t number, gradus_error *err)
{
    gr_rng rng = gr_rng_for(seed, "svor passes", number);
    size_t kept = 0;

    d->most_now = 0.0;
    d->least_now = 0.0;
    gr_shuffle(&rng, d->order, d->active);
    for (size_t i = 0; i < d->active; i++) {
        if (i + 2 * AHEAD < d->active)
            ask_numbers(d, d->order[i + 2 * AHEAD]);
        if (i + AHEAD < d->active)
            gr_svor_lines_ask(d->lines, d->order[i + AHEAD]);
        if (!visit(d, d->order[i]))
            d->order[kept++] = d->order[i];
        if (i % BETWEEN_TIES == 0)
            move_ties(d);
        if (i % BETWEEN_CANCELS == BETWEEN_CANCELS - 1)
            GR_TRY(gr_pool_check(gr_pool_of(d->task->context), err));
    }
    move_ties(d);
    d->active = kept;
    d->most = d->most_now > 0.0 ? d->most_now : INFINITY;
    d->least = d->least_now < 0.0 ? d->least_now : -INFINITY;
    return GRADUS_OK;
}

/* A dual feasible point: factors for the variables above and below each threshold that make the
 * sums of s a satisfy the constraints. Returns false if no such factors exist yet. */
static bool find_shares(const descent *d, double shares[][2])
{
    double sums[GR_MAX_LEVELS][2];

    memset(sums, 0, sizeof sums);
    for (size_t r = 0; r < d->task->rows; r++)
        for (size_t slot = 0; slot < d->slots; slot++) {
            const size_t level = d->task->level_of[r], cut = gr_svor_cut(d->task, level, slot);

            if (cut != SIZE_MAX)
                sums[cut][gr_svor_is_above(d->task, level, slot)] += d->a[r * d->slots + slot];
        }
    for (size_t cut = 0; cut < d->task->cuts; cut++) {
        const double wanted =
            (cut > 0 ? d->ties[cut - 1] : 0.0) - (cut + 1 < d->task->cuts ? d->ties[cut] : 0.0);
        const double below = fmin(sums[cut][0], sums[cut][1] - wanted), above = below + wanted;

        if (below < 0.0 || above < 0.0)
            return false;
        shares[cut][0] = sums[cut][0] > 0.0 ? below / sums[cut][0] : 1.0;
        shares[cut][1] = sums[cut][1] > 0.0 ? above / sums[cut][1] : 1.0;
    }
    return true;
}

/* w of the scaled variables; returns their sum. */
static double weigh(descent *d, double shares[][2])
{
    double sum = 0.0, b_sum = 0.0;

    memset(d->w, 0, d->lines->features * sizeof *d->w);
    for (size_t r = 0; r < d->task->rows; r++) {
        const size_t level = d->task->level_of[r];
        double b = 0.0;

        for (size_t slot = 0; slot < d->slots; slot++) {
            const size_t cut = gr_svor_cut(d->task, level, slot);
            const bool above = gr_svor_is_above(d->task, level, slot);

            if (cut == SIZE_MAX)
                continue;
            const double a = d->a[r * d->slots + slot] * shares[cut][above];

            sum += a;
            b += above ? a : -a;
        }
        if (b != 0.0)
            gr_svor_lines_add(d->lines, r, b, d->w);
        b_sum += b;
    }
    for (size_t f = 0; f < d->lines->features; f++)
        d->w[f] -= b_sum * d->lines->means[f];
    return sum;
}

/* The duality gap at the scaled variables; INFINITY if there is no feasible point yet. */
static gradus_status measure(descent *d, gr_svor_fit *fit, gradus_error *err)
{
    double shares[GR_MAX_LEVELS][2], square = 0.0, sum, loss;

    fit->gap = INFINITY;
    if (!find_shares(d, shares))
        return GRADUS_OK;
    sum = weigh(d, shares);
    for (size_t f = 0; f < d->lines->features; f++)
        square += d->w[f] * d->w[f];
    gr_svor_lines_values(d->lines, d->w, gr_pool_of(d->task->context), d->f);
    GR_TRY(gr_svor_cut_best(d->task, d->f, fit->thresholds, &loss, err));
    fit->objective = square / 2.0 + loss;
    fit->gap = fit->objective - (sum - square / 2.0);
    fit->converged = fit->gap <= d->task->tolerance * fit->objective;
    return GRADUS_OK;
}

/* The factor, from 1 to `most`, by which to multiply the variables when prices rise: the one that
 * maximises the dual. For separable rows it is near 1 and the variables keep their values; if most
 * of them are at their upper bound, it is near `most` and they stay there. */
static double best_growth(const descent *d, double most)
{
    double sum = 0.0, square = d->b_sum * (d->b_sum * d->lines->mean_square - 2.0 * d->u_mean);

    for (size_t i = 0; i < d->task->rows * d->slots; i++)
        sum += d->a[i];
    for (size_t f = 0; f < d->lines->features; f++)
        square += d->u[f] * d->u[f];
    return square > 0.0 ? fmin(most, fmax(1.0, sum / square)) : most;
}

static void raise_prices(descent *d)
{
    const double rise = fmin(GROWTH, 1.0 / d->scale), by = best_growth(d, rise);

    d->scale = rise < GROWTH ? 1.0 : d->scale * rise;
    for (size_t i = 0; i < d->task->rows * d->slots; i++)
        d->a[i] = fmin(d->scale * d->task->prices[i / d->slots], by * d->a[i]);
    for (size_t f = 0; f < d->lines->features; f++)
        d->u[f] *= by;
    d->u_mean *= by;
    d->b_sum *= by;
    for (size_t cut = 0; cut < d->task->cuts; cut++) {
        d->thresholds[cut] = d->centres[cut] + by * (d->thresholds[cut] - d->centres[cut]);
        d->ties[cut] *= by;
    }
    take_all(d);
}

static gradus_status run(descent *d, uint64_t passes, uint64_t seed, gr_svor_fit *fit,
                         gradus_error *err)
{
    size_t visits = 0;            /* row visits since the last measurement */
    uint64_t check = FIRST_CHECK; /* pass of the next measurement at the latest */

    take_all(d);
    while (!fit->converged) {
        if (fit->steps == passes && isfinite(fit->gap))
            return GRADUS_OK;
        if (fit->steps >= 2 * passes)
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "no finite duality gap after %llu passes: scale the features "
                           "('transform standardise'), or lower 'penalty'",
                           (unsigned long long)fit->steps);
        visits += d->active;
        GR_TRY(pass(d, seed, fit->steps++, err));
        move_centres(d);
        GR_TRY(gr_progress(d->task->context, "solving",
                           (double)fit->steps / (double)(2 * passes + 1), err));
        if (d->scale < 1.0) {
            if (fit->steps % STAGE == 0)
                raise_prices(d);
            visits = 0;
            check = fit->steps + FIRST_CHECK;
        } else if (visits >= BETWEEN_CHECKS * d->task->rows || fit->steps >= check ||
                   fit->steps >= passes) {
            GR_TRY(measure(d, fit, err));
            visits = 0;
            check = fit->steps + 2 + fit->steps / 4;
            if (isfinite(fit->gap))
                take_unsettled(d, fit->thresholds);
            else
                take_all(d);
        } else if (d->active == 0) {
            take_all(d);
        }
    }
    return GRADUS_OK;
}

static gradus_status make_equation(const descent *d, const gr_spread *spreads, gr_linear *linear,
                                   gradus_error *err)
{
    const size_t features = d->lines->features;
    double *own = gr_new_array(3 * features + 1, sizeof *own);

    if (!own)
        return gr_fail_memory(err, "a model");
    *linear = (gr_linear){ .features = features,
                           .outputs = 1,
                           .means = own,
                           .spreads = own + features,
                           .coefficients = own + 2 * features,
                           .bases = own + 3 * features,
                           .own = own };
    for (size_t f = 0; f < features; f++) {
        const bool varies = spreads[f].count > 0.0 && spreads[f].squares > 0.0;

        own[f] = d->lines->means[f];
        own[features + f] = varies ? sqrt(spreads[f].squares / spreads[f].count) : 0.0;
        own[2 * features + f] = varies ? d->w[f] : 0.0;
    }
    return GRADUS_OK;
}

static gradus_status start(descent *d, gradus_error *err)
{
    const size_t rows = d->task->rows, features = d->lines->features;
    double sum = 0.0;

    d->a = gr_arena_array(&d->arena, rows * d->slots, sizeof *d->a);
    d->u = gr_arena_array(&d->arena, features, sizeof *d->u);
    d->w = gr_arena_array(&d->arena, features, sizeof *d->w);
    d->f = gr_arena_array(&d->arena, rows, sizeof *d->f);
    d->order = gr_arena_array(&d->arena, rows, sizeof *d->order);
    if (d->arena.failed)
        return gr_fail_memory(err, "a support vector machine");
    for (size_t r = 0; r < rows; r++) {
        sum += gr_svor_line_at(d->lines, r)->square;
        d->most_price = fmax(d->most_price, d->task->prices[r]);
    }
    d->pull = sum > 0.0 ? sum / (double)rows : 1.0;
    for (d->scale = 1.0; d->scale * d->most_price * d->pull > 1.0;)
        d->scale /= GROWTH;
    for (size_t cut = 0; cut < d->task->cuts; cut++) /* two margins apart */
        d->centres[cut] = d->thresholds[cut] = 2.0 * (double)cut - (double)(d->task->cuts - 1);
    return GRADUS_OK;
}

static gradus_status fit_lines(const gr_svor_task *task, gr_svor_lines *lines,
                               const gr_spread *spreads, uint64_t passes, uint64_t seed,
                               gr_linear *linear, gr_svor_fit *fit, gradus_error *err)
{
    descent d = { .task = task, .lines = lines, .slots = gr_svor_slots(task) };
    gradus_status status = start(&d, err);

    fit->thresholds = gr_new_array(task->cuts, sizeof *fit->thresholds);
    if (status == GRADUS_OK && !fit->thresholds)
        status = gr_fail_memory(err, "thresholds");
    if (status == GRADUS_OK)
        status = run(&d, passes, seed, fit, err);
    if (status == GRADUS_OK)
        status = make_equation(&d, spreads, linear, err);
    for (size_t r = 0; status == GRADUS_OK && r < task->rows; r++) {
        bool supports = false;

        for (size_t slot = 0; slot < d.slots; slot++)
            supports |= d.a[r * d.slots + slot] > 0.0;
        fit->support += supports;
    }
    gr_arena_free(&d.arena);
    return status;
}

gradus_status gr_svor_train_linear(const gradus_context *context, const gradus_dataset *data,
                                   const gr_problem *problem, gr_svor_loss loss,
                                   const gr_svor_options *options, uint64_t seed, gr_linear *linear,
                                   gr_svor_fit *fit, gradus_error *err)
{
    gr_spread *spreads = gr_new_array(data->arrays.features, sizeof *spreads);
    gr_svor_lines lines = { .features = 0 };
    gr_svor_task task = { .rows = 0 };
    gradus_status status;

    *fit = (gr_svor_fit){ .gap = INFINITY };
    *linear = (gr_linear){ .features = 0 };
    status = spreads ? gr_spread_all(data, spreads, gr_pool_of(context), err)
                     : gr_fail_memory(err, "the spread of features");
    if (status == GRADUS_OK)
        status = gr_svor_lines_of(data, spreads, gr_pool_of(context), &lines, err);
    if (status == GRADUS_OK)
        status = gr_svor_task_of(context, problem, loss, options, &task, err);
    if (status == GRADUS_OK)
        status = fit_lines(&task, &lines, spreads, options->passes, seed, linear, fit, err);
    for (size_t cut = 1; status == GRADUS_OK && cut < task.cuts; cut++)
        fit->crossed |= fit->thresholds[cut] < fit->thresholds[cut - 1];
    if (status != GRADUS_OK)
        gr_svor_fit_free(fit);
    free(task.prices);
    free(spreads);
    gr_svor_lines_free(&lines);
    return status;
}
