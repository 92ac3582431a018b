/* SPDX-License-Identifier: Apache-2.0 */
/* Line search of PAIRRANK: the step size t along d that minimises log R(t), which is convex, by
 * Newton's method. R(t) and its derivatives come from sums by level of w e^-(f + t d) and w e^(f +
 * t d), times 1, d and d^2. */
#include "objectives/objective_pairrank.h"

#include "base/ranges.h"

#include <math.h>
#include <string.h>

enum { SUMS = GR_LINE_TERMS, LINE_STEPS = 20, QUERIES_AT_ONCE = 64 };

#define LONGEST_SHARE 50.0 /* maximum step size: a perfect step lowers the risk forever */
#define NEAR 0.2           /* stop at this relative change: the error left is its square */

typedef struct line_use {
    const gr_pairrank *own;
    const gr_problem *problem;
    const double *scores;
    gr_power_line line;
    double *by_query; /* [queries x 3] */
} line_use;

/* found: the risk and its first and second derivative along the line. */
static void combine(const gr_pairrank *own, const double *sums, double found[3])
{
    found[0] = found[1] = found[2] = 0.0;
    for (size_t i = 0; i < own->levels; i++)
        for (size_t j = 0; j < own->levels; j++) {
            const double factor = own->factors[i * own->levels + j];
            const double *down = sums + SUMS * i, *up = sums + SUMS * j + 3;

            found[0] += factor * down[0] * up[0];
            found[1] += factor * (down[1] * up[0] + down[0] * up[1]);
            found[2] += factor * (down[2] * up[0] + 2.0 * down[1] * up[1] + down[0] * up[2]);
        }
}

static void do_queries(void *argument, gr_range range)
{
    const line_use *use = argument;
    const gr_problem *problem = use->problem;
    const gr_sum_job job = { .problem = problem, .scores = use->scores, .user = &use->line };
    double sums[2 * SUMS * GR_MAX_LEVELS];

    for (size_t q = range.first; q < range.end; q++) {
        const size_t last = (size_t)problem->query_starts[q + 1];
        double *found = use->by_query + 3 * q;

        found[0] = found[1] = found[2] = 0.0;
        if (!(use->own->weights[q] > 0.0))
            continue;
        memset(sums, 0, 2 * SUMS * use->own->levels * sizeof *sums);
        for (size_t r = (size_t)problem->query_starts[q]; r < last; r += GR_CHUNK)
            gr_power_line_sums(&job, r, last - r < GR_CHUNK ? last - r : GR_CHUNK, sums);
        gr_fold_levels(use->own->levels, SUMS, sums);
        combine(use->own, sums, found);
    }
}

static gradus_status look(gr_pairrank *own, line_use *use, gr_pool *pool, double found[3],
                          gradus_error *err)
{
    const gr_problem *problem = use->problem;
    double sums[2 * SUMS * GR_MAX_LEVELS];
    const gr_sum_job job = {
        problem,    use->scores, &use->line, 2 * SUMS * own->levels, gr_power_line_sums,
        &own->room, NULL
    };
    size_t queries;

    if (!own->by_query) {
        GR_TRY(gr_sum_run(&job, pool, sums, err));
        gr_fold_levels(own->levels, SUMS, sums);
        combine(own, sums, found);
        return GRADUS_OK;
    }
    if (!gr_array_reserve(&own->room, 3 * gr_problem_whole(problem)->queries * sizeof(double)))
        return gr_fail_memory(err, "a line search");
    use->by_query = own->room.at;
    gr_for_ranges(pool, problem->queries, QUERIES_AT_ONCE, do_queries, use);
    for (size_t i = 0; i < 3 * problem->queries; i++)
        use->by_query[i] *= own->weights[i / 3];
    GR_TRY(gr_pairrank_gather(problem, 3, use->by_query, &queries, err));
    found[0] = found[1] = found[2] = 0.0;
    for (size_t i = 0; i < 3 * queries; i++)
        found[i % 3] += use->by_query[i];
    return GRADUS_OK;
}

gradus_status gr_pairrank_line_search(void *state, const gr_problem *problem, const double *scores,
                                      const double *steps, gr_pool *pool, double *share,
                                      gradus_error *err)
{
    gr_pairrank *own = state;
    line_use use = { own, problem, scores, { steps, 1.0 }, NULL };
    double found[3];

    *share = 1.0;
    for (int i = 0; !own->logistic && i < LINE_STEPS; i++) {
        GR_TRY(look(own, &use, pool, found, err));
        if (!(found[0] > 0.0))
            break;
        const double slope = found[1] / found[0];
        const double curvature = found[2] / found[0] - slope * slope;
        const double most = 1.0 + use.line.share; /* maximum change: the step size may double */
        double change = curvature > 0.0 ? -slope / curvature : slope < 0.0 ? most : 0.0;

        change = change > most                    ? most
                 : change < -0.9 * use.line.share ? -0.9 * use.line.share
                                                  : change;
        use.line.share += change;
        if (use.line.share > LONGEST_SHARE)
            use.line.share = LONGEST_SHARE;
        if (fabs(change) < NEAR * use.line.share || use.line.share == LONGEST_SHARE)
            break;
    }
    *share = use.line.share;
    return GRADUS_OK;
}
