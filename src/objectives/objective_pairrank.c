/* SPDX-License-Identifier: Apache-2.0 */
/* PAIRRANK (Uematsu and Lee 2015): exponential risk of pairs, minimised as log(risk), in time
 * linear in the rows; see objective_pairrank.h. */
#include "objectives/objective_pairrank.h"

#include "base/math.h"
#include "base/ranges.h"
#include "objectives/thresholds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_RISK 1e-12 /* fraction of the initial risk below which the order is perfect */

enum { QUERIES_AT_ONCE = 64 };

static void fill_factors(gr_pairrank *own, const double *costs, bool plain)
{
    const size_t count = own->levels, top = count - 1;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            double *factor = &own->factors[i * count + j];

            if (plain)
                *factor = j < i ? costs[j * count + i] : 0.0;
            else
                *factor = i > 0 && j < top ? costs[i] * (costs[j * count + top] / costs[top]) : 0.0;
        }
}

/* The weight of a query: its risk is divided by the risk at equal scores, so that all queries with
 * something to order weigh the same (or as much as the mean weight of their rows). */
static double weigh_query(const gr_pairrank *own, const gr_problem *problem, size_t q)
{
    const uint64_t first = problem->query_starts[q], end = problem->query_starts[q + 1];
    double sizes[GR_MAX_LEVELS] = { 0.0 }, all = 0.0, pairs = 0.0;

    for (uint64_t r = first; r < end; r++) {
        sizes[problem->level_of[r]] += gr_pair_weight(problem, r);
        all += gr_pair_weight(problem, r);
    }
    for (size_t i = 0; i < own->levels; i++)
        for (size_t j = 0; j < i; j++) /* the extra terms alone order nothing */
            pairs += own->factors[i * own->levels + j] * sizes[i] * sizes[j];
    if (!(pairs > 0.0))
        return 0.0;
    pairs = 0.0;
    for (size_t i = 0; i < own->levels; i++)
        for (size_t j = 0; j < own->levels; j++)
            pairs += own->factors[i * own->levels + j] * sizes[i] * sizes[j];
    return all / (double)(end - first) / pairs;
}

static gradus_status set_up(gr_pairrank *own, const gr_problem *problem,
                            const gr_objective_options *options, gradus_error *err)
{
    const size_t count = problem->levels;
    bool any = false;

    own->factors = gr_new_array(count * count, sizeof *own->factors);
    if (own->by_query) {
        own->weights = gr_new_array(problem->queries, sizeof *own->weights);
        own->risks = gr_new_array(gr_problem_whole(problem)->queries, sizeof *own->risks);
    }
    if (!own->factors || (own->by_query && (!own->weights || !own->risks)))
        return gr_fail_memory(err, "pairs of grades");
    fill_factors(own, options->pair_costs, options->pairrank.plain);
    for (size_t q = 0; own->by_query && q < problem->queries; q++)
        any |= (own->weights[q] = weigh_query(own, problem, q)) > 0.0;
    GR_TRY(gr_share_any(problem->share, &any, err));
    if (own->by_query && !any)
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "no query has documents of two grades with a positive cost: use "
                       "'within all' to compare rows of different queries");
    return GRADUS_OK;
}

static void pairrank_end(void *state)
{
    gr_pairrank *own = state;

    if (!own)
        return;
    free(own->factors);
    free(own->weights);
    free(own->risks);
    gr_array_free(&own->room);
    gr_array_free(&own->tables);
    free(own);
}

static gradus_status pairrank_begin(const gr_problem *problem, const gr_objective_options *options,
                                    gr_pool *pool, void **state, gradus_error *err)
{
    gr_pairrank *made;
    gradus_status status;

    (void)pool;
    if (problem->levels < 2 || problem->outputs != 1 || !options->pair_costs)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "pairrank needs one output, at least two grades and their costs");
    made = calloc(1, sizeof *made);
    if (!made)
        return gr_fail_memory(err, "pairs of grades");
    made->levels = problem->levels;
    made->by_query = options->pairrank.within == GR_PAIRS_WITHIN_QUERY;
    made->logistic = options->pairrank.loss == GR_PAIR_LOGISTIC;
    status = set_up(made, problem, options, err);
    if (status == GRADUS_OK)
        *state = made;
    else
        pairrank_end(made);
    return status;
}

/* Returns the risk of a group from its sums per level; table[i]: the coefficients of e^-f and e^f
 * in the risk, for a row of level i. */
static double combine(const gr_pairrank *own, const double *sums, gr_power_level *table)
{
    double risk = 0.0;

    for (size_t i = 0; i < own->levels; i++) {
        table[i] = (gr_power_level){ 0.0, 0.0 };
        for (size_t j = 0; j < own->levels; j++) {
            table[i].down += own->factors[i * own->levels + j] * sums[2 * j + 1];
            table[i].up += own->factors[j * own->levels + i] * sums[2 * j];
        }
        risk += table[i].down * sums[2 * i];
    }
    return risk;
}

typedef struct query_work {
    const gr_pairrank *own;
    const gr_problem *problem;
    const double *scores;
    float *gradients, *hessians; /* NULL: computes risks and tables */
    double scale;
    gr_power_level *tables; /* [queries x levels] */
} query_work;

static void scale_table(const gr_power_level *from, size_t levels, double scale, gr_power_level *to)
{
    for (size_t l = 0; l < levels; l++)
        to[l] = (gr_power_level){ scale * from[l].down, scale * from[l].up };
}

/* Returns the risk of a query and fills its table. */
static double look_at_query(const query_work *work, size_t q, gr_power_level *table)
{
    const gr_problem *problem = work->problem;
    const size_t levels = work->own->levels, end = (size_t)problem->query_starts[q + 1];
    const gr_sum_job job = { .problem = problem, .scores = work->scores };
    double sums[4 * GR_MAX_LEVELS];

    memset(sums, 0, 4 * levels * sizeof *sums);
    for (size_t r = (size_t)problem->query_starts[q]; r < end; r += GR_CHUNK)
        gr_power_sums(&job, r, end - r < GR_CHUNK ? end - r : GR_CHUNK, sums);
    gr_fold_levels(levels, GR_POWER_SUMS, sums);
    return combine(work->own, sums, table);
}

static void put_query(const query_work *work, size_t q)
{
    const gr_problem *problem = work->problem;
    const size_t levels = work->own->levels, end = (size_t)problem->query_starts[q + 1];
    const double scale = work->scale * work->own->weights[q];
    gr_power_level table[GR_MAX_LEVELS];

    if (scale > 0.0)
        scale_table(work->tables + q * levels, levels, scale, table);
    else
        memset(table, 0, levels * sizeof *table);
    for (size_t r = (size_t)problem->query_starts[q]; r < end; r += GR_CHUNK)
        gr_power_gradients(problem, table, work->scores, r, end - r < GR_CHUNK ? end - r : GR_CHUNK,
                           work->gradients, work->hessians);
}

static void do_queries(void *argument, gr_range range)
{
    const query_work *work = argument;
    const size_t levels = work->own->levels;

    for (size_t q = range.first; q < range.end; q++) {
        const double weight = work->own->weights[q];

        if (work->gradients)
            put_query(work, q);
        else
            work->own->risks[q] =
                weight > 0.0 ? weight * look_at_query(work, q, work->tables + q * levels) : 0.0;
    }
}

static void run_queries(query_work *work, gr_pool *pool)
{
    gr_for_ranges(pool, work->problem->queries, QUERIES_AT_ONCE, do_queries, work);
}

gradus_status gr_pairrank_gather(const gr_problem *problem, size_t each, double *numbers,
                                 size_t *queries, gradus_error *err)
{
    const gr_share *share = problem->share;
    double *own;
    gradus_status status;

    *queries = gr_problem_whole(problem)->queries;
    if (!share)
        return GRADUS_OK;
    own = gr_new_array(problem->queries * each, sizeof *own);
    if (!own)
        return gr_fail_memory(err, "the risks of queries");
    memcpy(own, numbers, problem->queries * each * sizeof *own);
    status = gr_share_gather(share, share->query_cuts, each * sizeof *numbers, own, numbers, err);
    free(own);
    return status;
}

static gradus_status sum_risks(const gr_pairrank *own, const gr_problem *problem, double *risk,
                               gradus_error *err)
{
    size_t queries;

    GR_TRY(gr_pairrank_gather(problem, 1, own->risks, &queries, err));
    *risk = 0.0;
    for (size_t q = 0; q < queries; q++)
        *risk += own->risks[q];
    return GRADUS_OK;
}

static void put_whole(const gr_gradient_job *job, size_t first, size_t count)
{
    gr_power_gradients(job->problem, job->state, job->scores, first, count, job->gradients,
                       job->hessians);
}

static gradus_status whole_gradients(gr_pairrank *own, query_work *work, gr_pool *pool,
                                     gradus_error *err)
{
    const gr_problem *problem = work->problem;
    double sums[4 * GR_MAX_LEVELS];
    gr_power_level table[GR_MAX_LEVELS];
    const gr_sum_job job = { problem,       work->scores, NULL, 4 * own->levels,
                             gr_power_sums, &own->room,   NULL };
    gr_gradient_job put = { problem,  work->scores, work->gradients, work->hessians, put_whole,
                            GR_CHUNK, table };

    GR_TRY(gr_sum_run(&job, pool, sums, err));
    gr_fold_levels(own->levels, GR_POWER_SUMS, sums);
    own->last = combine(own, sums, table);
    scale_table(table, own->levels, own->last > 0.0 ? (double)problem->rows / own->last : 0.0,
                table);
    gr_gradient_run(&put, pool);
    return GRADUS_OK;
}

static gradus_status pairrank_gradients(void *state, const gr_problem *problem,
                                        const double *scores, float *gradients, float *hessians,
                                        gr_pool *pool, gradus_error *err)
{
    gr_pairrank *own = state;
    query_work work = { .own = own, .problem = problem, .scores = scores };

    if (own->logistic)
        return gr_pairrank_logistic(own, problem, scores, gradients, hessians, pool, err);
    if (own->by_query) {
        if (!gr_array_reserve(&own->tables, problem->queries * own->levels * sizeof *work.tables))
            return gr_fail_memory(err, "pairs of rows");
        work.tables = own->tables.at;
        run_queries(&work, pool);
        GR_TRY(sum_risks(own, problem, &own->last, err));
        work.scale = own->last > 0.0 ? (double)gr_problem_whole(problem)->rows / own->last : 0.0;
    }
    work.gradients = gradients;
    work.hessians = hessians;
    if (own->by_query)
        run_queries(&work, pool);
    else
        GR_TRY(whole_gradients(own, &work, pool, err));
    if (own->first == 0.0)
        own->first = own->last;
    return GRADUS_OK;
}

/* Uses the risk at the beginning of the round, so a perfect order is detected one round late. */
static gradus_status pairrank_settle(void *state, const gr_problem *problem, const double *scores,
                                     gr_pool *pool, bool *separated, gradus_error *err)
{
    const gr_pairrank *own = state;

    (void)problem;
    (void)scores;
    (void)pool;
    (void)err;
    *separated = own->first > 0.0 && own->last < LEAST_RISK * own->first;
    return GRADUS_OK;
}

/* The logarithm of the risk; the gradients are its derivatives times the number of rows. */
static double pairrank_loss(const void *state, const gr_problem *problem, const double *scores)
{
    const gr_pairrank *own = state;
    const query_work work = { .own = own, .problem = problem, .scores = scores };
    const uint64_t whole[2] = { 0, problem->rows };
    gr_problem as_one = *problem;
    gr_power_level table[GR_MAX_LEVELS];
    double risk = 0.0;

    if (own->logistic)
        return gr_pairrank_logistic_loss(own, problem, scores);
    for (size_t q = 0; own->by_query && q < problem->queries; q++)
        if (own->weights[q] > 0.0)
            risk += own->weights[q] * look_at_query(&work, q, table);
    if (!own->by_query) {
        const query_work all = { .own = own, .problem = &as_one, .scores = scores };

        as_one.query_starts = whole;
        risk = look_at_query(&all, 0, table);
    }
    return gr_log(risk);
}

const gr_objective gr_objective_pairrank = {
    .about = { .name = "pairrank",
               .summary =
                   "exponential loss of pairs with different grades, weighted by cost: e^-(f - f')",
               .details =
                   "Starts at 0. Minimises the logarithm of the exponential risk of pairs, within "
                   "queries (all weigh the same, whatever their length) or over all rows, in time "
                   "linear in the rows. With the extra terms of Theorem 4, which --plain omits, "
                   "the optimal f is log(f0) / 2, where f0 is the optimal score for the costs. A "
                   "tree's step is scaled by a line search. Source: Uematsu and Lee 2015." },
    .begin = pairrank_begin,
    .end = pairrank_end,
    .gradients = pairrank_gradients,
    .leaf = gr_leaf_newton,
    .loss = pairrank_loss,
    .fit_thresholds = pairrank_settle,
    .line_search = gr_pairrank_line_search,
    .searches_trees = true,
};
