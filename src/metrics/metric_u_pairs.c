/* SPDX-License-Identifier: Apache-2.0 */
/* Fraction of document pairs with different labels that are in the right order (Uematsu and Lee
 * 2015). */
#include "metrics/pairs.h"

#include <math.h>

static double u_pairs_of_list(const gr_ranked *ranked, size_t depth)
{
    const double pairs = ranked->levels->pairs;

    (void)depth;
    return pairs > 0.0
               ? 1.0 - gr_misordered(ranked, ranked->settings->tied_pairs, NULL, NULL) / pairs
               : NAN;
}

const gr_metric gr_metric_u_pairs = {
    .about = { .name = "u-pairs",
               .summary = "fraction of document pairs with different labels in the right order",
               .details =
                   "Over all pairs of documents of a query with different labels: the fraction "
                   "in which the higher label has the higher score, equal scores counting one "
                   "half (the expectation over tie orders) unless --ties is pessimistic or "
                   "optimistic. Queries without such a pair are left out and counted as empty. "
                   "1 - u-pairs is the risk under --cost pairs. Any labels. Cost: O(n log n). "
                   "Source: Uematsu and Lee 2015 and its references." },
    .low = 0,
    .high = 1,
    .pairs = true,
    .of_list = u_pairs_of_list,
};
