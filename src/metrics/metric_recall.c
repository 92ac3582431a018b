/* SPDX-License-Identifier: Apache-2.0 */
/* Recall at k. */
#include "metrics/metric.h"

#include <math.h>

static double recall_of_list(const gr_ranked *ranked, size_t depth)
{
    if (ranked->relevant == 0)
        return NAN;
    return gr_relevant_found(ranked, depth) / (double)ranked->relevant;
}

const gr_metric gr_metric_recall = {
    .about = { .name = "recall",
               .summary = "fraction of the relevant documents that are among the first k",
               .details =
                   "Recall@k = relevant documents among the first k, divided by all relevant "
                   "documents (for a TREC run: all judged relevant). A query without relevant "
                   "documents is empty. Without a cutoff it is 1 unless a run missed some. "
                   "Ties: exact expectation, as for p. Cost: O(n log n)." },
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .empty_may_be_one = true,
    .of_list = recall_of_list,
};
