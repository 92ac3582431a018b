/* SPDX-License-Identifier: Apache-2.0 */
/* Fits the weights of an ensemble's members on validation data: scores or probabilities of the
 * members, the metric of their sums for exponential weights, least squares, and selection. */
#include "pipeline/ensemble_fit.h"

#include "base/grid.h"
#include "base/ranges.h"
#include "base/text.h"
#include "ensembles/ensemble_weights.h"
#include "model/predict.h"
#include "pipeline/dataset_lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 1 << 13 };

/* No member may have more than this fraction of the weight. */
#define MAX_WEIGHT 0.9

typedef struct fitting {
    gr_combining *mixing;
    size_t rows, queries;
    double *members; /* (count, columns, rows) on the validation data */
    double *mixed;   /* columns x rows */
    double *scores;  /* rows */
    gr_arena arena;
    gr_evaluate_options measuring;
    double sign; /* -1: a lower metric is better */
    char metric[64];
} fitting;

/* ---- Members on the validation data ---- */

/* Computes the columns of one member. */
static gradus_status run_member(fitting *f, size_t i, double *buffer, gradus_error *err)
{
    const gr_combining *m = f->mixing;
    double *to = f->members + i * m->columns * f->rows;

    GR_TRY(gr_model_fits(m->models[i], m->valid, m->context, err));
    if (!m->probabilities)
        return gr_model_run(m->models[i], m->valid, m->context, to, NULL, err);
    GR_TRY(gr_model_run(m->models[i], m->valid, m->context, NULL, buffer, err));
    for (size_t r = 0; r < f->rows; r++)
        for (size_t k = 0; k < m->columns; k++)
            to[k * f->rows + r] = buffer[r * m->columns + k];
    return GRADUS_OK;
}

static gradus_status check_labels(const gradus_dataset *data, const char *what, gradus_error *err)
{
    if (data->arrays.labels && data->arrays.rows > 0)
        return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_ARGUMENT, "the %s have no %s", what,
                   data->arrays.rows ? "labels" : "rows");
}

static gradus_status run_members(fitting *f, gradus_error *err)
{
    const gr_combining *m = f->mixing;
    size_t cells;
    double *buffer;

    GR_TRY(gr_dataset_need(m->valid, GR_NEED_ALL, gr_pool_of(m->context), err));
    GR_TRY(check_labels(m->valid, "validation data", err));
    f->rows = m->valid->arrays.rows;
    f->queries = m->valid->arrays.queries;
    cells = f->rows * m->columns;
    f->members = gr_arena_array(&f->arena, cells * m->count, sizeof *f->members);
    f->mixed = gr_arena_array(&f->arena, cells, sizeof *f->mixed);
    f->scores = gr_arena_array(&f->arena, f->rows, sizeof *f->scores);
    buffer = gr_arena_array(&f->arena, cells, sizeof *buffer);
    if (f->arena.failed)
        return gr_fail_memory(err, "scores of the members");
    for (size_t i = 0; i < m->count; i++)
        GR_TRY(run_member(f, i, buffer, err));
    return GRADUS_OK;
}

/* Scales scores to [0, 1]. scales: the factors. */
static void rescale(fitting *f, double *scales)
{
    for (size_t i = 0; i < f->mixing->count; i++) {
        double *own = f->members + i * f->rows, low = INFINITY, high = -INFINITY;

        for (size_t r = 0; r < f->rows; r++) {
            low = fmin(low, own[r]);
            high = fmax(high, own[r]);
        }
        scales[i] = high > low ? 1.0 / (high - low) : 0.0;
        for (size_t r = 0; r < f->rows; r++)
            own[r] = (own[r] - low) * scales[i];
    }
}

/* ---- The metric of columns ---- */

typedef struct score_work {
    const fitting *fitting;
    const double *columns;
} score_work;

static void score_rows(void *argument, gr_range range)
{
    const score_work *work = argument;
    const fitting *f = work->fitting;

    for (size_t r = range.first; r < range.end; r++)
        f->scores[r] = gr_scorer_score(&f->mixing->scorer, work->columns + r, f->rows);
}

/* The metric of the ensemble's scores from columns. by_query: its values, or NULL; larger is
 * better. */
static gradus_status measure(fitting *f, const double *columns, double *value, double *by_query,
                             gradus_error *err)
{
    gr_pool *pool = gr_pool_of(f->mixing->context);
    score_work work = { f, columns };
    gr_evaluation evaluation = { .queries = 0 };

    gr_for_ranges(pool, f->rows, ROWS_AT_ONCE, score_rows, &work);
    const gr_lists lists = gr_dataset_lists(f->mixing->valid, f->scores);

    GR_TRY(gr_evaluate(&lists, &f->measuring, pool, &evaluation, err));
    f->sign = evaluation.measures.at[0].metric->lower_is_better ? -1.0 : 1.0;
    gr_text_copy(f->metric, sizeof f->metric, evaluation.measures.at[0].text, "");
    *value = f->sign * evaluation.values[0].mean;
    for (size_t q = 0; by_query && q < f->queries; q++)
        by_query[q] = f->sign * evaluation.values[0].by_query[q];
    gr_evaluation_end(&evaluation);
    return GRADUS_OK;
}

/* ---- Exponential weights ---- */

typedef struct rate_search {
    double rates[GR_GRID_VALUES];
    double values[GR_GRID_VALUES];
    bool allowed[GR_GRID_VALUES];
    size_t count;
    double *members;  /* the metric of each member */
    double *by_query; /* count x queries */
} rate_search;

static void mix(fitting *f, const double *weights)
{
    const size_t cells = f->rows * f->mixing->columns;

    memset(f->mixed, 0, cells * sizeof *f->mixed);
    for (size_t i = 0; i < f->mixing->count; i++)
        for (size_t c = 0; c < cells; c++)
            f->mixed[c] += weights[i] * f->members[i * cells + c];
}

/* Marks the rates at which no member has nearly all the weight, or else the smallest rate. */
static void allow_rates(rate_search *search, size_t members, double *weights)
{
    size_t smallest = 0;
    bool any = false;

    for (size_t i = 0; i < search->count; i++) {
        double largest = 0.0;

        gr_exponential_weights(search->members, members, search->rates[i], weights);
        for (size_t m = 0; m < members; m++)
            largest = fmax(largest, weights[m]);
        search->allowed[i] = members < 2 || largest <= MAX_WEIGHT;
        any = any || search->allowed[i];
        smallest = search->rates[i] < search->rates[smallest] ? i : smallest;
    }
    search->allowed[smallest] = search->allowed[smallest] || !any;
}

/* Whether the values of two rates differ by at most one standard error of the paired difference. */
static bool within_error(const fitting *f, const double *best, const double *other)
{
    const float *given = f->mixing->valid->arrays.query_weights;
    double weights = 0.0, sum = 0.0, squares = 0.0;
    size_t count = 0;

    for (size_t q = 0; q < f->queries; q++)
        if (!isnan(best[q]) && !isnan(other[q])) {
            const double weight = given ? (double)given[q] : 1.0;

            weights += weight;
            sum += weight * (best[q] - other[q]);
            count += weight > 0.0;
        }
    if (count < 2)
        return false;
    const double mean = sum / weights;

    for (size_t q = 0; q < f->queries; q++)
        if (!isnan(best[q]) && !isnan(other[q])) {
            const double d = (given ? (double)given[q] : 1.0) * (best[q] - other[q] - mean);

            squares += d * d;
        }
    const double error = sqrt(squares * (double)count / (double)(count - 1)) / weights;

    return mean <= error;
}

/* The smallest rate that is as good as the best one, up to its standard error. */
static size_t choose_rate(const fitting *f, const rate_search *search, size_t *best)
{
    size_t chosen;

    *best = search->count;
    for (size_t i = 0; i < search->count; i++)
        if (search->allowed[i] &&
            (*best == search->count || search->values[i] > search->values[*best] ||
             (isnan(search->values[*best]) && !isnan(search->values[i]))))
            *best = i;
    chosen = *best;
    for (size_t i = 0; i < search->count; i++)
        if (search->allowed[i] && search->rates[i] < search->rates[chosen] &&
            within_error(f, search->by_query + *best * f->queries,
                         search->by_query + i * f->queries))
            chosen = i;
    return chosen;
}

static gradus_status weigh_exponentially(fitting *f, gradus_error *err)
{
    const gr_combining *m = f->mixing;
    rate_search search = { .count = 0 };
    size_t best;

    GR_TRY(gr_grid_parse(m->options.rates, "rates", 0, 1e300, search.rates, &search.count, err));
    search.members = gr_arena_array(&f->arena, m->count, sizeof *search.members);
    search.by_query = gr_arena_array(&f->arena, search.count * f->queries, sizeof *search.by_query);
    if (f->arena.failed)
        return gr_fail_memory(err, "an ensemble");
    for (size_t i = 0; i < m->count; i++)
        GR_TRY(measure(f, f->members + i * f->rows * m->columns, &search.members[i], NULL, err));
    allow_rates(&search, m->count, m->weights);
    for (size_t i = 0; i < search.count; i++) {
        if (!search.allowed[i])
            continue;
        gr_exponential_weights(search.members, m->count, search.rates[i], m->weights);
        mix(f, m->weights);
        GR_TRY(measure(f, f->mixed, &search.values[i], search.by_query + i * f->queries, err));
    }
    const size_t chosen = choose_rate(f, &search, &best);

    gr_exponential_weights(search.members, m->count, search.rates[chosen], m->weights);
    if (chosen == best)
        gr_note(m->context, "rate %g: %s %.4f on the validation data", search.rates[chosen],
                f->metric, f->sign * search.values[chosen]);
    else
        gr_note(m->context,
                "rate %g: %s %.4f on the validation data, within one standard error of %.4f at "
                "rate %g",
                search.rates[chosen], f->metric, f->sign * search.values[chosen],
                f->sign * search.values[best], search.rates[best]);
    return GRADUS_OK;
}

/* ---- Least squares ---- */

static gradus_status stack(fitting *f, gradus_error *err)
{
    const gr_combining *m = f->mixing;
    double *gains = gr_arena_array(&f->arena, f->rows, sizeof *gains);

    if (!gains)
        return gr_fail_memory(err, "an ensemble");
    for (size_t r = 0; r < f->rows; r++)
        gains[r] = exp2((double)m->valid->arrays.labels[r]) - 1.0;
    GR_TRY(gr_stacking_weights(f->members, m->count, gains, f->rows,
                               m->options.way == GR_WAY_NONNEGATIVE, m->weights, err));
    for (size_t i = 0; i < m->count; i++)
        if (m->weights[i] != 0.0)
            return GRADUS_OK;
    return gr_fail(err, GRADUS_BAD_ARGUMENT,
                   "all weights of the ensemble are 0: no member predicts the labels of the "
                   "validation data, or these are all the same");
}

/* ---- Selection ---- */

static gradus_status select_members(const gradus_context *context, const gradus_dataset *data,
                                    const double *const *scores, size_t count,
                                    const gr_ensemble_options *options, bool standardise,
                                    double *weights, gradus_error *err)
{
    const gr_lists lists = gr_dataset_lists(data, NULL);
    gr_evaluate_options measuring;
    const gr_selection selection = { .lists = &lists,
                                     .scores = scores,
                                     .count = count,
                                     .standardise = standardise,
                                     .measuring = &measuring,
                                     .options = &options->selection,
                                     .pool = gr_pool_of(context) };

    GR_TRY(gr_ensemble_measuring(options, &measuring, err));
    return gr_select_members(&selection, weights, err);
}

/* The expected gain of averaged probabilities is the average of the members' expected gains. */
static gradus_status select_for_mixing(fitting *f, gradus_error *err)
{
    const gr_combining *m = f->mixing;
    const double *scores[GR_NODE_INPUTS];

    for (size_t i = 0; i < m->count; i++) {
        double *columns = f->members + i * m->columns * f->rows;
        score_work work = { f, columns };

        gr_for_ranges(gr_pool_of(m->context), f->rows, ROWS_AT_ONCE, score_rows, &work);
        memcpy(columns, f->scores, f->rows * sizeof *columns);
        scores[i] = columns;
    }
    return select_members(m->context, m->valid, scores, m->count, &m->options,
                          !m->probabilities && !m->options.raw, m->weights, err);
}

static gradus_status check_scores(const double *const *scores, size_t count, size_t rows,
                                  gradus_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!scores[i])
            return gr_fail(err, GRADUS_BAD_ARGUMENT, "member %zu has no scores", i + 1);
        for (size_t r = 0; r < rows; r++)
            if (!isfinite(scores[i][r]))
                return gr_fail(err, GRADUS_BAD_NUMBER,
                               "the score of member %zu for row %zu is not finite", i + 1, r + 1);
    }
    return GRADUS_OK;
}

gradus_status gr_ensemble_select(const gradus_context *context, const gradus_dataset *data,
                                 const double *const *scores, size_t count,
                                 const gradus_options *options, double *weights, gradus_error *err)
{
    gr_ensemble_options chosen;

    GR_TRY(gr_options_get(options, &gr_operation_ensemble, &chosen, err));
    GR_TRY(gr_dataset_need(data, GR_NEED_ALL, gr_pool_of(context), err));
    GR_TRY(check_labels(data, "data", err));
    GR_TRY(check_scores(scores, count, data->arrays.rows, err));
    gr_pool_begin(gr_pool_of(context));
    return select_members(context, data, scores, count, &chosen,
                          !chosen.probabilities && !chosen.raw, weights, err);
}

/* ---- The rule of the options ---- */

/* Fails if no query has a value of the metric that the weights depend on. */
static gradus_status check_values(fitting *f, gradus_error *err)
{
    double value = 0.0;

    if (f->mixing->options.way == GR_WAY_EXPONENTIAL || f->mixing->options.way == GR_WAY_SELECTION)
        GR_TRY(measure(f, f->members, &value, NULL, err));
    if (isnan(value))
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "no query of the validation data has a value of %s: their documents all "
                       "have the same label, or none is relevant",
                       f->metric);
    return GRADUS_OK;
}

static gradus_status fit_weights(fitting *f, gradus_error *err)
{
    const gr_combining *m = f->mixing;
    double scales[GR_NODE_INPUTS];

    GR_TRY(run_members(f, err));
    GR_TRY(check_values(f, err));
    if (m->options.way == GR_WAY_SELECTION)
        return select_for_mixing(f, err);
    for (size_t i = 0; i < m->count; i++)
        scales[i] = 1.0;
    if (!m->probabilities)
        rescale(f, scales);
    if (m->options.way == GR_WAY_EXPONENTIAL)
        GR_TRY(weigh_exponentially(f, err));
    else if (m->options.way != GR_WAY_MEAN)
        GR_TRY(stack(f, err));
    for (size_t i = 0; i < m->count; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): set above, one per member */
        m->weights[i] *= scales[i];
    return GRADUS_OK;
}

gradus_status gr_ensemble_fit(gr_combining *m, gradus_error *err)
{
    fitting f = { .mixing = m };
    gradus_status status;

    GR_TRY(gr_ensemble_measuring(&m->options, &f.measuring, err));
    status = fit_weights(&f, err);
    gr_arena_free(&f.arena);
    return status;
}
