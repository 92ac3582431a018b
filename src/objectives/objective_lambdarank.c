/* SPDX-License-Identifier: Apache-2.0 */
/* LambdaMART's gradients (Burges 2010). For each pair of documents of a query with different
 * grades, at least one of them in the first `truncation` ranks,
 *
 *     lambda = sigma delta rho, hessian = sigma^2 delta rho (1 - rho),
 *     rho = 1 / (1 + e^(sigma (s_better - s_worse))),
 *
 * where delta is the exact change of the metric when the two swap ranks (lambdarank_changes.c).
 * Ties in score are ranked in the order of the data.
 *
 * Normalisation by query follows LightGBM: delta is divided by .01 + |s_i - s_j| unless all scores
 * of the query are equal, and the lambdas and Hessians of a query are multiplied by log2(1 + L) /
 * L, L the sum of the absolute values of its lambdas. */
#include "objectives/objective_lambdarank.h"

#include "base/math.h"
#include "base/memory.h"
#include "base/sort.h"
#include "objectives/objective_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DESK_ARRAYS = 5 }; /* float arrays; there is also one of doubles */

static const double PAIRS_OF_TASK = 20000.0;
static const float LEAST_DISTANCE = 0.01f;

static void lambdarank_end(void *argument)
{
    gr_lambda_state *state = argument;

    if (!state)
        return;
    free(state->room);
    gr_arena_free(&state->arena);
    free(state);
}

static size_t query_size(const gr_problem *problem, size_t q)
{
    return (size_t)(problem->query_starts[q + 1] - problem->query_starts[q]);
}

/* The number of top ranks whose documents are paired with all documents below them. */
static size_t upper_places(const gr_objective_options *options, size_t count)
{
    size_t upper = count > 0 ? count - 1 : 0;

    if (options->truncation > 0 && options->truncation < upper)
        upper = (size_t)options->truncation;
    if (options->lambda_depth > 0 && options->lambda_depth < upper)
        upper = (size_t)options->lambda_depth; /* swaps below the cutoff change nothing */
    return upper;
}

/* Length of a workspace's array in floats, padded to whole cache lines. */
static size_t workspace_pitch(const gr_lambda_state *state)
{
    return (state->largest + GR_LAMBDA_STEP - 1) / GR_LAMBDA_STEP * GR_LAMBDA_STEP;
}

static bool make_room(gr_lambda_state *state, const gr_problem *problem, gr_pool *pool)
{
    const size_t largest = state->largest, workers = gr_pool_threads(pool);
    const size_t pitch = workspace_pitch(state);
    size_t floats, bytes;

    state->workers = workers;
    if (!gr_size_times(pitch, workers * DESK_ARRAYS, &floats) ||
        !gr_size_times(GR_LAMBDA_SORTING(largest), workers, &bytes))
        return false;
    state->discounts = gr_arena_array(&state->arena, largest, sizeof *state->discounts);
    state->values = gr_arena_array(&state->arena, problem->rows, sizeof *state->values);
    state->matters = gr_arena_array(&state->arena, problem->queries, sizeof *state->matters);
    state->order = gr_arena_array(&state->arena, problem->rows, sizeof *state->order);
    state->task_starts =
        gr_arena_array(&state->arena, problem->queries + 1, sizeof *state->task_starts);
    state->queries = gr_arena_array(&state->arena, problem->queries, sizeof *state->queries);
    state->workspaces = gr_arena_array(&state->arena, workers, sizeof *state->workspaces);
    state->room = aligned_alloc(64, floats * sizeof *state->room + 64);
    state->exact = gr_arena_array(&state->arena, pitch, workers * sizeof *state->exact);
    state->sums = gr_arena_array(&state->arena, pitch, workers * sizeof *state->sums);
    state->sorting = gr_arena_array(&state->arena, bytes, 1);
    if (state->arena.failed || !state->room)
        return false;
    memset(state->room, 0, floats * sizeof *state->room);
    return true;
}

static void lay_out_workspaces(gr_lambda_state *state)
{
    for (size_t worker = 0; worker < state->workers; worker++) {
        const size_t pitch = workspace_pitch(state);
        float *room = state->room + worker * DESK_ARRAYS * pitch;

        state->workspaces[worker] = (gr_lambda_workspace){
            .exact = state->exact + worker * pitch,
            .scores = room,
            .values = room + pitch,
            .places = room + 2 * pitch,
            .gradients = room + 3 * pitch,
            .hessians = room + 4 * pitch,
            .sums = state->sums + worker * pitch,
            .sorting = state->sorting + worker * GR_LAMBDA_SORTING(state->largest),
        };
    }
}

static double query_pairs(const gr_lambda_state *state, size_t count)
{
    return (double)count * (double)(upper_places(&state->options, count) + 1);
}

/* Queries that fill a task come first, the largest one first of all, so that a large one does not start
 * last. The others share tasks and stay in the order of the data, which is read faster. */
static gradus_status plan_tasks(gr_lambda_state *state, const gr_problem *problem,
                                gradus_error *err)
{
    const size_t queries = problem->queries;
    gr_keyed *items = gr_new_array(queries, 2 * sizeof *items);
    double pairs = 0.0;

    if (!items)
        return gr_fail_memory(err, "the order of queries");
    for (size_t q = 0; q < queries; q++) {
        const size_t count = query_size(problem, q);
        const bool large = query_pairs(state, count) >= PAIRS_OF_TASK;

        items[q] = (gr_keyed){ large ? ~(uint64_t)count : UINT64_MAX, q };
    }
    gr_sort_keyed(items, queries, items + queries);
    for (size_t i = 0; i < queries; i++) {
        state->queries[i] = (uint32_t)items[i].item;
        pairs += query_pairs(state, query_size(problem, (size_t)items[i].item));
        if (pairs >= PAIRS_OF_TASK || i + 1 == queries) {
            state->task_starts[++state->tasks] = i + 1;
            pairs = 0.0;
        }
    }
    free(items);
    return GRADUS_OK;
}

static gradus_status begin_state(gr_lambda_state *state, const gr_problem *problem, gr_pool *pool,
                                 gradus_error *err)
{
    for (size_t q = 0; q < problem->queries; q++)
        if (query_size(problem, q) > state->largest)
            state->largest = query_size(problem, q);
    if (!make_room(state, problem, pool))
        return gr_fail_memory(err, "the lambdas of queries");
    lay_out_workspaces(state);
    for (size_t q = 0; q < problem->queries; q++)
        for (size_t i = 0; i < query_size(problem, q); i++)
            state->order[problem->query_starts[q] + i] = (uint32_t)i;
    GR_TRY(gr_lambda_prepare(state, problem, err));
    return plan_tasks(state, problem, err);
}

static gradus_status lambdarank_begin(const gr_problem *problem,
                                      const gr_objective_options *options, gr_pool *pool,
                                      void **state, gradus_error *err)
{
    gradus_status status;

    *state = NULL;
    if (problem->outputs != 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "lambdarank has one output, not %zu",
                       problem->outputs);
    if (problem->rows > UINT32_MAX || problem->queries > UINT32_MAX)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "lambdarank takes at most %u rows, not %zu",
                       UINT32_MAX, problem->rows);
    gr_lambda_state *made = gr_new_array(1, sizeof *made);
    if (!made)
        return gr_fail_memory(err, "lambdarank");
    made->options = *options;
    status = begin_state(made, problem, pool, err);
    if (status != GRADUS_OK) {
        lambdarank_end(made);
        return status;
    }
    *state = made;
    return GRADUS_OK;
}

/* Fills the workspace's gradients and Hessians, in rank order; returns the factor to multiply them
 * by. */
static double lambdas_of_query(const gr_lambda_state *state, const gr_lambda_workspace *workspace,
                               size_t count)
{
    const bool by_query = state->options.normalise == GR_LAMBDA_BY_QUERY;
    gr_lambda_kernel *const lambda_row = gr_lambda_here()->row;
    const bool spread = workspace->scores[0] != workspace->scores[count - 1];
    const size_t upper = upper_places(&state->options, count);
    gr_lambda_pairs pairs = { .end = count,
                              .scores = workspace->scores,
                              .values = workspace->values,
                              .places = workspace->places,
                              .sigma = (float)state->options.sigma,
                              .gradients = workspace->gradients,
                              .hessians = workspace->hessians };
    gr_lambda_sums *const sums = workspace->sums;
    gr_lambda_cascade cascade;
    double size = 0.0;

    pairs.offset = by_query && spread ? LEAST_DISTANCE : 1.0f;
    pairs.slope = by_query && spread ? 1.0f : 0.0f;
    gr_lambda_places(state, workspace->exact, count, &cascade, workspace->places);
    for (size_t i = 0; i < upper; i++) {
        pairs.first = i + 1;
        pairs.score = workspace->scores[i];
        pairs.value = workspace->values[i];
        pairs.place =
            (float)gr_lambda_place(state, workspace->exact, count, i, &cascade, workspace->places);
        lambda_row(&pairs, &sums[i]);
    }
    /* Not in the loop above, where the next row would wait for these stores. */
    for (size_t i = 0; i < upper; i++) {
        workspace->gradients[i] = (float)((double)workspace->gradients[i] + sums[i].gradient);
        workspace->hessians[i] = (float)((double)workspace->hessians[i] + sums[i].hessian);
        size += 2.0 * sums[i].size;
    }
    return by_query && size > 0.0 ? gr_log2(1.0 + size) / size : 1.0;
}

typedef struct lambda_job {
    const gr_lambda_state *state;
    const gr_problem *problem;
    const double *scores;
    float *gradients, *hessians;
} lambda_job;

static float clamp(double score)
{
    return (float)(score > GR_LAMBDA_FAR    ? GR_LAMBDA_FAR
                   : score < -GR_LAMBDA_FAR ? -GR_LAMBDA_FAR
                                            : score);
}

static void run_query(const lambda_job *job, size_t q, const gr_lambda_workspace *workspace)
{
    const size_t start = (size_t)job->problem->query_starts[q];
    const size_t count = query_size(job->problem, q);
    const double *scores = job->scores + start;
    uint32_t *order = job->state->order + start;

    if (!job->state->matters[q] || (job->problem->passed_over && job->problem->passed_over[q])) {
        for (size_t r = start; r < start + count; r++)
            job->gradients[r] = job->hessians[r] = 0.0f;
        return;
    }
    gr_lambda_sort(scores, count, order, workspace->exact, workspace->sorting);
    for (size_t i = 0; i < count; i++) {
        workspace->scores[i] = clamp(workspace->exact[i]);
        workspace->exact[i] = job->state->values[start + order[i]];
        workspace->values[i] = (float)workspace->exact[i];
        workspace->gradients[i] = workspace->hessians[i] = 0.0f;
    }
    const double scale = lambdas_of_query(job->state, workspace, count);
    for (size_t i = 0; i < count; i++) {
        const size_t r = start + order[i];
        const double weight = scale * gr_problem_weight(job->problem, 0, r);

        job->gradients[r] = (float)(weight * (double)workspace->gradients[i]);
        job->hessians[r] = (float)(weight * (double)workspace->hessians[i]);
    }
}

void gr_lambda_query(const gr_lambda_state *state, const gr_problem *problem, size_t q,
                     const double *scores, float *gradients, float *hessians, size_t worker)
{
    const lambda_job job = { state, problem, scores, gradients, hessians };

    run_query(&job, q, &state->workspaces[worker]);
}

static void run_task(void *argument, size_t index, size_t worker)
{
    const lambda_job *job = argument;
    const gr_lambda_state *state = job->state;

    for (size_t i = state->task_starts[index]; i < state->task_starts[index + 1]; i++)
        run_query(job, state->queries[i], &state->workspaces[worker]);
}

static gradus_status lambdarank_gradients(void *argument, const gr_problem *problem,
                                          const double *scores, float *gradients, float *hessians,
                                          gr_pool *pool, gradus_error *err)
{
    gr_lambda_state *state = argument;
    lambda_job job = { state, problem, scores, gradients, hessians };

    if (gr_pool_threads(pool) > state->workers)
        return gr_fail(err, GRADUS_BAD_ARGUMENT, "lambdarank was set up for %zu threads, not %zu",
                       state->workers, gr_pool_threads(pool));
    gr_pool_run(pool, state->tasks, run_task, &job);
    return GRADUS_OK;
}

/* The enums of metrics agree. */
static_assert((int)GR_DEVICE_NDCG == (int)GR_LAMBDA_NDCG &&
                  (int)GR_DEVICE_ERR == (int)GR_LAMBDA_ERR &&
                  (int)GR_DEVICE_MAP == (int)GR_LAMBDA_MAP,
              "metrics");

static bool lambdarank_describe(const void *argument, const gr_problem *problem,
                                gr_device_problem *described)
{
    const gr_lambda_state *state = argument;
    const gr_objective_options *options = &state->options;

    gr_describe_rows(problem, GR_DEVICE_LAMBDARANK, described);
    described->lambda = (gr_device_lambda){ .metric = options->lambda_metric,
                                            .by_query = options->normalise == GR_LAMBDA_BY_QUERY,
                                            .sigma = (float)options->sigma,
                                            .truncation = options->truncation,
                                            .depth = options->lambda_depth,
                                            .largest = state->largest,
                                            .discounts = state->discounts,
                                            .values = state->values,
                                            .matters = state->matters };
    return true;
}

const gr_objective gr_objective_lambdarank = {
    .about = { .name = "lambdarank",
               .summary = "pairs of a query, weighted by the change of NDCG, ERR or MAP on a swap",
               .details =
                   "lambda = sigma delta / (1 + e^(sigma (s_better - s_worse))) for each pair of "
                   "different grades with a document in the first T ranks; delta is the exact "
                   "change of the metric when the two swap ranks. NDCG: gain 2^y - 1 (--gain, "
                   "--label-gain), discount 1/log2(1 + i), divided by the ideal DCG of the query. "
                   "ERR: R = (2^y - 1) / 2^K, K the largest grade. MAP: grades of 1 or more are "
                   "relevant. With --normalise query, delta is divided by 0.01 + |s_i - s_j|, and "
                   "the lambdas of a query, whose absolute values sum to L, are multiplied by "
                   "log2(1 + L) / L. Cost: O(n T) for a query of n documents; with all pairs "
                   "O(n^2); memory is O(n). Source: Burges 2010." },
    .begin = lambdarank_begin,
    .end = lambdarank_end,
    .gradients = lambdarank_gradients,
    .describe = lambdarank_describe,
};
