/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of exponentials by level, and the gradients of losses built from them. */
#include "objectives/powers.h"

void gr_power_sums(const gr_sum_job *job, size_t first, size_t count, double *sums)
{
    const gr_problem *problem = job->problem;
    double powers[GR_POWER_SUMS][GR_CHUNK], room[GR_CHUNK];
    const double *weights = gr_weights_or_null(problem, first, count, room);

    gr_ordinal_here()->powers(job->scores + first, count, powers[0], powers[1]);
    for (size_t i = 0; weights && i < count; i++) {
        powers[0][i] *= weights[i];
        powers[1][i] *= weights[i];
    }
    gr_add_levels(problem->level_of + first, count, problem->levels, GR_POWER_SUMS, powers, sums);
}

void gr_power_line_sums(const gr_sum_job *job, size_t first, size_t count, double *sums)
{
    const gr_problem *problem = job->problem;
    const gr_power_line *line = job->user;
    double numbers[GR_LINE_TERMS][GR_CHUNK], room[GR_CHUNK];
    const double *weights = gr_weights_or_null(problem, first, count, room);
    double *const terms[GR_LINE_TERMS] = { numbers[0], numbers[1], numbers[2],
                                           numbers[3], numbers[4], numbers[5] };

    gr_ordinal_here()->line(job->scores + first, line->steps + first, line->share, weights, count,
                            terms);
    gr_add_levels(problem->level_of + first, count, problem->levels, GR_LINE_TERMS, numbers, sums);
}

void gr_power_gradients(const gr_problem *problem, const gr_power_level *levels,
                        const double *scores, size_t first, size_t count, float *gradients,
                        float *hessians)
{
    const uint8_t *level_of = problem->level_of + first;
    double down[GR_CHUNK], up[GR_CHUNK], room[GR_CHUNK];
    const double *weights = gr_weights_or_null(problem, first, count, room);

    for (size_t i = 0; i < count; i++) {
        down[i] = levels[level_of[i]].down;
        up[i] = levels[level_of[i]].up;
    }
    gr_ordinal_here()->pairs(scores + first, down, up, weights, count, gradients + first,
                             hessians + first);
}
