/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers shared by the tests; see sample.h. */
#include "statistics/sample.h"

#include "base/memory.h"
#include "base/ranges.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/special.h"

#include <math.h>
#include <stdlib.h>

enum { RESAMPLES_A_TASK = 64 };

gr_moments gr_moments_of(const double *values, size_t count)
{
    double sum = 0.0, left = 0.0, largest = 0.0, squares = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    const double first = sum / (double)count;
    for (size_t i = 0; i < count; i++) /* corrects the rounding error of the first mean */
        left += values[i] - first;
    const double mean = first + left / (double)count;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i] - mean));
    if (count < 2 || largest == 0.0)
        return (gr_moments){ mean, count < 2 ? (double)NAN : 0.0 };
    for (size_t i = 0; i < count; i++) { /* scaled squares neither overflow nor underflow */
        const double share = (values[i] - mean) / largest;
        squares += share * share;
    }
    return (gr_moments){ mean, largest * sqrt(squares / (double)(count - 1)) };
}

double gr_p_of_tails(double lower, double upper, bool one_sided)
{
    return one_sided ? upper : fmin(1.0, 2.0 * fmin(lower, upper));
}

void gr_student_verdict(double estimate, double error, double freedom,
                        const gr_test_settings *settings, gr_verdict *verdict)
{
    if (isnan(error)) {
        *verdict = (gr_verdict){ (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN };
        return;
    }
    if (error == 0.0 && estimate == 0.0) {
        *verdict = (gr_verdict){ 0.0, freedom, 1.0, 0.0, 0.0 };
        return;
    }
    const double t = estimate / error;
    const double reach =
        error > 0.0 ? error * gr_student_quantile(0.5 + 0.5 * settings->confidence, freedom) : 0.0;
    const double p = gr_p_of_tails(gr_student_lower(t, freedom), gr_student_upper(t, freedom),
                                   settings->one_sided);
    *verdict = (gr_verdict){ t, freedom, p, estimate - reach, estimate + reach };
}

void gr_paired_t(const gr_pairs *pairs, const gr_test_settings *settings, gr_verdict *verdict)
{
    const double n = (double)pairs->count;
    const gr_moments m = gr_moments_of(pairs->differences, pairs->count);

    gr_student_verdict(m.mean, m.deviation / sqrt(n), n - 1.0, settings, verdict);
}

typedef struct drawing {
    const double *values;
    size_t count;
    const gr_test_settings *settings;
    double *means;
} drawing;

static double resampled_mean(const drawing *d, uint64_t resample)
{
    gr_rng rng = gr_rng_for(d->settings->seed, "bootstrap", resample);
    double sum = 0.0;

    for (size_t i = 0; i < d->count; i++)
        sum += d->values[gr_rng_below(&rng, d->count)];
    return sum / (double)d->count;
}

static void draw_means(void *argument, gr_range range)
{
    const drawing *d = argument;

    for (uint64_t r = range.first; r < range.end; r++)
        d->means[r] = resampled_mean(d, r);
}

gradus_status gr_bootstrap_means(const double *values, size_t count,
                                 const gr_test_settings *settings, double *means, gradus_error *err)
{
    drawing d = { values, count, settings, means };

    return gr_try_ranges(settings->pool, (size_t)settings->resamples, RESAMPLES_A_TASK, draw_means,
                         &d, err);
}

/* R's type 7: interpolates linearly between the order statistics around (count - 1) * level. */
static double quantile(const double *means, const size_t *order, size_t count, double level)
{
    const double at = (double)(count - 1) * level;
    const size_t below = (size_t)at;
    const size_t above = below + 1 < count ? below + 1 : below;
    const double share = at - (double)below;

    return (1.0 - share) * means[order[below]] + share * means[order[above]];
}

gradus_status gr_percentile_interval(const double *means, const gr_pairs *pairs,
                                     const gr_test_settings *settings, gr_verdict *verdict,
                                     gradus_error *err)
{
    const size_t count = (size_t)settings->resamples;
    const double tail = 0.5 - 0.5 * settings->confidence;

    verdict->low = verdict->high = (double)NAN;
    if (pairs->count < 2)
        return GRADUS_OK;
    size_t *order = gr_new_array(count, sizeof *order);
    gr_keyed *scratch = gr_new_array(count, GR_SORT_SCRATCH(1));

    if (order && scratch) {
        gr_sort_ascending(means, count, order, scratch);
        verdict->low = quantile(means, order, count, tail);
        verdict->high = quantile(means, order, count, 1.0 - tail);
    }
    const bool done = order && scratch;
    free(order);
    free(scratch);
    return done ? GRADUS_OK : gr_fail_memory(err, "bootstrap means");
}

double gr_rounding_slack(const double *values, size_t count)
{
    double sum = 0.0;

    for (size_t i = 0; i < count; i++)
        sum += fabs(values[i]);
    return 1e-12 * sum;
}
