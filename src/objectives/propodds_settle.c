/* The thresholds of proportional odds at given scores, by Newton's method: the loss is convex in
 * them, and a threshold shares terms with its neighbours only, so that the system is tridiagonal.
 *
 * With u, v and the gap g = 1 - e^(theta' - theta) of a grade (propodds.c), log P changes with the
 * threshold above by a = (1 - u) / ((1 - v) g) and with the one below by -b, b = v / (u g). Second
 * derivatives: a (1 - 2 u) - a^2, a b, and -b (1 - 2 v) - b^2. */
#include "objectives/propodds.h"

#include <math.h>

enum { UP, UP_UP, UP_DOWN, DOWN, DOWN_DOWN, DOUBT, SUMS };
enum { MOST_STEPS = 20, MOST_HALVINGS = 60 };

#define LONGEST_STEP 1.0 /* of a threshold at once */
#define SHORT_STEP 1e-2 /* after one as short, what is left is the square of it */
#define LEAST_DOUBT 1e-9 /* mean chance of another grade, below which grades are told apart */

typedef struct sum_use {
    const gr_propodds *own;
    const double *gaps;
} sum_use;

static void sum_rows(const gr_sum_job *job, size_t first, size_t count, double *sums)
{
    const sum_use *use = job->user;
    const gr_problem *problem = job->problem;
    gr_chances c;

    gr_propodds_chances(use->own, problem, job->scores, first, count, &c);
    for (size_t i = 0; i < count; i++) {
        const size_t level = problem->level_of[first + i];
        const double weight = problem->row_weights ? (double)problem->row_weights[first + i] : 1.0;
        const double gap = use->gaps[level], u = c.u[i], v = c.v[i];
        double *own = sums + level * SUMS;

        if (!(weight > 0.0))
            continue;
        const double a = c.rest_u[i] / (c.rest_v[i] * gap), b = v / (u * gap);

        own[UP] += weight * a;
        own[UP_UP] += weight * a * (u - c.rest_u[i] + a);
        own[UP_DOWN] += weight * a * b;
        own[DOWN] += weight * b;
        own[DOWN_DOWN] += weight * b * (c.rest_v[i] - v + b);
        own[DOUBT] += weight * (1.0 - u * c.rest_v[i] * gap);
    }
}

/* The step of thresholds between active grades: minus the hessian's inverse times the gradient. */
static bool newton_step(const gr_cuts_state *cuts, const double *sums, double *step)
{
    const size_t count = cuts->active - 1;
    double diagonal[GR_MOST_LEVELS] = { 0.0 }, beside[GR_MOST_LEVELS] = { 0.0 };

    for (size_t c = 0; c < count; c++)
        step[c] = 0.0;
    for (size_t l = 0; l < cuts->levels; l++) {
        const size_t place = cuts->place[l];
        const double *own = sums + l * SUMS;

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
        if (place > 0 && place < count)
            beside[place] = -own[UP_DOWN]; /* between thresholds place - 1 and place */
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

/* Takes as much of the step as keeps the order; the longest move of a threshold. */
static double take_step(gr_cuts_state *cuts, const double *step)
{
    const size_t count = cuts->active - 1;
    double between[GR_MOST_LEVELS], longest = 0.0, share = 1.0;

    gr_cuts_gather(cuts, between);
    for (size_t c = 0; c < count; c++)
        longest = fabs(step[c]) > longest ? fabs(step[c]) : longest;
    if (longest > LONGEST_STEP)
        share = LONGEST_STEP / longest;
    for (int i = 0; i < MOST_HALVINGS && !in_order(between, step, share, count); i++)
        share /= 2.0;
    if (!in_order(between, step, share, count))
        return 0.0;
    for (size_t c = 0; c < count; c++) {
        between[c] += share * step[c];
        between[c] = between[c] > GR_FAR ? GR_FAR : between[c] < -GR_FAR ? -GR_FAR : between[c];
    }
    gr_cuts_spread(cuts, between);
    return share * longest;
}

gradus_status gr_propodds_settle(void *state, const gr_problem *problem, const double *scores,
                                 gr_pool *pool, bool *separated, gradus_error *err)
{
    gr_propodds *own = state;
    double sums[GR_MOST_LEVELS * SUMS], gaps[GR_MOST_LEVELS], step[GR_MOST_LEVELS];
    const sum_use use = { own, gaps };
    const gr_sum_job job = { problem,  scores,         &use, problem->levels * SUMS,
                             sum_rows, &own->cuts.room };

    *separated = false;
    for (int i = 0; i < MOST_STEPS; i++) {
        double doubt = 0.0, weight = 0.0;

        gr_propodds_gaps(own, gaps);
        GR_TRY(gr_sum_run(&job, pool, sums, err));
        for (size_t l = 0; l < problem->levels; l++) {
            doubt += sums[l * SUMS + DOUBT];
            weight += own->cuts.weights[l];
        }
        *separated = doubt < LEAST_DOUBT * weight;
        if (*separated || !newton_step(&own->cuts, sums, step) ||
            take_step(&own->cuts, step) < SHORT_STEP)
            return GRADUS_OK;
    }
    return GRADUS_OK;
}

/* Slope and curvature of the loss along the steps. */
typedef struct line_use {
    const gr_propodds *own;
    const double *steps;
} line_use;

static void sum_line(const gr_sum_job *job, size_t first, size_t count, double *sums)
{
    const line_use *use = job->user;
    gr_chances c;

    gr_propodds_chances(use->own, job->problem, job->scores, first, count, &c);
    for (size_t i = 0; i < count; i++) {
        const double weight = gr_problem_weight(job->problem, 0, first + i);
        const double step = use->steps[first + i];

        sums[0] += weight * step * (c.rest_u[i] - c.v[i]);
        sums[1] += weight * step * step * (c.u[i] * c.rest_u[i] + c.v[i] * c.rest_v[i]);
    }
}

enum { LINE_STEPS = 8 };

gradus_status gr_propodds_stretch(void *state, const gr_problem *problem, const double *scores,
                                  const double *steps, gr_pool *pool, double *share,
                                  gradus_error *err)
{
    gr_propodds *own = state;
    const line_use use = { own, steps };
    double stretch = 1.0, sums[2];

    if (!gr_array_reserve(&own->moved, problem->rows * sizeof *scores))
        return gr_fail_memory(err, "a line search");
    for (int i = 0; i < LINE_STEPS; i++) {
        double *at = own->moved.at, change;
        const gr_sum_job job = { problem, at, &use, 2, sum_line, &own->cuts.room };

        for (size_t r = 0; r < problem->rows; r++)
            at[r] = scores[r] + stretch * steps[r];
        GR_TRY(gr_sum_run(&job, pool, sums, err));
        if (!(sums[1] > 0.0))
            break;
        change = -sums[0] / sums[1];
        change = change > 1.0 ? 1.0 : change < -1.0 ? -1.0 : change;
        stretch += change;
        if (fabs(change) < 1e-4 * fabs(stretch))
            break;
    }
    *share = stretch > 0.0 ? stretch : 1.0;
    return GRADUS_OK;
}
