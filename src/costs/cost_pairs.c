/* SPDX-License-Identifier: Apache-2.0 */
/* All pairs of different grades have equal cost (Uematsu and Lee 2015): the risk is 1 - U_pairs. */
#include "costs/cost.h"

static double pairs_of_pair(const gr_levels *levels, size_t low, size_t high)
{
    (void)levels;
    (void)low;
    (void)high;
    return 1.0;
}

const gr_cost gr_cost_pairs = {
    .about = { .name = "pairs",
               .summary = "1 for every pair: the risk is 1 - u-pairs",
               .details =
                   "A cost of pairs; it is not defined for the grade of a single document." },
    .of_pair = pairs_of_pair,
};
