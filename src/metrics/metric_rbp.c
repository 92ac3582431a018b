/* SPDX-License-Identifier: Apache-2.0 */
/* Rank-biased precision (Moffat and Zobel 2008). */
#include "metrics/metric.h"

#include <math.h>

/* Each position of a tie group is relevant with the group's fraction of relevant documents; the
 * positions from start to end - 1 have total weight p^start - p^end. */
static double rbp_of_list(const gr_ranked *ranked, size_t depth)
{
    const size_t last = gr_least(depth, ranked->count);
    const double p = ranked->settings->persistence;
    double sum = 0.0;

    if (ranked->relevant == 0)
        return NAN;
    for (size_t g = 0; g < ranked->groups; g++) {
        const size_t start = gr_group_start(ranked, g), end = ranked->ends[g];

        if (start >= last)
            break;
        const double relevant = (double)gr_relevant_between(ranked, start, end);

        if (relevant > 0.0)
            sum += relevant / (double)(end - start) *
                   (pow(p, (double)start) - pow(p, (double)gr_least(end, last)));
    }
    return sum;
}

const gr_metric gr_metric_rbp = {
    .about = { .name = "rbp",
               .summary = "rank-biased precision: the user continues with probability p",
               .details =
                   "RBP@k = (1 - p) times the sum over ranks i <= k with a relevant document "
                   "of p^(i-1), p = --persistence. Relevant: label >= --relevant. Documents "
                   "beyond the list count as irrelevant, so RBP is a lower bound: the "
                   "remainder is at most p^n. A query without relevant documents is empty, and "
                   "counts 0 unless such queries are skipped. Ties: exact expectation: each "
                   "position of a tie group has the group's fraction of relevant documents. "
                   "Cost: O(n log n). Source: Moffat and Zobel 2008." },
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .of_list = rbp_of_list,
};
