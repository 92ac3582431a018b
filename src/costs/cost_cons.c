/* SPDX-License-Identifier: Apache-2.0 */
/* Consecutive cuts (Uematsu and Lee 2015): a pair pays for each boundary between its grades, and
 * the risk is 1 - U_cons. */
#include "costs/cost.h"

static double cons_of_pair(const gr_levels *levels, size_t low, size_t high)
{
    return (levels->cuts[high] - levels->cuts[low]) * levels->pairs / (double)(levels->count - 1);
}

const gr_cost gr_cost_cons = {
    .about = { .name = "cons",
               .summary =
                   "the sum of 1 / (n_<=l n_>l) over boundaries l, scaled: the risk is 1 - u-cons",
               .details = "Depends on the number of documents per grade in the list. The sum is "
                          "over the boundaries between the two grades of a pair, scaled by the "
                          "number of document pairs divided by the number of boundaries." },
    .of_pair = cons_of_pair,
};
