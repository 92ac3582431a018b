/* SPDX-License-Identifier: Apache-2.0 */
/* The p-norm push (Rudin 2009). */
#include "metrics/pairs.h"

#include <math.h>

/* For an irrelevant document in a run of tied documents: the mean over tie orders of (relevant
 * documents ranked below it / relevant)^power. Each number from 0 to the run's `good` relevant
 * documents is equally likely to be below it. */
static double mean_power(double under, double good, double relevant, double power, double tied)
{
    double sum = 0.0;

    if (tied != 0.5)
        return pow((under + tied * good) / relevant, power);
    for (double below = 0.0; below <= good; below++)
        sum += pow((under + below) / relevant, power);
    return sum / (good + 1.0);
}

/* From the bottom of the list upwards, so that the number of relevant documents below is known. */
static double sum_of_powers(const gr_ranked *ranked, double relevant, double power)
{
    double under = 0.0, sum = 0.0;

    for (size_t end = ranked->count, start; end > 0; end = start) {
        for (start = end - 1; start > 0; start--)
            if (ranked->scores[start - 1] != ranked->scores[end - 1])
                break;
        const double good = (double)gr_relevant_between(ranked, start, end);
        const double bad = (double)(end - start) - good;

        if (bad > 0.0)
            sum += bad * mean_power(under, good, relevant, power, ranked->settings->tied_pairs);
        under += good;
    }
    return sum;
}

static double push_of_list(const gr_ranked *ranked, size_t depth)
{
    const double relevant = (double)gr_relevant_between(ranked, 0, ranked->count);
    const double others = (double)ranked->count - relevant;
    const double power = ranked->settings->push_power;

    (void)depth;
    if (!(relevant * others > 0.0))
        return NAN;
    return pow(sum_of_powers(ranked, relevant, power) / others, 1.0 / power);
}

const gr_metric gr_metric_push = {
    .about = { .name = "push",
               .summary = "p-norm push: penalty for irrelevant documents near the top",
               .details =
                   "((1/n-) times the sum over irrelevant documents of (fraction of the "
                   "relevant documents ranked below it)^p)^(1/p), with n- irrelevant documents "
                   "and p = --push-power. p = 1 is 1 - auc; large p weighs only the top. Ties: "
                   "the power mean, (mean over tie orders of push^p)^(1/p), which has a closed "
                   "form; the mean of the roots has none. Queries without a relevant or an "
                   "irrelevant document are left out and counted as empty. Lower is better. "
                   "Cost: O(n log n). Source: Rudin 2009." },
    .low = 0,
    .high = 1,
    .lower_is_better = true,
    .pairs = true,
    .ties = GR_TIED_POWER,
    .of_list = push_of_list,
};
