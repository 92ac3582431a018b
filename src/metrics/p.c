/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/metric.h"

#include <math.h>

static double p_of_list(const gr_ranked *ranked, size_t depth)
{
    const gr_short_rule brief = ranked->settings->convention.brief_p;
    const bool cut = depth == SIZE_MAX || brief == GR_SHORT_CUT;
    const size_t places = cut ? gr_least(depth, ranked->count) : depth;

    if (ranked->relevant == 0)
        return NAN;
    return places > 0 ? gr_relevant_found(ranked, depth) / (double)places : 0.0;
}

const gr_metric gr_metric_p = {
    .about = { .name = "p",
               .summary = "precision: the share of relevant documents among the first k",
               .details =
                   "P@k = relevant documents among the first k, over k; over the number of "
                   "documents if that is smaller and the convention says 'cut', or if no depth is "
                   "given. Relevant: labels from --relevant up. A query without relevant "
                   "documents is empty, and 0 unless such queries are skipped. Ties: exact "
                   "expectation: each place of a tie group holds the group's share of relevant "
                   "documents. Cost: O(n log n)." },
    .aliases = "precision",
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .short_kind = GR_SHORT_AS_P,
    .of_list = p_of_list,
};
