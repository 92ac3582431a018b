/* SPDX-License-Identifier: Apache-2.0 */
/* Geometric mean average precision (Robertson 2006): average precision per query, geometric mean
 * over queries. */
#include "metrics/metric.h"

static double gmap_of_list(const gr_ranked *ranked, size_t depth)
{
    return gr_metric_map.of_list(ranked, depth);
}

const gr_metric gr_metric_gmap = {
    .about = { .name = "gmap",
               .summary =
                   "geometric mean over queries of average precision: poor queries count most",
               .details =
                   "exp of the mean over queries of log(max(AP, 0.00001)), AP as for map; the "
                   "value of a query is its AP. An increase from .05 to .10 counts as much as "
                   "one from .40 to .80. 'gradus compare' does not accept it, because its "
                   "tests are for differences of arithmetic means: compare map instead. A "
                   "query without relevant documents is empty. Ties: the AP of a query is the "
                   "exact expectation over tie orders, before the logarithm. Cost: O(n log n). "
                   "Source: Robertson 2006; trec_eval's gm_map." },
    .aliases = "gm_map",
    .low = 0,
    .high = 1,
    .takes_depth = true,
    .empty_may_be_one = true,
    .empty_as_map = true,
    .geometric = true,
    .of_list = gmap_of_list,
};
