/* SPDX-License-Identifier: Apache-2.0 */
/* ORBoost (Lin and Li 2006): ordinal exponential loss, l(s) = e^-s, against the thresholds adjacent
 * to a row's grade (left-right) or against all of them. In both forms the loss of a row of grade y
 * is e^-f E_y + e^f F_y. left-right: E_y = e^theta_(y-1), F_y = e^-theta_y. all: E_y is the sum of
 * e^theta_k over the thresholds below the grade, F_y the sum of e^-theta_k over those above.
 *
 * Given f, each threshold minimises A e^-theta + B e^theta, with A summed over the rows that belong
 * below it and B over those that belong above: theta = log(A / B) / 2. Thresholds out of order are
 * pooled. */
#include "objectives/thresholds.h"
#include "objectives/powers.h"

#include "base/math.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_LOSS 1e-9 /* mean loss below which the grades are separated */

typedef struct orboost {
    gr_threshold_state cuts;
    gr_orboost_form form;
    gr_power_level terms[GR_MAX_LEVELS]; /* [level]: E and F at the current thresholds */
} orboost;

void gr_orboost_terms(const double *thresholds, size_t levels, gr_orboost_form form, double *log_up,
                      double *log_down)
{
    for (size_t l = 0; l < levels; l++) {
        double up = 0.0, down = 0.0;

        for (size_t k = 0; k + 1 < levels; k++)
            if (k < l && (form == GR_ORBOOST_ALL || k + 1 == l))
                up += gr_exp(thresholds[k]);
            else if (k >= l && (form == GR_ORBOOST_ALL || k == l))
                down += gr_exp(-thresholds[k]);
        log_up[l] = l > 0 ? gr_log(up) : -INFINITY;
        log_down[l] = l + 1 < levels ? gr_log(down) : -INFINITY;
    }
}

static gradus_status orboost_begin(const gr_problem *problem, const gr_objective_options *options,
                                   gr_pool *pool, void **state, gradus_error *err)
{
    orboost *made = calloc(1, sizeof *made);
    gradus_status status;

    (void)pool;
    if (!made)
        return gr_fail_memory(err, "thresholds");
    made->form = (gr_orboost_form)options->orboost.form;
    status = gr_thresholds_begin(problem, &made->cuts, err);
    if (status != GRADUS_OK) {
        free(made);
        return status;
    }
    *state = made;
    return GRADUS_OK;
}

static void orboost_end(void *state)
{
    orboost *own = state;

    if (own)
        gr_thresholds_end(&own->cuts);
    free(own);
}

static double *orboost_thresholds(void *state)
{
    return ((orboost *)state)->cuts.thresholds;
}

static void gradient_rows(const gr_gradient_job *job, size_t first, size_t count)
{
    const orboost *own = job->state;

    gr_power_gradients(job->problem, own->terms, job->scores, first, count, job->gradients,
                       job->hessians);
}

static void set_terms(orboost *own)
{
    double up[GR_MAX_LEVELS], down[GR_MAX_LEVELS];

    gr_orboost_terms(own->cuts.thresholds, own->cuts.levels, own->form, up, down);
    for (size_t l = 0; l < own->cuts.levels; l++)
        own->terms[l] = (gr_power_level){ gr_exp(up[l]), gr_exp(down[l]) };
}

static gradus_status orboost_gradients(void *state, const gr_problem *problem, const double *scores,
                                       float *gradients, float *hessians, gr_pool *pool,
                                       gradus_error *err)
{
    gr_gradient_job job = { problem, scores, gradients, hessians, gradient_rows, GR_CHUNK, state };

    (void)err;
    set_terms(state);
    gr_gradient_run(&job, pool);
    return GRADUS_OK;
}

static double best_threshold(double above, double below)
{
    if (!(above > 0.0))
        return -GR_FAR; /* no row belongs below it */
    if (!(below > 0.0))
        return GR_FAR;
    return (gr_log(above) - gr_log(below)) / 2.0;
}

/* Pools adjacent thresholds that are out of order; they become equal. */
static void pool_thresholds(size_t count, const double *above, const double *below,
                            double *thresholds)
{
    double a[GR_MAX_LEVELS], b[GR_MAX_LEVELS], value[GR_MAX_LEVELS];
    size_t size[GR_MAX_LEVELS], pools = 0, k = 0;

    for (size_t c = 0; c < count; c++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): set for every threshold */
        a[pools] = above[c];
        b[pools] = below[c];
        size[pools] = 1;
        value[pools] = best_threshold(a[pools], b[pools]);
        pools++;
        while (pools > 1 && value[pools - 1] <= value[pools - 2]) {
            pools--;
            a[pools - 1] += a[pools];
            b[pools - 1] += b[pools];
            size[pools - 1] += size[pools];
            value[pools - 1] = best_threshold(a[pools - 1], b[pools - 1]);
        }
    }
    for (size_t p = 0; p < pools; p++)
        for (size_t i = 0; i < size[p]; i++)
            thresholds[k++] = value[p];
}

/* The loss at the current thresholds, from the sums per level. */
static double loss_of(const orboost *own, const double *sums)
{
    double loss = 0.0;

    for (size_t l = 0; l < own->cuts.levels; l++)
        loss += own->terms[l].down * sums[2 * l] + own->terms[l].up * sums[2 * l + 1];
    return loss;
}

static gradus_status orboost_fit_thresholds(void *state, const gr_problem *problem,
                                            const double *scores, gr_pool *pool, bool *separated,
                                            gradus_error *err)
{
    orboost *own = state;
    const size_t levels = problem->levels;
    double sums[2 * GR_POWER_SUMS * GR_MAX_LEVELS], weight = 0.0;
    double above[GR_MAX_LEVELS], below[GR_MAX_LEVELS];
    const gr_sum_job job = { problem,       scores,          NULL, 2 * GR_POWER_SUMS * levels,
                             gr_power_sums, &own->cuts.room, NULL };

    GR_TRY(gr_sum_run(&job, pool, sums, err));
    gr_fold_levels(levels, GR_POWER_SUMS, sums);
    for (size_t k = 0; k + 1 < levels; k++) {
        above[k] = below[k] = 0.0;
        for (size_t l = 0; l < levels; l++)
            if (l <= k && (own->form == GR_ORBOOST_ALL || l == k))
                above[k] += sums[2 * l + 1];
            else if (l > k && (own->form == GR_ORBOOST_ALL || l == k + 1))
                below[k] += sums[2 * l];
    }
    pool_thresholds(levels - 1, above, below, own->cuts.thresholds);
    set_terms(own);
    for (size_t l = 0; l < levels; l++)
        weight += own->cuts.weights[l];
    *separated = loss_of(own, sums) < LEAST_LOSS * weight;
    return GRADUS_OK;
}

enum { LINE_STEPS = 30 };

/* Line search by Newton's method; along a line the loss is a sum of exponentials, which is
 * convex. */
static gradus_status orboost_line_search(void *state, const gr_problem *problem,
                                         const double *scores, const double *steps, gr_pool *pool,
                                         double *share, gradus_error *err)
{
    orboost *own = state;
    gr_power_line line = { steps, 1.0 };
    double sums[2 * GR_LINE_TERMS * GR_MAX_LEVELS];
    const gr_sum_job job = {
        problem,         scores, &line, 2 * GR_LINE_TERMS * problem->levels, gr_power_line_sums,
        &own->cuts.room, NULL
    };

    for (int i = 0; i < LINE_STEPS; i++) {
        double slope = 0.0, curvature = 0.0;

        GR_TRY(gr_sum_run(&job, pool, sums, err));
        gr_fold_levels(problem->levels, GR_LINE_TERMS, sums);
        for (size_t l = 0; l < problem->levels; l++) {
            const double *of = sums + GR_LINE_TERMS * l;

            slope += own->terms[l].down * of[1] + own->terms[l].up * of[4];
            curvature += own->terms[l].down * of[2] + own->terms[l].up * of[5];
        }
        if (!(curvature > 0.0))
            break;
        const double change = -slope / curvature;

        line.share += change;
        if (fabs(change) < 1e-6 * fabs(line.share))
            break;
    }
    *share = line.share > 0.0 ? line.share : 1.0;
    return GRADUS_OK;
}

static double orboost_loss(const void *state, const gr_problem *problem, const double *scores)
{
    orboost now = *(const orboost *)state; /* thresholds may have changed since */
    double sum = 0.0;

    set_terms(&now);
    for (size_t r = 0; r < problem->rows; r++) {
        const gr_power_level *term = &now.terms[problem->level_of[r]];
        const double f = fmin(fmax(scores[r], -GR_FAR), GR_FAR);

        sum += gr_problem_weight(problem, 0, r) * (term->down * gr_exp(-f) + term->up * gr_exp(f));
    }
    return problem->rows ? sum / (double)problem->rows : 0.0;
}

GR_DEFINE_DESCRIBE(orboost_describe, GR_DEVICE_ORBOOST)

static void orboost_numbers(const void *state, double *numbers)
{
    orboost now = *(const orboost *)state; /* thresholds may have changed since */

    set_terms(&now);
    for (size_t l = 0; l < now.cuts.levels; l++) {
        double *own = numbers + l * GR_DEVICE_LEVEL_NUMBERS;

        own[0] = now.terms[l].down;
        own[1] = now.terms[l].up;
        own[2] = own[3] = own[4] = 0.0;
    }
}

const gr_objective gr_objective_orboost = {
    .about = { .name = "orboost",
               .summary = "exponential loss against thresholds between grades",
               .details =
                   "Starts at 0. After every round the thresholds are set to minimise the loss, "
                   "in closed form; those that come out of order are pooled and become equal. "
                   "--form left-right uses the thresholds adjacent to a row's grade, all "
                   "uses all of them. Source: Lin and Li 2006." },
    .begin = orboost_begin,
    .end = orboost_end,
    .gradients = orboost_gradients,
    .loss = orboost_loss,
    .thresholds = orboost_thresholds,
    .fit_thresholds = orboost_fit_thresholds,
    .line_search = orboost_line_search,
    .describe = orboost_describe,
    .level_numbers = orboost_numbers,
};
