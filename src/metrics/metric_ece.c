/* SPDX-License-Identifier: Apache-2.0 */
/* Expected calibration error over bins of equal width (Naeini, Cooper and Hauskrecht 2015). */
#include "metrics/metric_rows.h"

#include <math.h>
#include <string.h>

typedef struct bin {
    double weight, scores, relevant;
} bin;

/* One pass per block of bins, so that memory does not grow with the number of bins. */
enum { BLOCK = 64 };

static void fill(const gr_ranked *ranked, size_t first, bin *bins)
{
    const double count = (double)ranked->settings->bins;

    memset(bins, 0, BLOCK * sizeof *bins);
    for (size_t i = 0; i < ranked->count; i++) {
        const double score = ranked->scores[i], weight = gr_row_weight(ranked, i);
        const size_t b = (size_t)fmin(score * count, count - 1.0);

        if (b < first || b >= first + BLOCK)
            continue;
        bins[b - first].weight += weight;
        bins[b - first].scores += weight * score;
        if (gr_is_relevant(&ranked->settings->convention, ranked->labels[i]))
            bins[b - first].relevant += weight;
    }
}

static double ece_of_list(const gr_ranked *ranked, size_t depth)
{
    double error = 0.0, weights = 0.0;
    bin bins[BLOCK];

    (void)depth;
    for (size_t first = 0; first < ranked->settings->bins; first += BLOCK) {
        fill(ranked, first, bins);
        for (size_t b = 0; b < BLOCK; b++) {
            error += fabs(bins[b].scores - bins[b].relevant);
            weights += bins[b].weight;
        }
    }
    return weights > 0.0 ? error / weights : NAN;
}

const gr_metric gr_metric_ece = {
    .about = { .name = "ece",
               .summary = "expected calibration error of the probability of being relevant",
               .details =
                   "Scores, which must be probabilities from 0 to 1 of a label >= --relevant, "
                   "are grouped into --bins bins of equal width; a score on an edge goes to "
                   "the upper bin. ECE = the sum over bins of (rows in the bin / rows) * |mean "
                   "score - fraction of relevant rows|, weighted by row weights. The value of "
                   "a query uses its own rows only. Lower is better. Cost: O(n) for up to 64 "
                   "bins. Source: Naeini, Cooper and Hauskrecht 2015." },
    .low = 0,
    .high = 1,
    .lower_is_better = true,
    .pooled = true,
    .ties = GR_TIED_FIXED,
    .probabilities = true,
    .of_list = ece_of_list,
};
