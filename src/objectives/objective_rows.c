/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of and sums over rows in fixed blocks, independent of the number of threads. */
#include "objectives/objective_rows.h"

#include "base/math.h"
#include "base/ranges.h"

#include <stdlib.h>

enum { BLOCK = 8192 };

gradus_status gr_begin_nothing(const gr_problem *problem, const gr_objective_options *options,
                               gr_pool *pool, void **state, gradus_error *err)
{
    (void)problem;
    (void)options;
    (void)pool;
    (void)err;
    *state = NULL;
    return GRADUS_OK;
}

gradus_status gr_begin_number(double number, void **state, gradus_error *err)
{
    double *kept = malloc(sizeof *kept);

    *state = kept;
    if (!kept)
        return gr_fail_memory(err, "the objective");
    *kept = number;
    return GRADUS_OK;
}

static void run_block(void *argument, gr_range range)
{
    const gr_gradient_job *job = argument;

    for (size_t r = range.first; r < range.end; r += job->most)
        job->rows(job, r, gr_least(job->most, range.end - r));
}

void gr_gradient_run(gr_gradient_job *job, gr_pool *pool)
{
    gr_for_ranges(pool, job->problem->rows, BLOCK, run_block, job);
}

void gr_mean_targets(const gr_problem *problem, double *means)
{
    for (size_t k = 0; k < problem->outputs; k++) {
        double sum = 0.0, total = 0.0;

        for (size_t r = 0; r < problem->rows; r++) {
            const double weight = gr_problem_weight(problem, k, r);

            sum += weight * gr_problem_target(problem, k, r);
            total += weight;
        }
        means[k] = total > 0.0 ? sum / total : 0.0;
    }
}

double gr_frequency(double p, size_t rows)
{
    const double least = 0.5 / (double)(rows ? rows : 1);

    return p < least ? least : p > 1.0 - least ? 1.0 - least : p;
}

double gr_mean_loss_of(const void *state, const gr_problem *problem, const double *scores,
                       double (*loss)(double weight, double score, double target, double number))
{
    const double number = state ? *(const double *)state : 0.0;
    double sum = 0.0;

    for (size_t k = 0; k < problem->outputs; k++)
        for (size_t r = 0; r < problem->rows; r++)
            sum += loss(gr_problem_weight(problem, k, r), scores[k * problem->rows + r],
                        gr_problem_target(problem, k, r), number);
    return problem->rows ? sum / (double)problem->rows : 0.0;
}

enum { MAX_BLOCKS = 256 };

typedef struct sum_work {
    const gr_sum_job *job;
    double *sums; /* [blocks x width] */
} sum_work;

static void sum_block(void *argument, gr_range range)
{
    const sum_work *work = argument;
    const gr_sum_job *job = work->job;
    double *sums = work->sums + range.index * job->width;

    for (size_t i = 0; i < job->width; i++)
        sums[i] = 0.0;
    for (size_t r = range.first; r < range.end; r += GR_CHUNK)
        job->rows(job, r, gr_least(GR_CHUNK, range.end - r), sums);
}

/* Blocks of rows do not end where the shares of processes do, and sums of doubles depend on the
 * blocks: every process gathers the scores and adds up all rows. */
static gradus_status sum_everywhere(const gr_sum_job *job, gr_pool *pool, double *totals,
                                    gradus_error *err)
{
    const gr_problem *problem = job->problem;
    const gr_share *share = problem->share;
    double *scores = gr_new_array(problem->whole->rows, sizeof *scores);
    gr_sum_job all = *job;
    gradus_status status;

    if (!scores)
        return gr_fail_memory(err, "the scores of all processes");
    all.problem = problem->whole;
    all.scores = scores;
    status = gr_share_gather(share, share->row_cuts, sizeof *scores, job->scores, scores, err);
    if (status == GRADUS_OK)
        status = gr_sum_run(&all, pool, totals, err);
    free(scores);
    return status;
}

gradus_status gr_sum_run(const gr_sum_job *job, gr_pool *pool, double *totals, gradus_error *err)
{
    if (job->problem->share)
        return sum_everywhere(job, pool, totals, err);
    const size_t rows = job->problem->rows, share = gr_range_count(rows, MAX_BLOCKS);
    const size_t block = share > BLOCK ? share : BLOCK, blocks = gr_range_count(rows, block);
    sum_work work = { job, NULL };

    if (!gr_array_reserve(job->room, blocks * job->width * sizeof *totals))
        return gr_fail_memory(err, "sums over rows");
    work.sums = job->room->at;
    if (job->problem->device)
        GR_TRY(job->problem->device->sums(job->problem->boosting, job->numbers, block, work.sums,
                                          err));
    else
        gr_for_ranges(pool, rows, block, sum_block, &work);
    for (size_t i = 0; i < job->width; i++)
        totals[i] = 0.0;
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = 0; i < job->width; i++)
            totals[i] += work.sums[b * job->width + i];
    return GRADUS_OK;
}

void gr_describe_rows(const gr_problem *problem, gr_device_loss loss, gr_device_problem *described)
{
    *described = (gr_device_problem){ .loss = (int)loss,
                                      .rows = problem->rows,
                                      .queries = problem->queries,
                                      .outputs = problem->outputs,
                                      .levels = problem->levels,
                                      .query_starts = problem->query_starts,
                                      .labels = problem->labels,
                                      .level_of = problem->level_of,
                                      .targets = problem->targets,
                                      .weights = problem->weights,
                                      .row_weights = problem->row_weights };
}

void gr_problem_targets(const gr_problem *problem, size_t k, size_t first, size_t count,
                        double *targets)
{
    if (!problem->targets) {
        for (size_t r = 0; r < count; r++)
            targets[r] = (double)problem->labels[first + r];
        return;
    }
    const double *of_level = problem->targets + k * problem->levels;

    for (size_t r = 0; r < count; r++)
        targets[r] = of_level[problem->level_of[first + r]];
}

void gr_problem_weights(const gr_problem *problem, size_t k, size_t first, size_t count,
                        double *weights)
{
    if (!problem->weights)
        for (size_t r = 0; r < count; r++)
            weights[r] = 1.0;
    else
        for (size_t r = 0; r < count; r++)
            weights[r] = problem->weights[k * problem->levels + problem->level_of[first + r]];
    if (problem->row_weights)
        for (size_t r = 0; r < count; r++)
            weights[r] *= (double)problem->row_weights[first + r];
}

const double *gr_weights_or_null(const gr_problem *problem, size_t first, size_t count,
                                 double weights[GR_CHUNK])
{
    if (!problem->weights && !problem->row_weights)
        return NULL;
    gr_problem_weights(problem, 0, first, count, weights);
    return weights;
}

double gr_leaf_limited(const gr_leaf *leaf, double share)
{
    const double curvature = leaf->hessians + leaf->l2;

    if (!(curvature > 0.0))
        return 0.0;
    const double value = -share * leaf->gradients / curvature;
    return value > GR_LEAF_LIMIT ? GR_LEAF_LIMIT : value < -GR_LEAF_LIMIT ? -GR_LEAF_LIMIT : value;
}

double gr_leaf_newton(const void *state, const gr_problem *problem, const gr_leaf *leaf)
{
    (void)state;
    (void)problem;
    return gr_leaf_limited(leaf, 1.0);
}
