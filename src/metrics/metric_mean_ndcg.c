/* SPDX-License-Identifier: Apache-2.0 */
/* The "MeanNDCG" of the LETOR 4.0 and MSLR evaluation scripts. */
#include "metrics/gains.h"

#include <math.h>

/* Both sums grow by one position at a time; the ideal ranking may be longer than the list. */
static double mean_ndcg_of_list(const gr_ranked *ranked, size_t depth)
{
    const gr_gains *gains = &ranked->settings->gains;
    const int shift = gr_gain_shift(ranked);
    const size_t first = gr_ideal_start(ranked), left = ranked->ideal_count - first;
    double dcg = 0.0, ideal = 0.0, sum = 0.0;

    (void)depth;
    if (left == 0)
        return NAN;
    for (size_t g = 0; g < ranked->groups; g++) {
        const size_t start = gr_group_start(ranked, g), end = ranked->ends[g];
        const double gain = gr_mean_gain(ranked, start, end, shift);

        for (size_t i = start; i < end; i++) {
            const double discount = gr_discount_of(ranked->settings, i);

            dcg += gain * discount;
            if (i < left)
                ideal += gr_gain_of(gains, ranked->ideal[first + i], shift) * discount;
            sum += fmin(dcg / ideal, 1.0); /* rounding may exceed 1 */
        }
    }
    return ranked->count > 0 ? sum / (double)ranked->count : 0.0;
}

const gr_metric gr_metric_mean_ndcg = {
    .about = { .name = "mean-ndcg",
               .summary = "LETOR's MeanNDCG: the mean of NDCG@1 to NDCG@n over n documents",
               .details =
                   "The mean over cutoffs k = 1..n of NDCG@k, n the number of documents of the "
                   "query, as printed by the LETOR 4.0 and MSLR scripts (use their conventions "
                   "to get their numbers). Ties: the mean of the expected NDCG@k. Cost: O(n "
                   "log n)." },
    .aliases = "meanndcg",
    .low = 0,
    .high = 1,
    .empty_may_be_one = true,
    .labels = GR_LABELS_GAIN,
    .of_list = mean_ndcg_of_list,
};
