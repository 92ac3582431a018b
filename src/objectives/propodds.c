/* Proportional odds (McCullagh, 1980): log P(y > k) / P(y <= k) = f - theta_k, -log P(y) weighted.
 *
 * With u = P(y <= its grade) and v = P(y < its grade), logistic functions of the thresholds above
 * and below it minus f, the gradient of -log(u - v) is 1 - u - v, and the hessian
 * u (1 - u) + v (1 - v). For thresholds theta' < theta around the grade, u - v is
 * u (1 - v) (1 - e^(theta' - theta)), so that no digits are lost where all of it is small. */
#include "objectives/propodds.h"

#include "base/math.h"
#include "objectives/rows.h"

#include <math.h>
#include <stdlib.h>

static gradus_status propodds_begin(const gr_problem *problem, const gr_objective_options *options,
                                    gr_pool *pool, void **state, gradus_error *err)
{
    gr_propodds *made = calloc(1, sizeof *made);
    double between[GR_MOST_LEVELS], below = 0.0, all = 0.0;
    size_t cut = 0;
    gradus_status status;

    (void)options;
    (void)pool;
    if (!made)
        return gr_fail_memory(err, "thresholds");
    status = gr_cuts_begin(problem, &made->cuts, err);
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
    gr_cuts_spread(&made->cuts, between);
    *state = made;
    return GRADUS_OK;
}

static void propodds_end(void *state)
{
    gr_propodds *own = state;

    if (own)
        gr_cuts_end(&own->cuts);
    if (own)
        gr_array_free(&own->moved);
    free(own);
}

static double *propodds_thresholds(void *state)
{
    return ((gr_propodds *)state)->cuts.thresholds;
}

void gr_propodds_chances(const gr_propodds *own, const gr_problem *problem, const double *scores,
                         size_t first, size_t count, gr_chances *chances)
{
    const gr_sigmoid_kernels *kernels = gr_sigmoid_versions[gr_versions_here() - 1];
    const double *thresholds = own->cuts.thresholds;
    const size_t top = problem->levels - 1;
    double above[GR_CHUNK] = { 0.0 }, below[GR_CHUNK] = { 0.0 };

    for (size_t i = 0; i < count; i++) {
        const size_t level = problem->level_of[first + i];

        above[i] = level < top ? thresholds[level] - scores[first + i] : INFINITY;
        below[i] = level > 0 ? thresholds[level - 1] - scores[first + i] : -INFINITY;
    }
    kernels->exp_minus(above, count, chances->u);
    kernels->exp_minus(below, count, chances->v);
    for (size_t i = 0; i < count; i++) {
        const double e = chances->u[i], d = chances->v[i];
        const double p = 1.0 / (1.0 + e), q = 1.0 / (1.0 + d);

        chances->u[i] = above[i] < 0.0 ? e * p : p;
        chances->rest_u[i] = above[i] < 0.0 ? p : e * p;
        chances->v[i] = below[i] < 0.0 ? d * q : q;
        chances->rest_v[i] = below[i] < 0.0 ? q : d * q;
    }
}

/* The grade next to a meeting of thresholds has no rows of weight, so that nothing is lost. */
void gr_propodds_gaps(const gr_propodds *own, double *gaps)
{
    const size_t top = own->cuts.levels - 1;

    for (size_t l = 0; l <= top; l++) {
        const double gap =
            l > 0 && l < top ? own->cuts.thresholds[l] - own->cuts.thresholds[l - 1] : INFINITY;

        /* 1 - e^-gap loses digits where the gap is small: its series has them. */
        gaps[l] = gap < 1e-5 ? gap * (1.0 - gap / 2.0 * (1.0 - gap / 3.0)) : 1.0 - gr_exp(-gap);
    }
}

static void gradient_rows(const gr_gradient_job *job, size_t first, size_t count)
{
    gr_chances chances;
    double weights[GR_CHUNK];

    gr_propodds_chances(job->state, job->problem, job->scores, first, count, &chances);
    gr_problem_weights(job->problem, 0, first, count, weights);
    for (size_t i = 0; i < count; i++) {
        const double u = chances.u[i], v = chances.v[i];
        const double curvature = u * chances.rest_u[i] + v * chances.rest_v[i];

        /* 1 - u - v, of whichever is the smaller pair */
        job->gradients[first + i] = (float)(weights[i] * (chances.rest_u[i] - v));
        job->hessians[first + i] =
            (float)(weights[i] * (curvature < GR_LEAST_CURVATURE ? GR_LEAST_CURVATURE : curvature));
    }
}

static gradus_status propodds_gradients(void *state, const gr_problem *problem,
                                        const double *scores, float *gradients, float *hessians,
                                        gr_pool *pool, gradus_error *err)
{
    gr_gradient_job job = { problem, scores, gradients, hessians, gradient_rows, GR_CHUNK, state };

    (void)err;
    gr_gradient_run(&job, pool);
    return GRADUS_OK;
}

static void propodds_bases(const void *state, const gr_problem *problem, double *bases)
{
    (void)state;
    (void)problem;
    bases[0] = 0.0;
}

static double propodds_leaf(const void *state, const gr_problem *problem, const gr_leaf *leaf)
{
    (void)state;
    (void)problem;
    return gr_leaf_limited(leaf, 1.0);
}

static double propodds_loss(const void *state, const gr_problem *problem, const double *scores)
{
    const gr_propodds *own = state;
    double sum = 0.0, gaps[GR_MOST_LEVELS];

    gr_propodds_gaps(own, gaps);
    for (size_t r = 0; r < problem->rows; r += GR_CHUNK) {
        const size_t count = problem->rows - r < GR_CHUNK ? problem->rows - r : GR_CHUNK;
        gr_chances chances;

        gr_propodds_chances(own, problem, scores, r, count, &chances);
        for (size_t i = 0; i < count; i++) {
            const double weight = gr_problem_weight(problem, 0, r + i);

            if (weight > 0.0)
                sum -= weight * (gr_log(chances.u[i]) + gr_log(chances.rest_v[i]) +
                                 gr_log(gaps[problem->level_of[r + i]]));
        }
    }
    return problem->rows ? sum / (double)problem->rows : 0.0;
}

const gr_objective gr_objective_propodds = {
    .about = { .name = "propodds",
               .summary = "proportional odds: log P(y > k) / P(y <= k) = f - theta_k",
               .details =
                   "Starts at 0, with thresholds that give the shares of the grades. After every "
                   "round the thresholds move to where they are most likely, by Newton's method; "
                   "they stay in order, and meet around grades whose rows weigh nothing. A leaf's "
                   "value is a Newton step, at most 100 either way. Source: McCullagh 1980." },
    .begin = propodds_begin,
    .end = propodds_end,
    .bases = propodds_bases,
    .gradients = propodds_gradients,
    .leaf = propodds_leaf,
    .loss = propodds_loss,
    .thresholds = propodds_thresholds,
    .settle = gr_propodds_settle,
    .stretch = gr_propodds_stretch,
};
