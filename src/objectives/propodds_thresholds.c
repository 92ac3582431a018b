/* SPDX-License-Identifier: Apache-2.0 */
/* Optimises the thresholds of proportional odds at given scores by Newton's method. The loss is
 * convex in them, and a threshold shares terms only with its neighbours, so that the system is
 * tridiagonal.
 *
 * With u, v (see objective_propodds.c) and g = 1 - m, m = e^(theta' - theta), of a grade: the
 * derivative of log P in the threshold above is a = (1 - u) / ((1 - v) g), in the one below -b, b =
 * v / (u g). The second derivatives are a (1 - 2 u) - a^2, a b, and -b (1 - 2 v) - b^2; a b = m /
 * g^2 is the same for all rows of a grade. */
#include "objectives/objective_propodds.h"

#include <math.h>

enum { UP, UP_UP, DOWN, DOWN_DOWN };
enum { MAX_STEPS = 20, MAX_HALVINGS = 60 };

#define LONGEST_STEP 1.0 /* maximum move of a threshold per step */
#define SHORT_STEP 5e-2  /* stop after it: the error left is about its square / 3 */
#define LEAST_DOUBT 1e-9 /* mean probability of wrong grades if separated */

static void sum_rows(const gr_sum_job *job, size_t first, size_t count, double *sums)
{
    const gr_problem *problem = job->problem;
    double numbers[GR_ODDS_TERMS][GR_CHUNK];
    double *const terms[GR_ODDS_TERMS] = { numbers[UP], numbers[UP_UP], numbers[DOWN],
                                           numbers[DOWN_DOWN] };
    gr_odds_room room;
    const gr_odds_rows rows =
        gr_propodds_rows(job->user, problem, job->scores, first, count, true, &room);

    gr_ordinal_here()->odds_terms(&rows, terms);
    gr_add_levels(problem->level_of + first, count, problem->levels, GR_ODDS_TERMS, numbers, sums);
}

/* The Newton step of the thresholds between active grades: minus the inverse Hessian times the
 * gradient, by elimination in the tridiagonal system. */
static bool newton_step(const gr_threshold_state *cuts, const gr_odds_level *levels,
                        const double *sums, double *step)
{
    const size_t count = cuts->active - 1;
    double diagonal[GR_MAX_LEVELS] = { 0.0 }, beside[GR_MAX_LEVELS] = { 0.0 };

    for (size_t c = 0; c < count; c++)
        step[c] = 0.0;
    for (size_t l = 0; l < cuts->levels; l++) {
        const size_t place = cuts->place[l];
        const double *own = sums + l * GR_ODDS_TERMS;

        if (!(cuts->weights[l] > 0.0))
            continue;
        if (place < count) {
            step[place] += own[UP];
            diagonal[place] += own[UP_UP];
        }
        if (place > 0) {
            step[place - 1] -= own[DOWN];
            diagonal[place - 1] += own[DOWN_DOWN];
        }
        if (place > 0 && place < count) /* between thresholds place - 1 and place: a b */
            beside[place] =
                -cuts->weights[l] * levels[l].meeting * levels[l].share * levels[l].share;
    }
    for (size_t c = 0; c < count; c++) {
        const double factor = c ? beside[c] / diagonal[c - 1] : 0.0;

        diagonal[c] -= c ? factor * beside[c] : 0.0;
        step[c] -= c ? factor * step[c - 1] : 0.0;
        if (!(diagonal[c] > 1e-300) || !isfinite(diagonal[c]))
            return false;
    }
    for (size_t c = count; c-- > 0;)
        step[c] = (step[c] - (c + 1 < count ? beside[c + 1] * step[c + 1] : 0.0)) / diagonal[c];
    return true;
}

static bool in_order(const double *between, const double *step, double share, size_t count)
{
    for (size_t c = 1; c < count; c++)
        if (!(between[c] + share * step[c] > between[c - 1] + share * step[c - 1]))
            return false;
    return true;
}

/* Takes the step, shortened to keep the thresholds in order; returns the largest move of a
 * threshold. */
static double take_step(gr_threshold_state *cuts, const double *step)
{
    const size_t count = cuts->active - 1;
    double between[GR_MAX_LEVELS], longest = 0.0, share = 1.0;

    gr_thresholds_gather(cuts, between);
    for (size_t c = 0; c < count; c++)
        longest = fabs(step[c]) > longest ? fabs(step[c]) : longest;
    if (longest > LONGEST_STEP)
        share = LONGEST_STEP / longest;
    for (int i = 0; i < MAX_HALVINGS && !in_order(between, step, share, count); i++)
        share /= 2.0;
    if (!in_order(between, step, share, count))
        return 0.0;
    for (size_t c = 0; c < count; c++) {
        between[c] += share * step[c];
        between[c] = between[c] > GR_FAR ? GR_FAR : between[c] < -GR_FAR ? -GR_FAR : between[c];
    }
    gr_thresholds_spread(cuts, between);
    return share * longest;
}

/* If the grades are separated, (1 - m) (a + b) of a row is the probability of the wrong grades;
 * otherwise it is larger. */
static bool is_separated(const gr_threshold_state *cuts, const gr_odds_level *levels,
                         const double *sums)
{
    double doubt = 0.0, weight = 0.0;

    for (size_t l = 0; l < cuts->levels; l++) {
        doubt += levels[l].gap * (sums[l * GR_ODDS_TERMS + UP] + sums[l * GR_ODDS_TERMS + DOWN]);
        weight += cuts->weights[l];
    }
    return doubt < LEAST_DOUBT * weight;
}

gradus_status gr_propodds_fit_thresholds(void *state, const gr_problem *problem,
                                         const double *scores, gr_pool *pool, bool *separated,
                                         gradus_error *err)
{
    gr_propodds *own = state;
    double sums[2 * GR_MAX_LEVELS * GR_ODDS_TERMS], step[GR_MAX_LEVELS];
    gr_odds_level levels[GR_MAX_LEVELS];
    const gr_sum_job job = { problem,       scores,
                             levels,        2 * problem->levels * GR_ODDS_TERMS,
                             sum_rows,      &own->cuts.room,
                             &levels->above };

    *separated = false;
    for (int i = 0; i < MAX_STEPS; i++) {
        gr_propodds_levels(own, levels);
        GR_TRY(gr_sum_run(&job, pool, sums, err));
        gr_fold_levels(problem->levels, GR_ODDS_TERMS, sums);
        *separated = is_separated(&own->cuts, levels, sums);
        if (*separated || !newton_step(&own->cuts, levels, sums, step) ||
            take_step(&own->cuts, step) < SHORT_STEP)
            return GRADUS_OK;
    }
    return GRADUS_OK;
}

/* Derivatives of the loss along the steps, for the line search. */
typedef struct line_use {
    const gr_odds_level *levels;
    const double *steps;
} line_use;

static void sum_line(const gr_sum_job *job, size_t first, size_t count, double *sums)
{
    const line_use *use = job->user;
    float gradients[GR_CHUNK], hessians[GR_CHUNK];
    gr_odds_room room;
    const gr_odds_rows rows =
        gr_propodds_rows(use->levels, job->problem, job->scores, first, count, false, &room);

    gr_ordinal_here()->odds_gradients(&rows, gradients, hessians);
    for (size_t i = 0; i < count; i++) {
        const double step = use->steps[first + i];

        sums[0] += step * (double)gradients[i];
        sums[1] += step * step * (double)hessians[i];
    }
}

enum { LINE_STEPS = 8 };

gradus_status gr_propodds_line_search(void *state, const gr_problem *problem, const double *scores,
                                      const double *steps, gr_pool *pool, double *share,
                                      gradus_error *err)
{
    gr_propodds *own = state;
    gr_odds_level levels[GR_MAX_LEVELS];
    const line_use use = { levels, steps };
    double factor = 1.0, sums[2];

    if (!gr_array_reserve(&own->moved, problem->rows * sizeof *scores))
        return gr_fail_memory(err, "a line search");
    gr_propodds_levels(own, levels);
    for (int i = 0; i < LINE_STEPS; i++) {
        double *at = own->moved.at, change;
        const gr_sum_job job = { problem, at, &use, 2, sum_line, &own->cuts.room, NULL };

        for (size_t r = 0; r < problem->rows; r++)
            at[r] = scores[r] + factor * steps[r];
        GR_TRY(gr_sum_run(&job, pool, sums, err));
        if (!(sums[1] > 0.0))
            break;
        change = -sums[0] / sums[1];
        change = change > 1.0 ? 1.0 : change < -1.0 ? -1.0 : change;
        factor += change;
        if (fabs(change) < 1e-4 * fabs(factor))
            break;
    }
    *share = factor > 0.0 ? factor : 1.0;
    return GRADUS_OK;
}
