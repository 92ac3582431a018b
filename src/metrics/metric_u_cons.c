/* SPDX-License-Identifier: Apache-2.0 */
/* Mean AUC over the cuts between consecutive labels (Uematsu and Lee 2015). */
#include "metrics/pairs.h"

#include <math.h>

/* A pair of levels low < high counts once for each cut between them: cuts[high] - cuts[low]. */
static double u_cons_of_list(const gr_ranked *ranked, size_t depth)
{
    const gr_levels *levels = ranked->levels;

    (void)depth;
    if (levels->count < 2)
        return NAN;
    const double wrong = gr_misordered(ranked, ranked->settings->tied_pairs, NULL, levels->cuts) -
                         gr_misordered(ranked, ranked->settings->tied_pairs, levels->cuts, NULL);

    return fmin(fmax(1.0 - wrong / (double)(levels->count - 1), 0.0), 1.0);
}

const gr_metric gr_metric_u_cons = {
    .about = { .name = "u-cons",
               .summary = "mean over label thresholds of the AUC of documents above against below",
               .details =
                   "For each threshold between consecutive labels of a query: the AUC of "
                   "documents above it against documents below it, equal scores counting one "
                   "half (the expectation over tie orders); u-cons is their mean. Queries with "
                   "one label are left out and counted as empty. 1 - u-cons is the risk under "
                   "--cost cons. Any labels. Cost: O(n log n). Source: Uematsu and Lee 2015 "
                   "and its references." },
    .low = 0,
    .high = 1,
    .pairs = true,
    .of_list = u_cons_of_list,
};
