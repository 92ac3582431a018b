/* SPDX-License-Identifier: Apache-2.0 */
/* Linear svor by dual coordinate descent, w kept beside the variables (Hsieh and others, 2008).
 *
 * Thresholds have no price of their own, which would let variables move only in pairs. Here each is
 * held to where it was by a quadratic term that the next pass begins anew (the method of
 * multipliers): variables move one by one, and the term is 0 in the end. Rows are taken as
 * deviations from the mean of all, which changes thresholds only and makes passes fewer; sparse
 * rows stay sparse, as the mean is dealt with by sums. */
#include "learners/svor/lines.h"
#include "learners/svor/svor.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH 4.0
/* Passes at lower prices; rows between two looks at ties, and that are asked for ahead; passes
 * before the first measurement, and visits between two, times all rows. */
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
    double scale;                      /* what prices are multiplied by, 1 in the end */
    double *a;                         /* rows x slots */
    double *u;                         /* sum of b times row, features */
    double u_mean, b_sum;              /* u'mean, and the sum of b */
    double pull;                       /* how far a threshold moves by a change of 1 in its sum */
    double centres[GR_MOST_LEVELS];    /* what thresholds are held to */
    double thresholds[GR_MOST_LEVELS]; /* centre - pull * sum of s a, ties added */
    double ties[GR_MOST_LEVELS];       /* of exc: multipliers of t_j <= t_{j+1} */
    size_t *order;                     /* active rows */
    size_t active;
    double most, least; /* of projected gradients, in the pass before */
    double most_now, least_now;
    double *w, *f; /* of the last measurement: features, rows */
} descent;

static double value_of(const descent *d, size_t r)
{
    const gr_svor_lines *lines = d->lines;

    return gr_svor_lines_dot(lines, r, d->u) - d->u_mean -
           d->b_sum * (gr_svor_line_at(lines, r)->with_mean - lines->mean_square);
}

/* One variable. True if it is settled at a bound: the pass before had nothing like it. */
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

/* True if all variables of the row are settled. */
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

/* What thresholds are held to moves on by what they were pulled. */
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

/* Whether all variables of a row are at bounds, and f and the thresholds of the last measurement
 * keep them there by more than anything was off in the last pass. */
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

/* After a measurement: all rows but those that it shows to be settled. */
static void take_unsettled(descent *d, const double *thresholds)
{
    d->active = 0;
    for (size_t r = 0; r < d->task->rows; r++)
        if (!is_settled(d, r, thresholds))
            d->order[d->active++] = r;
}

/* Says that the row's numbers will be needed soon. */
static void ask_numbers(const descent *d, size_t r)
{
    __builtin_prefetch(&d->a[r * d->slots]);
    __builtin_prefetch(gr_svor_line_at(d->lines, r));
    __builtin_prefetch(&d->task->prices[r]);
}

/* Rows come in a new order each time, any of all: orders of stretches that lie together are faster
 * to read, but bring less, and take several times as many passes. */
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

/* Shares that variables above and below each threshold keep, so that the sums of s a are as the
 * dual wants them; false if they cannot be made so yet. */
static bool find_shares(const descent *d, double shares[][2])
{
    double sums[GR_MOST_LEVELS][2];

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

/* w of the variables, each its share; the sum of them. */
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

static gradus_status measure(descent *d, gr_svor_fit *fit, gradus_error *err)
{
    double shares[GR_MOST_LEVELS][2], square = 0.0, sum, loss;

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

/* By how much variables are multiplied when prices are: where the dual is best, at most as much.
 * Rows that are told apart with few errors keep theirs, those at a bound stay there. */
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
    size_t visits = 0;            /* since the last measurement */
    uint64_t check = FIRST_CHECK; /* at the latest */

    take_all(d);
    while (!fit->converged) {
        if (fit->steps == passes && isfinite(fit->gap))
            return GRADUS_OK;
        if (fit->steps >= 2 * passes)
            return gr_fail(err, GRADUS_BAD_NUMBER,
                           "no bound on the objective after %llu passes: scale the features "
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

    d->a = gr_new_array(rows * d->slots, sizeof *d->a);
    d->u = gr_new_array(features, sizeof *d->u);
    d->w = gr_new_array(features, sizeof *d->w);
    d->f = gr_new_array(rows, sizeof *d->f);
    d->order = gr_new_array(rows, sizeof *d->order);
    if (!d->a || !d->u || !d->w || !d->f || !d->order)
        return gr_fail_memory(err, "a support vector machine");
    for (size_t r = 0; r < rows; r++) {
        sum += gr_svor_line_at(d->lines, r)->square;
        d->most_price = fmax(d->most_price, d->task->prices[r]);
    }
    d->pull = sum > 0.0 ? sum / (double)rows : 1.0;
    for (d->scale = 1.0; d->scale * d->most_price * d->pull > 1.0;)
        d->scale /= GROWTH;
    for (size_t cut = 0; cut < d->task->cuts; cut++) /* evenly apart, as the margins want them */
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
    free(d.a);
    free(d.u);
    free(d.w);
    free(d.f);
    free(d.order);
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
