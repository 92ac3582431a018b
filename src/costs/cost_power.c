/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of the distance between grades. */
#include "costs/cost.h"

#include "base/math.h"

#include <math.h>

static double power(double truth, double guess, double exponent)
{
    const double distance = fabs(truth - guess);

    if (distance == 0.0)
        return 0.0;
    if (exponent == floor(exponent))
        return gr_cost_raise(distance, exponent);
    return gr_exp(exponent * gr_log(distance));
}

const gr_cost gr_cost_power = {
    .about = { .name = "power",
               .summary = "|y - k|^P, 'power:P' (P = 1); 1: absolute, 2: squared, 0: zero-one",
               .details = "For K = 4, y = 3 and P = 3 the costs of k = 0..4 are 27, 8, 1, 0, 1. "
                          "With P = 0 every wrong grade costs 1; with P between 0 and 1 costs grow "
                          "more slowly than the distance. P is between 0 and 16." },
    .parameter = 1.0,
    .least = 0.0,
    .most = 16.0,
    .of = power,
};
