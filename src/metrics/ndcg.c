/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/gains.h"

#include <math.h>

static double ndcg_of_list(const gr_ranked *ranked, size_t depth)
{
    const int shift = gr_gain_shift(ranked);
    const double ideal = gr_ideal_dcg(ranked, depth, shift);

    /* rounding may lift a tied ideal order above 1 */
    return ideal > 0.0 ? fmin(gr_dcg(ranked, depth, shift) / ideal, 1.0) : NAN;
}

const gr_metric gr_metric_ndcg = {
    .about = { .name = "ndcg",
               .summary = "normalised discounted cumulative gain: DCG over that of the best order",
               .details =
                   "NDCG@k = DCG@k / IDCG@k, where DCG@k is the sum over places i = 1..k of "
                   "gain(y_i) * discount(i) and IDCG@k is that of the best order of all judged "
                   "documents. Gain and discount are switches of the convention. A query whose "
                   "ideal is 0 is empty. Ties: exact expectation over the orders of tied "
                   "documents, each place of a tie group having the group's mean gain (McSherry "
                   "and Najork 2008). Cost: O(n log n). Source: Jarvelin and Kekalainen 2002; "
                   "Burges et al. 2005 for the exponential gain." },
    .aliases = "ndcg_cut",
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .empty_may_be_one = true,
    .labels = GR_LABELS_GAIN,
    .short_kind = GR_SHORT_AS_NDCG,
    .of_list = ndcg_of_list,
};
