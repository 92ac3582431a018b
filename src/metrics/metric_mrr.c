/* SPDX-License-Identifier: Apache-2.0 */
/* Mean reciprocal rank of the first relevant document. */
#include "metrics/metric.h"

#include <math.h>

/* In a tie group of m documents, r of them relevant, the first relevant one is at position j with
 * probability C(m - j, r - 1) / C(m, r): r / m for j = 1, then multiplied by (m - j - r + 1) / (m -
 * j) for each step. */
static double expected_in_group(size_t start, size_t m, size_t r, size_t last)
{
    double probability = (double)r / (double)m, sum = 0.0;

    for (size_t j = 1; j <= m - r + 1 && start + j <= last; j++) {
        sum += probability / (double)(start + j);
        if (j < m)
            probability *= (double)(m - j - r + 1) / (double)(m - j);
    }
    return sum;
}

static double mrr_of_list(const gr_ranked *ranked, size_t depth)
{
    const size_t last = gr_least(depth, ranked->count);

    if (ranked->relevant == 0)
        return NAN;
    for (size_t g = 0; g < ranked->groups; g++) {
        const size_t start = gr_group_start(ranked, g), end = ranked->ends[g];
        const size_t r = gr_relevant_between(ranked, start, end);

        if (r > 0)
            return expected_in_group(start, end - start, r, last);
    }
    return 0.0;
}

const gr_metric gr_metric_mrr = {
    .about = { .name = "mrr",
               .summary = "mean reciprocal rank: 1 / rank of the first relevant document",
               .details = "RR@k = 1 / rank of the first relevant document, 0 if it is beyond k. "
                          "Relevant: label >= --relevant. A query without relevant documents is "
                          "empty, and counts 0 unless such queries are skipped. Ties: exact "
                          "expectation: the first of r relevant among m tied documents is the j-th "
                          "with probability C(m-j, r-1) / C(m, r). Cost: O(n log n)." },
    .aliases = "recip_rank rr",
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .of_list = mrr_of_list,
};
