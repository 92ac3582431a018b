/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds between grades: which grades are active, and the record of the thresholds per
 * round. */
#include "objectives/thresholds.h"

#include "objectives/objective_rows.h"

#include <string.h>

gradus_status gr_thresholds_begin(const gr_problem *problem, gr_threshold_state *cuts,
                                  gradus_error *err)
{
    problem = gr_problem_whole(problem);
    *cuts = (gr_threshold_state){ .levels = problem->levels };
    if (problem->levels < 2 || problem->outputs != 1)
        return gr_fail(err, GRADUS_BAD_ARGUMENT,
                       "a loss with thresholds needs one output and at least two grades");
    for (size_t r = 0; r < problem->rows; r++)
        cuts->weights[problem->level_of[r]] +=
            problem->row_weights ? (double)problem->row_weights[r] : 1.0;
    for (size_t l = 0; l < problem->levels; l++) {
        cuts->place[l] = (uint8_t)cuts->active;
        cuts->active += cuts->weights[l] > 0.0;
    }
    if (cuts->active < 2)
        return gr_fail(err, GRADUS_BAD_NUMBER,
                       "only one grade has rows with positive weight: thresholds need two");
    return GRADUS_OK;
}

void gr_thresholds_end(gr_threshold_state *cuts)
{
    gr_array_free(&cuts->room);
}

void gr_thresholds_spread(gr_threshold_state *cuts, const double *between)
{
    for (size_t k = 0; k + 1 < cuts->levels; k++) {
        const size_t below = cuts->place[k + 1]; /* number of active grades up to level k */

        cuts->thresholds[k] = below == 0              ? -GR_FAR
                              : below == cuts->active ? GR_FAR
                                                      : between[below - 1];
    }
}

void gr_thresholds_gather(const gr_threshold_state *cuts, double *between)
{
    for (size_t k = 0; k + 1 < cuts->levels; k++) {
        const size_t below = cuts->place[k + 1];

        if (below > 0 && below < cuts->active)
            between[below - 1] = cuts->thresholds[k];
    }
}

static gradus_status add_set(gr_threshold_log *log, const double *thresholds, gradus_error *err)
{
    const size_t bytes = log->cuts * sizeof *thresholds;

    if (!gr_array_reserve(&log->numbers, (log->sets + 1) * bytes))
        return gr_fail_memory(err, "thresholds");
    memcpy((double *)log->numbers.at + log->sets * log->cuts, thresholds, bytes);
    log->sets++;
    return GRADUS_OK;
}

gradus_status gr_thresholds_start(gr_threshold_log *log, const gr_objective *objective, void *state,
                                  const gr_problem *problem, const gr_objective_options *options,
                                  const double *scores, gr_pool *pool, gradus_error *err)
{
    bool separated;

    if (!objective->thresholds)
        return GRADUS_OK;
    log->cuts = problem->levels - 1;
    if (!options->thresholds)
        return gr_thresholds_follow(log, objective, state, problem, scores, pool, &separated, err);
    for (size_t s = 0; s < options->threshold_sets; s++)
        GR_TRY(add_set(log, options->thresholds + s * log->cuts, err));
    memcpy(objective->thresholds(state),
           options->thresholds + (options->threshold_sets - 1) * log->cuts,
           log->cuts * sizeof(double));
    return GRADUS_OK;
}

gradus_status gr_thresholds_follow(gr_threshold_log *log, const gr_objective *objective,
                                   void *state, const gr_problem *problem, const double *scores,
                                   gr_pool *pool, bool *separated, gradus_error *err)
{
    *separated = false;
    if (objective->fit_thresholds)
        GR_TRY(objective->fit_thresholds(state, problem, scores, pool, separated, err));
    if (!objective->thresholds)
        return GRADUS_OK;
    return add_set(log, objective->thresholds(state), err);
}

const double *gr_thresholds_all(const gr_threshold_log *log, size_t *sets)
{
    *sets = log->sets;
    return log->numbers.at;
}
