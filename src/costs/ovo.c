/* SPDX-License-Identifier: Apache-2.0 */
/* One against one: each pair of grades has the same share of the risk, which is 1 - U_ovo. */
#include "costs/cost.h"

static double ovo_of_pair(const gr_levels *levels, size_t low, size_t high)
{
    const double level_pairs = 0.5 * (double)levels->count * (double)(levels->count - 1);

    return levels->pairs / (level_pairs * levels->sizes[low] * levels->sizes[high]);
}

const gr_cost gr_cost_ovo = {
    .about = { .name = "ovo",
               .summary = "1 / (n_i n_j), scaled: the risk is 1 - u-ovo",
               .details = "Depends on how many documents of the list have each grade. Scaled by "
                          "the number of document pairs over the number of grade pairs." },
    .of_pair = ovo_of_pair,
};
