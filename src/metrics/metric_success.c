/* SPDX-License-Identifier: Apache-2.0 */
/* Success at k: whether a relevant document is ranked within the first k. */
#include "metrics/metric.h"

#include <math.h>

/* The probability that none of r relevant documents is among the first q of m in random order: C(m
 * - r, q) / C(m, q). */
static double chance_of_none(double m, double r, double q)
{
    double chance = 1.0;

    for (double j = 0.0; j < q && chance > 0.0; j++)
        chance *= fmax(m - r - j, 0.0) / (m - j);
    return chance;
}

static double success_of_list(const gr_ranked *ranked, size_t depth)
{
    const size_t last = gr_least(depth, ranked->count);

    if (ranked->relevant == 0)
        return NAN;
    for (size_t g = 0; g < ranked->groups; g++) {
        const size_t start = gr_group_start(ranked, g), end = ranked->ends[g];
        const size_t relevant = start < last ? gr_relevant_between(ranked, start, end) : 0;

        if (start >= last)
            break;
        if (relevant > 0) /* decides: a group that extends past the cutoff is the last above it */
            return end <= last ? 1.0
                               : 1.0 - chance_of_none((double)(end - start), (double)relevant,
                                                      (double)(last - start));
    }
    return 0.0;
}

const gr_metric gr_metric_success = {
    .about = { .name = "success",
               .summary = "whether a relevant document is among the first k",
               .details =
                   "success@k = 1 if one of the first k documents is relevant, else 0; the "
                   "mean over queries is the fraction of queries answered. Relevant: label >= "
                   "--relevant. A query without relevant documents is empty, and counts 0 "
                   "unless such queries are skipped. Ties: exact expectation: with r relevant "
                   "of m tied documents and q positions left, 1 - C(m-r, q) / C(m, q). Cost: "
                   "O(n log n). Same as trec_eval's success." },
    .aliases = "hit_rate hits",
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .of_list = success_of_list,
};
