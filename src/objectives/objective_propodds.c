/* SPDX-License-Identifier: Apache-2.0 */
/* Proportional odds (McCullagh 1980): log P(y > k) / P(y <= k) = f - theta_k; the loss is the
 * weighted -log P(y).
 *
 * Let u = P(y <= grade) and v = P(y < grade), logistic functions of (threshold above) - f and
 * (threshold below) - f. The gradient of -log(u - v) in f is 1 - u - v, the Hessian u (1 - u) + v
 * (1 - v). For thresholds theta' < theta around the grade, u - v = u (1 - v) (1 - e^(theta' -
 * theta)), which avoids cancellation when u - v is small. */
#include "objectives/objective_propodds.h"

#include "base/math.h"
#include "objectives/objective_rows.h"

#include <math.h>
#include <stdlib.h>

static gradus_status propodds_begin(const gr_problem *problem, const gr_objective_options *options,
                                    gr_pool *pool, void **state, gradus_error *err)
{
    gr_propodds *made = calloc(1, sizeof *made);
    double between[GR_MAX_LEVELS], below = 0.0, all = 0.0;
    size_t cut = 0;
    gradus_status status;

    (void)options;
    (void)pool;
    if (!made)
        return gr_fail_memory(err, "thresholds");
    status = gr_thresholds_begin(problem, &made->cuts, err);
    if (status != GRADUS_OK) {
        free(made);
        return status;
    }
    for (size_t l = 0; l < problem->levels; l++)
        all += made->cuts.weights[l];
    for (size_t l = 0; l < problem->levels && cut + 1 < made->cuts.active; l++) {
        below += made->cuts.weights[l];
        if (made->cuts.weights[l] > 0.0)
            between[cut++] = gr_log(below / (all - below));
    }
    gr_thresholds_spread(&made->cuts, between);
    *state = made;
    return GRADUS_OK;
}

static void propodds_end(void *state)
{
    gr_propodds *own = state;

    if (own)
        gr_thresholds_end(&own->cuts);
    if (own)
        gr_array_free(&own->moved);
    free(own);
}

static double *propodds_thresholds(void *state)
{
    return ((gr_propodds *)state)->cuts.thresholds;
}

/* Clamps to GR_FAR, so that all exponentials are finite. */
static double near_zero(double threshold)
{
    return threshold > GR_FAR ? GR_FAR : threshold < -GR_FAR ? -GR_FAR : threshold;
}

void gr_propodds_levels(const gr_propodds *own, gr_odds_level *levels)
{
    const double *thresholds = own->cuts.thresholds;
    const size_t top = own->cuts.levels - 1;

    for (size_t l = 0; l <= top; l++) {
        const double gap = l > 0 && l < top ? thresholds[l] - thresholds[l - 1] : INFINITY;
        gr_odds_level *level = &levels[l];

        level->above = l < top ? gr_exp(-near_zero(thresholds[l])) : 0.0;
        level->below = l > 0 ? gr_exp(near_zero(thresholds[l - 1])) : 0.0;
        level->meeting = gr_exp(-gap);
        /* 1 - e^-gap suffers from cancellation for small gaps; use its series. */
        level->gap =
            gap < 1e-5 ? gap * (1.0 - gap / 2.0 * (1.0 - gap / 3.0)) : 1.0 - level->meeting;
        level->share = own->cuts.weights[l] > 0.0 ? 1.0 / level->gap : 0.0;
    }
}

gr_odds_rows gr_propodds_rows(const gr_odds_level *levels, const gr_problem *problem,
                              const double *scores, size_t first, size_t count, bool whole,
                              gr_odds_room *room)
{
    const uint8_t *level_of = problem->level_of + first;

    for (size_t i = 0; i < count; i++) {
        room->above[i] = levels[level_of[i]].above;
        room->below[i] = levels[level_of[i]].below;
    }
    for (size_t i = 0; whole && i < count; i++)
        room->shares[i] = levels[level_of[i]].share;
    return (gr_odds_rows){
        .scores = scores + first,
        .above = room->above,
        .below = room->below,
        .shares = room->shares,
        .weights = gr_weights_or_null(problem, first, count, room->weights),
        .count = count,
    };
}

static void gradient_rows(const gr_gradient_job *job, size_t first, size_t count)
{
    gr_odds_room room;
    const gr_odds_rows rows =
        gr_propodds_rows(job->state, job->problem, job->scores, first, count, false, &room);

    gr_ordinal_here()->odds_gradients(&rows, job->gradients + first, job->hessians + first);
}

static gradus_status propodds_gradients(void *state, const gr_problem *problem,
                                        const double *scores, float *gradients, float *hessians,
                                        gr_pool *pool, gradus_error *err)
{
    gr_odds_level levels[GR_MAX_LEVELS];
    gr_gradient_job job = { problem, scores, gradients, hessians, gradient_rows, GR_CHUNK, levels };

    (void)err;
    gr_propodds_levels(state, levels);
    gr_gradient_run(&job, pool);
    return GRADUS_OK;
}

/* -log P = log(1 + x) + log(1 + y) - log(1 - m); see kernels/ordinal.h. */
static double propodds_loss(const void *state, const gr_problem *problem, const double *scores)
{
    gr_odds_level levels[GR_MAX_LEVELS];
    double sum = 0.0;

    gr_propodds_levels(state, levels);
    for (size_t r = 0; r < problem->rows; r++) {
        const gr_odds_level *level = &levels[problem->level_of[r]];
        const double weight = gr_problem_weight(problem, 0, r), f = near_zero(scores[r]);

        if (weight > 0.0)
            sum += weight * (gr_log(1.0 + gr_exp(f) * level->above) +
                             gr_log(1.0 + gr_exp(-f) * level->below) - gr_log(level->gap));
    }
    return problem->rows ? sum / (double)problem->rows : 0.0;
}

GR_DEFINE_DESCRIBE(propodds_describe, GR_DEVICE_PROPODDS)

static void propodds_numbers(const void *state, double *numbers)
{
    gr_propodds_levels(state, (gr_odds_level *)(void *)numbers);
}

const gr_objective gr_objective_propodds = {
    .about = { .name = "propodds",
               .summary = "proportional odds: log P(y > k) / P(y <= k) = f - theta_k",
               .details =
                   "Starts at 0, with thresholds that match the frequencies of the grades. After "
                   "every round the thresholds are set to maximise the likelihood, by Newton's "
                   "method; they stay in order, and are equal around grades without weight. A "
                   "leaf's value is a Newton step, limited to +-100. Source: McCullagh 1980." },
    .begin = propodds_begin,
    .end = propodds_end,
    .gradients = propodds_gradients,
    .leaf = gr_leaf_newton,
    .loss = propodds_loss,
    .thresholds = propodds_thresholds,
    .fit_thresholds = gr_propodds_fit_thresholds,
    .line_search = gr_propodds_line_search,
    .describe = propodds_describe,
    .level_numbers = propodds_numbers,
};
