/* SPDX-License-Identifier: Apache-2.0 */
/* Consecutive cuts: a pair pays for each cut between its grades, and the risk is 1 - U_cons. */
#include "costs/cost.h"

static double cons_of_pair(const gr_levels *levels, size_t low, size_t high)
{
    return (levels->cuts[high] - levels->cuts[low]) * levels->pairs / (double)(levels->count - 1);
}

const gr_cost gr_cost_cons = {
    .about = { .name = "cons",
               .summary = "the sum of 1 / (n_<=l n_>l) over cuts l, scaled: risk is 1 - u-cons",
               .details = "Depends on how many documents of the list have each grade. The cuts "
                          "are those between the two grades of a pair; scaled by the number of "
                          "document pairs over the number of cuts." },
    .of_pair = cons_of_pair,
};
