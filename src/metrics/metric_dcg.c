/* SPDX-License-Identifier: Apache-2.0 */
/* Discounted cumulative gain; gains.c computes it. */
#include "metrics/gains.h"

#include <math.h>

static double dcg_of_list(const gr_ranked *ranked, size_t depth)
{
    return gr_ideal_start(ranked) < ranked->ideal_count ? gr_dcg(ranked, depth, 0) : NAN;
}

const gr_metric gr_metric_dcg = {
    .about = { .name = "dcg",
               .summary = "discounted cumulative gain, not normalised",
               .details =
                   "DCG@k = the sum over ranks i = 1..k of gain(y_i) * discount(i). A query "
                   "without a document that has a gain is empty, and counts 0 unless such "
                   "queries are skipped. Ties: exact expectation, as for ndcg. Cost: O(n log "
                   "n)." },
    .low = 0,
    .high = INFINITY,
    .takes_depth = true,
    .only_top = true,
    .labels = GR_LABELS_GAIN,
    .short_kind = GR_SHORT_AS_NDCG,
    .of_list = dcg_of_list,
};
