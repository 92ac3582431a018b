/* SPDX-License-Identifier: Apache-2.0 */
/* The bootstrap test of the mean difference (Efron and Tibshirani, An Introduction to the
 * Bootstrap, 1993, chapters 13 and 16). */
#include "base/memory.h"
#include "statistics/sample.h"

#include <math.h>
#include <stdlib.h>

/* The p-value: resampled means scatter around the observed mean as they would around 0 if there
 * were no difference, so their deviations are compared with the observed mean. */
static double shifted_p(const double *means, double mean, double slack,
                        const gr_test_settings *settings)
{
    const double threshold = (settings->one_sided ? mean : fabs(mean)) - slack;
    uint64_t hits = 0;

    for (uint64_t r = 0; r < settings->resamples; r++) {
        const double shifted = means[r] - mean;
        hits += (settings->one_sided ? shifted : fabs(shifted)) >= threshold;
    }
    return (double)(hits + 1) / (double)(settings->resamples + 1);
}

static gradus_status run(const gr_pairs *pairs, const gr_test_settings *settings,
                         gr_verdict *verdict, gradus_error *err)
{
    const double mean = gr_moments_of(pairs->differences, pairs->count).mean;
    const double slack = gr_rounding_slack(pairs->differences, pairs->count) / (double)pairs->count;
    double *means = gr_new_array((size_t)settings->resamples, sizeof *means);

    if (!means)
        return gr_fail_memory(err, "bootstrap means");
    gradus_status status =
        gr_bootstrap_means(pairs->differences, pairs->count, settings, means, err);
    verdict->statistic = mean;
    verdict->df = (double)NAN;
    if (status == GRADUS_OK) {
        verdict->p = slack == 0.0       ? 1.0
                     : pairs->count > 1 ? shifted_p(means, mean, slack, settings)
                                        : (double)NAN;
        status = gr_percentile_interval(means, pairs, settings, verdict, err);
    }
    free(means);
    return status;
}

const gr_test gr_test_bootstrap = {
    .about = {
        .name = "bootstrap",
        .summary = "bootstrap test of the mean difference, shifted to the null",
        .details =
            "Queries are resampled with replacement --resamples times; m* is the mean difference "
            "of a resample, m the observed one. p = (count + 1) / (resamples + 1), where count is "
            "the number of resamples in which m* - m is at least as far from zero as m (Efron and "
            "Tibshirani 1993, 16.4). The interval is the percentile interval of m*, with "
            "quantiles of R's type 7. Assumes independent queries, and enough of them to "
            "represent all queries (several dozen). The statistic is m. Cost: resamples x "
            "queries. All differences zero: p = 1. A single query: no p-value.",
    },
    .run = run,
};
