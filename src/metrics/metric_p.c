/* SPDX-License-Identifier: Apache-2.0 */
/* Precision at k. */
#include "metrics/metric.h"

#include <math.h>

static double p_of_list(const gr_ranked *ranked, size_t depth)
{
    const gr_short_rule short_lists = ranked->settings->convention.short_lists_p;
    const bool cut = depth == SIZE_MAX || short_lists == GR_SHORT_CUT;
    const size_t places = cut ? gr_least(depth, ranked->count) : depth;

    if (ranked->relevant == 0)
        return NAN;
    return places > 0 ? gr_relevant_found(ranked, depth) / (double)places : 0.0;
}

const gr_metric gr_metric_p = {
    .about = { .name = "p",
               .summary = "precision: fraction of relevant documents among the first k",
               .details =
                   "P@k = relevant documents among the first k, divided by k; or by the number "
                   "of documents if that is smaller and the convention is 'cut', or if no "
                   "cutoff is given. Relevant: label >= --relevant. A query without relevant "
                   "documents is empty, and counts 0 unless such queries are skipped. Ties: "
                   "exact expectation: each position of a tie group has the group's fraction "
                   "of relevant documents. Cost: O(n log n)." },
    .aliases = "precision",
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .short_kind = GR_SHORT_AS_P,
    .of_list = p_of_list,
};
