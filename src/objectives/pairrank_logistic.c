/* SPDX-License-Identifier: Apache-2.0 */
/* The logistic loss of pairs, C[y_n][y_m] w_n w_m log(1 + e^-(f_n - f_m)), which does not factor.
 * Within queries all pairs are enumerated: quadratic in the rows of a query. Over all rows, the row
 * weights are spread onto a grid of scores (each between its two nearest points), the sums are
 * computed at the grid points, and each row interpolates its own: linear in the rows, plus GRID^2
 * per level; the error is of the order of the squared grid step. */
#include "objectives/objective_pairrank.h"

#include "base/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 1024 };

typedef struct pair_work {
    const gr_pairrank *own;
    const gr_problem *problem;
    const double *scores;
    float *gradients, *hessians;
    double scale;
} pair_work;

/* Gradient and Hessian of row n, from its pairs with all rows of its query. */
static void do_row(const pair_work *work, size_t n, size_t first, size_t end, double scale)
{
    const gr_problem *problem = work->problem;
    const size_t count = work->own->levels, level = problem->level_of[n];
    const double weight = scale * gr_pair_weight(problem, n);
    double gradient = 0.0, hessian = 0.0;

    for (size_t m = first; m < end; m++) {
        const size_t other = problem->level_of[m];
        const double up = work->own->factors[level * count + other];
        const double down = work->own->factors[other * count + level];

        if (m == n || (up == 0.0 && down == 0.0))
            continue;
        const double wrong = gr_logistic_accurate(work->scores[m] - work->scores[n]);
        const double pair = weight * gr_pair_weight(problem, m);

        gradient += pair * (down * (1.0 - wrong) - up * wrong);
        hessian += pair * (up + down) * wrong * (1.0 - wrong);
    }
    work->gradients[n] = (float)gradient;
    work->hessians[n] = (float)hessian;
}

static void do_query(void *argument, size_t q, size_t worker)
{
    const pair_work *work = argument;
    const size_t first = (size_t)work->problem->query_starts[q];
    const size_t end = (size_t)work->problem->query_starts[q + 1];

    (void)worker;
    for (size_t n = first; n < end; n++)
        do_row(work, n, first, end, work->scale * work->own->weights[q]);
}

/* Sums at the points of a grid of scores. */
typedef struct grid {
    double low, step;
    double mass[GR_MAX_LEVELS][GRID]; /* weight of the rows at each point */
    double wrong[2 * GRID];           /* logistic function at i - GRID steps */
    double slope[GR_MAX_LEVELS][GRID], bend[GR_MAX_LEVELS][GRID];
} grid;

static size_t place_of(const grid *g, double score, double *share)
{
    const double at = (score - g->low) / g->step;
    const size_t point = at >= GRID - 1 ? GRID - 2 : at > 0.0 ? (size_t)at : 0;

    *share = at - (double)point;
    return point;
}

static void lay_out(grid *g, const gr_problem *problem, const double *scores)
{
    double high = scores[0];

    g->low = scores[0];
    for (size_t r = 1; r < problem->rows; r++) {
        g->low = scores[r] < g->low ? scores[r] : g->low;
        high = scores[r] > high ? scores[r] : high;
    }
    g->step = high > g->low ? (high - g->low) / (GRID - 1) : 1.0;
    for (size_t i = 0; i < 2 * GRID; i++)
        g->wrong[i] = gr_logistic_accurate(((double)i - GRID) * g->step);
    for (size_t r = 0; r < problem->rows; r++) {
        double share, *mass = g->mass[problem->level_of[r]];
        const size_t point = place_of(g, scores[r], &share);

        mass[point] += (1.0 - share) * gr_pair_weight(problem, r);
        mass[point + 1] += share * gr_pair_weight(problem, r);
    }
}

/* The derivatives for a row of this level at each grid point. */
static void sum_level(void *argument, size_t level, size_t worker)
{
    const pair_work *work = ((void **)argument)[0];
    grid *g = ((void **)argument)[1];
    const size_t count = work->own->levels;
    double up[GRID] = { 0.0 }, down[GRID] = { 0.0 };

    (void)worker;
    for (size_t other = 0; other < count; other++)
        for (size_t i = 0; i < GRID; i++) {
            up[i] += work->own->factors[level * count + other] * g->mass[other][i];
            down[i] += work->own->factors[other * count + level] * g->mass[other][i];
        }
    for (size_t at = 0; at < GRID; at++) {
        double slope = 0.0, bend = 0.0;

        for (size_t i = 0; i < GRID; i++) {
            const double wrong = g->wrong[GRID + i - at];

            slope += down[i] * (1.0 - wrong) - up[i] * wrong;
            bend += (up[i] + down[i]) * wrong * (1.0 - wrong);
        }
        g->slope[level][at] = slope;
        g->bend[level][at] = bend;
    }
}

/* Interpolates the derivatives of each row. A row's own weight is on the grid too, but C[y][y]
 * pulls it up as much as down. */
static void read_off(const pair_work *work, const grid *g)
{
    const gr_problem *problem = work->problem;

    for (size_t r = 0; r < problem->rows; r++) {
        const size_t level = problem->level_of[r];
        const double weight = work->scale * gr_pair_weight(problem, r);
        double share;
        const size_t at = place_of(g, work->scores[r], &share);

        work->gradients[r] = (float)(weight * ((1.0 - share) * g->slope[level][at] +
                                               share * g->slope[level][at + 1]));
        work->hessians[r] =
            (float)(weight * ((1.0 - share) * g->bend[level][at] + share * g->bend[level][at + 1]));
    }
}

/* Number of rows divided by the weight of all pairs (by query: by the number of queries that
 * count), so that gradients are of the order of 1. */
static gradus_status scale_of(const gr_pairrank *own, const gr_problem *problem, double *scale,
                              gradus_error *err)
{
    double sizes[GR_MAX_LEVELS] = { 0.0 }, pairs = 0.0;
    int64_t queries = 0;

    for (size_t q = 0; own->by_query && q < problem->queries; q++)
        queries += own->weights[q] > 0.0;
    if (own->by_query) {
        GR_TRY(gr_share_sum(problem->share, &queries, 1, err));
        *scale = (double)gr_problem_whole(problem)->rows / (double)queries;
        return GRADUS_OK;
    }
    for (size_t r = 0; r < problem->rows; r++)
        sizes[problem->level_of[r]] += gr_pair_weight(problem, r);
    for (size_t i = 0; i < own->levels; i++)
        for (size_t j = 0; j < own->levels; j++)
            pairs += own->factors[i * own->levels + j] * sizes[i] * sizes[j];
    *scale = (double)problem->rows / pairs;
    return GRADUS_OK;
}

gradus_status gr_pairrank_logistic(gr_pairrank *own, const gr_problem *problem,
                                   const double *scores, float *gradients, float *hessians,
                                   gr_pool *pool, gradus_error *err)
{
    pair_work work = { own, problem, scores, gradients, hessians, 1.0 };
    void *both[2] = { &work, NULL };

    GR_TRY(scale_of(own, problem, &work.scale, err));
    if (own->by_query) {
        gr_pool_run(pool, problem->queries, do_query, &work);
        return GRADUS_OK;
    }
    grid *g = calloc(1, sizeof *g);

    if (!g)
        return gr_fail_memory(err, "pairs of rows");
    lay_out(g, problem, scores);
    both[1] = g;
    gr_pool_run(pool, own->levels, sum_level, both);
    read_off(&work, g);
    free(g);
    return GRADUS_OK;
}

double gr_pairrank_logistic_loss(const gr_pairrank *own, const gr_problem *problem,
                                 const double *scores)
{
    const size_t groups = own->by_query ? problem->queries : 1;
    double sum = 0.0, scale = 1.0;

    for (size_t q = 0; q < groups; q++) {
        const size_t first = own->by_query ? (size_t)problem->query_starts[q] : 0;
        const size_t end = own->by_query ? (size_t)problem->query_starts[q + 1] : problem->rows;
        const double weight = own->by_query ? own->weights[q] : 1.0;

        for (size_t n = first; n < end; n++)
            for (size_t m = first; m < end; m++) {
                const double apart = scores[n] - scores[m];
                const double factor =
                    own->factors[(size_t)problem->level_of[n] * own->levels + problem->level_of[m]];

                if (n != m && factor > 0.0)
                    sum += weight * factor * gr_pair_weight(problem, n) *
                           gr_pair_weight(problem, m) *
                           ((apart < 0.0 ? -apart : 0.0) + gr_log(1.0 + gr_exp(-fabs(apart))));
            }
    }
    return scale_of(own, problem, &scale, NULL) == GRADUS_OK ? sum * scale / (double)problem->rows
                                                             : (double)NAN;
}
