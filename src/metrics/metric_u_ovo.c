/* SPDX-License-Identifier: Apache-2.0 */
/* Mean AUC over pairs of labels, one against one (Uematsu and Lee 2015). */
#include "metrics/pairs.h"

#include <math.h>

static double u_ovo_of_list(const gr_ranked *ranked, size_t depth)
{
    const size_t count = ranked->levels->count;
    double *share = ranked->work + ranked->count + 2;

    (void)depth;
    if (count < 2)
        return NAN;
    for (size_t l = 0; l < count; l++)
        share[l] = 1.0 / ranked->levels->sizes[l];
    return 1.0 - gr_misordered(ranked, ranked->settings->tied_pairs, share, share) /
                     (0.5 * (double)count * (double)(count - 1));
}

const gr_metric gr_metric_u_ovo = {
    .about = { .name = "u-ovo",
               .summary = "mean over pairs of labels of the AUC of one against the other",
               .details =
                   "For each pair of different labels in a query: the AUC of documents with "
                   "the higher label against documents with the lower, equal scores counting "
                   "one half (the expectation over tie orders) unless --ties is pessimistic or "
                   "optimistic; u-ovo is their mean, so rare labels count as much as frequent "
                   "ones. Queries with one label are left out and counted as empty. 1 - u-ovo "
                   "is the risk under --cost ovo. Any labels. Cost: O(n log n). Source: "
                   "Uematsu and Lee 2015 and its references." },
    .low = 0,
    .high = 1,
    .pairs = true,
    .of_list = u_ovo_of_list,
};
