/* SPDX-License-Identifier: Apache-2.0 */
/* Linear proportional odds by Newton's method with step halving. Every pass over the rows sums the
 * log likelihood, its gradient and Hessian in fixed blocks of rows, so that the result does not
 * depend on the number of threads. */
#include "learners/linear/proportional_odds.h"

#include "base/cholesky.h"
#include "base/math.h"
#include "base/ranges.h"
#include "objectives/thresholds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 60, MAX_HALVINGS = 40, ROW_CHUNKS = 64, ROW_CHUNK = 1024 };

#define NEAR 1e-11   /* Newton decrement per unit of weight at which iteration stops */
#define DOUBT 1e-6   /* mean probability of the wrong grades below which grades are separable */
#define UNSURE 100.0 /* maximum standard error of a determined, standardised coefficient */

/* The unknowns: thresholds between the grades that have weight, then the coefficients of the
 * standardised features in use. between: number of these thresholds. */
typedef struct fitting {
    const gradus_dataset *data;
    const gr_problem *problem;
    gr_threshold_state cuts;
    size_t used, unknowns, between;
    size_t *features; /* [used]: feature numbers */
    size_t *order;    /* [kept unknown]: index of its feature in `features` */
    const double *means, *spreads;
    double ridge;
    double *at, *trial, *gradient, *step, *hessian, *factor;
    double *sums; /* [chunks x (2 + unknowns + unknowns^2)] */
    size_t chunk, chunks;
    const gr_share *share; /* of the rows; NULL: one process has all */
    uint64_t *chunk_cuts;  /* [processes + 1] */
    gr_pool *pool;
    gr_arena arena; /* owns the arrays */
} fitting;

static void fitting_free(fitting *f)
{
    gr_thresholds_end(&f->cuts);
    gr_arena_free(&f->arena);
}

void gr_odds_free(gr_odds *odds)
{
    gr_linear_free(&odds->linear);
    free(odds->thresholds);
    free(odds->errors);
    *odds = (gr_odds){ .cuts = 0 };
}

/* The position of a row's grade among the thresholds, and its probabilities there: P(y = its grade)
 * is u
 * * not_v * gap. */
typedef struct chances {
    size_t place; /* number of thresholds below the grade */
    double u, v;  /* P(y <= grade), P(y < grade) */
    double not_u, not_v, gap;
} chances;

static double one_minus_exp(double gap)
{
    return gap < 1e-5 ? gap * (1.0 - gap / 2.0 * (1.0 - gap / 3.0)) : 1.0 - gr_exp(-gap);
}

static chances look_at(const fitting *f, const double *at, size_t r, double score)
{
    const size_t place = f->cuts.place[f->problem->level_of[r]];
    const bool above = place<f->between, below = place> 0;
    const double high = above ? at[place] - score : 0.0, low = below ? at[place - 1] - score : 0.0;

    return (chances){ .place = place,
                      .u = above ? gr_logistic_accurate(high) : 1.0,
                      .v = below ? gr_logistic_accurate(low) : 0.0,
                      .not_u = above ? gr_logistic_accurate(-high) : 0.0,
                      .not_v = below ? gr_logistic_accurate(-low) : 1.0,
                      .gap = above && below ? one_minus_exp(at[place] - at[place - 1]) : 1.0 };
}

static double take_row(const fitting *f, const double *at, size_t r, float *row, double *z)
{
    double score = 0.0;

    gr_dataset_row(f->data, r, row);
    for (size_t i = 0; i < f->used; i++) {
        const size_t feature = f->features[i];
        const double value = (double)row[feature];

        z[i] = isfinite(value) ? (value - f->means[feature]) / f->spreads[feature] : 0.0;
        score += at[f->between + i] * z[i];
    }
    return score;
}

/* Adds a row to the gradient and to the Hessian (lower triangle) of the negative log likelihood.
 * The derivatives are explained in objectives/propodds_thresholds.c. */
static void add_row(const fitting *f, const chances *c, double weight, const double *z,
                    double *gradient, double *hessian)
{
    const size_t n = f->unknowns, first = f->between, above = c->place, below = c->place - 1;
    const double a = c->not_u / (c->not_v * c->gap), b = c->v / (c->u * c->gap);
    const double up = weight * a * (c->u - c->not_u + a), down = weight * b * (c->not_v - c->v + b);
    const double beside = -weight * a * b, slope = weight * (c->not_u - c->v);
    const double bend = weight * (c->u * c->not_u + c->v * c->not_v);
    const bool has_above = above<f->between, has_below = c->place> 0;

    if (has_above) {
        gradient[above] -= weight * a;
        hessian[above * n + above] += up;
    }
    if (has_below) {
        gradient[below] += weight * b;
        hessian[below * n + below] += down;
    }
    if (has_above && has_below)
        hessian[above * n + below] += beside;
    for (size_t i = 0; i < f->used; i++) {
        double *line = hessian + (first + i) * n;
        const double bent = bend * z[i];

        gradient[first + i] += slope * z[i];
        if (has_above)
            line[above] -= (up + (has_below ? beside : 0.0)) * z[i];
        if (has_below)
            line[below] -= (down + (has_above ? beside : 0.0)) * z[i];
        for (size_t j = 0; j <= i; j++)
            line[first + j] += bent * z[j];
    }
}

enum { ROWS_BETWEEN_CHECKS = 256 }; /* for cancellation */

typedef struct pass {
    fitting *f;
    const double *at;
    bool derivatives;
    float *rows;  /* [threads x features] */
    double *z;    /* [threads x (used + 1)] */
    size_t first; /* first chunk of this process */
} pass;

static void do_chunk(void *argument, gr_range range)
{
    const pass *p = argument;
    const fitting *f = p->f;
    const size_t n = f->unknowns, width = 2 + n + n * n;
    const size_t index = range.index + p->first, before = p->first * f->chunk;
    double *sums = f->sums + index * width, *z = p->z + range.worker * (f->used + 1);
    float *row = p->rows + range.worker * f->data->arrays.features;

    memset(sums, 0, width * sizeof *sums);
    for (size_t r = before + range.first; r < before + range.end; r++) {
        if (r % ROWS_BETWEEN_CHECKS == 0 && gr_pool_cancelled(f->pool))
            return;
        const double weight = f->problem->row_weights ? (double)f->problem->row_weights[r] : 1.0;

        if (!(weight > 0.0))
            continue;
        const double score = take_row(f, p->at, r, row, z);
        const chances c = look_at(f, p->at, r, score);

        sums[0] += weight * (gr_log(c.u) + gr_log(c.not_v) + gr_log(c.gap));
        sums[1] += weight * (1.0 - c.u * c.not_v * c.gap);
        if (p->derivatives)
            add_row(f, &c, weight, z, sums + 2, sums + 2 + n);
    }
}

/* Sums the chunks of this process, and gathers those of the others. */
static gradus_status sum_chunks(pass *p, gradus_error *err)
{
    fitting *f = p->f;
    const size_t width = 2 + f->unknowns + f->unknowns * f->unknowns, rows = f->problem->rows;
    const gr_share *share = f->share;
    size_t end = rows;

    if (share) {
        const size_t rank = share->with->rank, last = (size_t)f->chunk_cuts[rank + 1] * f->chunk;

        p->first = (size_t)f->chunk_cuts[rank];
        end = last < rows ? last : rows;
    }
    const size_t first = p->first * f->chunk;

    GR_TRY(gr_try_ranges(f->pool, end > first ? end - first : 0, f->chunk, do_chunk, p, err));
    return share ? gr_share_gather(share, f->chunk_cuts, width * sizeof *f->sums,
                                   f->sums + p->first * width, f->sums, err)
                 : GRADUS_OK;
}

/* Computes the penalised log likelihood, the total probability of wrong grades (doubt) and, if
 * requested, the derivatives. */
static gradus_status look(fitting *f, const double *at, bool derivatives, double *likelihood,
                          double *doubt, gradus_error *err)
{
    const size_t n = f->unknowns, width = 2 + n + n * n, threads = gr_pool_threads(f->pool);
    pass p = { f,
               at,
               derivatives,
               gr_new_array(threads * f->data->arrays.features, sizeof(float)),
               gr_new_array(threads * (f->used + 1), sizeof(double)),
               0 };

    if (!p.rows || !p.z) {
        free(p.rows);
        free(p.z);
        return gr_fail_memory(err, "proportional odds");
    }
    const gradus_status status = sum_chunks(&p, err);

    free(p.rows);
    free(p.z);
    GR_TRY(status);
    *likelihood = *doubt = 0.0;
    if (derivatives) {
        memset(f->gradient, 0, n * sizeof *f->gradient);
        memset(f->hessian, 0, n * n * sizeof *f->hessian);
    }
    for (size_t s = 0; s < f->chunks; s++) {
        const double *sums = f->sums + s * width;

        *likelihood += sums[0];
        *doubt += sums[1];
        for (size_t i = 0; derivatives && i < n; i++)
            f->gradient[i] += sums[2 + i];
        for (size_t i = 0; derivatives && i < n * n; i++)
            f->hessian[i] += sums[2 + n + i];
    }
    for (size_t i = 0; i < f->used; i++) {
        const double b = at[f->between + i];

        *likelihood -= f->ridge * b * b / 2.0;
        if (derivatives) {
            f->gradient[f->between + i] += f->ridge * b;
            f->hessian[(f->between + i) * n + f->between + i] += f->ridge;
        }
    }
    return GRADUS_OK;
}

/* Cholesky factorisation of the Hessian; false if it is not positive definite. */
static bool factor(fitting *f)
{
    const size_t n = f->unknowns;

    memcpy(f->factor, f->hessian, n * n * sizeof *f->factor);
    return gr_cholesky_factor(f->factor, n, 1e-14, NULL);
}

/* Leaves out features that are linear combinations of earlier ones and the thresholds, found by a
 * Cholesky factorisation at the start, where all coefficients are 0. */
static gradus_status drop_dependent(fitting *f, gradus_error *err)
{
    const size_t n = f->unknowns;
    size_t kept = 0, count = 0;
    double likelihood, doubt, *l = f->factor;

    GR_TRY(look(f, f->at, true, &likelihood, &doubt, err));
    for (size_t i = 0; i < n; i++) { /* the factor has a row for each unknown kept */
        double rest = f->hessian[i * n + i];
        double *line = l + kept * n;

        for (size_t j = 0; j < kept; j++) {
            double sum = f->hessian[i * n + (j < f->between ? j : f->between + f->order[j])];

            for (size_t k = 0; k < j; k++)
                sum -= line[k] * l[j * n + k];
            line[j] = sum / l[j * n + j];
            rest -= line[j] * line[j];
        }
        if (i >= f->between && !(rest > GR_LEAST_PIVOT * f->hessian[i * n + i]))
            continue;
        line[kept] = sqrt(rest > 0.0 ? rest : f->hessian[i * n + i]);
        if (i >= f->between) {
            f->order[kept] = i - f->between;
            count++;
        }
        kept++;
    }
    for (size_t i = 0; i < count; i++)
        f->features[i] = f->features[f->order[f->between + i]];
    f->used = count;
    f->unknowns = f->between + count;
    return GRADUS_OK;
}

static bool in_order(const fitting *f, const double *at)
{
    for (size_t c = 1; c < f->between; c++)
        if (!(at[c] > at[c - 1]))
            return false;
    return true;
}

/* Line search: halves the Newton step until the likelihood does not decrease and the thresholds
 * stay ordered. */
static gradus_status go(fitting *f, double before, double *likelihood, double *doubt,
                        gradus_error *err)
{
    double share = 1.0;

    for (int i = 0; i < MAX_HALVINGS; i++, share /= 2.0) {
        for (size_t k = 0; k < f->unknowns; k++)
            f->trial[k] = f->at[k] - share * f->step[k];
        if (!in_order(f, f->trial))
            continue;
        GR_TRY(look(f, f->trial, false, likelihood, doubt, err));
        if (*likelihood >= before - 1e-12 * fabs(before)) {
            memcpy(f->at, f->trial, f->unknowns * sizeof *f->at);
            return GRADUS_OK;
        }
    }
    *likelihood = before; /* only rounding errors are left */
    return GRADUS_OK;
}

static gradus_status newton(fitting *f, gr_odds *odds, gradus_error *err)
{
    double likelihood, doubt, weight = 0.0;

    for (size_t l = 0; l < f->problem->levels; l++)
        weight += f->cuts.weights[l];
    for (odds->steps = 0; odds->steps < MAX_STEPS; odds->steps++) {
        double decrement = 0.0;

        GR_TRY(look(f, f->at, true, &likelihood, &doubt, err));
        odds->separated = doubt < DOUBT * weight || !factor(f);
        odds->log_likelihood = likelihood;
        if (odds->separated)
            return GRADUS_OK;
        memcpy(f->step, f->gradient, f->unknowns * sizeof *f->step);
        gr_cholesky_solve(f->factor, f->unknowns, f->step);
        for (size_t i = 0; i < f->unknowns; i++)
            decrement += f->gradient[i] * f->step[i];
        if (decrement < NEAR * NEAR * weight)
            return GRADUS_OK;
        GR_TRY(go(f, likelihood, &odds->log_likelihood, &doubt, err));
        if (decrement < NEAR * weight && odds->log_likelihood == likelihood)
            break;
    }
    GR_TRY(look(f, f->at, true, &odds->log_likelihood, &doubt, err));
    odds->separated = odds->steps == MAX_STEPS || !factor(f);
    return GRADUS_OK;
}

static gradus_status set_up(fitting *f, const gr_linear *linear, gradus_error *err)
{
    const size_t rows = f->problem->rows;
    double below = 0.0, all = 0.0;
    size_t n, cut = 0;

    GR_TRY(gr_thresholds_begin(f->problem, &f->cuts, err));
    f->features = gr_arena_array(&f->arena, linear->features, sizeof *f->features);
    if (f->arena.failed)
        return gr_fail_memory(err, "proportional odds");
    for (size_t i = 0; i < linear->features; i++)
        if (linear->spreads[i] > 0.0)
            f->features[f->used++] = i;
    f->means = linear->means;
    f->spreads = linear->spreads;
    f->between = f->cuts.active - 1;
    n = f->unknowns = f->between + f->used;
    f->chunk = (rows + ROW_CHUNKS - 1) / ROW_CHUNKS;
    f->chunk = f->chunk < ROW_CHUNK ? ROW_CHUNK : f->chunk;
    f->chunks = (rows + f->chunk - 1) / f->chunk;
    f->chunk_cuts =
        gr_arena_array(&f->arena, f->share ? f->share->with->size + 1 : 1, sizeof *f->chunk_cuts);
    f->order = gr_arena_array(&f->arena, n, sizeof *f->order);
    f->at = gr_arena_array(&f->arena, n, sizeof *f->at);
    f->trial = gr_arena_array(&f->arena, n, sizeof *f->trial);
    f->gradient = gr_arena_array(&f->arena, n, sizeof *f->gradient);
    f->step = gr_arena_array(&f->arena, n, sizeof *f->step);
    f->hessian = gr_arena_array(&f->arena, n * n, sizeof *f->hessian);
    f->factor = gr_arena_array(&f->arena, n * n, sizeof *f->factor);
    f->sums = gr_arena_array(&f->arena, f->chunks * (2 + n + n * n), sizeof *f->sums);
    if (f->arena.failed)
        return gr_fail_memory(err, "proportional odds");
    if (f->share)
        gr_share_cut_chunks(f->share, f->chunk, f->chunk_cuts);
    for (size_t l = 0; l < f->problem->levels; l++)
        all += f->cuts.weights[l];
    for (size_t l = 0; l < f->problem->levels && cut < f->between; l++) {
        below += f->cuts.weights[l];
        if (f->cuts.weights[l] > 0.0)
            f->at[cut++] = gr_log(below / (all - below));
    }
    return GRADUS_OK;
}

/* Converts the coefficients from standardised to original features; the thresholds move by the
 * effect of the means. */
static void unscale(fitting *f, gr_odds *odds)
{
    const size_t features = odds->linear.features;
    double *coefficients = odds->linear.own + 2 * features;
    double *base = odds->linear.own + 3 * features, shift = 0.0;

    memset(coefficients, 0, features * sizeof *coefficients);
    for (size_t i = 0; i < f->used; i++) {
        const size_t feature = f->features[i];

        coefficients[feature] = f->at[f->between + i] / f->spreads[feature];
        shift += coefficients[feature] * f->means[feature];
    }
    *base = shift;
    gr_thresholds_spread(&f->cuts, f->at);
    for (size_t k = 0; k < odds->cuts; k++) {
        odds->thresholds[k] = f->cuts.thresholds[k];
        if (fabs(odds->thresholds[k]) < GR_FAR)
            odds->thresholds[k] += shift;
    }
}

/* Standard errors of the coefficients and thresholds on the original scale, from the inverse
 * Hessian. */
static void measure_errors(fitting *f, gr_odds *odds)
{
    const size_t features = odds->linear.features;

    for (size_t i = 0; i < f->used; i++) {
        memset(f->step, 0, f->unknowns * sizeof *f->step);
        f->step[f->between + i] = 1.0;
        gr_cholesky_solve(f->factor, f->unknowns, f->step);
        odds->errors[f->features[i]] = sqrt(f->step[f->between + i]) / f->spreads[f->features[i]];
    }
    for (size_t k = 0; k < odds->cuts; k++) {
        const size_t below = f->cuts.place[k + 1];
        double variance = 0.0;

        if (below == 0 || below == f->cuts.active)
            continue;
        memset(f->trial, 0, f->unknowns * sizeof *f->trial);
        f->trial[below - 1] = 1.0;
        for (size_t i = 0; i < f->used; i++)
            f->trial[f->between + i] = f->means[f->features[i]] / f->spreads[f->features[i]];
        memcpy(f->step, f->trial, f->unknowns * sizeof *f->step);
        gr_cholesky_solve(f->factor, f->unknowns, f->step);
        for (size_t i = 0; i < f->unknowns; i++)
            variance += f->step[i] * f->trial[i];
        odds->errors[features + k] = sqrt(variance);
    }
}

/* Reports coefficients that are undetermined because a feature separates some grades perfectly. */
static void note_unsure(const fitting *f, const gr_odds *odds, const gradus_context *context)
{
    size_t unsure = 0;

    for (size_t i = 0; i < f->used; i++)
        unsure += odds->errors[f->features[i]] * f->spreads[f->features[i]] > UNSURE;
    if (unsure)
        gr_note(context,
                "%zu coefficient%s almost undetermined (see the standard errors): some grades are "
                "(almost) perfectly separated by these features",
                unsure, unsure == 1 ? " is" : "s are");
}

static gradus_status fit(fitting *f, gr_odds *odds, const gradus_context *context,
                         gradus_error *err)
{
    GR_TRY(set_up(f, &odds->linear, err));
    GR_TRY(drop_dependent(f, err));
    GR_TRY(newton(f, odds, err));
    for (size_t i = 0; i < f->used; i++) /* removes the penalty */
        odds->log_likelihood += f->ridge * f->at[f->between + i] * f->at[f->between + i] / 2.0;
    if (odds->separated)
        gr_note(context,
                "the grades are (almost) perfectly separable, so the coefficients diverge; stopped "
                "after %zu steps, without standard errors ('ridge' keeps the coefficients "
                "bounded)",
                odds->steps);
    else
        measure_errors(f, odds);
    note_unsure(f, odds, context);
    unscale(f, odds);
    return GRADUS_OK;
}

gradus_status gr_odds_train(const gradus_context *context, const gradus_dataset *data,
                            const gr_problem *problem, const gr_linear_options *options,
                            gr_odds *odds, gradus_error *err)
{
    const size_t features = data->arrays.features;
    gr_linear_options plain = *options;
    fitting f = { .data = data->whole ? data->whole : data,
                  .problem = gr_problem_whole(problem),
                  .share = data->share,
                  .ridge = options->ridge,
                  .pool = gr_pool_of(context) };
    gradus_status status;

    *odds = (gr_odds){ .cuts = problem->levels - 1 };
    plain.ridge = 0.0;
    status = gr_linear_train(context, data, problem, &plain, &odds->linear, err);
    odds->thresholds = gr_new_array(odds->cuts, sizeof *odds->thresholds);
    odds->errors = gr_new_array(features + odds->cuts, sizeof *odds->errors);
    if (status == GRADUS_OK && (!odds->thresholds || !odds->errors))
        status = gr_fail_memory(err, "proportional odds");
    if (status == GRADUS_OK)
        status = fit(&f, odds, context, err);
    fitting_free(&f);
    if (status != GRADUS_OK)
        gr_odds_free(odds);
    return status;
}
