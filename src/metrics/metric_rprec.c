/* SPDX-License-Identifier: Apache-2.0 */
/* R-precision: precision at the number of relevant documents, as in trec_eval. */
#include "metrics/metric.h"

#include <math.h>

static double rprec_of_list(const gr_ranked *ranked, size_t depth)
{
    (void)depth;
    if (ranked->relevant == 0)
        return NAN;
    return gr_relevant_found(ranked, ranked->relevant) / (double)ranked->relevant;
}

const gr_metric gr_metric_rprec = {
    .about = { .name = "rprec",
               .summary = "R-precision: precision at R, the number of relevant documents",
               .details =
                   "Relevant documents among the first R, divided by R, where R is the number "
                   "of relevant documents of the query (of all judged ones for a TREC run). "
                   "Relevant: label >= --relevant. A query without relevant documents is "
                   "empty. Ties: exact expectation, as for p. Cost: O(n log n). Same as "
                   "trec_eval's Rprec." },
    .aliases = "r_prec r_precision",
    .low = 0,
    .high = 1,
    .of_list = rprec_of_list,
};
