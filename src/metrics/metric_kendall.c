/* SPDX-License-Identifier: Apache-2.0 */
/* Kendall's tau-b between scores and labels (Kendall 1945; Knight 1966). */
#include "metrics/pairs.h"

#include <math.h>

/* Number of document pairs with different scores. */
static double score_pairs(const gr_ranked *ranked)
{
    double pairs = 0.0;

    for (size_t start = 0, end; start < ranked->count; start = end) {
        end = gr_score_run(ranked, start);
        pairs += (double)start * (double)(end - start);
    }
    return pairs;
}

/* With P pairs of different labels, D of them discordant and T tied in score, gr_misordered returns
 * D + T/2, so concordant minus discordant pairs are P - 2D - T = P - 2 (D + T/2). */
static double kendall_of_list(const gr_ranked *ranked, size_t depth)
{
    const double labels = ranked->levels->pairs, scores = score_pairs(ranked);

    (void)depth;
    if (!(labels > 0.0))
        return NAN;
    if (scores == 0.0)
        return 0.0;
    const double tau =
        (labels - 2.0 * gr_misordered(ranked, 0.5, NULL, NULL)) / sqrt(labels * scores);

    return fmin(fmax(tau, -1.0), 1.0); /* rounding may exceed [-1, 1] */
}

const gr_metric gr_metric_kendall = {
    .about = { .name = "kendall",
               .summary = "Kendall's tau-b between scores and labels",
               .details =
                   "(concordant - discordant pairs) / sqrt(pairs with different labels * pairs "
                   "with different scores). The correction for ties is part of tau-b, so "
                   "--ties has no effect. Queries with one label are left out and counted as "
                   "empty; if all scores are equal the value is 0, as for a random order "
                   "(scipy returns NAN). Any labels. Cost: O(n log n). Source: Kendall 1945; "
                   "Knight 1966." },
    .low = -1,
    .high = 1,
    .pairs = true,
    .ties = GR_TIED_FIXED,
    .of_list = kendall_of_list,
};
