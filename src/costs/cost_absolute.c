/* SPDX-License-Identifier: Apache-2.0 */
/* The distance between grades; in Lin and Li's reduction all boundaries then have weight 1. */
#include "costs/cost.h"

#include <math.h>

static double absolute(double truth, double guess, double parameter)
{
    (void)parameter;
    return fabs(truth - guess);
}

const gr_cost gr_cost_absolute = {
    .about = { .name = "absolute",
               .summary = "|y - k|: the distance between the grades",
               .details = "Each step between grades costs 1. For K = 4 and y = 3 the costs of "
                          "k = 0..4 are 3, 2, 1, 0, 1." },
    .of = absolute,
};
