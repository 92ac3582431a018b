/* SPDX-License-Identifier: Apache-2.0 */
/* The squared distance between grades. */
#include "costs/cost.h"

static double squared(double truth, double guess, double parameter)
{
    (void)parameter;
    return (truth - guess) * (truth - guess);
}

const gr_cost gr_cost_squared = {
    .about = { .name = "squared",
               .summary = "(y - k)^2: large errors cost more",
               .details = "For K = 4 and y = 3 the costs of k = 0..4 are 9, 4, 1, 0, 1." },
    .of = squared,
};
