/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of boosted Gaussians, like learners/boost/boost.c with Gaussians for trees. */
#include "base/clock.h"
#include "base/ranges.h"
#include "learners/boost/boost_state.h"
#include "learners/boost/boost_sample.h"
#include "learners/gaussians/gaussians_search.h"
#include "learners/gaussians/gaussians_tails.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gr_gaussian_booster {
    gr_boost_state boosting;
    gr_gaussian_search search;
    gr_gaussians terms;
    gr_array steps; /* double, rows */
    gr_array trial; /* double, outputs x rows: scores with a term; only for the exact search */
    bool noted;     /* that scores grow without bound */
    double preparing;
};

void gr_gaussian_booster_free(gr_gaussian_booster *b)
{
    if (!b)
        return;
    gr_boost_state_free(&b->boosting);
    gr_gaussian_search_free(&b->search);
    gr_gaussians_free(&b->terms);
    gr_array_free(&b->steps);
    gr_array_free(&b->trial);
    free(b);
}

static gradus_status set_up(gr_gaussian_booster *b, const gr_gaussian_options *options,
                            const gr_gaussians *start, const double *initial, gradus_error *err)
{
    gr_boost_state *c = &b->boosting;
    const double started = gr_seconds();
    gr_bin_options bin = c->options.bin;

    bin.seed = c->options.seed;
    GR_TRY(gr_boost_state_begin(c, !start && !initial, err));
    GR_TRY(start ? gr_gaussians_copy(start, SIZE_MAX, &b->terms, err)
                 : gr_gaussians_start(&b->terms, c->data->arrays.features, c->problem->outputs,
                                      c->bases, err));
    GR_TRY(gr_gaussian_search_new(c->data, options, &bin, c->context, &b->search, err));
    b->preparing = gr_seconds() - started;
    if (!gr_array_reserve(&b->steps, c->problem->rows * sizeof(double)) ||
        (b->search.terms &&
         !gr_array_reserve(&b->trial, c->problem->outputs * c->problem->rows * sizeof(double))))
        return gr_fail_memory(err, "steps");
    GR_TRY(gr_boost_state_scores(c, b->terms.bases, initial, err));
    GR_TRY(gr_gaussians_add_scores(&b->terms, 0, gr_gaussians_rounds(&b->terms), c->data,
                                   c->scores.at, c->pool, err));
    return gr_boost_state_thresholds(c, err);
}

gr_gaussian_booster *
gr_gaussian_booster_new(const gradus_context *context, const gradus_dataset *data,
                        const gr_problem *problem, const gr_objective *objective,
                        const gr_boost_options *boost, const gr_gaussian_options *options,
                        const gr_gaussians *start, const double *initial, gradus_error *err)
{
    gradus_error failure = { GRADUS_OK, "" };
    gr_gaussian_booster *b = calloc(1, sizeof *b);

    if (!b) {
        gr_fail_memory(err, "boosting");
        return NULL;
    }
    b->boosting = gr_boost_state_of(context, data, problem, objective, boost);
    if (set_up(b, options, start, initial, &failure) != GRADUS_OK) {
        gr_fail(err, failure.status, "%s", failure.message);
        gr_gaussian_booster_free(b);
        return NULL;
    }
    return b;
}

/* Sets the gradients and hessians of rows outside the sample to 0. */
static void leave_out(gr_boost_state *c, const uint32_t *sample, size_t count)
{
    const size_t rows = c->problem->rows;
    float *gradients = c->gradients.at, *hessians = c->hessians.at;

    for (size_t k = 0; k < c->problem->outputs; k++)
        for (size_t r = 0, i = 0; r < rows; r++)
            if (i < count && sample[i] == r)
                i++;
            else
                gradients[k * rows + r] = hessians[k * rows + r] = 0.0f;
}

enum { ROWS_AT_ONCE = 1 << 14 };

typedef struct step_work {
    gr_gaussian_booster *booster;
    const gr_gaussian *term;
} step_work;

static void fill_steps(void *argument, gr_range range)
{
    const step_work *work = argument;
    const gradus_dataset *data = work->booster->boosting.data;
    double *steps = work->booster->steps.at, kernel[GR_GAUSSIAN_ROWS];
    float values[GR_GAUSSIAN_ROWS];

    for (size_t r = range.first; r < range.end; r += GR_GAUSSIAN_ROWS) {
        const size_t count = range.end - r < GR_GAUSSIAN_ROWS ? range.end - r : GR_GAUSSIAN_ROWS;

        for (size_t i = 0; i < count; i++)
            values[i] = gr_dataset_value(data, r + i, (size_t)work->term->feature);
        gr_gaussian_kernel(work->term, values, 1, count, kernel);
        for (size_t i = 0; i < count; i++)
            steps[r + i] = kernel[i] - work->term->offset;
    }
}

/* Fills the steps of a term. *share: the factor of its weight that minimises the loss, if the
 * objective has a line search. */
static gradus_status fit_weight(gr_gaussian_booster *b, size_t k, const gr_gaussian *term,
                                double *share, gradus_error *err)
{
    const gr_boost_state *c = &b->boosting;
    const size_t rows = c->problem->rows;
    const double *scores = (const double *)c->scores.at + k * rows;
    double *steps = b->steps.at;
    step_work work = { b, term };

    *share = 1.0;
    gr_for_ranges(c->pool, rows, ROWS_AT_ONCE, fill_steps, &work);
    if (!c->objective->line_search)
        return GRADUS_OK;
    for (size_t r = 0; r < rows; r++)
        steps[r] *= term->weight;
    GR_TRY(c->objective->line_search(c->state, c->problem, scores, steps, c->pool, share, err));
    gr_for_ranges(c->pool, rows, ROWS_AT_ONCE, fill_steps, &work);
    return GRADUS_OK;
}

/* The term with the lowest loss, each with its best weight; weight 0: none lowers it. */
static gradus_status find_exactly(gr_gaussian_booster *b, size_t k, gr_gaussian *best,
                                  gradus_error *err)
{
    const gr_boost_state *c = &b->boosting;
    const size_t rows = c->problem->rows;
    const double *steps = b->steps.at;
    double *trial = b->trial.at;
    double least = c->objective->loss(c->state, c->problem, c->scores.at);

    *best = (gr_gaussian){ .weight = 0.0 };
    memcpy(trial, c->scores.at, c->problem->outputs * rows * sizeof *trial);
    for (size_t i = 0; i < b->search.term_count; i++) {
        const gr_gaussian *term = &b->search.terms[i];
        double share;

        if (term->weight == 0.0)
            continue;
        GR_TRY(gr_pool_check(c->pool, err));
        GR_TRY(fit_weight(b, k, term, &share, err));
        for (size_t r = 0; r < rows; r++)
            trial[k * rows + r] =
                ((const double *)c->scores.at)[k * rows + r] + term->weight * share * steps[r];
        const double loss = c->objective->loss(c->state, c->problem, trial);

        if (loss < least) {
            least = loss;
            *best = *term;
        }
    }
    return GRADUS_OK;
}

/* Adds one term for an output: the best kernel, with its weight scaled by a line search if the
 * objective has one. */
static gradus_status add_term(gr_gaussian_booster *b, size_t k, bool *grew, gradus_error *err)
{
    const size_t rows = b->boosting.problem->rows;
    double *steps = b->steps.at, *scores = (double *)b->boosting.scores.at + k * rows, share;

    GR_TRY(gr_pool_check(b->boosting.pool, err));
    gr_gaussian term =
        gr_gaussian_search_run(&b->search, (const float *)b->boosting.gradients.at + k * rows,
                               (const float *)b->boosting.hessians.at + k * rows,
                               b->boosting.options.tree.l2, b->boosting.pool);

    GR_TRY(gr_pool_check(b->boosting.pool, err));
    if (b->search.terms)
        GR_TRY(find_exactly(b, k, &term, err));
    if (term.weight == 0.0) { /* no term lowers the loss: add one of weight 0 */
        term = (gr_gaussian){ .bandwidth = 1.0 };
        return gr_gaussians_add(&b->terms, &term, err);
    }
    GR_TRY(fit_weight(b, k, &term, &share, err));
    term.weight *= b->boosting.options.learning_rate * share;
    if (!isfinite(term.weight) || fabs(term.weight) > 1e100)
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "the weight of a kernel is not finite: the learning rate is too high or "
                       "the targets are too large");
    for (size_t r = 0; r < rows; r++)
        scores[r] += term.weight * steps[r];
    *grew = true;
    return gr_gaussians_add(&b->terms, &term, err);
}

#define FAR_TAIL 5.0 /* in scores, which are log odds or half of them */

/* Notes once that the scores of rows of one grade are far from all others. Regression is bounded by
 * its labels. */
static void note_tails(gr_gaussian_booster *b, uint64_t round)
{
    for (int sign = -1; sign <= 1 && !b->noted && b->boosting.objective->line_search; sign += 2) {
        const gr_tail tail =
            gr_gaussian_tail(b->boosting.problem, b->boosting.scores.at, (double)sign);

        if (tail.gap < FAR_TAIL)
            continue;
        b->noted = true;
        gr_note(b->boosting.context,
                "round %llu: the %s scores belong to %zu rows of label %g and are up to %.1f %s "
                "those of all other rows: nothing bounds them there, and further rounds move them "
                "away; fewer rounds, a validation set or a smaller learning rate avoid it",
                (unsigned long long)round + 1, sign > 0 ? "highest" : "lowest", tail.rows,
                tail.label, tail.gap, sign > 0 ? "above" : "below");
    }
}

gradus_status gr_gaussian_booster_step(gr_gaussian_booster *b, bool *grew, gradus_error *err)
{
    gr_boost_state *c = &b->boosting;
    const uint64_t round = gr_gaussians_rounds(&b->terms);
    const uint32_t *sample;
    size_t count;

    *grew = false;
    GR_TRY(gr_boost_state_gradients(c, round, &sample, &count, err));
    if (sample)
        leave_out(c, sample, count);
    for (size_t k = 0; k < c->problem->outputs; k++)
        GR_TRY(add_term(b, k, grew, err));
    note_tails(b, round);
    return gr_boost_state_follow(c, round, grew, err);
}

const gr_gaussians *gr_gaussian_booster_terms(const gr_gaussian_booster *b)
{
    return &b->terms;
}

const double *gr_gaussian_booster_scores(const gr_gaussian_booster *b)
{
    return b->boosting.scores.at;
}

const double *gr_gaussian_booster_thresholds(const gr_gaussian_booster *b, size_t *sets)
{
    return gr_thresholds_all(&b->boosting.thresholds, sets);
}

bool gr_gaussian_booster_separated(const gr_gaussian_booster *b)
{
    return b->boosting.separated;
}

double gr_gaussian_booster_preparing(const gr_gaussian_booster *b)
{
    return b->preparing;
}
