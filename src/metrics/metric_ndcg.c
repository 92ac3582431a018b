/* SPDX-License-Identifier: Apache-2.0 */
/* Normalised discounted cumulative gain (Jarvelin and Kekalainen 2002); gains.c computes the sums.
 */
#include "metrics/gains.h"

#include <math.h>

static double ndcg_of_list(const gr_ranked *ranked, size_t depth)
{
    const int shift = gr_gain_shift(ranked);
    const double ideal = gr_ideal_dcg(ranked, depth, shift);

    /* rounding may exceed 1 if documents are tied */
    return ideal > 0.0 ? fmin(gr_dcg(ranked, depth, shift) / ideal, 1.0) : NAN;
}

const gr_metric gr_metric_ndcg = {
    .about = { .name = "ndcg",
               .summary = "normalised discounted cumulative gain: DCG / DCG of the ideal ranking",
               .details =
                   "NDCG@k = DCG@k / IDCG@k, where DCG@k is the sum over ranks i = 1..k of "
                   "gain(y_i) * discount(i) and IDCG@k is that of the ideal ranking of all "
                   "judged documents. Gain and discount are switches of the convention. A "
                   "query whose IDCG is 0 is empty. Ties: exact expectation over the orders of "
                   "tied documents, each position of a tie group having the group's mean gain "
                   "(McSherry and Najork 2008). Cost: O(n log n). Source: Jarvelin and "
                   "Kekalainen 2002; Burges et al. 2005 for the exponential gain." },
    .aliases = "ndcg_cut",
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .only_top = true,
    .empty_may_be_one = true,
    .labels = GR_LABELS_GAIN,
    .short_kind = GR_SHORT_AS_NDCG,
    .of_list = ndcg_of_list,
};
