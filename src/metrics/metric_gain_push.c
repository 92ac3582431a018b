/* SPDX-License-Identifier: Apache-2.0 */
/* Gains with the discount of the p-norm push: measure (9) of Uematsu and Lee (2015) with
 * D(i) = ((n - i) / n)^p. */
#include "metrics/gains.h"

#include <math.h>

static double gain_push_of_list(const gr_ranked *ranked, size_t depth)
{
    const double count = (double)ranked->count, power = ranked->settings->push_power;
    double sum = 0.0;

    (void)depth;
    if (gr_ideal_start(ranked) >= ranked->ideal_count)
        return NAN;
    for (size_t g = 0; g < ranked->groups; g++) {
        const size_t start = gr_group_start(ranked, g), end = ranked->ends[g];
        double discounts = 0.0;

        for (size_t i = start; i < end; i++)
            discounts += pow((count - (double)i - 1.0) / count, power);
        sum += gr_mean_gain(ranked, start, end, 0) * discounts;
    }
    return sum;
}

const gr_metric gr_metric_gain_push = {
    .about = { .name = "gain-push",
               .summary = "cumulative gain with the discount ((n - i) / n)^p",
               .details =
                   "The sum over ranks i = 1..n of gain(y_i) * ((n - i) / n)^p, p = --push-power: "
                   "a sum of gains times discounts, as dcg, with the weights of the p-norm push, "
                   "so that large p weighs only the top. Not normalised. A query without a "
                   "document that has a gain is empty. Ties: exact expectation, as for dcg. Cost: "
                   "O(n log n). Source: Uematsu and Lee 2015, equation 9." },
    .low = 0,
    .high = INFINITY,
    .labels = GR_LABELS_GAIN,
    .of_list = gain_push_of_list,
};
