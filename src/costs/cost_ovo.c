/* SPDX-License-Identifier: Apache-2.0 */
/* One versus one (Uematsu and Lee 2015): each pair of grades contributes equally to the risk, which
 * is 1 - U_ovo. */
#include "costs/cost.h"

static double ovo_of_pair(const gr_levels *levels, size_t low, size_t high)
{
    const double level_pairs = 0.5 * (double)levels->count * (double)(levels->count - 1);

    return levels->pairs / (level_pairs * levels->sizes[low] * levels->sizes[high]);
}

const gr_cost gr_cost_ovo = {
    .about = { .name = "ovo",
               .summary = "1 / (n_i n_j), scaled: the risk is 1 - u-ovo",
               .details = "Depends on the number of documents per grade in the list. Scaled by "
                          "the number of document pairs divided by the number of grade pairs." },
    .of_pair = ovo_of_pair,
};
