/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares from moments: options, selection of features and the final coefficients; see
 * solve.h. */
#include "learners/linear/solve.h"

#include "base/memory.h"
#include "base/pool.h"
#include "learners/linear/system.h"

#include <math.h>
#include <stdlib.h>

const char *const gr_eliminations[] = { "none", "m5", "greedy", NULL };

const gr_param gr_linear_params[] = {
    GR_TUNED_REAL(gr_linear_options, ridge, "ridge", "X", 1e-8, 0, 1e30, "1e-8..1000:log",
                  "linear: L2 penalty on standardised features, like X additional rows of "
                  "weight 1; the intercept is not penalised"),
    GR_TUNED_CHOICE(
        gr_linear_options, elimination, "elimination", "HOW", "none", gr_eliminations, "none|m5",
        "linear: drop features one by one while Akaike's criterion improves: the one with the "
        "smallest standardised coefficient (m5), or the one that adds least squared error (greedy)"),
    GR_PARAM_REAL(
        gr_linear_options, most_standardised, "max-coefficient", "X", 0, 0, 1e30,
        "linear: drop features whose standardised coefficient exceeds X, a sign of collinearity, "
        "largest first; WEKA uses 1.5; 0: no limit"),
    GR_PARAM_END,
};

/* The position of the largest standardised coefficient above the limit; SIZE_MAX: none. */
static size_t too_large(const gr_system *s, double limit)
{
    const double deviation = sqrt(s->moments->target_square);
    double most = limit * deviation;
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < s->size; i++)
        if (fabs(s->solution[i]) > most) {
            most = fabs(s->solution[i]);
            found = i;
        }
    return found;
}

/* Solves; `features` keeps those that are linearly independent, in their original order. */
static gradus_status solve(gr_system *s, size_t *features, size_t *count, gradus_error *err)
{
    gr_system_solve(s, features, *count);
    GR_TRY(gr_pool_check(s->asked, err));
    if (s->rank == *count)
        return GRADUS_OK;
    bool *taken = (bool *)s->left; /* no longer needed */

    for (size_t i = 0; i < *count; i++)
        taken[i] = false;
    for (size_t k = 0; k < s->rank; k++)
        taken[s->order[k]] = true;
    size_t kept = 0;

    for (size_t i = 0; i < s->size; i++)
        if (taken[i])
            features[kept++] = s->features[i];
    *count = kept;
    return GRADUS_OK;
}

static gradus_status choose(gr_system *s, const gr_linear_options *options, size_t *features,
                            size_t *count, gr_linear_fit *fit, gradus_error *err)
{
    const size_t before = *count;
    size_t place;

    GR_TRY(solve(s, features, count, err));
    while (options->most_standardised > 0.0 &&
           (place = too_large(s, options->most_standardised)) != SIZE_MAX) {
        size_t kept = 0;

        for (size_t i = 0; i < *count; i++)
            if (features[i] != s->features[place])
                features[kept++] = features[i];
        *count = kept;
        GR_TRY(solve(s, features, count, err));
    }
    fit->collinear = before - *count;
    if (options->elimination == GR_ELIMINATE_NONE || *count == 0)
        return GRADUS_OK;
    const size_t independent = *count;

    if (s->size != independent)
        GR_TRY(solve(s, features, count, err)); /* now of full rank */
    GR_TRY(gr_eliminate(s, options->elimination, features, count, err));
    fit->eliminated = independent - *count;
    return fit->eliminated ? solve(s, features, count, err) : GRADUS_OK;
}

static void take_solution(const gr_system *s, gr_linear_fit *fit)
{
    const gr_linear_moments *m = s->moments;

    for (size_t i = 0; i < s->size; i++) {
        const size_t f = s->features[i];

        fit->coefficients[f] = s->solution[i] * s->scales[i];
        if (m->means)
            fit->intercept -= fit->coefficients[f] * m->means[f];
    }
    fit->used = s->rank;
    fit->rss = gr_system_rss(s);
    fit->least_pivot = s->least_pivot;
}

gradus_status gr_least_squares(const gr_linear_moments *m, const size_t *attributes, size_t count,
                               const gr_linear_options *options, gr_linear_fit *fit,
                               gradus_error *err)
{
    const size_t most = attributes ? count : m->features;
    size_t *features = gr_new_array(most, sizeof *features), kept = 0;
    gr_system system = { .size = 0 };
    gradus_status status;

    if (!features)
        return gr_fail_memory(err, "the equations of least squares");
    *fit = (gr_linear_fit){ .coefficients = fit->coefficients,
                            .intercept = m->target_mean,
                            .rss = m->target_square,
                            .least_pivot = 1.0 };
    for (size_t f = 0; f < m->features; f++)
        fit->coefficients[f] = 0.0;
    for (size_t i = 0; i < most; i++) {
        const size_t f = attributes ? attributes[i] : i;

        if (m->products[f * m->stride + f] > 0.0)
            features[kept++] = f;
    }
    fit->constant = most - kept;
    status = gr_system_new(&system, m, kept, options->ridge, err);
    system.asked = options->asked;
    if (status == GRADUS_OK && kept && m->target_square > 0.0) {
        status = choose(&system, options, features, &kept, fit, err);
        if (status == GRADUS_OK)
            take_solution(&system, fit);
    }
    gr_system_free(&system);
    free(features);
    return status;
}
