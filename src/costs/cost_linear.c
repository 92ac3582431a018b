/* SPDX-License-Identifier: Apache-2.0 */
/* The linear cost of multipartite ranking (Uematsu and Lee 2015): c_ji = i - j. */
#include "costs/cost.h"

#include <math.h>

static double linear(double truth, double guess, double parameter)
{
    (void)parameter;
    return fabs(truth - guess);
}

const gr_cost gr_cost_linear = {
    .about = { .name = "linear",
               .summary = "i - j: the absolute cost, under its name in multipartite ranking",
               .details = "Ranking a document of grade i below one of grade j < i costs i - j. "
                          "The same numbers as 'absolute'." },
    .of = linear,
};
